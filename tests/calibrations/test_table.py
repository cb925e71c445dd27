"""The table of NIG log-ratios against the formula."""

from __future__ import annotations

import numpy as np
import pytest

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.nig import NIGCalibration
from llrcal.calibrations.table import Table
from tests.notes import FAR_SCORES

pytestmark = FAR_SCORES

_rng = np.random.default_rng(0)
SETS: dict[str, tuple[Floats, Floats]] = {
    "overlapping": (_rng.normal(3, 2, 3000), _rng.gamma(4, 0.8, 30_000) - 6),
    "far apart and of different width": (
        _rng.standard_t(2, 500) * 0.1 + 10,
        _rng.standard_t(1.5, 20_000),
    ),
    "bounded support": (_rng.beta(8, 2, 300), _rng.uniform(-1, 0.5, 3000)),
    "far from zero": (_rng.normal(0, 1e-3, 300) + 1e5, _rng.laplace(0, 1e-3, 5000) + 1e5 - 0.01),
}


def fitted(name: str) -> NIGCalibration:
    calibration = llrcal.fit(*SETS[name], method="nig", bounds="none", rising=False)
    assert isinstance(calibration, NIGCalibration)
    return calibration


@pytest.mark.parametrize("name", SETS)
def test_table_reproduces_the_formula(name: str) -> None:
    tar, non = SETS[name]
    calibration = fitted(name)
    middle, spread = non.mean(), np.concatenate([tar, non]).std()
    rng = np.random.default_rng(1)
    scores = np.concatenate(
        [
            tar,
            non,
            np.linspace(tar.min(), tar.max(), 50_000),
            middle + spread * rng.normal(size=50_000) * 3,
            middle + spread * rng.standard_cauchy(5000) * 100,
        ]
    )
    exact = calibration.log_ratio(scores)
    error = np.abs(calibration(scores) - exact) / np.maximum(1, np.abs(exact))
    assert error.max() < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_an_answer_depends_on_its_score_alone(name: str) -> None:
    tar, _ = SETS[name]
    together = fitted(name)(tar)
    alone = fitted(name)
    assert [float(alone(score)) for score in tar[:50]] == together[:50].tolist()
    assert np.array_equal(fitted(name)(tar[::-1])[::-1], together)


@pytest.mark.slow
def test_most_scores_are_looked_up() -> None:
    asked = 0
    calibration = fitted("overlapping")

    def formula(distance: Floats) -> Floats:
        nonlocal asked
        asked += distance.size
        return calibration.log_ratio(distance)

    table = Table(formula, origin=0.0, unit=4.0)
    scores = np.random.default_rng(2).normal(0, 3, 1_000_000)
    table(scores)
    assert asked < 100_000


def test_a_kink_is_left_to_the_formula() -> None:
    table = Table(np.abs, origin=0.3, unit=1.0)
    x = np.linspace(-5, 5, 10_001)
    assert np.abs(table(x) - np.abs(x - 0.3)).max() < 1e-12
    kinked = Table(lambda d: np.abs(d - 0.1234), origin=0.0, unit=1.0)
    assert np.abs(kinked(x) - np.abs(x - 0.1234)).max() < 1e-12


def test_beyond_the_table_the_formula_answers() -> None:
    table = Table(np.sin, origin=0.0, unit=1.0)
    x = np.array([-1e6, -100.0, 64.0, 1e9])
    assert np.array_equal(table(x), np.sin(x))
