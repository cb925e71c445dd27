"""One step of a trust-region method: the best point of a quadratic model in a ball and a box.

The subproblem is solved exactly from an eigen-decomposition, the hard case included, in which the
gradient says nothing about the direction of negative curvature; for many coordinates by Newton's
step, where there is one within the ball.
Nocedal and Wright, *Numerical Optimization* (2006), section 4.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from llrcal.arrays import Bools, Floats
from llrcal.densities.density import Evaluated

_MANY = 8  # coordinates, beyond which Cholesky's factors take less time than eigenvectors
_MOST_SHIFTS = 60
_SAME_LENGTH = 1e-9  # relative difference


@dataclass(frozen=True)
class Box:
    """Lower and upper bounds."""

    low: Floats
    high: Floats

    @cached_property
    def _ends(self) -> list[tuple[int, float, float]]:
        """Of the coordinates that have any."""
        ends = enumerate(zip(self.low.tolist(), self.high.tolist(), strict=True))
        return [(i, *both) for i, both in ends if any(map(math.isfinite, both))]

    def has_inside(self, point: Floats, margin: float = 0.0) -> bool:
        """Whether a point is so far from all bounds, or farther."""
        return all(low + margin <= point[i] <= high - margin for i, low, high in self._ends)

    def clip(self, point: Floats) -> Floats:
        """The nearest point of the box; on a bound, if it is too close for a step to get there."""
        if self.has_inside(point, 2 * resolution(point)):
            return point
        inside = point.clip(self.low, self.high)
        near = resolution(inside)
        inside = np.where(inside - self.low < near, self.low, inside)
        return np.where(self.high - inside < near, self.high, inside)

    def held(self, point: Floats, gradient: Floats) -> Bools:
        """Coordinates at a bound that the gradient pushes against."""
        if self.has_inside(point, resolution(point)):
            return np.zeros(point.size, np.bool_)
        at_low = (point <= self.low) & (gradient > 0)
        at_high = (point >= self.high) & (gradient < 0)
        return np.asarray(at_low | at_high)


def box_step(
    here: Evaluated, point: Floats, box: Box, radius: float, held: Bools
) -> tuple[Floats, float]:
    """Step of the trust-region subproblem within the bounds, and the decrease it predicts.

    Coordinates that the step would push through a bound are set on the bound, and the others
    solved for again: with few coordinates this active-set loop ends after a few rounds.
    """
    gradient, hessian = here.gradient, here.hessian

    def decrease(step: Floats) -> float:
        return -float(step @ (gradient + 0.5 * (hessian @ step)))

    fixed = held.copy()
    step = np.zeros_like(point)
    for _ in range(point.size + 1):
        free = (~fixed).nonzero()[0]
        if free.size == point.size:
            step = _ball_step(gradient, hessian, radius)
        elif free.size:
            on_bound = np.where(fixed, step, 0.0)
            room = max(radius**2 - float(on_bound @ on_bound), 0.0) ** 0.5
            slope = (gradient + hessian @ on_bound)[free]
            step[free] = _ball_step(slope, hessian[free[:, None], free], room)
        there = point + step
        if box.has_inside(there):
            break
        through = ~fixed & ((there < box.low) | (there > box.high))
        if not through.any():
            break
        step = np.where(through, box.clip(there) - point, step)
        fixed |= through
    predicted = decrease(step)
    if predicted > 0:
        return step, predicted
    # The re-solved step may climb; the gradient, clipped to the box and the ball, does not.
    downhill = np.where(held, 0.0, -gradient)
    norm = float(np.linalg.norm(downhill))
    if norm > 0:
        curvature = float(downhill @ hessian @ downhill)
        length = min(radius / norm, norm**2 / curvature if curvature > 0 else np.inf)
        step = box.clip(point + length * downhill) - point
    return step, decrease(step)


def _ball_step(gradient: Floats, hessian: Floats, radius: float) -> Floats:
    """Exact minimiser of g's + s'Hs/2 in a ball, the hard case included."""
    if radius == 0:
        return np.zeros_like(gradient)
    noise = curvature_noise(hessian)
    if len(gradient) > _MANY and bends_more_than(noise, hessian):
        newton = -np.linalg.solve(hessian, gradient)
        if math.hypot(*newton.tolist()) <= radius:
            return np.asarray(newton)
    values, vectors = np.linalg.eigh(hessian)
    # For a few coordinates, Python's own numbers are many times faster than arrays.
    eigenvalues: list[float] = values.tolist()
    along: list[float] = (gradient @ vectors).tolist()

    def shifted(shift: float) -> list[float]:
        return [-a / (e + shift) if a else 0.0 for a, e in zip(along, eigenvalues, strict=True)]

    least = eigenvalues[0]
    if least > noise:
        inside = shifted(0.0)
        if math.hypot(*inside) <= radius:
            return np.asarray(vectors @ inside)
    low = max(0.0, -least) + noise
    inside = shifted(low)
    if math.hypot(*inside) < radius:
        if least < 0:
            # Hard case: hardly any gradient along the most negative curvature. Go that way
            # nevertheless, to the edge of the trust region, downhill if there is a downhill.
            sign = -1.0 if along[0] > 0 else 1.0
            inside[0] = sign * max(radius**2 - math.hypot(*inside[1:]) ** 2, 0.0) ** 0.5
        return np.asarray(vectors @ inside)
    return np.asarray(vectors @ shifted(_shift_to_radius(eigenvalues, along, low, radius)))


def _shift_to_radius(
    eigenvalues: list[float], along: list[float], low: float, radius: float
) -> float:
    """The shift of the eigenvalues with which a step is as long as the radius.

    The length of the step falls with the shift, from more than the radius at ``low``. Its inverse
    is concave, so Newton's method comes ever closer from below, where no coordinate of the step is
    longer than the radius.
    """
    terms = [(a, e) for a, e in zip(along, eigenvalues, strict=True) if a]
    shift = max(low, *(abs(a) / radius - e for a, e in terms))
    for _ in range(_MOST_SHIFTS):
        steps = [(a / (e + shift), e + shift) for a, e in terms]
        length = math.hypot(*[step for step, _ in steps])
        if not length > radius * (1 + _SAME_LENGTH):
            break
        shift += (length / radius - 1) / sum((step / length) ** 2 / e for step, e in steps)
    return shift


def bends_more_than(least: float, hessian: Floats, free: Bools | None = None) -> bool:
    """Whether the curvature exceeds some value in all directions along the free coordinates.

    For that, a Cholesky factor exists once the value is taken off the diagonal.
    """
    if free is not None:
        at = free.nonzero()[0]
        hessian = hessian[at[:, None], at]
    try:
        np.linalg.cholesky(hessian - np.diag(np.full(len(hessian), least)))
    except np.linalg.LinAlgError:
        return False
    return True


def curvature_noise(hessian: Floats) -> float:
    """Curvature that cannot be distinguished from zero, given the rounding of the Hessian."""
    return 1e-12 * max(1.0, largest(hessian.diagonal()))


def resolution(point: Floats) -> float:
    """Length below which a step cannot be distinguished from no step."""
    return 1e-14 * max(1.0, largest(point))


def slope(here: Evaluated, free: Bools) -> float:
    """Largest component of the gradient along free coordinates, each in the unit of its curvature.

    Rounding limits the precision of the gradient with respect to a location, the more so the
    narrower the peak. In units of the square root of the curvature, a slope of g promises a
    decrease of g^2 / 2.
    """
    steepness = np.abs(here.gradient) / np.sqrt(np.maximum(here.hessian.diagonal(), 1.0))
    return float(steepness[free].max(initial=0.0))


def largest(values: Floats) -> float:
    """Largest absolute value; zero if there are no values."""
    return max(map(abs, values.ravel().tolist()), default=0.0)
