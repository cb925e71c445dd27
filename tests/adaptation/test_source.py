"""Densities of training classes, and their moves."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.interpolate import CubicSpline
from scipy.special import expit

from llrcal.adaptation import source as module
from llrcal.adaptation.source import NAMES, SourceClass, SourceModel, dithered, with_wild
from llrcal.arrays import Floats
from llrcal.densities.nig import NIG
from llrcal.onepass.cells import Cells
from llrcal.onepass.summary import Summary
from tests.adaptation.worlds import (
    BIMODAL,
    NON,
    SKEWED,
    TAR,
    as_cells,
    known,
    source_of,
    textbook_nig,
)
from tests.trial_sets import normal

# Far out in the tails, and fine in the middle.
LINE = np.sinh(np.linspace(-12, 12, 40_001))


def cells_of(scores: Floats) -> Cells:
    return Cells.of(Summary.of(scores), cells=100)


def integral(one: SourceClass, theta: Floats, power: int = 0) -> float:
    """Of the density times a power of the score, by the trapezoidal rule around its location."""
    at = theta[0] + np.exp(theta[1]) * LINE
    densities = one.densities(theta[None, :], at)[0]
    return float(np.trapezoid(densities * at**power, at))


def share_below(one: SourceClass, theta: Floats, score: float) -> float:
    at = np.linspace(-60, score, 20_001)
    return float(np.trapezoid(one.densities(theta[None, :], at)[0], at))


def test_a_bimodal_class_has_the_masses_of_its_scores() -> None:
    one = SourceClass.of(cells_of(BIMODAL))
    assert one.correction is not None
    at = np.quantile(BIMODAL, np.linspace(0.05, 0.95, 19))
    right = [np.mean(score > BIMODAL) for score in at]
    off = [share_below(one, one.theta, score) for score in at] - np.array(right)
    plain = [share_below(one.plain, one.theta, score) for score in at] - np.array(right)
    assert np.abs(off).max() < 0.012
    assert np.abs(plain).max() > 0.05


@pytest.mark.parametrize("scores", [BIMODAL, SKEWED, TAR, np.round(3 * TAR)])
def test_densities_integrate_to_one_wherever_they_have_moved(scores: Floats) -> None:
    one = SourceClass.of(cells_of(scores))
    assert integral(one, one.theta) == pytest.approx(1, abs=1e-4)
    assert integral(one, one.theta + np.array([2.0, 0.7, 0, 0])) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("v", [1.0, 1.5, 2.0, -2.0])
def test_masses_of_skewed_classes_against_scipy(v: float) -> None:
    """Mass and shares of a class whose one tail is long: nodes must reach as far."""
    theta = np.array([0.3, -0.2, v, np.log1p(0.4)])
    masses, below = module._masses(theta), module._shares_below(theta)
    assert masses.sum() == pytest.approx(1, abs=1e-6)
    truth = textbook_nig(theta)
    places = theta[0] + np.exp(theta[1]) * module._NODES
    assert masses @ places == pytest.approx(truth.mean(), rel=1e-5)
    some = (below > 0.01) & (below < 0.99)
    expected = truth.cdf(places[some][::40])
    assert below[some][::40] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("v", [0.0, 1.0, 1.5, 2.0])
def test_densities_against_scipy(v: float) -> None:
    theta = np.array([0.3, -0.2, v, np.log1p(0.4)])
    one, at = known(theta), np.linspace(-4, 9, 27)
    expected = textbook_nig(theta).pdf(at)
    assert one.densities(theta[None, :], at)[0] == pytest.approx(expected, rel=1e-9)
    assert np.exp(one.at_each(theta, at)[0]) == pytest.approx(expected, rel=1e-9)
    weights = np.linspace(1, 2, 27)
    assert one.mean_loglik(theta, at, weights).value == pytest.approx(weights @ np.log(expected))
    assert integral(one, theta, 1) == pytest.approx(textbook_nig(theta).mean(), abs=1e-4)


def test_a_class_that_fits_needs_no_correction() -> None:
    one = SourceClass.of(cells_of(NON))
    assert one.correction is None
    assert one.parameters == pytest.approx(4 + math.sqrt(47 / 2))
    assert one.misfit == pytest.approx(-47 / 40_000, abs=3e-4)  # chance: 48 bins, 20,000 scores
    assert one.count == 20_000


def test_how_far_a_correction_is_believed() -> None:
    """Misfit over misfit and chance, where bins and the divergence of scores in them are known."""
    few, many = SourceClass.of(cells_of(BIMODAL[::10])), SourceClass.of(cells_of(BIMODAL))
    for one, bins in ((few, 12), (many, 24)):
        chance = (bins - 1) / (2 * one.count)
        belief = one.misfit / (one.misfit + chance)
        unnoticed = (1 - belief) * math.sqrt((bins - 1) / 2)
        assert one.parameters == pytest.approx(4 + belief * (bins - 1) + unnoticed)
    assert few.parameters < 15.1
    assert many.parameters > 25
    assert few.misfit == pytest.approx(many.misfit, rel=0.2)


def exact_cost(cells: Cells, theta: Floats) -> float:
    """Minus the log of prior times likelihood, with SciPy's densities; any score may be wild."""
    cauchy = stats.cauchy(cells.quantile(0.5), 5.0)
    every = 0.997 * textbook_nig(theta).pdf(cells.values) + 0.003 * cauchy.pdf(cells.values)
    prior = 0.5 * float(((theta[2:] / [0.5, 1.5]) ** 2).sum())
    return prior - float(cells.counts @ np.log(every))


