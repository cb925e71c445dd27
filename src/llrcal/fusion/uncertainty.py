"""How sure weights are: Huber's sandwich, with trials that share speakers counted together.

The weights are where the pulls of all trials cancel. So their covariance is that of the sum of the
pulls, between two inverses of the curvature. Where the prior is around other weights, these move
with the trials as well, and pull. If trials are independent only where no speaker is in both, the
covariance of the sum is that of :mod:`llrcal.calibrations.dependence`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import stdtrit

from llrcal.arrays import Array, Floats
from llrcal.fusion.cost import Cost
from llrcal.fusion.regression import Regression
from llrcal.inputs.beside_scores import numbered

LEVEL = 0.95
_MOST = 0.5  # of the curvature that the trials of one speaker may have to themselves


def margins(
    cost: Cost, found: Regression, speakers: tuple[Array, Array] | None
) -> tuple[tuple[float, ...], str]:
    """Half the width of the interval of each weight, and of the height, which is the last.

    Also what was taken to be independent: each ``"trial"``, or each ``"speaker"``. Without
    speakers, a sample of the trials is enough.
    """
    some = cost.thinned() if speakers is None else cost
    inverse = np.linalg.inv(found.solution.hessian)
    pulls, sure = _pulls(cost, some, found.weights), inverse
    if found.prior is not None:
        share, centre = cost.share, found.prior.centre
        usual, usual_some = replace(cost, alpha=share), replace(some, alpha=share)
        curvature = usual_some(centre).hessian * (
            usual.effective_sample_size / usual_some.effective_sample_size
        )
        sure = np.linalg.inv(curvature + np.diag(found.at_share.precision))
        moved = found.prior.precision[:, None] * sure
        of_centre = _pulls(usual, usual_some, centre)
        pulls = [one + moved @ other for one, other in zip(pulls, of_centre, strict=True)]
    alone = np.zeros_like(inverse)
    for away, size in zip(pulls, cost.counts, strict=True):
        # A sample of a class has all of its weight.
        alone += away @ away.T * (away.shape[1] / max(size - 1, 1))
    # Where the prior matters, the sandwich is too thin: it does not know how far off the prior is.
    variances = np.maximum((inverse @ alone @ inverse).diagonal(), sure.diagonal())
    few, by = min(cost.counts), "trial"
    if speakers is not None:
        ids, count = numbered(*speakers)
        if count > 1:
            together = _by_speaker(pulls, ids, count, alone) * (count / (count - 1))
            variances = np.maximum(variances, (inverse @ together @ inverse).diagonal())
            few, by = count, "speaker"
    quantile = -float(stdtrit(max(few - 1, 1), (1 - LEVEL) / 2))
    return tuple((quantile * np.sqrt(np.maximum(variances, 0.0))).tolist()), by


def _pulls(cost: Cost, some: Cost, weights: Floats) -> list[Floats]:
    """What each of some trials adds to the gradient, less the mean of its class."""
    scale = cost.effective_sample_size / some.effective_sample_size
    return [scale * (one - one.mean(axis=1, keepdims=True)) for one in some.pulls(weights)]


def _by_speaker(classes: list[Floats], speakers: list[Array], count: int, alone: Floats) -> Floats:
    """The covariance of a sum over trials, where those that share a speaker are dependent.

    Weights follow the trials of each speaker, so that pulls look smaller than they are. Without
    the trials of a speaker, the weights would move by their pull over the share of the curvature
    that is left, as in the jackknife.
    """
    size = len(classes[0])
    sums, pairs = np.zeros((size, count)), np.zeros((size, size))
    share, inverse = np.zeros(count), np.linalg.pinv(alone, hermitian=True) / size
    for pulls, who in zip(classes, speakers, strict=True):
        low, high = who.min(axis=1).astype(np.int64), who.max(axis=1).astype(np.int64)
        two = low != high
        _, pair = np.unique(low[two] * count + high[two], return_inverse=True)
        of_pairs = np.array([np.bincount(pair, row[two]) for row in pulls]).reshape(size, -1)
        pairs += of_pairs @ of_pairs.T
        of_trials = (pulls * (inverse @ pulls)).sum(axis=0)
        share += np.bincount(low, of_trials, count)
        share += np.bincount(high[two], of_trials[two], count)
        for place, row in enumerate(pulls):
            sums[place] += np.bincount(low, row, count) + np.bincount(high[two], row[two], count)
    sums /= 1 - np.minimum(share, _MOST)
    return np.asarray(sums @ sums.T - pairs)
