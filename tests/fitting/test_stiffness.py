"""The averaged spline, against its criterion written anew, scipy, and brute-force integration."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from llrcal.arrays import Floats
from llrcal.fitting.stiffness import Averaged, Part, averaged_spline
from llrcal.onepass.rank_scale import LabelledCells
from tests.fitting.criterion import LOG_STIFFNESS, PRIOR, Criterion, rises
from tests.trial_sets import normal

TAR, NON = np.arctan(normal(40, 1.0, 1.0)), np.arctan(normal(160, -0.8, 1.3))
KNOTS, RANKS = np.array([-1.0, -0.2, 1.1]), np.array([-3.0, 0.2, 2.5])
EVERY_STIFFNESS = pytest.mark.parametrize("i", range(len(LOG_STIFFNESS)))


def criterion(i: int, knots: Floats = KNOTS, ranks: Floats = RANKS) -> Criterion:
    return Criterion(TAR, NON, knots, ranks, 10.0 ** LOG_STIFFNESS[i])


@cache
def averaged(count: int = 3) -> Averaged:
    cells = LabelledCells(np.sort(TAR), np.ones(len(TAR)), np.sort(NON), np.ones(len(NON)))
    return averaged_spline(cells, KNOTS[-count:], RANKS[-count:])


def point(part: Part) -> Floats:
    return np.array([part.first, *np.log(part.slopes)])


@pytest.mark.slow
@EVERY_STIFFNESS
def test_gradient_and_hessian_in_thirty_digits(i: int) -> None:
    part = averaged().parts[i]
    assert part.stiffness == pytest.approx(10.0 ** LOG_STIFFNESS[i])
    gradient, hessian = criterion(i).exactly(point(part))
    # Rounding of the logarithms of the slopes counts as often as the stiffness says.
    assert np.abs(gradient).max() < 1e-11 * max(1, part.stiffness)
    np.testing.assert_allclose(part.covariance, np.linalg.inv(hessian), rtol=1e-6, atol=1e-12)
    assert part.solution.value == pytest.approx(
        criterion(i).values(point(part)[None])[0], rel=1e-12
    )
    assert part.solution.converged


def test_the_stiffest_is_a_straight_line() -> None:
    slopes = averaged().parts[0].slopes
    np.testing.assert_allclose(slopes, slopes[0], rtol=1e-4)
    assert np.ptp(np.log(averaged().parts[-1].slopes)) > 0.1  # as others are not


def grid(part: Part, own: Criterion, *, steps: int) -> tuple[Floats, Floats, float]:
    """Points around a minimum, their densities, and the volume that each stands for."""
    root = np.linalg.cholesky(part.covariance)
    size = len(root)
    even = np.linspace(-6.5, 6.5, steps)
    away = np.stack(np.meshgrid(*[even] * size, indexing="ij"), axis=-1).reshape(-1, size)
    points = point(part) + away @ root.T
    values = np.concatenate([own.values(some) for some in np.array_split(points, 50)])
    volume = float(np.prod(np.diag(root)) * (even[1] - even[0]) ** size)
    return points, np.exp(part.solution.value - values), volume


@cache
def integrated(i: int, count: int = 2, steps: int = 25) -> tuple[float, Floats, Floats]:
    """Log evidence of a stiffness, and mean and variance of the LLRs, by brute force."""
    part, own = averaged(count).parts[i], criterion(i, KNOTS[-count:], RANKS[-count:])
    points, density, volume = grid(part, own, steps=steps)
    log_prior = np.log(PRIOR[i]) + 0.5 * (count - 1) * np.log(own.stiffness)
    evidence = float(log_prior - part.solution.value + np.log(density.sum() * volume))
    llrs = points[:, :1] + np.exp(points[:, 1:]) @ basis(count).T
    share = density[:, None] / density.sum()
    mean = (share * llrs).sum(axis=0)
    return evidence, mean, (share * (llrs - mean) ** 2).sum(axis=0)


ASKED = np.array([-1.4, -0.9, -0.2, 0.4, 1.0, 1.3])


def basis(count: int) -> Floats:
    return np.array([rises(score, KNOTS[-count:]) for score in ASKED])


@pytest.mark.slow
@pytest.mark.parametrize(("count", "steps"), [(2, 25), (3, 13)])
def test_weights_are_the_integrated_evidence(count: int, steps: int) -> None:
    """Laplace's method is not exact: two hundredths of the whole are allowed."""
    evidence = np.array([integrated(i, count, steps)[0] for i in range(len(LOG_STIFFNESS))])
    expected = np.exp(evidence - evidence.max())
    expected /= expected.sum()
    weights = np.array([part.weight for part in averaged(count).parts])
    assert weights.sum() == pytest.approx(1, rel=1e-14)
    assert weights.min() > 0.001
    np.testing.assert_allclose(weights, expected, atol=0.02)


def test_deviations_are_those_of_the_mixture() -> None:
    found = np.sqrt(averaged(2).covariance(ASKED).diagonal())
    evidence, means, variances = zip(*map(integrated, range(len(LOG_STIFFNESS))), strict=True)
    weights = np.exp(np.array(evidence) - max(evidence))[:, None]
    weights /= weights.sum()
    mean = (weights * means).sum(axis=0)
    expected = np.sqrt((weights * (np.array(variances) + (means - mean) ** 2)).sum(axis=0))
    np.testing.assert_allclose(found, expected, rtol=0.1)


def test_the_average_is_that_of_llrs() -> None:
    average = averaged()
    llrs = [part.first + basis(3) @ part.slopes for part in average.parts]
    expected = sum(part.weight * x for part, x in zip(average.parts, llrs, strict=True))
    np.testing.assert_allclose(average.first + basis(3) @ average.slopes, expected, rtol=1e-12)


def test_the_cost_is_that_of_the_labels() -> None:
    """Per trial, with the half trial of each class."""
    average = averaged()
    own = Criterion(TAR, NON, KNOTS, RANKS, 0.0)
    x = np.array([average.first, *np.log(average.slopes)])
    level = np.log(np.ptp(RANKS) / np.ptp(KNOTS))
    labels = own.values(x[None])[0] - (x[1:].mean() - level) ** 2 / 18
    assert average.cost == pytest.approx(labels / (len(TAR) + len(NON) + 1), rel=1e-12)
