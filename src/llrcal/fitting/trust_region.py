"""One step of a trust-region method: the best point of a quadratic model in a ball and a box.

For a handful of coordinates the subproblem is solved exactly from an eigen-decomposition, the hard
case included, in which the gradient says nothing about the direction of negative curvature.
Nocedal and Wright, *Numerical Optimization* (2006), section 4.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from llrcal.arrays import Bools, Floats


class Derivatives(Protocol):
    """Value, gradient and Hessian of a function at a point."""

    @property
    def value(self) -> float: ...
    @property
    def gradient(self) -> Floats: ...
    @property
    def hessian(self) -> Floats: ...


@dataclass(frozen=True)
class Box:
    """Lower and upper bounds."""

    low: Floats
    high: Floats

    def clip(self, point: Floats) -> Floats:
        """The nearest point of the box; on a bound, if it is too close for a step to get there."""
        inside = point.clip(self.low, self.high)
        near = resolution(inside)
        inside = np.where(inside - self.low < near, self.low, inside)
        return np.where(self.high - inside < near, self.high, inside)

    def held(self, point: Floats, gradient: Floats) -> Bools:
        """Coordinates at a bound that the gradient pushes against."""
        at_low = (point <= self.low) & (gradient > 0)
        at_high = (point >= self.high) & (gradient < 0)
        return np.asarray(at_low | at_high)


def box_step(
    here: Derivatives, point: Floats, box: Box, radius: float, *, escape: bool
) -> tuple[Floats, float]:
    """Step of the trust-region subproblem within the bounds, and the decrease it predicts.

    Coordinates that the step would push through a bound are set on the bound, and the others
    solved for again: with few coordinates this active-set loop ends after a few rounds.
    """
    gradient, hessian = here.gradient, here.hessian
    held = box.held(point, gradient)

    def decrease(step: Floats) -> float:
        return -float(gradient @ step + 0.5 * step @ hessian @ step)

    fixed = held.copy()
    step = np.zeros_like(point)
    for _ in range(point.size + 1):
        at = (~fixed).nonzero()[0]
        if not at.size:
            break
        on_bound = np.where(fixed, step, 0.0)
        room = max(radius**2 - float(on_bound @ on_bound), 0.0) ** 0.5
        slope = (gradient + hessian @ on_bound)[at]
        step[at] = _ball_step(slope, hessian[at[:, None], at], room, escape)
        inside = box.clip(point + step) - point
        through = ~fixed & (inside != step) & (np.abs(inside) < np.abs(step))
        if not through.any():
            break
        step = np.where(through, inside, step)
        fixed |= through
    if decrease(step) <= 0:
        # The re-solved step may climb; the gradient, clipped to the box and the ball, does not.
        downhill = np.where(held, 0.0, -gradient)
        norm = float(np.linalg.norm(downhill))
        if norm > 0:
            curvature = float(downhill @ hessian @ downhill)
            length = min(radius / norm, norm**2 / curvature if curvature > 0 else np.inf)
            step = box.clip(point + length * downhill) - point
    return step, decrease(step)


def _ball_step(gradient: Floats, hessian: Floats, radius: float, escape: bool) -> Floats:
    """Exact minimiser of g's + s'Hs/2 in a ball, the hard case included."""
    if radius == 0:
        return np.zeros_like(gradient)
    eigenvalues, vectors = np.linalg.eigh(hessian)
    along = vectors.T @ gradient
    least = float(eigenvalues[0])
    noise = curvature_noise(hessian)

    def shifted(shift: float) -> Floats:
        return np.where(along == 0, 0.0, -along / (eigenvalues + shift))

    if least > noise:
        newton = shifted(0.0)
        if np.linalg.norm(newton) <= radius:
            return np.asarray(vectors @ newton)
    low = max(0.0, -least) + noise
    inside = shifted(low)
    if np.linalg.norm(inside) < radius:
        if least < 0 and escape:
            # Hard case: hardly any gradient along the most negative curvature. Go that way
            # nevertheless, to the edge of the trust region, downhill if there is a downhill.
            sign = -1.0 if along[0] > 0 else 1.0
            inside[0] = 0.0
            inside[0] = sign * max(radius**2 - float(inside @ inside), 0.0) ** 0.5
        return np.asarray(vectors @ inside)
    return np.asarray(vectors @ shifted(_shift_to_radius(eigenvalues, along, low, radius)))


def _shift_to_radius(eigenvalues: Floats, along: Floats, low: float, radius: float) -> float:
    """The shift of the eigenvalues with which a step is as long as the radius.

    The length of the step falls with the shift, from more than the radius at ``low``. For a few
    coordinates, Python's own numbers are many times faster than arrays.
    """
    terms = [(a, e) for a, e in zip(along.tolist(), eigenvalues.tolist(), strict=True) if a]
    high = low + math.hypot(*along.tolist()) / radius
    while high - low > 1e-12 * high:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if math.hypot(*[a / (e + middle) for a, e in terms]) > radius:
            low = middle
        else:
            high = middle
    return high


def least_curvature(hessian: Floats, free: Bools) -> float:
    """Smallest eigenvalue of a Hessian on the free coordinates; infinite if none is free."""
    at = free.nonzero()[0]
    return float(np.linalg.eigvalsh(hessian[at[:, None], at])[0]) if at.size else np.inf


def curvature_noise(hessian: Floats) -> float:
    """Curvature that cannot be distinguished from zero, given the rounding of the Hessian."""
    return 1e-12 * max(1.0, largest(hessian))


def resolution(point: Floats) -> float:
    """Length below which a step cannot be distinguished from no step."""
    return 1e-14 * max(1.0, largest(point))


def slope(here: Derivatives, free: Bools) -> float:
    """Largest component of the gradient along free coordinates, each in the unit of its curvature.

    Rounding limits the precision of the gradient with respect to a location, the more so the
    narrower the peak. In units of the square root of the curvature, a slope of g promises a
    decrease of g^2 / 2.
    """
    unit = np.sqrt(np.maximum(np.diagonal(here.hessian), 1.0))
    return largest((here.gradient / unit)[free])


def largest(values: Floats) -> float:
    """Largest absolute value; zero if there are no values."""
    return float(np.abs(values).max(initial=0.0))
