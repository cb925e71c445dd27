"""The scores that cases begin with, and exact answers to compare with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import mpmath
import numpy as np

import llrcal
from llrcal.arrays import Array, Floats
from llrcal.calibrations.methods.linear import Linear
from llrcal.errors import LlrcalError
from llrcal.method_table import MethodName

RNG = np.random.default_rng(0)
TAR, NON = RNG.normal(2, 1.2, 300), RNG.normal(-1, 1, 3000)
GRID = np.linspace(-4, 5, 37)

GENERATIVE = ("gaussian", "student-t", "nig")
LINES: tuple[MethodName, ...] = ("linear-gaussian", "logistic")
PARAMETRIC = LINES + GENERATIVE


def by_every(methods: Iterable[str], attempt: Callable[[Any], Any]) -> None:
    """Raise the error of the first method, once it is known that all refuse with the same class."""
    errors: list[LlrcalError] = []
    for method in methods:
        try:
            attempt(method)
        except LlrcalError as problem:
            errors.append(problem)
        else:
            raise AssertionError(f"{method} gives an answer")
    assert len({type(problem) for problem in errors}) == 1, errors
    raise errors[0]


def llrs(tar: Any, non: Any, at: Any = GRID, **options: Any) -> Floats:
    """What a fit gives to some scores."""
    return llrcal.fit(tar, non, **options)(at)


def same(answer: Any, expected: Any, *, within: float = 0.0) -> None:
    """Assert that numbers agree: to the bit, or absolutely and, above one, relatively."""
    answer, expected = (np.asarray(numbers, np.float64) for numbers in (answer, expected))
    assert answer.shape == expected.shape
    with np.errstate(invalid="ignore"):
        off = np.abs(answer - expected) / np.maximum(1, np.abs(expected))
    far = np.where(answer == expected, 0.0, off)
    assert far.max(initial=0) <= within, f"off by {far.max()}"


@cache
def _mp(scores: tuple[float, ...]) -> list[mpmath.mpf]:
    return [mpmath.mpf(score) for score in scores]


def exact_line(calibration: llrcal.Calibration, tar: Array, non: Array) -> tuple[float, float]:
    """Slope and offset of logistic regression in fifty digits, by Newton's method from an answer.

    Where the answer is no minimum, Newton's method leads far away from it.
    """
    assert isinstance(calibration, Linear)
    counts = len(tar), len(non)
    alpha = calibration.alpha
    weight = mpmath.mpf(counts[0]) / sum(counts) if isinstance(alpha, str) else mpmath.mpf(alpha)
    with mpmath.workdps(50):
        slope, offset = mpmath.mpf(calibration.slope), mpmath.mpf(calibration.offset)
        classes = [
            (-1, weight / counts[0], _mp(tuple(np.asarray(tar, float).tolist()))),
            (1, (1 - weight) / counts[1], _mp(tuple(np.asarray(non, float).tolist()))),
        ]
        prior = mpmath.log(weight / (1 - weight))
        for _ in range(3):
            gradient, hessian = mpmath.matrix(2, 1), mpmath.matrix(2, 2)
            for sign, share, scores in classes:
                for s in scores:
                    p = 1 / (1 + mpmath.exp(-sign * (slope * s + offset + prior)))
                    pull, bend = share * sign * p, share * p * (1 - p)
                    gradient += mpmath.matrix([pull * s, pull])
                    hessian += mpmath.matrix([[bend * s * s, bend * s], [bend * s, bend]])
            step = mpmath.lu_solve(hessian, gradient)
            slope, offset = slope - step[0], offset - step[1]
        return float(slope), float(offset)


def is_exact(calibration: llrcal.Calibration, tar: Any, non: Any, *, within: float = 1e-10) -> None:
    """Assert that a line is the optimum of logistic regression to ten digits."""
    slope, offset = exact_line(calibration, np.asarray(tar), np.asarray(non))
    assert abs(calibration.params["slope"] / slope - 1) < within
    assert abs(calibration.params["offset"] - offset) < within * max(1, abs(offset))
