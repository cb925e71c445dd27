"""The one-pass summary: exact moments, mergeable bit for bit, faithful sums."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal.arrays import Floats
from llrcal.densities.nig import NIG
from llrcal.densities.student_t import StudentT
from llrcal.errors import DegenerateError
from llrcal.fitting.likelihood import maximum_likelihood
from llrcal.onepass.grid import PLACE_BITS, Grid
from llrcal.onepass.summary import EXACT_UP_TO, KEPT_UP_TO, Summary

MANY = KEPT_UP_TO + EXACT_UP_TO


def same(a: Summary, b: Summary) -> bool:
    exact = (a.exact is None) == (b.exact is None)
    if exact and a.exact is not None and b.exact is not None:
        exact = np.array_equal(a.exact, b.exact)
    return (
        exact
        and a.grid == b.grid
        and (a.count, a.least, a.greatest) == (b.count, b.least, b.greatest)
        and np.array_equal(a.number, b.number)
        and np.array_equal(a.bins, b.bins)
    )


def heavy(n: int, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).standard_t(2.5, n)


def test_small_sets_are_kept_exactly() -> None:
    scores = heavy(EXACT_UP_TO)
    summary = Summary.of(scores)
    points = summary.points()
    assert summary.exact is not None
    values = points.values * summary.grid.unit + summary.grid.origin
    assert values == pytest.approx(np.sort(scores), rel=1e-15, abs=1e-15)
    assert Summary.of(heavy(KEPT_UP_TO)).exact is not None
    assert Summary.of(heavy(KEPT_UP_TO + 1)).exact is None


def test_sets_that_are_kept_give_the_points_of_their_bins() -> None:
    scores = heavy(EXACT_UP_TO + 1)
    kept = Summary.of(scores)
    binned = Summary.of(scores, kept.grid)._with_bins()
    for name in ("values", "weights"):
        assert np.array_equal(getattr(kept.points(), name), getattr(binned.points(), name))


def test_scores_in_order_are_the_scores_themselves_or_points_close_to_them() -> None:
    scores = np.round(heavy(KEPT_UP_TO), 2)
    values, counts = Summary.of(scores).in_order()
    assert np.array_equal(np.repeat(values, counts.astype(int)), np.sort(scores))
    many = heavy(KEPT_UP_TO + 1)
    summary = Summary.of(many)
    for values, counts in (summary.in_order(), summary.finely_in_order()):
        assert counts.sum() == pytest.approx(len(many))
        assert (np.diff(values) >= 0).all()
        assert (values * counts).sum() == pytest.approx(many.sum())
        assert (values**2 * counts).sum() == pytest.approx((many**2).sum(), rel=1e-12)


def test_points_within_bins_have_the_ranks_of_scores() -> None:
    """Alone or two in a bin, as in the tails, they are the scores; among many, they are close."""
    many = np.random.default_rng(2).normal(size=KEPT_UP_TO + 1)
    values, counts = Summary.of(many).finely_in_order()
    np.testing.assert_allclose(values[:9], np.sort(many)[:9], rtol=1e-9)
    probes = np.quantile(many, np.linspace(0.01, 0.99, 99))
    found = np.append(0, np.cumsum(counts))[np.searchsorted(values, probes)]
    exact = np.searchsorted(np.sort(many), probes)
    assert np.abs(found - exact).max() < 20  # of some 40 in a bin


@pytest.mark.parametrize("shift", [0.0, 1e6, -1e9])
@pytest.mark.parametrize("scale", [1.0, 3e-9, 7e8])
def test_moments_are_exact(scale: float, shift: float) -> None:
    scores = (heavy(MANY) + shift) * scale
    summary = Summary.of(scores)
    mean, variance = summary.points().mean_and_variance()
    unit, origin = summary.grid.unit, summary.grid.origin
    exact = (scores - origin).astype(np.longdouble)
    assert mean * unit == pytest.approx(float(exact.mean()), rel=1e-12, abs=1e-12 * unit)
    assert variance * unit**2 == pytest.approx(float(exact.var()), rel=1e-12)
    assert (summary.least, summary.greatest) == (scores.min(), scores.max())


@pytest.mark.slow
@given(st.lists(st.integers(0, MANY), max_size=8), st.integers(0, 3), st.randoms())
def test_merging_is_associative_to_the_last_bit(cuts: list[int], seed: int, random: object) -> None:
    scores = heavy(MANY, seed)
    grid = Grid.of(scores)
    whole = Summary.of(scores, grid)
    parts = [Summary.of(scores[a:b], grid) for a, b in pairwise(sorted({0, *cuts, MANY}))]
    random.shuffle(parts)  # type: ignore[attr-defined]
    left = parts[0]
    for part in parts[1:]:
        left = left.merge(part)
    right = parts[-1]
    for part in parts[-2::-1]:
        right = part.merge(right)
    assert same(left, whole)
    assert same(right, whole)


def test_sums_of_any_number_of_scores() -> None:
    summary = Summary.of(heavy(MANY))
    mean, variance = summary.points().mean_and_variance()
    for _ in range(30):
        summary = summary.merge(summary)
    assert summary.count == MANY << 30
    assert summary.bins.min() >= 0
    assert summary.points().mean_and_variance() == pytest.approx((mean, variance), rel=1e-14)


@pytest.mark.parametrize("tied", [0, 100_000])
def test_crowded_bins_are_summed_exactly(tied: int) -> None:
    scores = heavy(KEPT_UP_TO, seed=3)
    grid = Grid.of(scores)
    last = grid.origin + grid.unit * (1 - 2.0**-40)  # nearly the greatest place in its bin
    scores[:tied] = last
    number, place = grid.number_and_place(scores)
    expected: dict[int, list[int]] = {}
    for bin_number, at in zip(number.tolist(), place.tolist(), strict=True):
        sums = expected.setdefault(bin_number, [0, 0, 0])
        for row, amount in enumerate((1, at, at * at >> PLACE_BITS)):
            sums[row] += amount
    summary = Summary.of(scores, grid)._with_bins()
    found = dict(zip(summary.number.tolist(), summary.bins.T.tolist(), strict=True))
    assert found == expected
    most = max(count for count, *_ in expected.values())
    assert summary.points().tie_share == most / len(scores)


def test_grids_must_agree() -> None:
    with pytest.raises(ValueError, match="different grids"):
        Summary.of(heavy(10)).merge(Summary.of(heavy(10) + 100))


def test_grid_is_a_power_of_two_and_rescales_with_it() -> None:
    scores = heavy(1000) + 17.3
    grid = Grid.of(scores)
    assert np.log2(grid.unit) == np.round(np.log2(grid.unit))
    assert grid.origin % grid.unit == 0
    scaled = Grid.of(scores * 2.0**-40)
    assert (scaled.origin, scaled.unit) == (grid.origin * 2.0**-40, grid.unit * 2.0**-40)


def test_absurd_outlier_is_refused() -> None:
    scores = np.append(heavy(MANY), 1e300)
    with pytest.raises(DegenerateError, match="away from the middle"):
        Summary.of(scores)
    with pytest.raises(DegenerateError, match="away from the middle"):
        Summary.of(scores[-100:]).points()


def exact_gradient(density: NIG | StudentT, scores: Floats) -> Floats:
    """Gradient of the exact mean log-likelihood, in standard units of the scores."""
    sd = float(np.subtract(*np.quantile(scores, [0.75, 0.25])) / 1.349)
    values = (scores - density.origin) / sd
    location, log_scale = density.location / sd, np.log(density.scale / sd)
    theta = (
        NIG.free(location, log_scale, density.asymmetry, density.tail)
        if isinstance(density, NIG)
        else np.array([location, log_scale, density.inverse_dof])
    )
    weights = np.full(len(values), 1 / len(values))
    return type(density).mean_loglik(theta, values, weights).gradient


@pytest.mark.slow
@pytest.mark.parametrize("family", [StudentT, NIG])
@pytest.mark.parametrize("outlier", [1e6, -1e6])
def test_gradient_of_the_exact_likelihood_vanishes(
    family: type[NIG | StudentT], outlier: float
) -> None:
    scores = heavy(1_000_000, 1)
    scores[123_456] = outlier
    density, report = maximum_likelihood(family, Summary.of(scores))
    assert report.converged
    assert np.abs(exact_gradient(density, scores)).max() < 1e-8