WITH_CODES = np.concatenate([SKEWED, np.full(3, -999.0), [40.0]])


@pytest.mark.parametrize("scores", [SKEWED[:40], SKEWED, WITH_CODES, BIMODAL])
def test_the_fit_is_that_of_least_cost(scores: Floats) -> None:
    """Where scores are few, the prior of the shape matters."""
    cells = cells_of(scores)
    theta = SourceClass.of(cells).theta
    middle = exact_cost(cells, theta)
    for step in 1e-3 * np.eye(4):
        if theta[3] - step[3] < module._LEAST_TAIL:  # no shorter tail is allowed
            assert exact_cost(cells, theta + step) > middle
            continue
        up, down = (exact_cost(cells, theta + sign * step) for sign in (1, -1))
        bend, slope = (up - 2 * middle + down) / 1e-6, (up - down) / 2e-3
        assert abs(slope) < 0.02 * np.sqrt(bend)  # of a deviation


def test_derivatives_of_the_cost_of_a_fit_against_differences() -> None:
    """With scores that are surely wild, that may be, and that are not."""
    cells = as_cells([-999.0, -2.0, 0.1, 0.5, 1.1, 2.5, 9.0, 12.0], [2, 9, 20, 30, 9, 9, 3, 1])
    theta = np.array([0.4, -0.1, 0.2, 0.3])
    value, gradient, hessian = module._cost(cells, cells.quantile(0.5), theta)
    assert value == pytest.approx(exact_cost(cells, theta) / cells.count)
    for i, step in enumerate(1e-4 * np.eye(4)):
        up, down = (exact_cost(cells, theta + sign * step) / cells.count for sign in (1, -1))
        assert gradient[i] == pytest.approx((up - down) / 2e-4, rel=1e-5, abs=1e-7)
        here = [module._cost(cells, cells.quantile(0.5), theta + s * step)[1] for s in (1, -1)]
        assert hessian[i] == pytest.approx((here[0] - here[1]) / 2e-4, rel=1e-5, abs=1e-7)


