"""Cllr, error rates and costs that two densities predict for a calibration, without any labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from llrcal.adaptation.move import Place
from llrcal.arrays import Floats
from llrcal.calibrations.calibration import Calibration
from llrcal.onepass.summary import Summary

_POINTS = 601
_REACH = 12.0  # scales to either side of a location


class Predicted(NamedTuple):
    """What is expected of a calibration in a place."""

    cllr: float
    """In bits."""
    eer: float
    dcf: float
    """Normalised, with costs of one."""


class Shares(NamedTuple):
    """The share of each class at each point of a grid of scores."""

    tar: Floats
    non: Floats


@dataclass(frozen=True)
class Axis:
    """Scores over which densities are summed up."""

    place: Place
    distances: Floats
    """From the origin of the place, in score units."""

    @classmethod
    def around(cls, place: Place, moves: Floats) -> Axis:
        """Wide enough for both classes after some moves."""
        ends = [(side.theta[0], np.exp(side.theta[1])) for side in place.moved(moves)]
        low = min(at - _REACH * scale for at, scale in ends)
        high = max(at + _REACH * scale for at, scale in ends)
        return cls(place, np.linspace(low, high, _POINTS) * place.unit)

    def shares(self, moves: Floats) -> Shares:
        return Shares(*(self._shares(side.theta) for side in self.place.moved(moves)))

    def _shares(self, theta: Floats) -> Floats:
        logs = self.place.density(theta).logpdf_from(self.place.origin, self.distances)
        shares = np.exp(logs - logs.max())
        return np.asarray(shares / shares.sum())

    def llrs(self, calibration: Calibration) -> Floats:
        scores = self.place.origin + self.distances
        return calibration.without_warnings(-scores if calibration.lower_is_better else scores)

    def eer_score(self, shares: Shares) -> float:
        """The score at which as many targets lie below as non-targets above."""
        balance = np.cumsum(shares.tar) + np.cumsum(shares.non) - 1
        return self.place.origin + float(np.interp(0.0, balance, self.distances))


def predicted(llrs: Floats, shares: Shares, p_target: float) -> Predicted:
    """The expected quality of LLRs at the points of an axis."""
    tar, non = shares
    bits = np.logaddexp(0, -llrs) @ tar + np.logaddexp(0, llrs) @ non
    order = np.argsort(llrs, kind="stable")
    miss, fa = np.cumsum(tar[order]), 1 - np.cumsum(non[order])
    at = int(np.argmax(miss >= fa))
    posterior = expit(llrs + np.log(p_target) - np.log1p(-p_target))
    accepted = posterior >= 0.5
    cost = p_target * tar[~accepted].sum() + (1 - p_target) * non[accepted].sum()
    return Predicted(
        float(bits / 2 / np.log(2)),
        float(0.5 * (miss[at] + fa[at])),
        float(cost / min(p_target, 1 - p_target)),
    )


_CELLS = 60
_LEAST = 1e-12  # probability of a cell


def misfit(scores: Summary, axis: Axis, shares: Shares, p_target: float) -> float:
    """Kullback-Leibler divergence of scores from a mixture of both classes, in nats per score.

    It is taken over cells of much the same mass, less what is expected by chance.
    """
    values, counts = scores.in_order()
    edges = _edges(values, counts)
    cell = np.searchsorted(edges, values)
    seen = np.bincount(cell, counts, len(edges) + 1) / scores.count
    mixture = np.cumsum(p_target * shares.tar + (1 - p_target) * shares.non)
    mixture -= 0.5 * np.diff(mixture, prepend=0.0)
    below = np.interp(edges - axis.place.origin, axis.distances, mixture, left=0.0, right=1.0)
    expected = np.maximum(np.diff(below, prepend=0.0, append=1.0), _LEAST)
    used = seen > 0
    divergence = float(seen[used] @ np.log(seen[used] / expected[used]))
    return divergence - len(edges) / (2 * scores.count)


def _edges(values: Floats, counts: Floats) -> Floats:
    """Halfway between neighbouring scores, where the next cell begins."""
    if len(values) < 2:
        return np.empty(0)
    rank = np.cumsum(counts) / counts.sum()
    at = np.searchsorted(rank, np.arange(1, _CELLS) / _CELLS)
    at = np.unique(np.minimum(at, len(values) - 2))
    return np.asarray(0.5 * values[at] + 0.5 * values[at + 1])
