"""What is uncertain about the steps of PAV: by drawing trials anew.

Drawing the trials themselves with replacement would not do: intervals of 95 % held the LLR in 63 to
76 % of the cases, since every draw repeats the steps (Sen, Banerjee and Woodroofe, *Annals of
Statistics* 38, 2010). Trials are therefore drawn from a curve without steps, straight lines between
the middles of the blocks on the scale of ranks (:mod:`llrcal.onepass.rank_scale`), and PAV is run
on each draw. The root mean square of its errors, block by block, is the standard deviation.

All of it follows from the counts in the blocks, so it needs no further pass over the scores, and is
the same wherever they are. It depends on their ranks only, as PAV itself does.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, stdtrit

from llrcal.arrays import Counts, Floats
from llrcal.calibrations.uncertainty import LEVEL, Uncertainty
from llrcal.onepass.hull import Hull

_DRAWS = 64
_CELLS = 16  # parts of a block, at most
_SCORES = 64  # at which deviations are kept, at most


def step_uncertainty(scores: Floats, llrs: Floats, tar: Counts, non: Counts) -> Uncertainty:
    """The uncertainty of blocks, given their first scores, LLRs and numbers of trials."""
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