def test_how_likely_a_score_is_a_wild_one() -> None:
    """A Cauchy of five deviations around the median, with a probability of 0.3 %."""
    values, logs = np.array([-40.0, 1.0, 3.0, 900.0]), np.array([-90.0, -1.0, -3.0, -800.0])
    every, own = with_wild(logs, values, 0.5)
    wild = stats.cauchy(0.5, 5.0).pdf(values)
    assert np.exp(every) == pytest.approx(0.997 * np.exp(logs) + 0.003 * wild)
    assert own == pytest.approx(0.997 * np.exp(logs) / np.exp(every))
    assert own[[0, 3]] == pytest.approx([0, 0], abs=1e-30)
    often = with_wild(logs, values, 0.5, 0.1)[0]
    assert np.exp(often) == pytest.approx(0.9 * np.exp(logs) + 0.1 * wild)


def test_a_code_for_failures_does_not_change_the_density_near_the_class() -> None:
    """One score in five hundred, far away."""
    plain, coded = source_of(TAR, NON), source_of(TAR, np.append(NON, np.full(40, -999.0)))
    at = np.linspace(-4, 7, 56)
    for side, (mine, other) in enumerate(((plain.tar, coded.tar), (plain.non, coded.non))):
        near = np.abs(at - (3, -1)[side]) < 4 * (1.4, 1.0)[side]
        logs = [
            one.at_each(one.theta, (at[near] - model.origin) / model.unit)[0] - np.log(model.unit)
            for one, model in ((mine, plain), (other, coded))
        ]
        assert logs[1] == pytest.approx(logs[0], abs=0.02)
    assert coded.non.count == 20_040
    assert coded.non.misfit == pytest.approx(plain.non.misfit, abs=5e-4)
    assert coded.non.correction is None


def test_bins_of_a_class_against_a_histogram_and_scipy() -> None:
    theta, points = np.array([0.1, -0.1, 0.2, np.log1p(0.5)]), as_cells(sorted(SKEWED))
    bins = module._Bins.of(theta, points)
    edges = theta[0] + np.exp(theta[1]) * bins.edges
    assert len(bins.seen) == len(bins.middles) == len(edges) + 1 == 24
    below = textbook_nig(theta).cdf(edges)
    expected = 1500 * np.diff(np.concatenate([[0], below, [1]]))
    assert bins.expected == pytest.approx(expected, rel=2e-3, abs=0.02)
    seen = np.histogram(SKEWED, np.concatenate([[-np.inf], edges, [np.inf]]))[0]
    assert np.abs(bins.seen - seen).max() <= 1.01
    assert bins.seen.sum() == pytest.approx(1500)
    used = seen > 0
    by_hand = (seen[used] / 1500) @ np.log(seen[used] / expected[used])
    assert bins.divergence == pytest.approx(by_hand, rel=0.02)
    log_odds = np.log(below / (1 - below))
    assert np.diff(log_odds) == pytest.approx(2 * (np.log(1500) + 1) / 22, rel=0.01)
    middle = theta[0] + np.exp(theta[1]) * bins.middles
    halfway = textbook_nig(theta).logcdf(middle) - textbook_nig(theta).logsf(middle)
    assert halfway[1:-1] == pytest.approx((log_odds[1:] + log_odds[:-1]) / 2, abs=0.05)
    assert (np.diff(bins.middles) > 0).all()


@pytest.mark.parametrize("scale", [2.0, 4.0])
def test_bins_of_three_points_by_hand(scale: float) -> None:
    """Scores lie evenly between the middles of points, and as far beyond the outermost."""
    theta, points = np.array([1.0, np.log(scale), 0.0, 1e-6]), as_cells([-1, 1, 5], [1, 2, 1])
    bins = module._Bins.of(theta, points)
    # Scores begin two below the least point, and end four above the greatest.
    below = np.interp(1 + scale * bins.edges, [-3, -1, 1, 5, 9], [0, 0.5, 2, 3.5, 4])
    assert bins.seen == pytest.approx(np.diff(np.concatenate([[0], below, [4]])))
    assert len(bins.edges) == 9
    reach = np.log(4) + 1
    log_odds = stats.norm.logcdf(bins.edges) - stats.norm.logsf(bins.edges)
    assert log_odds == pytest.approx(np.linspace(-reach, reach, 9), abs=0.01)
    step = 2 * reach / 8
    at = bins.middles[1:-1]
    centres = stats.norm.logcdf(at) - stats.norm.logsf(at)
    assert centres == pytest.approx(np.linspace(-reach, reach, 9)[1:] - step / 2, abs=0.01)
    ends = stats.norm.ppf(expit(reach + step / 2))
    assert bins.middles[[0, -1]] == pytest.approx([-ends, ends], abs=0.01)


