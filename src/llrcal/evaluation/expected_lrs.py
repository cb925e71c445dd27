"""Mean likelihood-ratios of either class, from sums that do not depend on the order of LLRs."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import reduce

import numpy as np

from llrcal.arrays import Array
from llrcal.onepass.chunks import chunks
from llrcal.onepass.sums import ExactSum

_NOTHING = ExactSum()


@dataclass(frozen=True)
class EvidenceSums:
    """Sums over the LLRs of one class."""

    lr: ExactSum = _NOTHING
    inverse_lr: ExactSum = _NOTHING
    positive: ExactSum = _NOTHING
    """The sum of LLRs above zero; those below it count as zero."""
    negative: ExactSum = _NOTHING
    """The sum of LLRs below zero, negated."""

    @classmethod
    def of(cls, llrs: Array) -> EvidenceSums:
        return reduce(EvidenceSums.merge, map(_summed, chunks(llrs, 2**15)), cls())

    def merge(self, other: EvidenceSums) -> EvidenceSums:
        """The sums of both sets together; associative and commutative."""
        return EvidenceSums(
            self.lr.merge(other.lr),
            self.inverse_lr.merge(other.inverse_lr),
            self.positive.merge(other.positive),
            self.negative.merge(other.negative),
        )

    @property
    def mean_llr(self) -> float:
        """NaN if LLRs are infinite on both sides."""
        up, down = self.positive, self.negative
        if up.is_infinite or down.is_infinite:
            return up.mean - down.mean
        difference = ExactSum(up.count, abs(up.total - down.total)).mean
        return difference if up.total >= down.total else -difference


def _summed(llrs: Array) -> EvidenceSums:
    wide = llrs.astype(np.float64, copy=False)
    with np.errstate(over="ignore"):
        return EvidenceSums(
            ExactSum.of(np.exp(wide)),
            ExactSum.of(np.exp(-wide)),
            ExactSum.of(np.maximum(wide, 0.0)),
            ExactSum.of(np.maximum(-wide, 0.0)),
        )


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

    @classmethod
    def of(cls, tar: EvidenceSums, non: EvidenceSums) -> ExpectedLRs:
        return cls(tar.lr.mean, non.lr.mean, tar.inverse_lr.mean, tar.mean_llr, non.mean_llr)

    def to_dict(self) -> dict[str, float]:
        """The means as plain values; LLRs are log10 here."""
        numbers = asdict(self)
        llrs = {name: numbers.pop(name) / math.log(10) for name in ("llr_tar", "llr_non")}
        return numbers | {f"log10_{name.removeprefix('l')}": llr for name, llr in llrs.items()}
