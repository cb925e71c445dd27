"""A straight line through labelled scores: the criterion of logistic regression."""

from __future__ import annotations

import numpy as np

from llrcal.arrays import Floats, weighted_sum
from llrcal.densities.density import Evaluated


class LineCost:
    """The criterion as a function of slope and height, over weighted points of both classes."""

    def __init__(
        self,
        tar: tuple[Floats, Floats],
        non: tuple[Floats, Floats],
        tar_weight: float,
        non_weight: float,
    ) -> None:
        self.values = np.concatenate([tar[0], non[0]])
        self.weights = np.concatenate([tar[1] * tar_weight, non[1] * non_weight])
        # A target costs log(1 + e^-x), a non-target log(1 + e^x).
        self.sign = np.concatenate([np.full(len(tar[0]), -1.0), np.ones(len(non[0]))])
        self._signed_weights = self.sign * self.weights
        self.prior_log_odds = np.log(tar_weight) - np.log(non_weight)

    def __call__(self, point: Floats) -> Evaluated:
        slope, height = point
        x = self.sign * (slope * self.values + (height + self.prior_log_odds))
        small = np.exp(-np.abs(x))  # of which all else follows: expit and logaddexp take far longer
        whole = 1 + small
        pull = self._signed_weights * (np.where(x >= 0, 1.0, small) / whole)
        bend = self.weights * (small / (whole * whole))
        bent = self.values * bend
        across, down = float(bent.sum()), weighted_sum(self.values, bent)
        return Evaluated(
            weighted_sum(np.maximum(x, 0) + np.log1p(small), self.weights),
            np.array([weighted_sum(self.values, pull), float(pull.sum())]),
            np.array([[down, across], [across, float(bend.sum())]]),
        )

    def values_at(self, points: Floats) -> Floats:
        """The criterion at many points, without derivatives."""
        signed, weights = self.sign * self.values, self.weights
        out = np.empty(len(points))
        for row, (slope, height) in enumerate(points):
            x = slope * signed + (height + self.prior_log_odds) * self.sign
            out[row] = ((np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))) * weights).sum()
        return out
