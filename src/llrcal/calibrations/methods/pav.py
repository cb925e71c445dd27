"""Non-parametric calibration by pool-adjacent-violators (paper, section 5.1).

The best rising step function on the training scores is infinite at an end where only one class has
scores. New scores may lie there, so one dummy target is added below all scores and one dummy
non-target above them (Laplace's rule of succession, as in the BOSARIS toolkit): every LLR is then
finite, and no larger than the number of training trials supports.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from scipy.special import expit, stdtrit, xlogy

from llrcal.arrays import Bools, Counts, Floats
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.curve import Formula
from llrcal.calibrations.training import Training
from llrcal.calibrations.uncertainty import LEVEL, Uncertainty
from llrcal.declaration import LLR, Rising, schema
from llrcal.fitting.report import Report
from llrcal.notes import Note
from llrcal.onepass.hull import Hull

DUMMIES = Note.of(
    "dummy trials",
    "LLRs are finite because one dummy target was added below all scores, and one dummy "
    "non-target above them (Laplace's rule of succession)",
)


@dataclass(frozen=True, kw_only=True, repr=False)
class PAV(Calibration):
    """A rising step function: ``llrs[i]`` for scores from ``scores[i]`` up to ``scores[i + 1]``.

    Each knot is the smallest training score of its step; scores below the first knot get the
    first value.
    """

    scores: Annotated[Rising, "Where each step begins, in strictly rising order."]
    llrs: Annotated[
        tuple[LLR, ...],
        schema(minItems=1, rising=True, as_many_as="scores"),
        "Its LLR, in strictly rising order.",
    ]

    method: ClassVar[str] = "pav"
    needs_ranks: ClassVar[bool] = True

    @classmethod
    def fit(cls, data: Training) -> Self:
        data = data.finite
        hull = data.hull
        llrs, rises = _steps(hull)
        edges = data.first_scores(np.maximum(hull.first_group - 1, 0))
        return cls(
            tar_count=data.tar_count,
            non_count=data.non_count,
            report=Report.closed_form(_mean_cost(hull), (DUMMIES,)),
            scores=tuple(edges[rises].tolist()),
            llrs=tuple(llrs[rises].tolist()),
        )

    def uncertainty(self, data: Training) -> Uncertainty:
        hull = data.finite.hull
        first = np.flatnonzero(_steps(hull)[1])
        tar, non = (np.add.reduceat(side, first) for side in (hull.tar, hull.non))
        return step_uncertainty(self._knots, self._values, tar, non)

    @property
    def params(self) -> dict[str, Any]:
        return {"scores": list(self.scores), "llrs": list(self.llrs)}

    @property
    def formula(self) -> Formula:
        knots, values = self._knots, self._values

        def llrs(scores: Floats) -> Floats:
            return values[np.maximum(np.searchsorted(knots, scores, "right") - 1, 0)]

        return Formula(llrs, 0.0, 0.5, knots, steps=True)

    def eer_score(self, data: Training) -> float:
        """Where the steps reach zero; since they never fall, any place would do."""
        return self.scores[min(int(np.searchsorted(self._values, 0.0)), len(self.scores) - 1)]

    @cached_property
    def _knots(self) -> Floats:
        return np.array(self.scores)

    @cached_property
    def _values(self) -> Floats:
        return np.array(self.llrs)


def _steps(hull: Hull) -> tuple[Floats, Bools]:
    """LLRs of blocks, and which of them are above those before."""
    llrs = np.maximum.accumulate(hull.llrs)
    return llrs, np.diff(llrs, prepend=-np.inf) > 0  # different shares may round to the same LLR


def _mean_cost(hull: Hull) -> float:
    """Mean cross-entropy of the labels of all trials, dummies included, in nats."""
    total = hull.tar + hull.non
    cost = -xlogy(hull.tar, hull.tar / total) - xlogy(hull.non, hull.non / total)
    return float(cost.sum() / total.sum())


_DRAWS = 64
_CELLS = 16  # parts of a block, at most
_SCORES = 64  # at which deviations are kept, at most


def step_uncertainty(scores: Floats, llrs: Floats, tar: Counts, non: Counts) -> Uncertainty:
    """The uncertainty of blocks, given their first scores, LLRs and numbers of trials.

    Trials are drawn anew. Drawing the trials themselves with replacement would not do: intervals of
    95 % held the LLR in 63 to 76 % of the cases, since every draw repeats the steps (Sen, Banerjee
    and Woodroofe, *Annals of Statistics* 38, 2010). They are therefore drawn from a curve without
    steps, straight lines between the middles of the blocks on the scale of ranks
    (:mod:`llrcal.onepass.rank_scale`), and PAV is run on each draw. The root mean square of its
    errors, block by block, is the standard deviation.

    All of it follows from the counts in the blocks, so it needs no further pass over the scores,
    and is the same wherever they are. It depends on their ranks only, as PAV itself does.
    """
    few = int(min(tar.sum(), non.sum())) - 1  # without the dummy
    times = -float(stdtrit(max(few - 1, 1), (1 - LEVEL) / 2))
    first = np.unique(np.linspace(0, len(scores) - 1, _SCORES).astype(np.int64))
    away = times * np.sqrt(_squared_errors(tar, non))[first]
    pooled_tar, pooled_non = (np.add.reduceat(side, first) for side in (tar, non))
    return Uncertainty(
        scores[first],
        llrs[first] - away,
        llrs[first] + away,
        lambda: (
            np.diag(1 / np.maximum(pooled_tar, 1)),
            -np.diag(1 / np.maximum(pooled_non, 1)),
        ),
    )


def _squared_errors(tar: Counts, non: Counts) -> Floats:
    """Mean squares of the errors of PAV in each block, if the truth were a curve without steps."""
    total = tar + non
    parts = np.minimum(total, _CELLS)
    block = np.repeat(np.arange(len(total)), parts)
    within = np.arange(len(block)) - np.repeat(np.cumsum(parts) - parts, parts)
    start, end = (total[block] * (within + i) // parts[block] for i in (0, 1))
    middle = (start + end) / (2 * total[block])
    tar_up_to = (np.cumsum(tar) - tar)[block] + tar[block] * middle
    non_from = np.cumsum(non[::-1])[::-1][block] - non[block] * middle
    rank = np.log(tar_up_to + 0.5) - np.log(non_from + 0.5)

    share = (end - start) / total[block]
    at = np.bincount(block, rank * share)
    log_odds = np.log(tar) - np.log(non)
    # Beyond the outermost middles, as ranks themselves rise.
    beyond = np.minimum(rank - at[0], 0) + np.maximum(rank - at[-1], 0)
    truth = np.interp(rank, at, log_odds) + beyond
    offset = np.log(tar.sum()) - np.log(non.sum())
    rng = np.random.default_rng(0)
    squares, probability = np.zeros(len(block)), expit(truth)
    for _ in range(_DRAWS):
        trials = rng.poisson(end - start)
        drawn = rng.binomial(trials, probability)
        squares += (_stepped(drawn, trials - drawn) - (truth - offset)) ** 2
    return np.asarray(np.bincount(block, squares * share) / _DRAWS)


def _stepped(tar: Counts, non: Counts) -> Floats:
    """LLRs of cells by PAV, with a dummy of each class; an empty cell belongs to the one before."""
    tar, non = np.concatenate([[1], tar, [0]]), np.concatenate([[0], non, [1]])
    used = np.flatnonzero(tar + non)
    hull = Hull.pool(tar[used], non[used])
    cells = np.diff(used[hull.first_group], append=len(tar))
    return np.repeat(hull.llrs, cells)[1:-1]
