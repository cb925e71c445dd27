"""How much has moved: hypotheses, each fitted, weighed by their evidence, and averaged.

One prior cannot suit both a place where nothing has changed and one where everything has. So its
deviations are multiplied by one factor for what both classes do together (shift and scale), and by
another for everything else, and every pair of factors is a hypothesis. Its evidence is Laplace's:
prior times likelihood at the best moves, times the volume around them. Where nothing has moved, the
hypotheses that say so win, for the others waste their prior on moves that did not happen. Each of
some weight is then tried once more with a share of targets that is just as the user said.

Labelled scores beside unlabelled ones weigh less than one in the objective, where a few could bend
every move. Between hypotheses, which are few themselves, they decide at full weight. So they notice
a share that was told wrong, and the more of them there are, the more may it be taken as told.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from llrcal.adaptation.move import APART, DEVIATIONS, TOGETHER
from llrcal.adaptation.objective import Evidence, Objective
from llrcal.arrays import Floats
from llrcal.fitting.optimizer import Solution, minimise
from llrcal.onepass.cells import Cells

NOTHING = 1e-3
_TOGETHER = (1.0, 0.3, 0.1, NOTHING)
# Factors for distance and target scale, for shapes, and the log of the prior of the hypothesis.
_APART = (
    (1.0, 1.0, 0.0),
    (0.5, 0.5, 0.0),
    (0.25, 0.25, 0.0),
    (0.1, 0.1, 0.0),
    (1.0, NOTHING, -3.0),
    (NOTHING, NOTHING, 0.0),
)
# That the share is as told: its deviation, as a part of what the user said; the log of the prior
# without labelled scores and with very many; and how many of each class bring it halfway.
_AS_TOLD, _RARELY, _OFTEN, _HALFWAY = 0.15, -1.0, 2.0, 15.0
_TOLERANCE = 1e-7
_SAME = 1e-6  # nats; ends as close as this are one
_UNLIKELY = 1e-4  # a hypothesis less probable than this is not looked at further
_CLOSER = -0.7  # log distance of one of the starts
_HOPELESS = 20.0  # nats below the freest; what both classes do together then moved further
_QUARTILE = 0.6745  # of the Gaussian


@dataclass(frozen=True)
class Hypothesis:
    """Best moves under one prior."""

    together: float
    apart: float
    log_prior: float
    solution: Solution
    deviations: Floats
    data: Evidence

    @cached_property
    def log_evidence(self) -> float:
        """The prior of the hypothesis times Laplace's integral of prior times likelihood.

        Of labelled scores beside unlabelled ones, the integral has only a part; the rest is taken
        at the mean.
        """
        volume = np.log(np.maximum(np.linalg.eigvalsh(self._scaled), 1e-6)).sum()
        integral = float(self.log_prior - self.solution.value - 0.5 * volume)
        return integral + self.data.rest_of_labelled(self.mean)

    @property
    def _scaled(self) -> Floats:
        """The Hessian in units of the prior deviations, in which that of the prior alone is one."""
        return np.asarray(self.solution.hessian * np.outer(self.deviations, self.deviations))

    @property
    def covariance(self) -> Floats:
        """Of the moves, by the curvature at the best ones."""
        values, vectors = np.linalg.eigh(self._scaled)
        inverse = (vectors / np.maximum(values, 1.0)) @ vectors.T  # the prior alone has 1
        return np.asarray(inverse * np.outer(self.deviations, self.deviations))

    @cached_property
    def mean(self) -> Floats:
        """The mean of the moves, between bounds."""
        return mean_between(*self.data.place.bounds, self.solution.point, self.covariance)


@dataclass(frozen=True)
class Averaged:
    """All hypotheses with their posterior probabilities."""

    hypotheses: tuple[Hypothesis, ...]
    weights: Floats
    moves: Floats
    """The mean over the hypotheses."""
    optima: int
    """In how many different optima the starts of the freest hypothesis ended."""

    @property
    def unmoved(self) -> float:
        """The probability that nothing has moved."""
        still = [h.together == NOTHING and h.apart == NOTHING for h in self.hypotheses]
        return float(self.weights[still].sum())

    @property
    def log_evidence(self) -> float:
        """Of all hypotheses together."""
        return float(np.logaddexp.reduce([one.log_evidence for one in self.hypotheses]))

    @property
    def furthest(self) -> float:
        """The greatest move of one class against the other or in shape, in prior deviations."""
        free = self.hypotheses[0].deviations  # the first is the freest
        return float(np.abs(self.moves / free)[len(TOGETHER) : -1].max())

    @property
    def best(self) -> Hypothesis:
        return self.hypotheses[int(self.weights.argmax())]

    def draws(self, count: int) -> Floats:
        """Moves drawn from their posterior, one row each; the same every time."""
        rng = np.random.default_rng(0)
        shares = np.where(self.weights > _UNLIKELY, self.weights, 0.0)
        each = np.floor(np.cumsum(shares) / shares.sum() * count + 0.5).astype(int)
        rows = []
        for hypothesis, number in zip(self.hypotheses, np.diff(each, prepend=0), strict=True):
            values, vectors = np.linalg.eigh(hypothesis.covariance)
            root = vectors * np.sqrt(np.maximum(values, 0))
            standard = rng.standard_normal((number, len(values)))
            rows.append(hypothesis.solution.point + standard @ root.T)
        return np.asarray(np.clip(np.concatenate(rows), *self.best.data.place.bounds))


def averaged(data: Evidence, odds_deviation: float) -> Averaged:
    """Fit every hypothesis, and average."""
    free = _deviations(data, 1.0, 1.0, 1.0, odds_deviation)
    ends = [_solved(Objective(data, free), start) for start in starts(data)]
    best = min(ends, key=lambda end: end.value)
    optima = len({round((end.value - best.value) / _SAME) for end in ends})
    found: list[Hypothesis] = []
    row = best.point
    for together in _TOGETHER:
        start = row
        for apart, shapes, log_prior in _APART:
            deviations = _deviations(data, together, apart, shapes, odds_deviation)
            near = np.where(deviations < 2 * NOTHING, 0.0, row if shapes < apart else start)
            end = _solved(Objective(data, deviations), near)
            start = end.point
            row = end.point if apart == shapes == 1 else row
            found.append(Hypothesis(together, apart, log_prior, end, deviations, data))
            if found[0].log_evidence - found[-1].log_evidence > _HOPELESS and apart == shapes == 1:
                break
    if data.pool.count:
        found += _with_the_share_as_told(found, data)
    weights = _weights(found)
    moves = weights @ np.array([hypothesis.mean for hypothesis in found])
    return Averaged(tuple(found), weights, moves, optima)


def one_class_instead(data: Evidence, found: Averaged, odds_deviation: float) -> float:
    """By how many nats the unlabelled scores look more like one class alone than like both."""
    if not data.pool.count or data.tar.count:
        return -math.inf
    weight = data.trust / data.pool.count
    none = Cells.empty()
    alone = (
        replace(data, pool=none, tar=tar, non=non, label_weight=weight)
        for tar, non in ((data.pool, none), (none, data.pool))
    )
    evidences = [averaged(one, odds_deviation).log_evidence for one in alone]
    return max(evidences) - found.log_evidence


def _with_the_share_as_told(found: list[Hypothesis], data: Evidence) -> list[Hypothesis]:
    out = []
    believed = _RARELY + (_OFTEN - _RARELY) * data.few / (data.few + _HALFWAY)
    for one, weight in zip(found, _weights(found), strict=True):
        if weight > _UNLIKELY:
            deviations = np.append(one.deviations[:-1], _AS_TOLD * one.deviations[-1])
            end = _solved(Objective(data, deviations), one.solution.point)
            log_prior = one.log_prior + believed
            out.append(Hypothesis(one.together, one.apart, log_prior, end, deviations, data))
    return out


def _weights(hypotheses: list[Hypothesis]) -> Floats:
    """Their posterior probabilities."""
    logs = np.array([hypothesis.log_evidence for hypothesis in hypotheses])
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def starts(data: Evidence) -> list[Floats]:
    """As it is; with the classes closer together; and with the bulk of the scores in its place."""
    size = len(data.place.names)
    out = [np.zeros(size), np.zeros(size)]
    out[1][2] = _CLOSER
    if data.pool.count:
        non = 1 / (1 + np.exp(data.log_odds))  # the share of non-targets
        low, middle, high = (data.pool.quantile(level * non) for level in (0.25, 0.5, 0.75))
        spread = max((high - low) / (2 * _QUARTILE), np.finfo(float).tiny)
        bulk = np.zeros(size)
        bulk[0], bulk[1] = middle - data.place.non[0], np.clip(np.log(spread), -5, 5)
        out.append(bulk)
    return out


def _deviations(
    data: Evidence, together: float, apart: float, shapes: float, odds: float
) -> Floats:
    def factor(name: str) -> float:
        return together if name in TOGETHER else apart if name in APART else shapes

    return np.array([*(DEVIATIONS[name] * factor(name) for name in data.place.names[:-1]), odds])


@np.errstate(all="ignore")
def _solved(objective: Objective, start: Floats) -> Solution:
    lower, upper = objective.evidence.place.bounds
    near = np.clip(start, lower, upper)
    if not all(np.isfinite(part).all() for part in objective(near)):
        # A far start, whose densities are zero everywhere.
        near = np.clip(np.zeros(near.size), lower, upper)
    return minimise(objective, near, lower=lower, upper=upper, tolerance=_TOLERANCE)


def mean_between(lower: Floats, upper: Floats, best: Floats, covariance: Floats) -> Floats:
    """The mean of a bell around the best moves that is cut off at bounds.

    The best moves often lie at one: the shortest tail is that of a Gaussian, and few scores can
    hardly tell it from a longer one. Then a part of the bell is cut off. As if only one were
    cut, each move is shifted to the mean of what is left, and the others along with it.
    """
    mean = best.copy()
    for i, variance in enumerate(np.diag(covariance)):
        low, high = ((end[i] - mean[i]) / np.sqrt(variance) for end in (lower, upper))
        left = max(float(ndtr(high) - ndtr(low)), 1e-9)
        cut = (np.exp(-0.5 * low**2) - np.exp(-0.5 * high**2)) / np.sqrt(2 * np.pi) / left
        mean += covariance[:, i] / np.sqrt(variance) * cut
    return np.asarray(np.clip(mean, lower, upper))
