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
from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Array, Bools, Floats
from llrcal.densities.density import Evaluated
from llrcal.fitting.trust_region import (
    Box,
    bends_more_than,
    box_step,
    curvature_noise,
    largest,
    resolution,
    slope,
)

Function = Callable[[Floats], Evaluated]

_ACCEPT = 1e-4  # least actual / predicted decrease for a step to be taken
_ROUNDING = 32 * np.finfo(float).eps  # relative error of a function value
_ESCAPE_RADIUS = 0.1  # least trust region with which a saddle point is left
_POLISHING_STEPS = 5
_LAST_DIGITS = 1e-13  # a slope that promises a decrease of 5e-27, and a step of 1e-13 units at most
_SMALL_GAIN = "no step promises enough"


@dataclass(frozen=True)
class Solution:
    """Where a minimisation ended, and how it knows."""

    point: Floats
    value: float
    gradient: Floats
    hessian: Floats
    converged: bool
    reason: str
    iterations: int
    saddles_escaped: int
    active: tuple[int, ...]
    """Coordinates held by a bound."""

    @property
    def free(self) -> Bools:
        """Mask of the coordinates that no bound holds."""
        return ~np.isin(np.arange(self.point.size), self.active)

    @property
    def gradient_norm(self) -> float:
        """Largest gradient component over the free coordinates."""
        return largest(self.gradient[self.free])

    @property
    def positive_definite(self) -> bool:
        """Whether the Hessian on the free coordinates is positive definite."""
        return bends_more_than(0.0, self.hessian, self.free)


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
        Gives value, gradient and Hessian at a point. A value of ``inf`` marks a point outside
        the domain; the search backs away from it.
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
    size = np.size(start)
    box = Box(
        np.full(size, -np.inf) if lower is None else np.asarray(lower, float),
        np.full(size, np.inf) if upper is None else np.asarray(upper, float),
    )
    search = _Search(function, box, box.clip(np.asarray(start, float)), enough, radius)
    converged, reason = search.run(tolerance, max_iterations)
    if converged and not enough:
        search.polish()
    return Solution(
        point=search.point,
        value=float(search.here.value),
        gradient=np.array(search.here.gradient),
        hessian=np.array(search.here.hessian),
        converged=converged,
        reason=reason,
        iterations=search.iterations,
        saddles_escaped=search.escaped,
        active=tuple(int(i) for i in np.flatnonzero(search.held)),
    )


class _Search:
    """The state of one minimisation."""

    def __init__(
        self, function: Function, box: Box, start: Floats, enough: float, radius: float
    ) -> None:
        self.function = function
        self.box = box
        self.enough = enough
        self.radius = radius
        self.iterations = 0
        self.escaped = 0
        self.move_to(start, function(start))
        if not math.isfinite(self.here.value):
            raise ValueError("the function is not finite at the start point")

    def move_to(self, point: Floats, here: Evaluated) -> None:
        self.point, self.here = point, here
        self.held = self.box.held(point, here.gradient)
        self.slope = slope(here, ~self.held)

    def run(self, tolerance: float, max_iterations: int) -> tuple[bool, str]:
        """Step until a minimum is found. Whether one was, and why the search ended."""
        while self.iterations < max_iterations:
            at_saddle = False
            if self.slope <= tolerance:
                noise = curvature_noise(self.here.hessian)
                at_saddle = not bends_more_than(-noise, self.here.hessian, ~self.held)
                if not at_saddle:
                    return True, "gradient below tolerance"
            end = self.step(at_saddle)
            if end is not None:
                settled = self.slope <= 1e3 * tolerance and not at_saddle
                return settled or end == _SMALL_GAIN, end
        return False, f"no convergence in {max_iterations} iterations"

    def step(self, at_saddle: bool) -> str | None:
        """Try one step; why there is none left to try, if so."""
        self.iterations += 1
        if at_saddle:
            self.radius = max(self.radius, _ESCAPE_RADIUS)
        # From a saddle point, shrink the step here: the next look would widen it again.
        while True:
            step, predicted = box_step(self.here, self.point, self.box, self.radius, self.held)
            length = math.hypot(*step.tolist())
            if length < resolution(self.point):
                return "step below the resolution of doubles"
            if predicted < self.enough and length < self.radius and not at_saddle:
                return _SMALL_GAIN
            candidate = self.box.clip(self.point + step)
            there = self.function(candidate)
            quality = self.quality(candidate, there, predicted, at_saddle)
            self.radius = _new_radius(self.radius, length, quality)
            if quality > _ACCEPT:
                self.move_to(candidate, there)
                self.escaped += at_saddle
                return None
            if not at_saddle:
                return None

    def quality(self, candidate: Floats, there: Evaluated, predicted: float, saddle: bool) -> float:
        """Actual over predicted decrease of a candidate step."""
        if not math.isfinite(there.value):
            return -1.0
        decrease = self.here.value - there.value
        noise = _ROUNDING * max(1.0, abs(self.here.value))
        if predicted > noise or saddle:
            return decrease / predicted
        # Function values can no longer tell: let the gradient decide.
        flatter = slope(there, ~self.box.held(candidate, there.gradient)) < self.slope
        return 1.0 if decrease > -noise and flatter else 0.0

    def polish(self) -> None:
        """Newton steps while each of them halves the gradient: the last digits are cheap."""
        for _ in range(_POLISHING_STEPS):
            at = (~self.held).nonzero()[0]
            noise, hessian = curvature_noise(self.here.hessian), self.here.hessian[at[:, None], at]
            # A direction without curvature has no Newton step.
            if self.slope <= _LAST_DIGITS or not bends_more_than(noise, hessian):
                return
            candidate = self.point.copy()
            candidate[at] -= np.linalg.solve(hessian, self.here.gradient[at])
            candidate = self.box.clip(candidate)
            there = self.function(candidate)
            if not math.isfinite(there.value) or slope(there, ~self.held) > 0.5 * self.slope:
                return
            self.move_to(candidate, there)


def _new_radius(radius: float, length: float, quality: float) -> float:
    if quality < 0.25:
        return 0.25 * length
    if quality > 0.75 and length > 0.9 * radius:
        return 2 * radius
    return radius
