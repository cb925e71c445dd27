"""The fast answers against slow and obvious ones, on the same scores."""

from __future__ import annotations

import numpy as np

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.methods.densities import Generative
from llrcal.densities.density import Density
from llrcal.densities.nig import NIG
from llrcal.densities.student_t import StudentT
from studies.paper_scores import Scores


def likelihood_gradient(calibration: llrcal.Calibration, scores: Scores) -> float:
    """Largest component of the exact mean log-likelihood's gradient, scores in standard units."""
    if not isinstance(calibration, Generative):
        raise TypeError("only densities have a likelihood")
    return max(
        float(np.abs(_gradient(calibration.tar, scores.tar)).max()),
        float(np.abs(_gradient(calibration.non, scores.non)).max()),
    )


def _gradient(density: Density, scores: Floats) -> Floats:
    sd = float(np.std(scores))
    location, log_scale = density.location / sd, np.log(density.scale / sd)
    if isinstance(density, NIG):
        theta = NIG.free(location, log_scale, density.asymmetry, density.tail)
    elif isinstance(density, StudentT):
        theta = np.array([location, log_scale, density.inverse_dof])
    else:
        theta = np.array([location, log_scale])
    total = np.zeros(len(theta))
    for start in range(0, len(scores), 2**17):
        values = (scores[start : start + 2**17] - density.origin) / sd
        weights = np.full(len(values), 1 / len(scores))
        total += type(density).mean_loglik(theta, values, weights).gradient
    return total


class SortedOracle:
    """Error-rates, hull and PAV from one sort of everything."""

    def __init__(self, scores: Scores) -> None:
        self.values = np.concatenate([scores.tar, scores.non])
        order = np.argsort(self.values, kind="stable")
        self.values = self.values[order]
        is_tar = order < len(scores.tar)
        last = np.append(np.flatnonzero(np.diff(self.values)), len(order) - 1)
        self.tar_up_to = np.concatenate([[0], np.cumsum(is_tar)[last]])
        self.non_up_to = np.concatenate([[0], np.cumsum(~is_tar)[last]])
        self.distinct = self.values[last]

    def hull(self) -> tuple[Floats, Floats]:
        """Vertices of the lower hull of (non-targets, targets) up to each distinct score."""
        # Only where the label changes can the hull bend.
        tar, non = np.diff(self.tar_up_to), np.diff(self.non_up_to)
        mixed = (tar > 0) & (non > 0)
        kind = np.where(mixed, 2, tar > 0)
        bends = np.flatnonzero(mixed[:-1] | (np.diff(kind) != 0) | mixed[1:]) + 1
        at = np.concatenate([[0], bends, [len(self.distinct)]])
        stack: list[tuple[int, int]] = []
        for x, y in zip(self.non_up_to[at].tolist(), self.tar_up_to[at].tolist(), strict=True):
            while len(stack) > 1:
                (x0, y0), (x1, y1) = stack[-2:]
                if (y1 - y0) * (x - x1) < (y - y1) * (x1 - x0):
                    break
                stack.pop()
            stack.append((x, y))
        x, y = np.array(stack).T
        return x, y

    def rates(self, thresholds: Floats) -> tuple[Floats, Floats]:
        """Misses and false alarms at each threshold."""
        below = np.searchsorted(self.distinct, thresholds, side="left")
        return self.tar_up_to[below], self.non_up_to[-1] - self.non_up_to[below]


def evaluation_is_exact(evaluation: llrcal.Evaluation, scores: Scores, x: Floats) -> bool:
    """Whether hull, minimum and actual error counts equal those of the sorted oracle."""
    oracle = SortedOracle(scores)
    non, tar = oracle.hull()
    misses, false_alarms = oracle.rates(-x)
    return (
        np.array_equal(evaluation.hull.misses, tar)
        and np.array_equal(evaluation.hull.false_alarms, non[-1] - non)
        and np.array_equal(evaluation.pmiss(-x), misses / len(scores.tar))
        and np.array_equal(evaluation.pfa(-x), false_alarms / len(scores.non))
    )


def pav_is_exact(calibration: llrcal.Calibration, scores: Scores) -> bool:
    """Whether PAV's step function is that of the hull of all scores, dummies included."""
    ends = Scores(np.append(scores.tar, -np.inf), np.append(scores.non, np.inf))
    non, tar = SortedOracle(ends).hull()
    with np.errstate(divide="ignore"):
        llrs = np.log(np.diff(tar)) - np.log(np.diff(non)) - np.log(tar[-1] / non[-1])
    found = np.array(calibration.params["llrs"])
    return len(found) == len(llrs) and bool(np.abs(found - llrs).max() < 1e-12)
