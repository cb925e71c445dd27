"""PAV as a calibration for new scores: a finite rising step function."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

from llrcal import fit, load
from llrcal.calibrations.methods.pav import PAV
from llrcal.calibrations.training import Training
from llrcal.onepass.ranks import Groups
from tests import oracles
from tests.trial_sets import ANY, Sets

# Random sets may well run the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")

NEW_SCORES = [-math.inf, -1e300, *np.linspace(-25, 25, 101), 1e300, math.inf]


def pav(tar: object, non: object) -> PAV:
    calibration = fit(tar, non, method="pav")  # type: ignore[call-overload]
    assert isinstance(calibration, PAV)
    return calibration


def assert_rising(values: Sequence[float]) -> None:
    assert all(before < after for before, after in pairwise(values))


@given(sets=ANY)
def test_llrs_of_the_training_scores_are_those_with_two_dummies(sets: Sets) -> None:
    """One target more at -inf, one non-target more at +inf, by the min-max formula."""
    calibration = pav(*sets)
    expected = oracles.pav_llrs_with_dummies(*sets)
    scores = sorted({*sets[0], *sets[1]})
    llrs = [expected[score] for score in scores]
    np.testing.assert_allclose(calibration(scores), llrs, rtol=1e-13, atol=1e-13)


@given(sets=ANY)
def test_the_report_says_by_which_rule_and_at_what_cost(sets: Sets) -> None:
    calibration = pav(*sets)
    tar, non = [-math.inf, *sets[0]], [*sets[1], math.inf]
    report = calibration.report
    assert report.converged
    note = report.notes[0].text  # others may warn of classes of one score
    assert "dummy target was added below" in note
    assert "dummy non-target above" in note
    assert "Laplace" in note
    groups = oracles.grouped(tar, non)
    shares = oracles.isotonic([g.tar for g in groups], [g.non for g in groups])
    cost = math.fsum(
        -(g.tar * math.log(p) if g.tar else 0) - (g.non * math.log1p(-p) if g.non else 0)
        for g, p in zip(groups, shares, strict=True)
    )
    assert report.objective == pytest.approx(cost / (len(tar) + len(non)), rel=1e-13, abs=1e-14)
    assert (calibration.tar_count, calibration.non_count) == (len(sets[0]), len(sets[1]))


# ----------------------------------------------------------------------------------- steps


@given(sets=ANY)
def test_a_step_begins_at_its_knot_and_lasts_until_the_next(sets: Sets) -> None:
    calibration = pav(*sets)
    knots, llrs = np.array(calibration.scores), np.array(calibration.llrs)
    assert_rising(calibration.scores)
    np.testing.assert_array_equal(calibration(knots), llrs)
    np.testing.assert_array_equal(calibration(np.nextafter(knots[1:], -math.inf)), llrs[:-1])
    between = knots[:-1] / 2 + knots[1:] / 2
    apart = between < knots[1:]  # no double lies between neighbours
    np.testing.assert_array_equal(calibration(between)[apart], llrs[:-1][apart])
    below, above = math.nextafter(knots[0], -math.inf), math.nextafter(knots[-1], math.inf)
    np.testing.assert_array_equal(calibration([-math.inf, below]), llrs[0])
    np.testing.assert_array_equal(calibration([math.inf, above]), llrs[-1])


def test_by_hand() -> None:
    calibration = pav([1.0, 3.0, 3.0, 5.0], [0.0, 0.0, 2.0, 3.0])
    # With dummies: 1 target and 2 non-targets up to 0, 1 and 1 from 1 to 2, 2 and 1 at 3, 1 and 1.
    # The last two have 2 of 3 and 1 of 2: pooled.
    assert calibration.scores == (0.0, 1.0, 3.0)
    assert calibration.llrs == pytest.approx([math.log(1 / 2), 0.0, math.log(3 / 2)], abs=1e-15)
    assert calibration.params == {
        "scores": list(calibration.scores),
        "llrs": list(calibration.llrs),
    }
    at = [-9.0, 0.0, 0.999, 1.0, 2.5, 2.999, 3.0, 9.0]
    low, middle, high = calibration.llrs
    expected = [low, low, low, middle, middle, middle, high, high]
    assert calibration(at).tolist() == expected


def test_inverted_or_equal_classes_say_nothing() -> None:
    assert pav([-1.0, -2.0], [1.0, 2.0, 3.0]).llrs == (0.0,)
    assert pav([1.0] * 5, [1.0] * 9).llrs == (0.0,)


# ----------------------------------------------------------------------------- invariances


@given(sets=ANY)
def test_pav_of_pav_is_the_same(sets: Sets) -> None:
    """Exactly so: the dummies join the same blocks again, since each block is one score now."""
    once = pav(*sets)
    again = pav(once(sets[0]), once(sets[1]))
    assert again.llrs == once.llrs
    assert again.report.objective == once.report.objective
    llrs = once([*sets[0], *sets[1], *NEW_SCORES])
    np.testing.assert_array_equal(again(llrs), llrs)


@pytest.mark.parametrize("times", [(1, 1), (2, 1), (1, 2), (5, 1), (1, 5)])
def test_where_a_step_lies_does_not_depend_on_which_class_is_rarer(times: tuple[int, int]) -> None:
    """Separable classes make two steps, however often the scores of a class are repeated.

    A new score in the gap between them must not change sides by it.
    """
    tar, non = [5.0, 6.0, 7.0], [0.0, 0.1]
    usual = pav(tar, non)
    calibration = pav(tar * times[0], non * times[1])
    assert len(usual.scores) == 2
    assert calibration.scores == usual.scores
    assert np.sign(calibration([0.1, 2.0, 4.9, 5.0])).tolist() == (
        np.sign(usual([0.1, 2.0, 4.9, 5.0])).tolist()
    )


# -------------------------------------------------------- shares that are nearly the same


def test_llrs_rise_strictly_also_where_rounding_would_hide_it(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Shares of huge groups differ by less than the logarithm shows; the model must still load."""
    k = 3 * 10**7
    data = Training.of([0.0], [0.0])
    tar, non = np.array([1, k, k + 1, k + 2, 50]), np.array([50, k + 1, k + 2, k + 3, 1])
    data.__dict__["groups"] = Groups(np.arange(5.0), np.zeros(5, bool), tar, non)
    data.tar_count, data.non_count = int(tar.sum()), int(non.sum())
    calibration = PAV.fit(data)
    assert_rising(calibration.llrs)
    path = tmp_path_factory.mktemp("model") / "pav.json"
    calibration.save(path)
    assert load(path) == calibration
