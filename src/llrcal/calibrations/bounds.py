"""What a calibration answers beyond the scores that it was trained on.

A formula goes on for ever; the trials behind it do not. There are three policies:

``range``
    A score beyond all training scores gets the LLR of the nearest one. A transform that bends back
    is held where the training scores end.
``counts``
    The same, and no LLR leaves [-log(T + 1), log(N + 1)], with T targets and N non-targets: no
    method claims more than PAV with its dummy trials could, were the same trials perfectly apart.
    This is in the spirit of ELUB (Vergeer et al., Science & Justice 56, 2016), where the number of
    trials limits the likelihood-ratio.
``none``
    The formula answers everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from llrcal.errors import OptionError

POLICIES = ("range", "counts", "none")
_WORTH_A_NOTE = math.log(1e9)
_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Bounds:
    """A policy, and the least and the greatest training score of both classes together.

    Infinite training scores, which PAV allows, are taken for the largest doubles there are. So are
    unknown ones.
    """

    policy: str = "none"
    lowest_score: float = -_LARGEST
    highest_score: float = _LARGEST

    @classmethod
    def of(cls, policy: str, lowest: float, highest: float) -> Bounds:
        """Bounds for training scores that may be infinite."""
        low, high = (min(max(end, -_LARGEST), _LARGEST) for end in (lowest, highest))
        return cls(policy, low, high)

    @property
    def reach(self) -> tuple[float, float]:
        """The scores beyond which every LLR is that of the last."""
        if self.policy == "none":
            return -math.inf, math.inf
        return self.lowest_score, self.highest_score


UNBOUNDED = Bounds()


def check_policy(policy: str) -> None:
    """Raise an OptionError where there is no such policy."""
    if not isinstance(policy, str) or policy not in POLICIES:
        raise OptionError(f"bounds are {policy!r}; choose one of {', '.join(POLICIES)}")


def supported_llrs(tar_count: int, non_count: int) -> tuple[float, float]:
    """Least and greatest LLR that so many trials can support, by Laplace's rule of succession."""
    return -math.log(tar_count + 1), math.log(non_count + 1)


def unsupported(llr_range: tuple[float, float], tar_count: int, non_count: int) -> tuple[str, ...]:
    """A note on LLRs far beyond those that so many trials can support.

    Tails of a good fit go some way beyond, and nobody wants to hear of that each time. So the note
    is for likelihood-ratios that are a billion times too large.
    """
    (low, high), (least, greatest) = llr_range, supported_llrs(tar_count, non_count)
    if least - low <= _WORTH_A_NOTE and high - greatest <= _WORTH_A_NOTE:
        return ()
    return (
        f"LLRs go from {low:.3g} to {high:.3g} over the training scores, but {tar_count:,} targets "
        f"and {non_count:,} non-targets can support no more than {least:.1f} to {greatest:.1f}; "
        "bounds='counts' keeps to that",
    )