def test_heights_of_a_correction_by_hand() -> None:
    """Three rounds, each towards what was seen, with five scores in each bin beforehand."""
    points = cells_of(BIMODAL)
    bins = module._Bins.of(SourceClass.of(points).theta, points)
    at = np.linspace(-14, 14, 28_001)
    density = textbook_nig([0.0, 0.0, *bins.theta[2:]]).pdf(at)
    edges = np.concatenate([[-np.inf], bins.edges, [np.inf]])
    held, heights = np.clip(at, bins.middles[0], bins.middles[-1]), np.zeros(len(bins.seen))
    got = bins.expected
    for _ in range(3):
        heights = heights + np.log((bins.seen + 5) / (got + 5))
        changed = density * np.exp(CubicSpline(bins.middles, heights, bc_type="clamped")(held))
        got = 1500 * np.histogram(at, edges, weights=changed)[0] / changed.sum()
    correction = bins.correction(0.8)
    off = np.abs(correction.spline(bins.middles) - 0.8 * heights)
    assert off[bins.seen > 20].max() < 0.02
    assert off.max() < 0.15  # far out, where nodes are few
    spline = CubicSpline(bins.middles, 0.8 * heights, bc_type="clamped")
    mass = np.trapezoid(density * np.exp(spline(held)), at)
    assert correction.log_mass == pytest.approx(np.log(mass), abs=0.005)
    assert (correction.low, correction.high) == (bins.middles[0], bins.middles[-1])


def test_no_tail_is_longer_than_the_longest() -> None:
    scores = np.tan(np.pi * (np.arange(1000) + 0.5) / 1000 - np.pi / 2) ** 3
    assert SourceClass.of(cells_of(scores)).theta[3] <= np.log1p(50)


@pytest.mark.parametrize(("count", "bins"), [(2, 10), (30, 10), (1500, 24), (10**7, 48)])
def test_the_number_of_bins(count: int, bins: int) -> None:
    points = as_cells(normal(50, 0.0, 1.0).tolist(), [count / 50] * 50)
    found = module._Bins.of(np.array([0.0, 0.0, 0.0, 0.01]), as_cells(sorted(points.values)))
    assert len(found.seen) == 10  # of fifty scores
    found = module._Bins.of(
        np.array([0.0, 0.0, 0.0, 0.01]), Cells(np.sort(points.values), points.counts)
    )
    assert len(found.seen) == bins
    reach = min(max(np.log(count) + 1, 1.5), 9.0)
    assert found.expected[0] == pytest.approx(count / (1 + np.exp(reach)))
    assert found.expected[-1] == pytest.approx(count / (1 + np.exp(reach)))


def test_a_correction_brings_bins_to_what_was_seen() -> None:
    """As far as it is believed: with all of it, shares are those of the scores."""
    points = cells_of(BIMODAL)
    bins = module._Bins.of(SourceClass.of(points).theta, points)
    for belief, most in ((1.0, 0.12), (0.5, 0.9)):
        correction = bins.correction(belief)
        added = correction(module._NODES)[0]
        below = module._shares_below(bins.theta, added)
        shares = np.diff(np.interp(bins.edges, module._NODES, below))
        inner = bins.seen[1:-1] > 50
        ratio = np.log(shares[inner] * 1500 / bins.seen[1:-1][inner])
        assert np.abs(ratio).max() < most, belief
        assert module._masses(bins.theta, added).sum() == pytest.approx(1)
    half, whole = bins.correction(0.5), bins.correction(1.0)
    assert half.spline(whole.low) == pytest.approx(0.5 * whole.spline(whole.low))


