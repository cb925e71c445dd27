"""Densities against 120 digits and one at a time, and derivatives against differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from llrcal import kernels
from llrcal.arrays import Floats
from llrcal.densities.density import Density, Shaped
from llrcal.densities.gaussian import Gaussian
from llrcal.densities.nig import NIG
from llrcal.densities.student_t import StudentT
from tests.densities import jets

RNG = np.random.default_rng(3)
SCORES = np.concatenate([np.linspace(-30, 30, 41), [-1e6, 1e6]])
T_ROWS = np.column_stack([RNG.normal(size=(60, 2)), RNG.uniform(-20, 2.2, 60)])
NIG_ROWS = np.column_stack(
    [RNG.normal(size=(60, 2)), RNG.normal(0, 0.5, 60), 10 ** RNG.uniform(-5, 0.8, 60)]
)
BOTH = pytest.mark.parametrize(("shapes", "rows"), [(StudentT, T_ROWS), (NIG, NIG_ROWS)])


@BOTH
def test_densities(shapes: type[Shaped], rows: Floats) -> None:
    free = shapes.free_rows(rows)
    for theta, logs in zip(free, shapes.logpdfs(rows, SCORES), strict=True):
        one = shapes.from_coordinates(theta, origin=0.0, unit=1.0)
        assert logs == pytest.approx(one.logpdf(SCORES), rel=1e-9, abs=1e-9)
    assert shapes.from_free(free) == pytest.approx(rows, rel=1e-9)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("family", "theta"),
    [
        (Gaussian, [0.3, -0.2]),
        (StudentT, [0.3, -0.2, 0.01]),
        (StudentT, [0.3, -0.2, 0.4]),
        (NIG, [0.3, -0.2, 0.7, 0.4]),
        (NIG, [0.3, -0.2, -1.5, 1.2]),
    ],
)
def test_log_densities_and_their_derivatives_to_120_digits(
    family: type[Density], theta: list[float], compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the middle and far out, with compiled passes and without; test_nig.py has more."""
    if not compiled:
        monkeypatch.setattr(kernels, "compiled", None)
    exact = {Gaussian: jets.gaussian, StudentT: jets.student_t, NIG: jets.nig}[family]
    point, at = np.array(theta), (0.1, -1.3, 7.0)
    one = family.from_coordinates(point, origin=0.0, unit=1.0)
    for x in at:
        jet = exact(x, point)
        jets.check(family, point, x, jet, digits=12)
        assert one.logpdf(np.array(x)) == pytest.approx(float(jet.value), rel=1e-12)


def test_textbook_parameters_are_those_of_scipy() -> None:
    at = np.linspace(-4, 9, 14)
    one = NIG.from_coordinates(np.array([0.3, 0.4, 0.7, 0.4]), origin=2.0, unit=1.5)
    mu, delta, alpha, beta = (one.params[name] for name in ("mu", "delta", "alpha", "beta"))
    scipys = stats.norminvgauss(alpha * delta, beta * delta, loc=mu, scale=delta)
    assert one.logpdf(at) == pytest.approx(scipys.logpdf(at), rel=1e-9)
    other = StudentT.from_coordinates(np.array([0.3, 0.4, 0.2]), origin=2.0, unit=1.5)
    location, scale, dof = (other.params[name] for name in ("location", "scale", "dof"))
    assert other.logpdf(at) == pytest.approx(stats.t(dof, location, scale).logpdf(at), rel=1e-12)


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
