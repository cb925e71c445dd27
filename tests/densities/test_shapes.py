"""Many densities at once against one at a time, and derivatives against differences."""

from __future__ import annotations

import numpy as np
import pytest

from llrcal.arrays import Floats
from llrcal.densities.density import Shaped
from llrcal.densities.nig import NIG
from llrcal.densities.student_t import StudentT

RNG = np.random.default_rng(3)
SCORES = np.concatenate([np.linspace(-30, 30, 41), [-1e6, 1e6]])
T_ROWS = np.column_stack([RNG.normal(size=(60, 2)), RNG.uniform(-20, 2.2, 60)])
NIG_ROWS = np.column_stack(
    [RNG.normal(size=(60, 2)), RNG.normal(0, 0.5, 60), 10 ** RNG.uniform(-5, 0.8, 60)]
)
BOTH = pytest.mark.parametrize(("shapes", "rows"), [(StudentT, T_ROWS), (NIG, NIG_ROWS)])


def test_student_t_densities() -> None:
    for row, logs in zip(T_ROWS, StudentT.logpdfs(T_ROWS, SCORES), strict=True):
        location, log_scale, log_tail = row
        one = StudentT(0.0, 0.0, location, np.exp(log_scale), np.exp(log_tail))
        assert logs == pytest.approx(one.logpdf(SCORES), rel=1e-13, abs=1e-13)


def test_nig_densities() -> None:
    for row, logs in zip(NIG_ROWS, NIG.logpdfs(NIG_ROWS, SCORES), strict=True):
        location, log_scale, v, root = row
        one = NIG(0.0, 0.0, location, np.exp(log_scale), v, root * root)
        assert logs == pytest.approx(one.logpdf(SCORES), rel=1e-9, abs=1e-9)


@BOTH
def test_derivatives_of_the_free_coordinates(shapes: type[Shaped], rows: Floats) -> None:
    size = rows.shape[1]
    rows = rows[np.abs(rows[:, -1]) > 0.05]
    for row in rows[:20]:
        first, second = shapes.derivatives(row)
        for by in range(size):
            step = 1e-5 * np.eye(size)[by]
            ahead, behind = row + step, row - step
            slope = (shapes.free_rows(ahead[None]) - shapes.free_rows(behind[None]))[0] / 2e-5
            assert first[:, by] == pytest.approx(slope, rel=1e-6, abs=1e-8)
            bend = (shapes.derivatives(ahead)[0] - shapes.derivatives(behind)[0]) / 2e-5
            assert second[:, :, by] == pytest.approx(bend, rel=1e-6, abs=1e-7)


@BOTH
def test_derivatives_of_the_prior(shapes: type[Shaped], rows: Floats) -> None:
    steps = 1e-5 * np.eye(rows.shape[1])
    for row in rows[:20]:
        _, slopes, bends = shapes.log_priors(row)
        ahead, behind = (shapes.log_priors(row + way * steps) for way in (1, -1))
        assert slopes == pytest.approx((ahead[0] - behind[0]).sum(axis=1) / 2e-5, abs=1e-6)
        assert np.diag(bends) == pytest.approx((ahead[1] - behind[1]) / 2e-5, abs=1e-5)