def test_a_correction_is_constant_beyond_its_ends() -> None:
    correction = SourceClass.of(cells_of(BIMODAL)).correction
    assert correction is not None
    low, high = correction.low, correction.high
    value, slope, bend = correction(np.array([low - 5, low, 0.5, high, high + 5]))
    assert value[0] == value[1]
    assert value[3] == value[4]
    assert not slope[[0, 1, 3, 4]].any()
    assert not bend[[0, 1, 3, 4]].any()
    assert slope[2]
    assert bend[2]
    expected = correction.spline(np.array([low, high])) - correction.log_mass
    assert value[[1, 3]] == pytest.approx(expected)


def test_the_correction_goes_along_with_location_and_scale() -> None:
    one = SourceClass.of(cells_of(BIMODAL))
    at = np.linspace(-2, 4, 13)
    moved = one.theta + np.array([1.5, np.log(2), 0, 0])
    there = 2 * (at - one.theta[0]) + one.theta[0] + 1.5
    expected = one.densities(one.theta[None, :], at)[0]
    assert 2 * one.densities(moved[None, :], there)[0] == pytest.approx(expected)
    assert one.at_each(moved, there)[0] == pytest.approx(np.log(expected / 2))
    both = one.densities(np.array([one.theta, moved]), at)
    assert both[0] == pytest.approx(expected)


@pytest.mark.parametrize("plain", [False, True])
def test_derivatives_of_a_class_against_differences(plain: bool) -> None:
    one = SourceClass.of(cells_of(BIMODAL))
    one = one.plain if plain else one
    at, weights = np.linspace(-3, 5, 17), np.linspace(0.1, 0.4, 17)
    logs, by = one.at_each(one.theta, at)
    value, gradient, hessian = one.mean_loglik(one.theta, at, weights)
    assert value == pytest.approx(weights @ logs)
    assert gradient == pytest.approx(by @ weights)
    for i, step in enumerate(1e-5 * np.eye(4)):
        up, down = (one.at_each(one.theta + sign * step, at)[0] for sign in (1, -1))
        assert by[i] == pytest.approx((up - down) / 2e-5, rel=1e-6, abs=1e-5)
        slopes = [one.mean_loglik(one.theta + sign * step, at, weights)[1] for sign in (1, -1)]
        assert hessian[i] == pytest.approx((slopes[0] - slopes[1]) / 2e-5, rel=1e-5, abs=1e-5)


def test_units_of_a_source_are_those_of_the_non_targets() -> None:
    model = source_of(TAR, NON)
    assert model.origin == pytest.approx(-1.0, abs=0.01)
    assert model.unit == pytest.approx(
        0.5 * (stats.norm.ppf(0.84) - stats.norm.ppf(0.16)), rel=0.01
    )
    assert model.tar.theta[:2] == pytest.approx([4.02, np.log(1.41)], abs=0.03)
    assert model.non.theta[:2] == pytest.approx([0.0, 0.0], abs=0.02)
    assert (model.tar.count, model.non.count) == (2000, 20_000)
    assert model.plain.tar.correction is None is model.plain.non.correction
    both = source_of(BIMODAL, -BIMODAL)
    assert both.tar.correction is not None is not both.non.correction
    assert both.plain.tar.correction is None is both.plain.non.correction


def test_classes_of_one_or_two_scores() -> None:
    """The unit is that of the class that has one, or the distance of both."""
    alone = source_of(np.array([5.0]), np.array([2.0]))
    assert (alone.origin, alone.unit) == (2.0, 3.0)
    same = source_of(np.array([5.0]), np.array([5.0]))
    assert (same.origin, same.unit) == (5.0, 1.0)
    one = source_of(np.array([2.0, 6.0]), np.array([1.0]))
    assert one.origin == 1.0
    assert one.unit == pytest.approx(0.5 * 4 * min(0.68 / 0.5, 1))  # quantiles are those of points
    two = source_of(np.array([4.0]), np.array([0.0, 1.0]))
    assert two.origin == 0.5
    for model in (alone, same, one, two):
        for side in (model.tar, model.non):
            assert np.isfinite(side.theta).all()
            assert side.count in (1, 2)
            assert integral(side, side.theta) == pytest.approx(1, abs=1e-3)
    assert alone.tar.theta[0] == pytest.approx(1, abs=0.02)
    assert abs(alone.non.theta[0]) < 0.02


