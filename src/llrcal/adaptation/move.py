"""How the densities of both classes may have moved from the old place to the new one.

Both classes are moved and widened together; the targets also against the non-targets; and the shape
of each may change, where its family has one. All moves are numbers without a unit, and zero where
nothing has changed:

=============  ====================================================================
shift          of both classes, in scales of the old non-targets
scale          log of the factor by which both widen
distance       log of the factor by which the locations move apart
target scale   log of the factor by which the targets widen beyond that
lean           of a class: what is added to the NIG coordinate v
tail           of a class: log of the factor of c (NIG) or 1 / dof (T), plus a floor
odds           log of the odds of a target, against what was said
=============  ====================================================================

Prior deviations were chosen on pairs of conditions of NIST SRE 2008 (docs/adaptation.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from llrcal.arrays import Floats
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.methods.densities import Generative
from llrcal.calibrations.methods.sampled import SampledBayes
from llrcal.densities.density import Density
from llrcal.densities.gaussian import Gaussian
from llrcal.densities.mixture import Predictive
from llrcal.densities.nig import NIG
from llrcal.densities.student_t import StudentT
from llrcal.errors import OptionError

DEVIATIONS = {
    "shift": 2.0,
    "scale": 0.7,
    "distance": 0.6,
    "target scale": 0.35,
    "non-target lean": 0.3,
    "non-target tail": 1.5,
    "target lean": 0.3,
    "target tail": 1.0,
}
TOGETHER = ("shift", "scale")
APART = ("distance", "target scale")
_SHAPES: dict[type[Density], tuple[str, ...]] = {
    Gaussian: (),
    StudentT: ("tail",),
    NIG: ("lean", "tail"),
}
_FLOORS = (0.02, 0.2)  # of non-targets and targets; tails below them are much the same
_LEAST_TAIL, _GREATEST_TAIL = 1e-6, 50.0
_LEAST_NIG_TAIL = 1e-6  # at zero the density would end somewhere
_FURTHEST_APART = 3.0


class Moved(NamedTuple):
    """Coordinates of one class after moves, with their derivatives."""

    theta: Floats
    by: Floats
    """First derivatives, coordinates by moves."""
    bend: Floats
    """Second derivatives; none depends on two moves at once."""


@dataclass(frozen=True)
class Place:
    """The free coordinates of both classes in the old place, of (score - origin) / unit."""

    family: type[Density]
    tar: Floats
    non: Floats
    origin: float
    unit: float

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the moves, in their order; the log odds come last."""
        shapes = _SHAPES[self.family]
        own = (f"{side} {shape}" for side in ("non-target", "target") for shape in shapes)
        return (*TOGETHER, *APART, *own, "odds")

    def density(self, theta: Floats) -> Density:
        """The density with some free coordinates."""
        return self.family.from_coordinates(theta, origin=self.origin, unit=self.unit)

    def moved(self, moves: Floats) -> tuple[Moved, Moved]:
        """Targets and non-targets after some moves."""
        shift, scale, distance, target_scale = moves[:4]
        apart = (self.tar[0] - self.non[0]) * np.exp(distance)
        tar, non = (self._empty(old) for old in (self.tar, self.non))
        non.theta[0] += shift
        tar.theta[0] = self.non[0] + shift + apart
        non.theta[1] += scale
        tar.theta[1] += scale + target_scale
        for side in (tar, non):
            side.by[0, 0] = side.by[1, 1] = 1
        tar.by[0, 2] = tar.bend[0, 2] = apart
        tar.by[1, 3] = 1
        shapes = _SHAPES[self.family]
        for number, side in enumerate((non, tar)):
            for at, shape in enumerate(shapes, 2):
                move = 4 + number * len(shapes) + at - 2
                if shape == "lean":
                    side.theta[at] += moves[move]
                    side.by[at, move] = 1
                else:
                    floor = _FLOORS[number]
                    answer = self._tail(float(side.theta[at]), float(moves[move]), floor)
                    side.theta[at], side.by[at, move], side.bend[at, move] = answer
        return tar, non

    def _empty(self, old: Floats) -> Moved:
        zeros = np.zeros((len(old), len(self.names)))
        return Moved(old.copy(), zeros, zeros.copy())

    def _tail(self, coordinate: float, move: float, floor: float) -> tuple[float, float, float]:
        """A moved tail as a coordinate, with its derivatives by the move."""
        grown = (self._weight(coordinate) + floor) * np.exp(move)
        tail = max(grown - floor, 0.0)
        if self.family is not NIG:
            return tail, grown, grown
        return np.log1p(tail), grown / (1 + tail), grown * (1 - floor) / (1 + tail) ** 2

    def _weight(self, coordinate: float) -> float:
        """How heavy the tails are: c of NIG, 1 / dof of T."""
        return float(np.expm1(coordinate)) if self.family is NIG else coordinate

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """Least and greatest moves."""
        lower = np.full(len(self.names), -np.inf)
        upper = -lower
        lower[2], upper[2] = -_FURTHEST_APART, _FURTHEST_APART
        sides = (("non-target tail", self.non), ("target tail", self.tar))
        for (name, old), floor in zip(sides, _FLOORS, strict=True):
            if name in self.names:
                at, tail = self.names.index(name), self._weight(float(old[-1]))
                lower[at] = min(np.log((floor + _LEAST_TAIL) / (floor + tail)), 0.0)
                upper[at] = max(np.log((floor + _GREATEST_TAIL) / (floor + tail)), 0.1)
        return lower, upper


