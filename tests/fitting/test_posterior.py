"""Draws from posteriors: against sums over a grid, and against many more draws."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.special import logsumexp

from llrcal.arrays import Floats
from llrcal.calibrations.training import Training
from llrcal.densities.density import Shaped
from llrcal.densities.nig import NIG
from llrcal.densities.student_t import StudentT
from llrcal.errors import DegenerateError
from llrcal.fitting import posterior
from llrcal.fitting.likelihood import maximum_likelihood
from llrcal.fitting.posterior import Draws, Target, near_draws, posterior_draws, subsample
from llrcal.fitting.proposals import Proposal, evenly_spread

RNG = np.random.default_rng(8)
TAR, NON = RNG.normal(2, 1, 12), RNG.standard_t(5, 150)
EVERY_SHAPE = pytest.mark.parametrize("shapes", [StudentT, NIG])

pytestmark = pytest.mark.slow


def drawn(shapes: type[Shaped]) -> Draws:
    data = Training.of(TAR, NON)
    return posterior_draws(shapes, data.tar, data.score_range)


def log_predictive(shapes: type[Shaped], rows: Floats, weights: Floats, at: Floats) -> Floats:
    return np.asarray(logsumexp(shapes.logpdfs(rows, at), b=weights[:, None], axis=0))


def over_the_range(draws: Draws) -> Floats:
    low, high = draws.ends.tolist()
    return np.linspace(low, high, 41)


@EVERY_SHAPE
def test_predictive_densities_are_those_of_a_grid_of_parameters(shapes: type[Shaped]) -> None:
    draws = drawn(shapes)
    summary = Training.of(TAR, NON).tar
    z = (summary.points().values - draws.target.middle) / draws.target.spread
    size = 20 if len(shapes.names) == 4 else 60
    axes = [np.linspace(-3, 3, size), np.linspace(-3, 3, size)]
    axes += [np.linspace(-1.5, 1.5, size), np.linspace(0.01, 2.5, size)]
    if shapes is StudentT:
        axes[2:] = [np.linspace(-9, 1.5, size)]
    grid = np.array(list(product(*axes)))
    logs = np.concatenate(
        [shapes.logpdfs(part, z).sum(axis=1) for part in np.array_split(grid, 64)]
    )
    logs += shapes.log_priors(grid)[0].sum(axis=1)
    likely = logs > logs.max() - 25
    weights = np.exp(logs[likely] - logsumexp(logs[likely]))
    at = over_the_range(draws)
    exact = log_predictive(shapes, grid[likely], weights, at)
    found = log_predictive(shapes, draws.rows, draws.weights, at)
    assert found == pytest.approx(exact, abs=0.08)  # both have errors; in the body, they are less
    body = np.abs(at) < 2
    assert found[body] == pytest.approx(exact[body], abs=0.02)


@EVERY_SHAPE
def test_sixteen_times_as_many_draws_say_the_same(
    shapes: type[Shaped], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = drawn(shapes)
    monkeypatch.setattr(posterior, "DRAWS", tuple(16 * count for count in posterior.DRAWS))
    many = drawn(shapes)
    at = over_the_range(few)
    kept = log_predictive(shapes, *subsample(few), at)
    assert kept == pytest.approx(log_predictive(shapes, many.rows, many.weights, at), abs=0.06)
    assert len(many.rows) == 16 * len(few.rows)
    assert few.effective.min() >= posterior.LEAST_EFFECTIVE
    assert few.effective.shape == (3,)


@EVERY_SHAPE
def test_few_draws_stand_for_all(shapes: type[Shaped]) -> None:
    draws = drawn(shapes)
    rows, weights = subsample(draws)
    assert len(rows) <= 256
    assert weights.min() > 0
    assert weights.sum() == pytest.approx(1)
    at = over_the_range(draws)
    everyone = log_predictive(shapes, draws.rows, draws.weights, at)
    assert log_predictive(shapes, rows, weights, at) == pytest.approx(everyone, abs=0.01)


def test_points_that_stand_for_scores_give_the_same_posterior() -> None:
    """Two thousand scores become some 160 points, and what these get wrong is corrected."""
    data = Training.of(RNG.normal(0, 1, 2000), [5.0, -5.0])
    draws = posterior_draws(NIG, data.tar, data.score_range)
    z = (data.tar.points().values - draws.target.middle) / draws.target.spread
    near = draws.rows[np.argsort(draws.weights)[-300:]]
    exact = NIG.logpdfs(near, z).sum(axis=1) + NIG.log_priors(near)[0].sum(axis=1)
    target = Target(NIG, data.tar.points(), data.tar.count)
    target.mode(NIG.starts(target.few.values, target.few.weights))
    rough = target.log_posterior(near)
    assert len(target.few.values) < 200
    assert rough - exact == pytest.approx(np.mean(rough - exact), abs=0.02)


def test_draws_near_a_best_fit_at_the_gaussian_limit() -> None:
    """Light tails: the best dof is infinite. Draws are aimed at the posterior nevertheless."""
    data = Training.of(np.sin(np.linspace(-1.5, 1.5, 2000)), [5.0, -5.0])
    best, _ = maximum_likelihood(StudentT, data.tar)
    logs, weights = near_draws(best, data.tar, np.array([-0.5, 0.0, 0.5]))
    assert 1 / (weights**2).sum() > 100
    at_zero = logs[:, 1]
    mean = (weights * at_zero).sum()
    variance = (weights * (at_zero - mean) ** 2).sum()
    # Of the log density of a Gaussian at its mean: that of the log of its deviation.
    assert variance == pytest.approx(1 / 4000, rel=0.2)


def test_a_proposal_has_the_moments_and_the_density_of_its_draws() -> None:
    proposal = Proposal(np.array([1.0, -2.0]), np.array([[2.0, 0.6], [0.6, 0.5]]))
    rows = proposal.draws(2**15, first=1)
    assert rows.mean(axis=0) == pytest.approx([1, -2], abs=0.005)
    variance = 5 / 3  # of Student's T with 5 degrees of freedom
    assert np.cov(rows.T) / variance == pytest.approx(np.array([[2, 0.6], [0.6, 0.5]]), abs=0.05)
    steps = np.linspace(-60, 60, 1201)
    grid = np.column_stack([axis.ravel() for axis in np.meshgrid(steps, steps)])
    assert np.exp(proposal.logpdf(grid)).sum() * 0.01 == pytest.approx(1, abs=1e-3)


def test_numbers_are_evenly_spread() -> None:
    numbers = evenly_spread(4096, 5, first=1)
    for one in numbers.T:
        gaps = np.diff(np.sort(one))
        assert gaps.max() < 6 / 4096
    corner = (numbers < 0.5).all(axis=1).mean()
    assert corner == pytest.approx(1 / 32, rel=0.1)


def test_few_distinct_scores_are_refused() -> None:
    data = Training.of([1.0, 2.0, 3.0], NON)
    with pytest.raises(DegenerateError, match="too few for a nig density"):
        posterior_draws(NIG, data.tar, data.score_range)
