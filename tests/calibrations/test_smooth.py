"""Smooth calibration: the whole of it on small sets, and what it promises on any."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.fit import fit_methods
from llrcal.calibrations.methods.smooth import Smooth, _averaged
from llrcal.calibrations.training import Training
from llrcal.fitting.expected_labels import expected_trials
from llrcal.fitting.stiffness import averaged_spline, distances_of_ends
from llrcal.onepass.rank_scale import LabelledCells, Ordered
from tests.fitting.criterion import LOG_STIFFNESS, PRIOR, Criterion, rises
from tests.notes import texts
from tests.score_sets import KINDS, score_set
from tests.trial_sets import FINITE, normal

# Random sets may well run the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")

TAR, NON = normal(150, 1.5, 1.3), np.sinh(normal(1200, -1.0, 1.0))
SHAPED = st.builds(score_set, st.sampled_from(sorted(KINDS)), st.integers(2, 60), st.integers(0))
CLASSES = (FINITE | st.tuples(SHAPED, SHAPED)).map(lambda sets: tuple(map(np.array, sets)))
Classes = tuple[Floats, Floats]


def smooth(tar: Any, non: Any, **options: Any) -> Smooth:
    calibration = llrcal.fit(tar, non, method="smooth", **options)
    assert isinstance(calibration, Smooth)
    return calibration


def fitted(classes: Classes, **options: Any) -> Smooth:
    try:
        return smooth(*classes, **options)
    except llrcal.DegenerateError:
        reject()


# ------------------------------------------------------------- the same, in another way


def own(tar: Floats, non: Floats, calibration: Smooth) -> tuple[Floats, Floats]:
    """Parameters of the average, and both ends of 95 % intervals at some scores, worked out anew.

    The scores are the knots and the outermost ones.
    """
    knots = np.array(calibration.scores)
    scores = np.unique(np.concatenate([tar, non]))
    ordered = Ordered(
        scores, *(np.array([(side == s).sum() for s in scores]) for side in (tar, non))
    )
    found, ranks = ordered.evenly_spaced(31)
    np.testing.assert_array_equal(found, knots)
    asked = np.array([scores[0], *knots, scores[-1]])
    basis = np.array([rises(score, knots) for score in asked])
    expected = expected_trials(ordered.cells(), Training.of(tar, non).eer_score)
    assert expected is not None
    # LabelledCells are in rising order, the criterion has scores as they come.
    expected = expected[:, np.argsort(np.argsort(np.concatenate([tar, non + np.ptp(scores) * 2])))]
    average, mean, *_ = _every_stiffness(Criterion(tar, non, knots, ranks, 0, expected), basis)
    _, _, weights, values, ends = _every_stiffness(Criterion(tar, non, knots, ranks, 0), basis)
    away = [
        (0.95 - 0.05 / (1 + 100 / 10.0**log)) * np.hypot(both, 1.959964 * (value - mean))
        for log, both, value in zip(LOG_STIFFNESS, ends, values, strict=True)
    ]
    below, above = np.tensordot(weights**3, away, 1) / (weights**3).sum()
    return average, np.array([mean - below, mean + above])


def _every_stiffness(
    criterion: Criterion, basis: Floats
) -> tuple[Floats, Floats, Floats, list[Floats], list[Floats]]:
    """Parameters and values of the average; weights, values and widths of its parts."""
    evidence, points, values, ends = [], [], [], []
    knots, point = criterion.knots, np.zeros(len(criterion.knots) + 1)
    for log_stiffness, prior in zip(LOG_STIFFNESS, PRIOR, strict=True):
        criterion = replace(criterion, stiffness=10.0**log_stiffness)
        point = criterion.minimum(point)
        hessian = _hessian(criterion, point)
        volume = -0.5 * np.linalg.slogdet(hessian)[1]
        normaliser = 0.5 * (len(knots) - 1) * math.log(10) * log_stiffness
        least = criterion.values(point[None])[0]
        evidence.append(math.log(prior) + normaliser - least + volume)
        points.append(np.array([point[0], *np.exp(point[1:])]))
        values.append(points[-1][0] + basis @ points[-1][1:])
        ends.append(_ends(criterion, point, np.asarray(np.linalg.inv(hessian), float), basis))
    weights = np.exp(np.array(evidence) - max(evidence))
    weights /= weights.sum()
    return weights @ np.array(points), weights @ np.array(values), weights, values, ends


def _ends(criterion: Criterion, point: Floats, covariance: Floats, basis: Floats) -> Floats:
    """How far the values of one stiffness may be off, downwards and upwards."""
    rise = basis * np.exp(point[1:])
    jacobian = np.column_stack([np.ones(len(rise)), rise])
    level = np.array([0.0, *np.full(len(point) - 1, 1 / (len(point) - 1))])
    deviation = math.sqrt(level @ covariance @ level)
    by_level = jacobian @ covariance @ level / deviation**2
    odds = 1 / (len(criterion.tar) + 0.5) + 1 / (len(criterion.non) + 0.5)
    rest = np.einsum("ki,ij,kj->k", jacobian, covariance, jacobian) - (by_level * deviation) ** 2
    rest -= odds / (1 + 100 / criterion.stiffness)
    pull = level @ covariance @ (criterion.slopes(point) - criterion.slopes(point, spread=0.0))
    beyond = np.zeros(len(rise))
    beyond[[0, -1]] = rise[0].sum(), rise[-1].sum() - rise[-2].sum()
    sides = []
    for way in (-1, 1):
        total = 1.959964**2 * np.maximum(rest, 0)
        for part, dev, more in (
            (by_level, deviation, 2 * pull),
            (beyond, criterion.stiffness**-0.5, 0),
        ):
            outwards = way * part > 0
            log = np.where(outwards, 1.959964 * dev + more, -1.959964 * dev)
            total += (part * np.expm1(log)) ** 2
        sides.append(np.sqrt(total))
    return np.array(sides)


def _hessian(criterion: Criterion, point: Floats) -> Floats:
    step = 1e-3
    rows = [
        (criterion.slopes(point + move) - criterion.slopes(point - move)) / (2 * step)
        for move in step * np.eye(len(point))
    ]
    return np.asarray(np.array(rows) + np.array(rows).T) / 2


@pytest.mark.slow
def test_a_small_set_all_over_again() -> None:
    """With fewer than sixteen scores in a class, each has a cell of its own."""
    tar, non = normal(11, 1.0, 1.4), np.sinh(normal(13, -0.7, 1.1))
    calibration = smooth(tar, non)
    average, ends = own(tar, non, calibration)
    assert calibration.first == pytest.approx(average[0], abs=1e-5)
    np.testing.assert_allclose(calibration.slopes, average[1:], rtol=1e-4)
    low, high = calibration.training_range
    found = smooth(tar, non, bounds="range").interval([low, *calibration.scores, high])
    np.testing.assert_allclose(found, ends, rtol=1e-3, atol=1e-3)


@pytest.mark.slow
def test_cells_change_little() -> None:
    """Pooled scores against scores by themselves."""
    calibration = smooth(TAR, NON)
    counts = np.ones(len(TAR)), np.ones(len(NON))
    with pytest.MonkeyPatch.context() as patch:
        every = LabelledCells(np.sort(TAR), counts[0], np.sort(NON), counts[1])
        patch.setattr(Ordered, "cells", lambda _: every)
        single = smooth(TAR, NON)
    assert single.scores == calibration.scores
    grid = np.linspace(-3, 4, 57)
    off = np.abs(single(grid) - calibration(grid)).max()
    assert 0 < off < 0.006


# -------------------------------------------------------------------------- it rises


@given(classes=CLASSES)
def test_it_rises_strictly_within_what_the_counts_support(classes: Classes) -> None:
    """From one training score to the next, unless they are next to each other in doubles."""
    calibration = fitted(classes)
    scores = np.unique(np.concatenate(classes))
    llrs = calibration(scores)
    least, greatest = calibration.supported_llrs
    apart = np.diff(scores) > 1e-9 * max(1e-300, np.ptp(scores))
    inside = (llrs[:-1] > least) & (llrs[1:] < greatest)
    if len(calibration.scores) > 1:
        assert (np.diff(llrs)[apart & inside] > 0).all()


# ------------------------------------------------------------------ units, origins, mirrors


def largest_difference(one: Floats, other: Floats) -> float:
    return float(np.max(np.abs(one - other) / np.maximum(1, np.abs(one))))


@pytest.mark.parametrize("factor", [1e-300, 1e-9, 0.37, 123456.789, 1e9, 1e298])
def test_any_unit(factor: float) -> None:
    one, other = smooth(TAR, NON), smooth(TAR * factor, NON * factor)
    assert largest_difference(one(NON), other(NON * factor)) < 1e-9
    for mine, theirs in zip(one.interval(NON), other.interval(NON * factor), strict=True):
        assert largest_difference(mine, theirs) < 1e-9


@pytest.mark.parametrize(("factor", "origin"), [(1e-300, 0), (0.37, 5), (1e298, 0)])
def test_any_unit_and_origin_with_few_targets(factor: float, origin: float) -> None:
    few = TAR[:12]
    one, other = smooth(few, NON), smooth(few * factor + origin, NON * factor + origin)
    assert largest_difference(one(NON), other(NON * factor + origin)) < 1e-9


@pytest.mark.slow
@given(classes=CLASSES)
@example(classes=(TAR, NON))
@example(classes=(TAR[:12], NON))
def test_classes_that_change_places(classes: Classes) -> None:
    tar, non = classes
    one, other = fitted((tar, non)), fitted((-non, -tar))
    scores = np.concatenate(classes)
    assert largest_difference(one(scores), -other(-scores)) < 1e-9
    (low, high), (least, greatest) = one.interval(scores), other.interval(-scores)
    assert largest_difference(low, -greatest) < 1e-6
    assert largest_difference(high, -least) < 1e-6


# ----------------------------------------------------------------------------- odd sets


def test_one_trial_of_each_class() -> None:
    calibration = smooth([1.0], [0.0])
    assert calibration(1.0) == pytest.approx(-calibration(0.0), rel=1e-9)
    assert 0 < calibration(1.0) < math.log(4)


@pytest.mark.parametrize("gap", [1e-3, 1.0, 1e6])
def test_separable_classes(gap: float) -> None:
    calibration = smooth(normal(150, 0, 1) - normal(150, 0, 1).min() + gap, -np.abs(NON))
    assert calibration.report.converged
    assert calibration(0.0) < min(0, calibration(gap))
    assert gap < 1 or calibration(gap) > 0  # a gap that can be told from none
    least, greatest = calibration.llr_range
    assert -math.log(151) - math.log(2) <= least < -2
    assert 2 < greatest <= math.log(1201) + math.log(2)


def test_equal_scores() -> None:
    calibration = smooth([1.0, 1.0], [1.0])
    assert calibration([0.0, 1.0, 2.0]).tolist() == [0.0] * 3
    assert calibration.interval(1.0) == (0.0, 0.0)
    assert "all scores are equal" in texts(calibration.report.notes)[0]


def test_equal_scores_of_each_class_the_wrong_way_round() -> None:
    low, high = smooth([0.0, 0.0], [1.0])([0.0, 1.0])
    assert -0.5 < low < high < 0.5


def test_tied_scores_get_the_ratio_of_their_counts() -> None:
    """Two scores are all there are: nearly what shares say, with half a trial spread."""
    tar, non = np.repeat([0.0, 1.0], [200, 800]), np.repeat([0.0, 1.0], [3000, 1000])
    low, high = smooth(tar, non)([0.0, 1.0])
    assert low == pytest.approx(math.log(0.2 / 0.75), abs=0.02)
    assert high == pytest.approx(math.log(0.8 / 0.25), abs=0.02)


def test_scores_the_wrong_way_round_say_nothing() -> None:
    calibration = smooth(-TAR, -NON)
    assert np.abs(calibration(np.linspace(-5, 5, 101))).max() < 0.2
    assert calibration.report.converged
    assert calibration(1.0) > calibration(-1.0)


@pytest.mark.parametrize("outlier", [-1e9, 1e9])
@pytest.mark.parametrize("side", ["target", "non-target"])
def test_one_score_far_away_does_not_ruin_it(outlier: float, side: str) -> None:
    grid = np.linspace(-3, 4, 57)
    plain = smooth(TAR, NON)
    tar = np.append(TAR, outlier) if side == "target" else TAR
    non = np.append(NON, outlier) if side == "non-target" else NON
    off = smooth(tar, non)(grid) - plain(grid)
    sure = np.abs(plain(grid)) < 2.5
    assert sure.sum() > 20
    assert np.abs(off[sure]).max() < 0.8


@pytest.mark.parametrize(
    ("tar", "non"),
    [
        ([0.5], [-3.0, 0.0, 2.2e-311]),
        ([-3.0], [-3.0, 0.0, 2.2e-313]),
        ([1.0, np.nextafter(1, 2), 5.0], [1.0, np.nextafter(1, 0), -5.0]),
    ],
)
def test_scores_next_to_each_other(tar: list[float], non: list[float]) -> None:
    calibration = smooth(tar, non)
    llrs = calibration(np.unique([*tar, *non]))
    assert np.isfinite(llrs).all()
    assert (np.diff(llrs) >= 0).all()


def test_scores_too_close_for_doubles() -> None:
    with pytest.raises(llrcal.DegenerateError, match="spread of the training scores, about 2e"):
        smooth([2.2e-311], [0.0])


def test_params_are_the_knots() -> None:
    calibration = smooth(TAR, NON)
    params = calibration.params
    assert list(params) == ["scores", "llrs", "slopes"]
    assert len(params["scores"]) == len(params["llrs"]) == len(params["slopes"]) == 31
    ranged = smooth(TAR, NON, bounds="none")
    np.testing.assert_allclose(ranged(params["scores"]), params["llrs"], rtol=1e-14, atol=1e-14)
    assert min(params["slopes"]) > 0


def test_it_recovers_a_bent_llr() -> None:
    """Of Gaussian scores that were bent by sinh: where there are many, within a tenth of a nat."""
    rng = np.random.default_rng(5)
    tar, non = np.sinh(rng.normal(1, 1, 20_000)), np.sinh(rng.normal(-1, 1, 50_000))
    true = np.linspace(-4, 4, 33)
    assert np.abs(smooth(tar, non)(np.sinh(true / 2)) - true).max() < 0.15


def test_few_targets_do_as_well_as_with_densities_whose_parameters_are_integrated_out() -> None:
    """Ten targets, classes that lean towards each other: .031 bits worse before, .009 now."""
    rng = np.random.default_rng(1)

    def leaning(count: int) -> Floats:
        return np.asarray((rng.gamma(1.5, size=count) - 1.5) / math.sqrt(1.5))

    def cost(calibration: llrcal.Calibration) -> float:
        tar, non = (calibration.without_warnings(side) for side in test)
        return float(np.logaddexp(0, -tar).mean() + np.logaddexp(0, non).mean()) / math.log(4)

    test = 2.4 - leaning(4000), leaning(4000)
    methods: list[Any] = ["smooth", ("nig", {"bayes": True})]
    found = []
    for _ in range(4):
        train = 2.4 - leaning(10), leaning(100)
        every = fit_methods(*train, methods=methods, with_margins=False)
        found.append(list(map(cost, every.values())))
    mine, theirs = np.mean(found, axis=0)
    assert mine < theirs + 0.015


def test_expected_labels_make_no_interval_narrower() -> None:
    tar, non = TAR[:12], NON[:200]
    alone = averaged_spline(*_cells_and_knots(tar, non))
    spline = _averaged(Training.of(tar, non))
    assert spline.slopes.tolist() != alone.slopes.tolist()
    at = np.linspace(-1, 3, 9)
    for mine, theirs in zip(spline.parts, alone.parts, strict=True):
        assert mine.weight == theirs.weight
        assert (mine.covariance == theirs.covariance).all()
    widths = [sum(distances_of_ends(one, at, times=2.0)) for one in (spline, alone)]
    assert np.min(widths[0] / widths[1]) > 0.99


def _cells_and_knots(tar: Floats, non: Floats) -> tuple[LabelledCells, Floats, Floats]:
    data = Training.of(tar, non)
    return data.in_order.cells(), *data.in_order.evenly_spaced(31)


# ---------------------------------------------------------------------------- intervals


def test_between_knots_margins_are_nearly_straight() -> None:
    """They are interpolated; worked out at each score, they would differ by a few per cent."""
    spline = _averaged(Training.of(TAR, NON))
    asked = np.linspace(spline.knots.at[0], spline.knots.at[-1], 301)
    below, above = distances_of_ends(spline, asked, times=1.959964)
    low, high = smooth(TAR, NON, bounds="range").interval(asked)
    np.testing.assert_allclose(high - low, below + above, rtol=0.05)


def test_levels_close_to_none_and_to_all() -> None:
    calibration = smooth(TAR, NON)
    assert np.isfinite(calibration.interval(0.5, level=math.nextafter(1, 0))).all()
    assert calibration.interval(0.5, level=5e-324) == (calibration(0.5), calibration(0.5))


# ------------------------------------------------------------------------------ coverage


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """On Gaussian scores, as they are and bent; studies/interval_coverage.py has more."""
    from studies.interval_coverage import coverage

    families = ("Gaussian", "Gaussian, sinh", "Gaussian, atan")
    for size in (50, 500):
        shares = [coverage(family, size, 40)[0] for family in families]
        assert all(0.90 <= share <= 0.99 for share in shares), (size, shares)
        assert 0.92 <= np.mean(shares) <= 0.98, (size, shares)


@pytest.mark.slow
def test_a_straight_line_is_found_nearly_as_well_as_by_logistic_regression() -> None:
    from studies.linear_truth import errors

    for size in (50, 1000):
        found = errors(2.0, size, 20)
        for mine, theirs in zip(found["smooth"], found["logistic-empirical"], strict=True):
            assert mine <= 2 * theirs