def place_of(tar: Density, non: Density) -> Place:
    """Where the densities of a calibration are."""
    origin, unit = non.origin + non.location, non.scale
    old = [side.coordinates(origin, unit) for side in (tar, non)]
    if isinstance(non, NIG):
        for theta in old:
            theta[-1] = max(theta[-1], _LEAST_NIG_TAIL)
    return Place(type(non), old[0], old[1], origin, unit)


_METHODS = ("gaussian", "student-t", "nig")


def has_densities(calibration: Calibration) -> TypeGuard[Generative | SampledBayes]:
    """Whether a calibration can be moved to another place."""
    return isinstance(calibration, Generative | SampledBayes) and calibration.method in _METHODS


def densities_of(calibration: Calibration) -> tuple[Density, Density]:
    """The densities of targets and non-targets; of draws, the one in their middle.

    Raises
    ------
    OptionError
        If the calibration has none; the message says what to do.
    """
    if has_densities(calibration):
        sides = calibration.tar, calibration.non
        tar, non = (_middle(side) if isinstance(side, Predictive) else side for side in sides)
        return tar, non
    name = getattr(calibration, "method", type(calibration).__name__)
    raise OptionError(
        f"a {name} calibration has no densities that could be moved to another place; train "
        "gaussian, student-t or nig (the best of them with many trials) on the labelled scores, "
        "and adapt that"
    )


def moved_calibration(calibration: Calibration, place: Place, moves: Floats) -> Calibration:
    """The calibration with its densities moved, and everything else as it is."""
    if not has_densities(calibration):
        raise TypeError(type(calibration))
    both: dict[str, Any] = {"tar": calibration.tar, "non": calibration.non}
    old = (place.tar, place.non)
    for (name, side), before, after in zip(both.items(), old, place.moved(moves), strict=True):
        if isinstance(side, Predictive):
            both[name] = _moved_draws(side, place, after.theta - before)
        else:
            both[name] = replace(place.density(after.theta), loglik=side.loglik)
    return replace(calibration, **both)


def _middle(draws: Predictive) -> Density:
    """The density at the mean of the coordinates of draws."""
    row = draws.rows.T @ np.array(draws.weights)
    free = draws.density.free_rows(row[None, :])[0]
    density = draws.density.from_coordinates(free, origin=draws.origin, unit=draws.spread)
    return replace(density, location=density.location + draws.middle, loglik=0.0)


def _moved_draws(draws: Predictive, place: Place, change: Floats) -> Predictive:
    """Draws around the density in their middle, moved with it in the free coordinates."""
    rows = draws.density.free_rows(draws.rows)
    rows[:, 2:] += change[2:]
    columns = draws.density.from_free(rows).T
    wider = float(np.exp(change[1]))
    # Where the middle of the draws, which is zero in their units, goes.
    away = (_middle(draws).location - draws.middle) * (1 - wider) + change[0] * place.unit
    middle_now, spread = draws.middle + away, draws.spread * wider
    return replace(draws, middle=middle_now, spread=spread, **draws.named(columns))
