"""Posterior predictive densities against sums of their parts, and their integral."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import cauchy, t

from llrcal.densities.mixture import StudentTPredictive

WEIGHTS, LOCATIONS, SCALES, DOFS = (0.3, 0.7), (0.5, -1.0), (1.5, 0.4), (3.0, 20.0)
DENSITY = StudentTPredictive(
    origin=10.0,
    middle=-2.0,
    spread=4.0,
    weights=WEIGHTS,
    locations=LOCATIONS,
    log_scales=tuple(np.log(SCALES)),
    log_inverse_dof=tuple(-np.log(DOFS)),
    effective_draws=(2.0, 2.0, 2.0),
    elsewhere=0.1,
)


def test_it_is_the_sum_of_its_parts() -> None:
    scores = np.array([-1e6, -30.0, 4.0, 8.0, 11.0, 50.0])
    parts = zip(WEIGHTS, LOCATIONS, SCALES, DOFS, strict=True)
    draws = sum(w * t.pdf(scores, dof, 8 + 4 * at, 4 * wide) for w, at, wide, dof in parts)
    expected = 0.9 * draws + 0.1 * cauchy.pdf(scores, 8, 4)
    assert np.exp(DENSITY.logpdf_from(0.0, scores)) == pytest.approx(expected, rel=1e-12)
    plain = replace(DENSITY, elsewhere=1e-300)
    assert np.exp(plain.logpdf_from(0.0, scores)) == pytest.approx(draws, rel=1e-12)


def test_each_of_its_parts() -> None:
    scores = np.array([-30.0, 4.0, 8.0, 11.0, 50.0])
    found = DENSITY.log_densities(scores)
    for logs, at, wide, dof in zip(found, LOCATIONS, SCALES, DOFS, strict=True):
        expected = t.logpdf(scores, dof, 8 + 4 * at, 4 * wide)
        assert logs == pytest.approx(expected, rel=1e-12)
