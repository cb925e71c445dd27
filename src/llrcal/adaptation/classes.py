"""Both classes in training, and how they may have moved since.

A calibration keeps a portrait of its training scores. :class:`TrainedClass` makes a distribution
function of it: that of the normal-inverse-Gaussian (NIG) density that fits best, corrected in a few
bins where the portrait differs from that by more than chance. A class then moves to a location m,
widens, and may change its shape. A score x comes from the place

    w = (sinh(d asinh v + k) - sinh k) / (d cosh k),    v = (x - m) / scale,

of the class in training, where k is a skew, and d > 1 makes tails shorter (sinh-arcsinh: Jones and
Pewsey, *Biometrika* 96, 2009). All moves are zero where nothing has changed:

==========  =======================================================================
shift       of both classes, in deviations of the non-targets in training
scale       log of the factor by which everything is stretched
widening    log of the factor by which both classes widen where they are
noise       log of the factor by which Gaussian noise widens the non-targets; it is added to the
            targets, too, and a negative one is none
distance    log of the factor by which their locations move apart
width       log of the factor by which the targets widen beyond that
skew, tail  k and log d, of targets and of non-targets
odds        log odds of a target among the unlabelled scores, against what was said
==========  =======================================================================
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.polynomial.hermite_e import hermegauss

from llrcal.arrays import Floats
from llrcal.calibrations.portrait import ClassPortrait, Portrait
from llrcal.densities.density import Evaluated
from llrcal.densities.nig import NIG
from llrcal.fitting.optimizer import minimise
from llrcal.onepass.cells import Cells, even_ranks

MOVES = (
    *("shift", "scale", "widening", "noise", "distance", "width"),
    *("target skew", "non-target skew", "target tail", "non-target tail", "odds"),
)

# The probability that a score is an outlier, such as a code for a failure, which says nothing of
# its class; and the scale of their Cauchy density, in deviations of the non-targets. Not tuned.
OUTLIERS, OUTLIER_SCALE = 0.003, 5.0
# Nats a score by which an NIG may miss a portrait before it is corrected. More lets "nothing has
# moved" win by a better fit alone. Chosen on SRE 2008 and on families of known truth.
MISFIT = 0.005
# Bins of a correction: so many times the cube root of the number of scores, between two others;
# the rank of the first, since a heap at the end of a scale does not move along; and scores that all
# bins have beforehand. Chosen on SRE 2008, where the first matters (33 scores equal 50).
_BINS, _FEWEST_BINS, _MOST_BINS, _FIRST_RANK, _PSEUDO = 2.0, 6, 40, 0.01, 10.0
# A weak prior of the shape of a class whose scores are few: deviations of NIG's v and log(1 + c).
_SHAPE = np.array([0.5, 1.5])
# A value with more than this share of the scores is a heap. It is spread towards its neighbours,
# over so many points in all, before an NIG is fitted.
HEAVY, _POINTS = 0.03, 240

# Technical: places of a class in its own units, and how far a shape may go.
_END, _STEP = 13, 0.01
_PLACES = np.sinh(np.arange(-_END, _END + _STEP / 2, _STEP))
_WIDTHS = np.gradient(_PLACES)
# Noise is Gaussian: levels of it, and points of a standard normal variable, with their weights.
_NOISE = np.arange(0, 1.55, 0.1)
_NORMAL = hermegauss(15)[0], hermegauss(15)[1] / math.sqrt(2 * math.pi)
_STEEPEST = 300.0
_LEAST_TAIL, _GREATEST_TAIL = 1e-6, 50.0  # of NIG's c: at zero the density would end somewhere


class Place(NamedTuple):
    """Where a class is, one number for each of some moves."""

    location: Floats
    log_scale: Floats
    noise: Floats
    """Log of the factor by which noise widens it further."""
    skew: Floats
    tail: Floats


@dataclass(frozen=True)
class TrainedClass:
    """The distribution of one class in training."""

    location: float
    scale: float
    below: Floats
    """The share of scores below each place, in units of the scale from the location; one row for
    each level of noise."""
    densities: Floats
    """The density there."""
    count: float
    """How many training scores there are."""
    parameters: int
    """How many numbers were estimated."""

    @classmethod
    def of(cls, portrait: ClassPortrait, origin: float, unit: float) -> Self:
        """The distribution of a class, in units of ``unit`` from ``origin``."""
        cells = portrait.cells.seen_from(origin, unit)
        location, log_scale, *shape = _fitted(_spread_out(cells))
        standard = NIG.from_coordinates(np.array([0.0, 0.0, *shape]), origin=0.0, unit=1.0)
        masses = _WIDTHS * np.exp(standard.logpdf(_PLACES))
        found = cls._of_masses(location, math.exp(log_scale), masses, cells.count, 4)
        bins = int(np.clip(_BINS * cells.count ** (1 / 3), _FEWEST_BINS, _MOST_BINS))
        first = max(_FIRST_RANK, 0.5 / cells.count)
        ranks = np.concatenate([[0], even_ranks(first, 1 - first, bins), [1]])
        edges = found.quantiles(ranks[1:-1])
        places, shares = portrait.below
        shares = np.interp(edges, (places - origin) / unit, shares, left=0.0, right=1.0)
        seen, expected = np.diff(shares, prepend=0.0, append=1.0), np.diff(ranks)
        some = seen > 0
        divergence = float(seen[some] @ np.log(seen[some] / expected[some]))
        if divergence - (bins - 1) / (2 * cells.count) <= MISFIT:
            return found
        share = cells.count / (cells.count + _PSEUDO)
        factors = share * seen / expected + (1 - share)
        middles = 0.5 * (ranks[1:] + ranks[:-1])
        masses *= np.interp(found.below[0], middles, factors)
        return cls._of_masses(location, found.scale, masses, cells.count, 3 + bins)

    @classmethod
    def _of_masses(
        cls, location: float, scale: float, masses: Floats, count: float, parameters: int
    ) -> Self:
        masses = masses / masses.sum()
        below = np.cumsum(masses) - 0.5 * masses
        deviations = np.sqrt(np.expm1(2 * _NOISE))[:, None]
        tables = np.zeros((2, len(_NOISE), len(_PLACES)))
        for point, weight in zip(*_NORMAL, strict=True):
            at = _PLACES - deviations * point
            for row, values in enumerate((below, masses / _WIDTHS)):
                tables[row] += weight * np.interp(at, _PLACES, values)
        return cls(location, scale, tables[0], tables[1], count, parameters)

    def density(self, scores: Floats) -> Floats:
        """The density of scores where nothing has moved."""
        at = (scores - self.location) / self.scale
        return np.asarray(np.interp(at, _PLACES, self.densities[0], 0.0, 0.0) / self.scale)

    def quantiles(self, levels: Floats) -> Floats:
        """Scores below which these shares lie where nothing has moved."""
        return np.asarray(self.location + self.scale * np.interp(levels, self.below[0], _PLACES))

    def masses(self, edges: Floats, place: Place) -> Floats:
        """Masses between edges, one row for each row of moves."""
        came_from = self._from(edges, place)[-1]
        return np.diff(_looked_up(self.below, came_from, place)[0], axis=1, prepend=0.0, append=1.0)

    def slopes(self, edges: Floats, place: Place) -> Floats:
        """Their derivatives by location, log scale, noise, skew and tail."""
        scale, tail, v, bent, came_from = self._from(edges, place)
        density = _looked_up(self.densities, came_from, place)[0]
        skew = place.skew[:, None]
        steep = np.cosh(bent) / np.cosh(skew)
        by_v = -density * steep / np.sqrt(1 + v * v)
        by_skew = density * ((steep - 1) / tail - np.tanh(skew) * came_from)
        by_tail = density * (steep * np.arcsinh(v) - came_from)
        by_noise = _looked_up(self.below, came_from, place)[1]
        every = np.array([by_v / scale, by_v * v, by_noise, by_skew, by_tail])
        return np.diff(every, axis=2, prepend=0.0, append=0.0)

    def _from(self, edges: Floats, place: Place) -> tuple[Floats, ...]:
        """From which places in training moved scores come, and what that follows from."""
        location, log_scale, _, skew, log_tail = (column[:, None] for column in place)
        scale, tail = self.scale * np.exp(log_scale), np.exp(log_tail)
        v = (edges - location) / scale
        bent = np.clip(tail * np.arcsinh(v) + skew, -_STEEPEST, _STEEPEST)
        return scale, tail, v, bent, (np.sinh(bent) - np.sinh(skew)) / (tail * np.cosh(skew))


@dataclass(frozen=True)
class TrainedClasses:
    """Both classes in training, of (score - origin) / unit."""

    tar: TrainedClass
    non: TrainedClass
    origin: float
    unit: float

    @classmethod
    def of(cls, portrait: Portrait) -> Self:
        """The distributions of both classes of a portrait."""
        tar, non = portrait.tar.cells, portrait.non.cells
        origin, unit = non.quantile(0.5), _deviation(non) or _deviation(tar)
        if not unit:  # one score in each class
            unit = abs(float(tar.values[0]) - origin) or 1.0
        target, other = (
            TrainedClass.of(side, origin, unit) for side in (portrait.tar, portrait.non)
        )
        return cls(target, other, origin, unit)

    @cached_property
    def apart(self) -> float:
        """The distance of their locations."""
        return self.tar.location - self.non.location

    @cached_property
    def ratio(self) -> float:
        """The variance of the non-targets by that of the targets."""
        return (self.non.scale / self.tar.scale) ** 2

    def densities(self, scores: Floats) -> tuple[Floats, Floats]:
        """Of targets and of non-targets, where nothing has moved."""
        at = (scores - self.origin) / self.unit
        return self.tar.density(at) / self.unit, self.non.density(at) / self.unit

    @property
    def unmoved(self) -> Floats:
        """Moves where nothing has changed: one row."""
        return np.zeros((1, len(MOVES)))

    def places(self, moves: Floats) -> tuple[Place, Place]:
        """Where targets and non-targets are after moves, of which there is one row each."""
        shift, scale, widening, noise, distance, width, *shapes = moves.T[:10]
        location = self.non.location + shift
        target = location + self.apart * np.exp(scale + distance)
        noise = np.maximum(noise, 0)
        of_tar = 0.5 * np.log1p(np.expm1(2 * noise) * self.ratio)
        return (
            Place(target, scale + widening + width, of_tar, shapes[0], shapes[2]),
            Place(location, scale + widening, noise, shapes[1], shapes[3]),
        )

    def masses(self, edges: Floats, moves: Floats) -> Floats:
        """Masses of targets and of non-targets between edges, one row for each row of moves."""
        both = zip((self.tar, self.non), self.places(moves), strict=True)
        return np.array([side.masses(edges, place) for side, place in both])

    def slopes(self, edges: Floats, moves: Floats) -> Floats:
        """Their derivatives by each move: of both classes, rows by moves by bins."""
        tar, non = self.places(moves)
        at, scale, noise, skew, tail = self.tar.slopes(edges, tar)
        apart = at * (self.apart * np.exp(moves[:, 1] + moves[:, 4]))[:, None]
        no, noisy = np.zeros_like(at), moves[:, 3] >= 0
        grows = (noisy * self.ratio * np.exp(2 * (non.noise - tar.noise)))[:, None]
        by_tar = [at, apart + scale, scale, grows * noise, apart, scale, skew, no, tail, no, no]
        at, scale, noise, skew, tail = self.non.slopes(edges, non)
        by_non = [at, scale, scale, noisy[:, None] * noise, no, no, no, skew, no, tail, no]
        return np.array([by_tar, by_non]).transpose(0, 2, 1, 3)


def _looked_up(table: Floats, at: Floats, place: Place) -> tuple[Floats, Floats]:
    """Values of a table at places, with their derivatives by the noise: one row for each."""
    level = np.minimum(place.noise / _NOISE[1], len(_NOISE) - 1.001)[:, None]
    column = np.clip((np.arcsinh(at) + _END) / _STEP, 0, len(_PLACES) - 1.001)
    row, left = level.astype(int), column.astype(int)
    low, high = (
        table[row + more, left]
        + (column - left) * (table[row + more, left + 1] - table[row + more, left])
        for more in (0, 1)
    )
    return low + (level - row) * (high - low), (high - low) / _NOISE[1]


def _deviation(cells: Cells) -> float:
    """Half the distance of two quantiles, which is one deviation of a Gaussian."""
    return 0.5 * (cells.quantile(0.84) - cells.quantile(0.16))


def _spread_out(cells: Cells) -> Cells:
    """Points of which none has a large share of the scores, since levels have no density."""
    if len(cells.values) > 2 and cells.counts.max() <= max(HEAVY * cells.count, 3):
        return cells
    levels = (np.arange(_POINTS) + 0.5) / _POINTS
    values = np.array([cells.quantile(level) for level in levels])
    return Cells(values + 0.1 * (levels - 0.5), np.full(_POINTS, cells.count / _POINTS))


def _fitted(points: Cells) -> Floats:
    """The free coordinates of the NIG that fits points best, with a weak prior of its shape."""
    lower, upper = NIG.bounds(0.0)
    lower[3], upper[3] = _LEAST_TAIL, np.log1p(_GREATEST_TAIL)
    weights = points.counts / points.count
    precision = np.append([0.0, 0.0], _SHAPE**-2.0) / points.count

    def cost(theta: Floats) -> Evaluated:
        """Minus the log of prior times likelihood, for each point."""
        value, gradient, hessian = -NIG.mean_loglik(theta, points.values, weights)
        value += 0.5 * float(precision @ theta**2)
        return Evaluated(value, gradient + precision * theta, hessian + np.diag(precision))

    ends = (
        minimise(cost, np.clip(start, lower, upper), lower=lower, upper=upper, max_iterations=100)
        for start in NIG.starts(points.values, weights)
    )
    return min(ends, key=lambda end: end.value).point
