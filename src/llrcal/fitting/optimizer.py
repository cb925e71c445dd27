"""Trust-region Newton with the exact Hessian, simple bounds, and escape from saddle points.

The paper's experience (section 5.4): quasi-Newton methods stick in saddle points without
noticing, and Newton's method does too, until it leaves them along the direction of the most
negative curvature. For the few coordinates we have, the trust-region subproblem is solved exactly
from an eigen-decomposition, and that direction is one of its eigenvectors.

References: Nocedal and Wright, *Numerical Optimization* (2006), chapter 4; Conn, Gould and Toint,
*Trust-Region Methods* (2000), chapter 7.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from llrcal.arrays import Array, Bools, Floats
from llrcal.densities.density import Evaluated

Function = Callable[[Floats], Evaluated]

_ACCEPT = 1e-4  # least actual / predicted decrease for a step to be taken
_ROUNDING = 32 * np.finfo(float).eps  # relative error of a function value
_ESCAPE_RADIUS = 0.1  # least trust region with which a saddle point is left
_POLISHING_STEPS = 5
_LAST_DIGITS = 1e-13  # a slope that promises a decrease of 5e-27, and a step of 1e-13 units at most
_SMALL_GAIN = "no step promises enough"
_MANY = 8  # coordinates, beyond which Cholesky's factors take less time than eigenvectors
_MOST_SHIFTS = 60
_SAME_LENGTH = 1e-9  # relative difference


@dataclass(frozen=True)
class Solution:
    """A point of a minimisation; the last one also says why it ended, and how it knows."""

    point: Floats
    value: float
    gradient: Floats
    hessian: Floats
    held: Bools
    """Coordinates at a bound that the gradient pushes against."""
    slope: float
    """Largest component of the gradient along free coordinates, in units of their curvature.

    Rounding limits the precision of the gradient with respect to a location, the more so the
    narrower the peak. In units of the square root of the curvature, a slope of g promises a
    decrease of g^2 / 2.
    """
    converged: bool = False
    reason: str = ""
    iterations: int = 0
    saddles_escaped: int = 0

    @property
    def gradient_norm(self) -> float:
        """Largest gradient component over the free coordinates."""
        return float(np.abs(self.gradient[~self.held]).max(initial=0.0))

    @property
    def positive_definite(self) -> bool:
        """Whether the Hessian on the free coordinates is positive definite."""
        return self.bends_more_than(0.0)

    def bends_more_than(self, least: float) -> bool:
        """Whether the curvature exceeds some value in all directions that no bound closes."""
        return bends_more_than(least, _part(self.hessian, ~self.held))


@dataclass(frozen=True)
class _Box:
    """A function within lower and upper bounds."""

    function: Function
    low: Floats
    high: Floats

    def clip(self, point: Floats) -> Floats:
        return np.asarray(np.minimum(np.maximum(point, self.low), self.high))

    def at(self, point: Floats) -> Solution:
        """The function at the nearest point of the box; infinite where doubles overflow.

        That point is on a bound if it is too close to it for a step to get there.
        """
        near = _resolution(point)
        point = np.where(point - self.low < near, self.low, point)
        point = np.where(self.high - point < near, self.high, point)
        value, gradient, hessian = self.function(point)
        if not math.isfinite(value + float(gradient.sum()) + float(hessian.sum())):
            value = math.inf
        held = point == np.where(gradient > 0, self.low, self.high)
        steepness = np.abs(gradient) / np.sqrt(np.maximum(hessian.diagonal(), 1.0))
        slope = float(steepness[~held].max(initial=0.0))
        return Solution(point, float(value), gradient, hessian, held, slope)


@np.errstate(all="ignore")
def minimise(
    function: Function,
    start: Array,
    *,
    lower: Array | None = None,
    upper: Array | None = None,
    tolerance: float = 1e-10,
    max_iterations: int = 200,
    enough: float = 0.0,
    radius: float = 1.0,
) -> Solution:
    """Minimise a smooth function of some variables within simple bounds.

    Parameters
    ----------
    function
        Gives value, gradient and Hessian at a point. The search backs away from a point at which
        any of them is not finite: it lies outside the domain, or doubles overflow.
    start
        A point at which the function is finite.
    lower, upper
        Bounds per coordinate; infinite where there is none.
    tolerance
        Largest component of the gradient, over the coordinates that no bound holds, at which
        a point counts as stationary. Where the curvature exceeds one, its square root is the unit.
    max_iterations
        Steps to try, taken or not.
    enough
        The decrease that a step must promise for the search to go on, if it ends in a minimum.
        With zero, the search goes on to the last digits of the point.
    radius
        The length of the first step at most.

    Returns
    -------
    Solution
        ``converged`` is True only at a stationary point with no negative curvature left.

    Raises
    ------
    ValueError
        If the function is not finite at the start point.
    """
    first = np.asarray(start, float)
    low = np.full(first.size, -np.inf) if lower is None else np.asarray(lower, float)
    high = np.full(first.size, np.inf) if upper is None else np.asarray(upper, float)
    box = _Box(function, low, high)
    here, moved, iterations, escaped = box.at(first), True, 0, 0
    if not math.isfinite(here.value):
        raise ValueError("the function is not finite at the start point")
    converged, reason = False, f"no convergence in {max_iterations} iterations"
    while iterations < max_iterations:
        at_saddle = False
        if here.slope <= tolerance:
            at_saddle = not here.bends_more_than(-_noise(here.hessian))
            if not at_saddle:
                converged, reason = True, "gradient below tolerance"
                break
            if moved:
                radius = max(radius, _ESCAPE_RADIUS)
        iterations += 1
        step, predicted = _step_in_box(here, box, radius)
        length = math.hypot(*step.tolist())
        too_short = length < _resolution(here.point)
        if too_short or (predicted < enough and length < radius and not at_saddle):
            converged = not too_short or (here.slope <= 1e3 * tolerance and not at_saddle)
            reason = "step below the resolution of doubles" if too_short else _SMALL_GAIN
            break
        there = box.at(here.point + step)
        quality = _quality(here, there, predicted, at_saddle)
        if quality < 0.25:
            radius = 0.25 * length
        elif quality > 0.75 and length > 0.9 * radius:
            radius = 2 * radius
        moved = quality > _ACCEPT
        if moved:
            here, escaped = there, escaped + at_saddle
    if converged and not enough:
        here = _polished(here, box)
    return replace(
        here,
        converged=converged,
        reason=reason,
        iterations=iterations,
        saddles_escaped=escaped,
    )


def _quality(here: Solution, there: Solution, predicted: float, at_saddle: bool) -> float:
    """Actual over predicted decrease of a step."""
    if not math.isfinite(there.value):
        return -1.0
    decrease = here.value - there.value
    noise = _ROUNDING * max(1.0, abs(here.value))
    if predicted > noise or at_saddle:
        return decrease / predicted
    # Function values can no longer tell: let the gradient decide.
    return 1.0 if decrease > -noise and there.slope < here.slope else 0.0


def _polished(here: Solution, box: _Box) -> Solution:
    """Newton steps while each of them halves the gradient: the last digits are cheap."""
    for _ in range(_POLISHING_STEPS):
        # A direction without curvature has no Newton step.
        if here.slope <= _LAST_DIGITS or not here.bends_more_than(_noise(here.hessian)):
            break
        free = ~here.held
        point = here.point.copy()
        point[free] -= np.linalg.solve(_part(here.hessian, free), here.gradient[free])
        there = box.at(point)
        if not math.isfinite(there.value) or there.slope > 0.5 * here.slope:
            break
        here = there
    return here


def _step_in_box(here: Solution, box: _Box, radius: float) -> tuple[Floats, float]:
    """Step of the trust-region subproblem within the bounds, and the decrease it predicts.

    Coordinates that the step would push through a bound are set on the bound, and the others
    solved for again: with few coordinates this active-set loop ends after a few rounds.
    """
    point, gradient, hessian = here.point, here.gradient, here.hessian

    def decrease(step: Floats) -> float:
        return -float(step @ (gradient + 0.5 * (hessian @ step)))

    step, free = np.zeros_like(point), ~here.held
    while free.any():
        if free.all():  # as mostly, for which the rest would only take time
            step = _step_in_ball(gradient, hessian, radius)
        else:
            step[free] = 0.0
            room = math.sqrt(max(radius**2 - float(step @ step), 0.0))
            slopes = (gradient + hessian @ step)[free]
            step[free] = _step_in_ball(slopes, _part(hessian, free), room)
        there = point + step
        inside = box.clip(there)
        through = free & (inside != there)
        if not through.any():
            break
        step[through] = (inside - point)[through]
        free = free & ~through
    predicted = decrease(step)
    if predicted > 0:
        return step, predicted
    # The re-solved step may climb; the gradient, clipped to the box and the ball, does not.
    downhill = np.where(here.held, 0.0, -gradient)
    norm = float(np.linalg.norm(downhill))
    if norm > 0:
        curvature = float(downhill @ hessian @ downhill)
        length = min(radius / norm, norm**2 / curvature if curvature > 0 else np.inf)
        step = box.clip(point + length * downhill) - point
    return step, decrease(step)


def _step_in_ball(gradient: Floats, hessian: Floats, radius: float) -> Floats:
    """Exact minimiser of g's + s'Hs/2 in a ball, the hard case included."""
    if radius == 0:
        return np.zeros_like(gradient)
    noise = _noise(hessian)
    if len(gradient) > _MANY and bends_more_than(noise, hessian):
        newton = -np.linalg.solve(hessian, gradient)
        if math.hypot(*newton.tolist()) <= radius:
            return np.asarray(newton)
    curvatures, axes = np.linalg.eigh(hessian)
    along, least = gradient @ axes, float(curvatures[0])
    shift = 0.0 if least > noise else max(0.0, -least) + noise
    step = -along / (curvatures + shift)
    if math.hypot(*step.tolist()) <= radius:
        if least < 0:
            # Hard case: hardly any gradient along the most negative curvature. Go that way
            # nevertheless, to the edge of the trust region, downhill if there is a downhill.
            sign = -1.0 if along[0] > 0 else 1.0
            step[0] = sign * math.sqrt(max(radius**2 - float(step[1:] @ step[1:]), 0.0))
        return np.asarray(axes @ step)
    # The length of the step falls with the shift, from more than the radius. Its inverse is
    # concave, so Newton's method comes ever closer from below, where no coordinate of the step is
    # longer than the radius.
    shift = max(shift, float((np.abs(along) / radius - curvatures).max()))
    for _ in range(_MOST_SHIFTS):
        step = -along / (curvatures + shift)
        length = math.hypot(*step.tolist())
        if not length > radius * (1 + _SAME_LENGTH):
            break
        shift += (length / radius - 1) / float(((step / length) ** 2 / (curvatures + shift)).sum())
    return np.asarray(axes @ step)


def _part(hessian: Floats, free: Bools) -> Floats:
    """The Hessian by the free coordinates alone."""
    return hessian if free.all() else hessian[free][:, free]


def bends_more_than(least: float, hessian: Floats) -> bool:
    """Whether the curvature exceeds some value in all directions.

    For that, a Cholesky factor exists once the value is taken off the diagonal.
    """
    try:
        np.linalg.cholesky(hessian - np.diag([least] * len(hessian)))
    except np.linalg.LinAlgError:
        return False
    return True


def _noise(hessian: Floats) -> float:
    """Curvature that cannot be distinguished from zero, given the rounding of the Hessian."""
    return 1e-12 * float(max(1.0, *map(abs, hessian.diagonal().tolist())))


def _resolution(point: Floats) -> float:
    """Length below which a step cannot be distinguished from no step."""
    return 1e-14 * float(max(1.0, *map(abs, point.tolist())))
