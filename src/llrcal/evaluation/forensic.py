"""Figures of merit that validation reports in forensic science ask for.

Targets are trials of the same source (Hp), non-targets are trials of different sources (Hd).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from llrcal.arrays import is_number
from llrcal.errors import OptionError
from llrcal.evaluation.llrs import LLRs
from llrcal.evaluation.measures import STRENGTHS, misleading_thresholds
from llrcal.evaluation.statistics import dev_pav
from llrcal.onepass.elub import elub
from llrcal.onepass.hull import Hull


@dataclass(frozen=True)
class Misleading:
    """Rates of misleading evidence beyond a strength, as fractions."""

    strength: float
    """An LR of one or more."""
    tar: float
    """Share of targets with an LR below 1 / strength."""
    non: float
    """Share of non-targets with an LR above the strength."""


@dataclass(frozen=True)
class ExpectedLRs:
    """Means over the trials of each class.

    If LLRs are calibrated, ``lr_non`` and ``inverse_lr_tar`` are expected to be one. Both are
    dominated by a few misleading LRs, so with few trials they are often far below it.
    """

    lr_tar: float
    """Mean LR of the targets (Hp)."""
    lr_non: float
    """Mean LR of the non-targets (Hd)."""
    inverse_lr_tar: float
    """Mean 1/LR of the targets (Hp)."""
    llr_tar: float
    """Mean LLR of the targets, in nats."""
    llr_non: float
    """Mean LLR of the non-targets, in nats."""


class Forensic:
    """devPAV, ELUB, misleading evidence and expected LRs of an evaluation, each when asked for."""

    def __init__(self, llrs: LLRs, hull: Hull) -> None:
        self._llrs, self._hull = llrs, hull

    @cached_property
    def dev_pav(self) -> float:
        """Mean distance between the LLRs of PAV and the LLRs, in log10; zero if calibrated.

        NaN if the classes do not overlap, so that PAV is finite nowhere.
        """
        edges = self._llrs.groups.edges[self._hull.first_group]
        return dev_pav(self._hull, self._llrs.ends(edges))

    @cached_property
    def elub(self) -> tuple[float, float]:
        """Empirical lower and upper bound of LLRs, in nats: see :mod:`llrcal.onepass.elub`.

        Both are zero if LRs are of no more use than no evidence.
        """
        return elub(self._llrs)

    @cached_property
    def expected_lrs(self) -> ExpectedLRs:
        """Mean LRs of either class."""
        tar, non = self._llrs.evidence
        lrs = tar.lr.mean, non.lr.mean, tar.inverse_lr.mean
        return ExpectedLRs(*lrs, tar.mean_llr, non.mean_llr)

    def misleading(self, strength: float = 1.0) -> Misleading:
        """Rates of misleading evidence: of LRs that support the wrong hypothesis.

        Parameters
        ----------
        strength
            An LR of at least one: weaker evidence is not counted.

        Raises
        ------
        OptionError
            If the strength is below one, or not a number.

        Examples
        --------
        >>> import llrcal
        >>> ev = llrcal.evaluate([2.0, 3.0, -1.0], [-2.0, -3.0, 0.5, -1.5])
        >>> ev.forensic.misleading()
        Misleading(strength=1.0, tar=0.3333333333333333, non=0.25)
        """
        if not is_number(strength) or not 1 <= strength < math.inf:
            raise OptionError(f"the strength is {strength!r:.50}; give an LR of at least one")
        ends = misleading_thresholds([float(strength)])
        below, accepted = (
            self._llrs.below(end, of_tar=of_tar)
            for end, of_tar in zip(ends, (True, False), strict=True)
        )
        tar, non = self._llrs.tar_count, self._llrs.non_count
        return Misleading(float(strength), int(below[0]) / tar, (non - int(accepted[0])) / non)

    def add_to(self, answer: dict[str, Any]) -> None:
        """Add the figures that have no intervals to those that have, as plain values."""
        expected = self.expected_lrs
        answer["elub"] = {
            "log10_lr": [end / math.log(10) for end in self.elub],
            "lr": [math.exp(end) for end in self.elub],
        }
        for name in ("lr_tar", "lr_non", "inverse_lr_tar"):
            answer["expected"][name] = getattr(expected, name)
        answer["misleading"]["strength"] = list(STRENGTHS)

    def __repr__(self) -> str:
        low, high = (end / math.log(10) for end in self.elub)
        return (
            f"<forensic figures of merit: devPAV {self.dev_pav:.4f}, "
            f"ELUB {low:.3f} to {high:.3f} (log10)>"
        )