# Dithering.


def spread_below(cells: Cells, places: Floats) -> Floats:
    """How many scores lie below places, if each value is a triangle that ends at its neighbours."""
    gaps = np.diff(cells.values)
    ends = np.concatenate([gaps[:1], gaps, gaps[-1:]]) if len(gaps) else np.full(2, 0.1)
    widths = np.minimum(ends, 1.5)
    below = np.zeros(len(places))
    for i, (value, count) in enumerate(zip(cells.values, cells.counts, strict=True)):
        left, right = widths[i], widths[i + 1]
        lower = 0.5 * np.clip((places - value + left) / left, 0, 1) ** 2
        upper = 0.5 - 0.5 * np.clip((value + right - places) / right, 0, 1) ** 2
        below += count * np.where(places < value, lower, 0.5 + upper)
    return below


def found_below(cells: Cells, places: Floats) -> Floats:
    return np.array([cells.counts[cells.values < place].sum() for place in places])


@pytest.mark.parametrize(
    ("levels", "points"),
    [
        (as_cells([0.0, 1.0, 3.0], [10, 20, 30]), 5 * 80),
        (as_cells([0.0, 1.0, 2.0, 3.0], [10, 5, 20, 10]), 5 * 60),
        (as_cells([2.0], [7.0]), 2 * 240),
        (as_cells([1.0, 3.0], [1.0, 2.0]), 4 * 120),
        (as_cells(np.arange(200.0).tolist(), [9.0] + 199 * [1.0]), 201 * 2),
    ],
)
def test_levels_are_spread_as_triangles(levels: Cells, points: int) -> None:
    """Towards their neighbours, or as far as 1.5 units; a single score by a tenth."""
    out = dithered(levels)
    assert len(out.values) == points
    assert (np.diff(out.values) >= 0).all()
    assert out.count == pytest.approx(levels.count)
    if len(levels.values) < 5:
        fine = np.concatenate([levels.values + off for off in np.linspace(-1.6, 1.6, 41)])
        step = out.counts.max()
        assert found_below(out, fine) == pytest.approx(spread_below(levels, fine), abs=step)
        # Edges of the finest steps: exactly.
        ends = levels.values[0] - np.array([0.0, 0.05, 0.1, 2.0]), levels.values
        edges = np.concatenate(ends)
        assert found_below(out, edges) == pytest.approx(spread_below(levels, edges), abs=1e-9)
    else:
        quarters = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 100.5, 199.0, 199.5])
        assert found_below(out, quarters) == pytest.approx(spread_below(levels, quarters))


def test_even_levels_keep_their_mean_and_single_scores_stay() -> None:
    levels = as_cells(np.arange(10.0).tolist(), list(range(1, 11)))
    out = dithered(levels)
    assert out.counts @ out.values == pytest.approx(levels.counts @ levels.values)
    many = Cells(np.arange(1000.0), np.ones(1000))
    assert dithered(many) is many
    none = Cells.empty()
    assert dithered(none) is none
    # Three in a hundred are many; among few scores, four are.
    for heavy, share in ((30.0, 0.0292), (31.0, 0.0301)):
        one = replace(many, counts=np.where(np.arange(1000) == 500, heavy, 1.0))
        assert heavy / one.count == pytest.approx(share, abs=1e-4)
        assert (dithered(one) is one) == (share < 0.03)
    for count in (3.0, 4.0):
        few = as_cells(np.arange(10.0).tolist(), [count] * 10)
        assert (dithered(few) is few) == (count == 3)
    three, two = as_cells([0.0, 1.0, 2.0]), as_cells([0.0, 1.0])
    assert dithered(three) is three
    assert dithered(two) is not two


