"""Both classes as they were in training, and how they may have moved since.

A calibration keeps a portrait of its training scores. :class:`SourceClass` makes a density of it: a
normal-inverse-Gaussian, times a correction wherever that misses the portrait by more than chance
would. Both classes may then move, together and against each other, and change their shapes. All
moves are numbers without a unit, and zero where nothing has changed:

=============  ====================================================================
shift          of both classes, in deviations of the non-targets in training
scale          log of the factor by which both widen
distance       log of the factor by which the locations move apart
target scale   log of the factor by which the targets widen beyond that
skew           of a class: what is added to the NIG coordinate v
tail           of a class: log of the factor of c (NIG), plus a floor
odds           log of the odds of a target, against what was said
=============  ====================================================================

The correction goes along with location and scale. Where shapes change, it is left out: on pairs of
conditions of NIST SRE 2008 it did more harm than good there (docs/studies/adaptation.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from llrcal.arrays import Floats
from llrcal.calibrations.portrait import Portrait
from llrcal.densities.density import Evaluated
from llrcal.densities.nig import NIG
from llrcal.fitting.optimizer import minimise
from llrcal.onepass.cells import Cells

# Prior deviations, chosen on pairs of conditions of NIST SRE 2008.
DEVIATIONS = {
    "shift": 2.0,
    "scale": 0.7,
    "distance": 0.6,
    "target scale": 0.35,
    "non-target skew": 0.3,
    "non-target tail": 1.5,
    "target skew": 0.3,
    "target tail": 1.0,
}
NAMES = (*DEVIATIONS, "odds")
TOGETHER, APART = slice(0, 2), slice(2, 4)
_FLOORS = {"tar": 0.2, "non": 0.02}  # tails below them are much the same
_FIRST_SHAPE = {"tar": 6, "non": 4}  # where the moves of the shape of a class begin
_LEAST_TAIL, _GREATEST_TAIL = 1e-6, 50.0  # of c: at zero the density would end somewhere
_FURTHEST_APART = 3.0  # of the log distance

# With a larger share of scores in one place, and more of them, values are spread over their
# surroundings: so far, in units of the source, and over about so many points in all.
_HEAVY, _SEVERAL, _FURTHEST_SPREAD, _POINTS = 0.03, 3, 1.5, 240
_ALONE = 0.1  # units around a class that has a single score

# The probability that a score is a wild one: such scores have a Cauchy density around the median,
# with a scale in deviations of the non-targets.
WILD, _WILD_SCALE = 0.003, 5.0

# Nodes in standard units, close together in the middle, and far out in the tails.
_STEPS = np.linspace(-13, 13, 1301)
_NODES, _WIDTHS = np.sinh(_STEPS), np.cosh(_STEPS) * (_STEPS[1] - _STEPS[0])

# Of the prior of the shape of a class, which matters where its scores are few.
_SHAPE_DEVIATIONS = np.array([0.5, 1.5])
# Of the correction: so many bins as this times the cube root of the number of scores, between two
# others; scores that each bin has beforehand, both seen and expected; and rounds of it.
_BINS, _FEWEST_BINS, _MOST_BINS, _PSEUDO, _ROUNDS = 2.0, 8, 46, 5.0, 3
_LEAST_REACH, _MOST_REACH = 1.5, 9.0  # of bins, in log odds of the rank


class Moved(NamedTuple):
    """Coordinates of one class after moves, with their derivatives."""

    theta: Floats
    by: Floats
    """First derivatives, coordinates by moves."""
    bend: Floats
    """Second derivatives; none depends on two moves at once."""


class Correction(NamedTuple):
    """What is added to the log density, at distances from the location in units of the scale."""

    spline: Callable[..., Floats]
    low: float
    high: float
    log_mass: float
    """Of the density times the exponential of the spline."""

    def __call__(self, z: Floats) -> tuple[Floats, Floats, Floats]:
        """Its value, and two derivatives; constant beyond both ends."""
        inside = (self.low < z) & (z < self.high)
        held = np.clip(z, self.low, self.high)
        value, slope, bend = (self.spline(held, order) for order in range(3))
        return value - self.log_mass, slope * inside, bend * inside


@dataclass(frozen=True)
class SourceClass:
    """The density of one class in training, in free coordinates of NIG."""

    theta: Floats
    points: Cells
    """The training scores, of which none has a large share."""
    correction: Correction | None
    misfit: float
    """Of the NIG alone: Kullback-Leibler divergence in nats per score, less what chance gives."""
    parameters: float
    """How many numbers were estimated, as far as the correction is believed. What it may miss
    where it is not, without that being noticed, counts as some more."""

    @classmethod
    def of(cls, cells: Cells) -> SourceClass:
        """The density that fits a portrait, in units of its own."""
        points = dithered(cells)
        theta = _fitted(points)
        logs, _ = NIG.at_each(theta, points.values)
        _, own = with_wild(logs, points.values, points.quantile(0.5))
        bins = _Bins.of(theta, Cells(points.values, points.counts * own))
        chance = (len(bins.seen) - 1) / (2 * points.count)
        misfit = bins.divergence - chance
        belief = max(misfit, 0.0) / (max(misfit, 0.0) + chance)
        correction = bins.correction(belief) if belief > 0 else None
        freedom = len(bins.seen) - 1
        unnoticed = math.sqrt(freedom / 2)  # half a deviation of chi-squared
        parameters = len(theta) + belief * freedom + (1 - belief) * unnoticed
        return cls(theta, points, correction, misfit, parameters)

    @cached_property
    def count(self) -> float:
        """How many training scores there are."""
        return self.points.count

    @property
    def plain(self) -> SourceClass:
        """The NIG alone."""
        return replace(self, correction=None)

    def at_each(self, theta: Floats, values: Floats) -> tuple[Floats, Floats]:
        """Log densities of scores at some coordinates, and their gradients."""
        logs, gradient = NIG.at_each(theta, values)
        if self.correction is not None:
            scale = float(np.exp(theta[1]))
            z = (values - theta[0]) / scale
            added, slope, _ = self.correction(z)
            logs, gradient = logs + added, gradient.copy()
            gradient[0] -= slope / scale
            gradient[1] -= z * slope
        return logs, gradient

    def mean_loglik(self, theta: Floats, values: Floats, weights: Floats) -> Evaluated:
        """The weighted sum of log densities, with gradient and Hessian."""
        value, gradient, hessian = NIG.mean_loglik(theta, values, weights)
        if self.correction is None:
            return Evaluated(value, gradient, hessian)
        scale = float(np.exp(theta[1]))
        z = (values - theta[0]) / scale
        added, slope, bend = self.correction(z)
        first = np.array([-weights @ slope / scale, -weights @ (z * slope), 0.0, 0.0])
        mixed = weights @ (z * bend + slope) / scale
        second = np.zeros((4, 4))
        second[0, 0] = weights @ bend / scale**2
        second[0, 1] = second[1, 0] = mixed
        second[1, 1] = weights @ (z * slope + z * z * bend)
        return Evaluated(value + float(weights @ added), gradient + first, hessian + second)

    def densities(self, thetas: Floats, values: Floats) -> Floats:
        """Densities of scores, one row of them for each row of coordinates."""
        logs = NIG.logpdfs(NIG.from_free(thetas), values)
        if self.correction is not None:
            logs += self.correction((values - thetas[:, :1]) / np.exp(thetas[:, 1:2]))[0]
        return np.asarray(np.exp(logs))


@dataclass(frozen=True)
class SourceModel:
    """Both classes in training, of (score - origin) / unit."""

    tar: SourceClass
    non: SourceClass
    origin: float
    unit: float

    @classmethod
    def of(cls, portrait: Portrait) -> SourceModel:
        """The densities of both classes of a portrait."""
        tar, non = portrait.tar.cells, portrait.non.cells
        origin, unit = non.quantile(0.5), _spread_of(non) or _spread_of(tar)
        if not unit:  # one score in each class
            unit = abs(tar.values[0] - origin) or 1.0
        target, other = (SourceClass.of(side.seen_from(origin, unit)) for side in (tar, non))
        return cls(target, other, origin, unit)

    @cached_property
    def plain(self) -> SourceModel:
        """Without corrections."""
        return replace(self, tar=self.tar.plain, non=self.non.plain)

    @property
    def still(self) -> Floats:
        """Moves where nothing has changed."""
        return np.zeros(len(NAMES))

    def moved(self, moves: Floats) -> tuple[Moved, Moved]:
        """Targets and non-targets after some moves."""
        shift, scale, distance, target_scale = moves[:4]
        apart = (self.tar.theta[0] - self.non.theta[0]) * np.exp(distance)
        tar, non = (self._with_shape(name, moves) for name in ("tar", "non"))
        non.theta[0] += shift
        tar.theta[0] = self.non.theta[0] + shift + apart
        non.theta[1] += scale
        tar.theta[1] += scale + target_scale
        for side in (tar, non):
            side.by[0, 0] = side.by[1, 1] = 1
        tar.by[0, 2] = tar.bend[0, 2] = apart
        tar.by[1, 3] = 1
        return tar, non

    def _with_shape(self, name: str, moves: Floats) -> Moved:
        """A class whose shape alone has changed."""
        old: Floats = getattr(self, name).theta
        at, floor = _FIRST_SHAPE[name], _FLOORS[name]
        theta, by = old.copy(), np.zeros((len(old), len(NAMES)))
        bend = np.zeros_like(by)
        theta[2] += moves[at]
        by[2, at] = 1
        grown = (np.expm1(old[3]) + floor) * np.exp(moves[at + 1])
        tail = max(grown - floor, 0.0)
        theta[3], by[3, at + 1] = np.log1p(tail), grown / (1 + tail)
        bend[3, at + 1] = grown * (1 - floor) / (1 + tail) ** 2
        return Moved(theta, by, bend)

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """Least and greatest moves."""
        lower = np.full(len(NAMES), -np.inf)
        upper = -lower
        lower[2], upper[2] = -_FURTHEST_APART, _FURTHEST_APART
        for name, floor in _FLOORS.items():
            at, tail = _FIRST_SHAPE[name] + 1, np.expm1(getattr(self, name).theta[3])
            lower[at] = min(np.log((floor + _LEAST_TAIL) / (floor + tail)), 0.0)
            upper[at] = max(np.log((floor + _GREATEST_TAIL) / (floor + tail)), 0.1)
        return lower, upper


def dithered(cells: Cells) -> Cells:
    """Points of which none has a large share of the scores.

    Scores on a scale of ten levels have no density. If many scores share a value, each value is
    spread towards its neighbours, ever thinner, in training and in the field alike.
    """
    values, counts = cells.values, cells.counts
    if (len(values) > 2 and counts.max() <= max(_HEAVY * cells.count, _SEVERAL)) or not len(values):
        return cells
    gaps = np.diff(values)
    ends = (gaps[:1], gaps[-1:]) if len(gaps) else ([_ALONE], [_ALONE])
    widths = np.minimum(np.concatenate([ends[0], gaps, ends[1]]), _FURTHEST_SPREAD)[:, None]
    steps = np.linspace(0, 1, max(2, round(_POINTS / len(values))) + 1)
    at, thinner = 0.5 * (steps[1:] + steps[:-1]), steps[1:] * (1 - 0.5 * steps[1:])
    thinner = np.diff(thinner, prepend=0.0)
    # Above and below each value; between close neighbours both share their places.
    above = values[:, None] + widths[1:] * at, counts[:, None] * thinner
    below = values[:, None] - widths[:-1] * at[::-1], counts[:, None] * thinner[::-1]
    close = gaps <= _FURTHEST_SPREAD
    above[1][:-1][close] += below[1][1:][close]
    kept = np.append(True, ~close)
    every = np.concatenate([above[0].ravel(), below[0][kept].ravel()])
    weights = np.concatenate([above[1].ravel(), below[1][kept].ravel()])
    order = np.argsort(every, kind="stable")
    return Cells(every[order], weights[order])


def with_wild(
    logs: Floats, values: Floats, middle: float, wild: float = WILD
) -> tuple[Floats, Floats]:
    """Log densities of scores of which any may be a wild one, and how likely each is not.

    A wild score, such as a code for a failure, says nothing of its class.
    """
    far = (values - middle) / _WILD_SCALE
    own = np.log1p(-wild) + logs
    every = np.logaddexp(own, np.log(wild / np.pi / _WILD_SCALE) - np.log1p(far * far))
    return every, np.exp(own - every)


def _spread_of(cells: Cells) -> float:
    """Half the distance of two quantiles, which is one deviation of a Gaussian."""
    return 0.5 * (cells.quantile(0.84) - cells.quantile(0.16))


def _fitted(points: Cells) -> Floats:
    """The free coordinates of the NIG that fits points best, with a weak prior of its shape."""
    lower, upper = NIG.bounds(0.0)
    lower[3], upper[3] = _LEAST_TAIL, np.log1p(_GREATEST_TAIL)
    starts = NIG.starts(points.values, points.counts / points.count)
    cost = partial(_cost, points, points.quantile(0.5))
    search = partial(minimise, cost, lower=lower, upper=upper, max_iterations=100)
    ends = (search(np.clip(start, lower, upper)) for start in starts)
    return min(ends, key=lambda end: end.value).point


def _cost(points: Cells, middle: float, theta: Floats) -> Evaluated:
    """Minus the log of prior times likelihood of an NIG, for each point."""
    weights = points.counts / points.count
    logs, by = NIG.at_each(theta, points.values)
    mixed, own = with_wild(logs, points.values, middle)
    _, gradient, hessian = -NIG.mean_loglik(theta, points.values, weights * own)
    hessian -= (by * (weights * own * (1 - own))) @ by.T
    precision = _SHAPE_DEVIATIONS**-2.0 / points.count
    gradient[2:] += precision * theta[2:]
    hessian[2:, 2:] += np.diag(precision)
    value = 0.5 * float(precision @ theta[2:] ** 2) - float(weights @ mixed)
    return Evaluated(value, gradient, hessian)


@dataclass(frozen=True)
class _Bins:
    """Bins of even log odds under an NIG, and how many scores they have."""

    theta: Floats
    edges: Floats
    """In standard units."""
    middles: Floats
    seen: Floats
    expected: Floats

    @classmethod
    def of(cls, theta: Floats, points: Cells) -> _Bins:
        count = points.count
        below = np.clip(_shares_below(theta), 1e-12, 1 - 1e-12)
        log_odds = np.log(below / (1 - below))
        reach = min(max(math.log(count) + 1, _LEAST_REACH), _MOST_REACH)
        bins = int(np.clip(_BINS * count ** (1 / 3), _FEWEST_BINS, _MOST_BINS))
        at, step = np.linspace(-reach, reach, bins + 1, retstep=True)
        edges = np.interp(at, log_odds, _NODES)
        centres = np.append(at - step / 2, at[-1] + step / 2)
        z = (points.values - theta[0]) / float(np.exp(theta[1]))
        first, last = 2 * z[0] - z[1], 2 * z[-1] - z[-2]
        up_to = np.concatenate([[0], np.cumsum(points.counts) - 0.5 * points.counts, [count]])
        seen = np.diff(np.interp(edges, np.concatenate([[first], z, [last]]), up_to))
        lowest = np.interp(edges[0], np.concatenate([[first], z, [last]]), up_to)
        seen = np.concatenate([[lowest], seen, [count - lowest - seen.sum()]])
        expected = count * np.diff(np.concatenate([[0], expit(at), [1]]))
        return cls(theta, edges, np.interp(centres, log_odds, _NODES), seen, expected)

    @property
    def divergence(self) -> float:
        """Of the scores from the NIG, in nats per score."""
        used = self.seen > 0
        seen, expected = self.seen[used], self.expected[used]
        return float(seen @ np.log(seen / expected) / self.seen.sum())

    def correction(self, belief: float) -> Correction:
        """The correction after which bins have as many scores as were seen, as far as believed."""
        from scipy.interpolate import CubicSpline

        kept = np.append(True, np.diff(self.middles) > 1e-9)
        middles = self.middles[kept]
        clamped = partial(CubicSpline, middles, bc_type="clamped")
        heights, got = np.zeros(len(self.seen)), self.expected
        for _ in range(_ROUNDS):
            heights = heights + np.log((self.seen + _PSEUDO) / (got + _PSEUDO))
            below = _shares_below(self.theta, clamped(heights[kept])(_held(middles)))
            shares = np.interp(self.edges, _NODES, below, left=0.0, right=1.0)
            got = self.seen.sum() * np.diff(np.concatenate([[0], shares, [1]]))
        spline = clamped(belief * heights[kept])
        mass = _masses(self.theta, spline(_held(middles))).sum()
        return Correction(spline, middles[0], middles[-1], math.log(mass))


def _held(middles: Floats) -> Floats:
    return np.clip(_NODES, middles[0], middles[-1])


def _masses(theta: Floats, added: Floats | float = 0.0) -> Floats:
    """Masses of a class at the nodes, in standard units; log densities may be added to."""
    standard = np.array([0.0, 0.0, *theta[2:]])
    return np.asarray(_WIDTHS * np.exp(NIG.at_each(standard, _NODES)[0] + added))


def _shares_below(theta: Floats, added: Floats | float = 0.0) -> Floats:
    """The share of a class below each node."""
    masses = _masses(theta, added)
    return np.asarray((np.cumsum(masses) - 0.5 * masses) / masses.sum())
