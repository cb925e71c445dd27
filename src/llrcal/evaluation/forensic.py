"""Figures of merit that validation reports in forensic science ask for.

Targets are trials of the same source (Hp), non-targets are trials of different sources (Hd).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from llrcal.arrays import Floats, is_number
from llrcal.errors import OptionError
from llrcal.evaluation.llrs import LLRs
from llrcal.notebook import html_table
from llrcal.onepass.elub import elub
from llrcal.onepass.hull import Hull
from llrcal.onepass.ranks import Ends

STRENGTHS = (1.0, 10.0, 100.0, 1000.0)
"""LRs beyond which misleading evidence is counted, unless others are asked for."""
_ROOM = 0.125  # differences of the largest doubles would overflow


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

    def to_dict(self) -> dict[str, float]:
        """The means as plain values; LLRs are log10 here."""
        return {
            "lr_tar": self.lr_tar,
            "lr_non": self.lr_non,
            "inverse_lr_tar": self.inverse_lr_tar,
            "log10_lr_tar": self.llr_tar / math.log(10),
            "log10_lr_non": self.llr_non / math.log(10),
        }


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
        llrs, ends = self._llrs, misleading_thresholds([float(strength)])
        tar, right = (
            int(llrs.below(np.array([end]), of_tar=of_tar)[0])
            for end, of_tar in zip(ends, (True, False), strict=True)
        )
        non = llrs.non_count - right
        return Misleading(float(strength), tar / llrs.tar_count, non / llrs.non_count)

    def to_dict(self, strengths: Sequence[float] = STRENGTHS) -> dict[str, Any]:
        """The numbers as plain values; lists run over the strengths."""
        rates = [self.misleading(strength) for strength in strengths]
        return {
            "dev_pav": self.dev_pav,
            "elub": {
                "log10_lr": [end / math.log(10) for end in self.elub],
                "lr": [math.exp(end) for end in self.elub],
            },
            "expected": self.expected_lrs.to_dict(),
            "misleading": {
                name: [getattr(rate, name) for rate in rates] for name in ("strength", "tar", "non")
            },
        }

    def _repr_html_(self) -> str:
        low, high = (math.exp(end) for end in self.elub)
        expected = self.expected_lrs
        rows: dict[str, object] = {
            "devPAV (log10)": self.dev_pav,
            "ELUB (LR)": (low, high),
            "mean log10 LR, same source": expected.llr_tar / math.log(10),
            "mean log10 LR, different sources": expected.llr_non / math.log(10),
            "mean 1/LR, same source": expected.inverse_lr_tar,
            "mean LR, different sources": expected.lr_non,
        }
        for rate in map(self.misleading, STRENGTHS):
            s = rate.strength
            rows[f"same source, LR < {'1' if s == 1 else f'1/{s:,.0f}'}"] = f"{rate.tar:.4%}"
            rows[f"different sources, LR > {s:,.0f}"] = f"{rate.non:.4%}"
        return html_table("Forensic figures of merit", rows)

    def __repr__(self) -> str:
        low, high = (end / math.log(10) for end in self.elub)
        return (
            f"<forensic figures of merit: devPAV {self.dev_pav:.4f}, "
            f"ELUB {low:.3f} to {high:.3f} (log10)>"
        )


def misleading_thresholds(strengths: Sequence[float]) -> list[float]:
    """The LLRs below which targets, and at or above which non-targets, mislead."""
    ends = [math.log(strength) for strength in strengths]
    return [-end + 0.0 for end in ends] + [math.nextafter(end, math.inf) for end in ends]


def dev_pav(hull: Hull, ends: Ends) -> float:
    """How far LLRs lie from those of PAV, given its blocks and the least and greatest LLR in each.

    The PAV transform is drawn over the LLRs of the trials, straight lines connecting its points,
    and devPAV is its mean distance from the identity over the range of LLRs in which it is finite,
    in log10. It is zero for perfect calibration. Vergeer, Alberink, Sjerps and Ypma, Forensic
    Science International 321 (2021), 110722.

    NaN if PAV is finite nowhere, since the classes do not overlap; infinite if it is finite at an
    infinite LLR.
    """
    finite = np.isfinite(hull.llrs)
    if not finite.any():
        return math.nan
    llrs = np.column_stack([ends.least[finite], ends.greatest[finite]]).ravel()
    if np.isinf(llrs).any():
        return math.inf
    pav = np.repeat(hull.llrs[finite], 2)
    width, distance = np.diff(llrs * _ROOM), pav * _ROOM - llrs * _ROOM
    if not width.any():
        return float(abs(distance[0]) / _ROOM / math.log(10))
    return float(width / width.sum() @ _mean_size(distance) / _ROOM / math.log(10))


def _mean_size(distance: Floats) -> Floats:
    """The mean absolute value on each of the straight lines between neighbouring distances."""
    before, after = distance[:-1], distance[1:]
    total = np.abs(before) + np.abs(after)
    with np.errstate(invalid="ignore"):  # nothing crosses where both are zero
        squares = before / total * before + after / total * after
    return np.where((before < 0) != (after < 0), squares, total) / 2