# Moves.


def test_nothing_moves_at_zero() -> None:
    model = source_of(BIMODAL, SKEWED)
    tar, non = model.moved(model.still)
    assert tar.theta == pytest.approx(model.tar.theta)
    assert non.theta == pytest.approx(model.non.theta)
    assert len(model.still) == len(NAMES) == 9
    assert not model.still.any()


def test_what_each_move_does() -> None:
    model = SourceModel(known([3.0, 0.2, 0.1, 0.5]), known([0.5, -0.1, -0.2, 0.3]), 0.0, 1.0)
    moves = dict(zip(NAMES, [0.7, 0.3, -0.4, 0.2, 0.11, 0.5, -0.12, -0.3, 9.0], strict=True))
    tar, non = model.moved(np.array(list(moves.values())))

    def tail(log1p_c: float, floor: float, move: float) -> float:
        return float(np.log1p((np.expm1(log1p_c) + floor) * np.exp(move) - floor))

    distance = 2.5 * np.exp(-0.4)
    assert tar.theta == pytest.approx([1.2 + distance, 0.7, -0.02, tail(0.5, 0.2, -0.3)])
    assert non.theta == pytest.approx([1.2, 0.2, -0.09, tail(0.3, 0.02, 0.5)])
    assert tuple(moves) == (
        "shift",
        "scale",
        "distance",
        "target scale",
        "non-target skew",
        "non-target tail",
        "target skew",
        "target tail",
        "odds",
    )


def test_derivatives_of_moves_against_differences() -> None:
    model = SourceModel(known([3.0, 0.2, 0.1, 0.5]), known([0.5, -0.1, -0.2, 0.3]), 0.0, 1.0)
    at = np.array([0.7, 0.3, -0.4, 0.2, 0.11, 0.5, -0.12, -0.3, 0.4])
    for number in range(2):
        here = model.moved(at)[number]
        for i, step in enumerate(1e-4 * np.eye(9)):
            up, down = (model.moved(at + sign * step)[number].theta for sign in (1, -1))
            assert here.by[:, i] == pytest.approx((up - down) / 2e-4, abs=1e-6)
            bend = (up - 2 * here.theta + down) / 1e-8
            assert here.bend[:, i] == pytest.approx(bend, abs=1e-5)


def test_bounds_of_moves_keep_densities_proper() -> None:
    model = SourceModel(known([3.0, 0.2, 0.1, 0.5]), known([0.5, -0.1, -0.2, 0.3]), 0.0, 1.0)
    lower, upper = model.bounds
    free = [0, 1, 3, 4, 6, 8]
    assert (lower[free] == -np.inf).all()
    assert (upper[free] == np.inf).all()
    assert (lower[2], upper[2]) == (-3.0, 3.0)
    for ends, tail in ((lower, 1e-6), (upper, 50.0)):
        moves = np.where(np.isfinite(ends), ends, 0.0)
        for side in model.moved(moves):
            assert np.expm1(side.theta[3]) == pytest.approx(tail, rel=1e-6, abs=1e-10)
            assert np.isfinite(NIG.at_each(side.theta, np.array([0.0, 40.0]))[0]).all()
    # Tails that are out of bounds already may stay as they are.
    odd = SourceModel(known([3.0, 0.2, 0.1, 5.0]), known([0.5, -0.1, -0.2, 1e-9]), 0.0, 1.0)
    lower, upper = odd.bounds
    assert lower[5] == 0
    assert upper[7] == pytest.approx(0.1)


def test_a_tail_does_not_fall_below_zero() -> None:
    model = SourceModel(known([3.0, 0.2, 0.1, 0.5]), known([0.5, -0.1, -0.2, 0.3]), 0.0, 1.0)
    moves = model.still
    moves[5] = moves[7] = -20
    assert [side.theta[3] for side in model.moved(moves)] == [0.0, 0.0]
