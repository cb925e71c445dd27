"""Markov chains: a bent density with known moments, and a posterior that proposals miss."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp

from llrcal.arrays import Floats
from llrcal.calibrations.methods.sampled import draw_notes
from llrcal.calibrations.training import ArrayTraining
from llrcal.densities.student_t import StudentT
from llrcal.fitting.posterior import posterior_draws
from llrcal.fitting.proposals import effective_steps, pooled_weights, walked
from llrcal.notes import Severity


def bent(rows: Floats) -> Floats:
    """A Gaussian x, and a y that keeps within 0.2 of its square."""
    x, y = rows.T
    return np.asarray(-0.5 * x * x - 0.5 * ((y - x * x) / 0.2) ** 2)


def test_a_bent_density_has_its_moments() -> None:
    starts = np.random.default_rng(1).normal([2.0, 4.0], 0.1, (64, 2))
    way = walked(bent, starts)
    worth = effective_steps(way)
    assert 100 < worth < way.shape[0] * way.shape[1] / 10
    x, y = way.reshape(-1, 2).T
    assert x.mean() == pytest.approx(0, abs=4 / worth**0.5)
    assert x.var() == pytest.approx(1, abs=6 / worth**0.5)
    assert y.mean() == pytest.approx(1, abs=6 / worth**0.5)


def test_draws_of_several_densities_give_the_weights_of_each() -> None:
    """Exponential tilts of a Gaussian are Gaussians with another mean."""
    rng = np.random.default_rng(2)
    x = np.concatenate([rng.normal(shift, 1, 4000) for shift in (0.0, -1.5, 1.5)])
    weights = pooled_weights(np.array([0 * x, -1.5 * x, 1.5 * x]), np.array([4e3, 4e3, 4e3]))
    assert weights.sum(axis=1) == pytest.approx(1)
    assert (weights * x).sum(axis=1) == pytest.approx([0, -1.5, 1.5], abs=0.06)


@pytest.mark.slow
def test_a_posterior_that_proposals_miss_is_walked_through() -> None:
    """Three scores close together, and two far off: many densities, of very different scales."""
    data = ArrayTraining([0.014, 0.002, -0.015, 1.36, 1.327], [-4.5, 3.0, 0.0])
    draws = posterior_draws(StudentT, data.tar, data.score_range)
    assert draws.replaced is not None
    assert draws.replaced.min() < 50
    assert draws.enough
    (note,) = draw_notes(draws)
    assert (note.code, note.severity) == ("chain", Severity.INFO)
    at = np.linspace(draws.ends[0], draws.ends[1], 15)
    found = logsumexp(StudentT.logpdfs(draws.rows, at), b=draws.weights[:, None], axis=0)
    z = (data.tar.points().values - draws.target.middle) / draws.target.spread
    assert found == pytest.approx(over_a_grid(z, at), abs=0.15)


def over_a_grid(z: Floats, at: Floats) -> Floats:
    """The log predictive density by sums over locations, fine near scores, scales and dof."""
    fine = [one + 0.0005 * np.sinh(np.linspace(-9, 9, 31)) for one in z]
    locations = np.unique(np.concatenate([np.linspace(-4, 4, 81), *fine]))
    scales = np.linspace(-9, 3.5, 70)
    steps = np.log(np.repeat(np.gradient(locations), len(scales)))
    top, whole = [], []
    for tail in np.linspace(-12, StudentT.tails_with(0.2)[1], 25):
        rows = np.stack(np.meshgrid(locations, scales, [tail], indexing="ij"), -1).reshape(-1, 3)
        logs = (
            StudentT.logpdfs(rows, z).sum(axis=1) + StudentT.log_priors(rows)[0].sum(axis=1) + steps
        )
        likely = logs > logs.max() - 20
        whole.append(logsumexp(logs[likely]))
        densities = StudentT.logpdfs(rows[likely], at)
        top.append(logsumexp(densities + logs[likely, None], axis=0))
    return np.asarray(logsumexp(top, axis=0) - logsumexp(whole))
