"""Gaussian predictives against integrals over the standard deviation, to 30 digits."""

from __future__ import annotations

import math
from collections.abc import Sequence

import mpmath
import pytest

import llrcal
from llrcal.errors import DegenerateError

TAR = [1.2, 3.4, 2.1, 2.9, 4.4]
NON = [-1.0, 0.3, 0.2, -0.7, 1.1, -2.2, 0.6]
SCORES = (-4.0, -0.5, 1.3, 2.5, 7.0)
CLOSE = 4e-7  # beyond the training scores, pieces follow the formula less closely


def evidence(*groups: Sequence[float]) -> mpmath.mpf:
    """Density of groups of Gaussian scores that share a deviation, each with a mean of its own.

    The means are integrated out on paper, and the deviation by quadrature.
    """
    with mpmath.workdps(30):
        exact = [[mpmath.mpf(float(x)) for x in group] for group in groups]
        means = [mpmath.fsum(group) / len(group) for group in exact]
        squares = mpmath.fsum(
            (x - mean) ** 2 for group, mean in zip(exact, means, strict=True) for x in group
        )
        count = sum(map(len, exact))

        def at(log_sigma: mpmath.mpf) -> mpmath.mpf:
            sigma = mpmath.exp(log_sigma)
            gaussians = (sigma * mpmath.sqrt(2 * mpmath.pi)) ** (len(exact) - count)
            roots = mpmath.sqrt(mpmath.fprod(map(len, exact)))
            return gaussians / roots * mpmath.exp(-squares / (2 * sigma**2))

        return mpmath.quad(at, list(range(-6, 41, 2)))


@pytest.mark.slow
def test_gaussian_is_the_ratio_of_evidences() -> None:
    cal = llrcal.fit(TAR, NON, method="gaussian", bayes=True, bounds="none", rising=False)
    for score in SCORES:
        tar = evidence([*TAR, score]) / evidence(TAR)
        non = evidence([*NON, score]) / evidence(NON)
        assert cal(score) == pytest.approx(float(mpmath.log(tar / non)), rel=CLOSE, abs=CLOSE)


def test_equal_scores_are_refused() -> None:
    with pytest.raises(DegenerateError, match="target scores: all 3 scores equal 1"):
        llrcal.fit([1.0] * 3, NON, method="gaussian", bayes=True)


def test_two_scores_a_class_are_enough() -> None:
    cal = llrcal.fit([1.0, 2.0], [-1.0, 0.0], method="gaussian", bayes=True)
    assert cal(0.5) == pytest.approx(0, abs=1e-9)
    assert cal.params["tar"]["dof"] == 1
    assert math.isfinite(cal(1e9))
