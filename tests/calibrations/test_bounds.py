"""Beyond the training scores: held at their edge, kept to what trials support, or neither."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import llrcal
from llrcal.arrays import Array, Floats
from llrcal.calibrations import Bounds
from llrcal.calibrations.training import Training
from llrcal.inputs.beside_scores import supporting
from llrcal.method_table import MethodName
from llrcal.onepass.ranks import RUN
from llrcal.onepass.summary import EXACT_UP_TO
from tests.evaluation import forensic_oracles as oracle
from tests.notes import texts
from tests.scale.sets import cut, of_pieces
from tests.trial_sets import ANY, Sets, normal

# Many of these sets are odd on purpose, and fits to them give warnings.
pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")

EVERY_METHOD = pytest.mark.parametrize("method", llrcal.METHODS)
# Wider targets: the LLR of the generative methods falls, turns and rises.
TAR, NON = normal(150, 1.5, 2.0), normal(400, -1.5, 0.8)
LOW, HIGH = float(min(TAR.min(), NON.min())), float(max(TAR.max(), NON.max()))
LARGEST = float(np.finfo(np.float64).max)

INSIDE = np.concatenate([TAR, NON, np.linspace(LOW, HIGH, 1001)])
BELOW = [-math.inf, -LARGEST, -1e9, LOW - 1, math.nextafter(LOW, -math.inf)]
ABOVE = [math.inf, LARGEST, 1e9, HIGH + 1, math.nextafter(HIGH, math.inf)]


def fitted(method: MethodName, bounds: Any, tar: Any = TAR, non: Any = NON) -> llrcal.Calibration:
    """A fit without holding turning points, which is tested elsewhere."""
    return llrcal.fit(tar, non, method=method, bounds=bounds, rising=False)


# -------------------------------------------------------------------------------- policies


@EVERY_METHOD
def test_scores_beyond_get_the_llr_of_the_nearest_training_score(method: MethodName) -> None:
    calibration = fitted(method, "range")
    np.testing.assert_array_equal(calibration(BELOW), calibration(LOW))
    np.testing.assert_array_equal(calibration(ABOVE), calibration(HIGH))


@EVERY_METHOD
def test_counts_and_rising_llrs_are_what_a_fit_does_unless_told(method: MethodName) -> None:
    default = llrcal.fit(TAR, NON, method=method)
    assert default == llrcal.fit(TAR, NON, method=method, bounds="counts", rising=True)
    assert default.bounds.policy == "counts"
    assert default.bounds.eer_score is not None
    assert llrcal.fit_all(TAR, NON, methods=[method]) == {method: default}
    every = llrcal.fit_all(TAR, NON, methods=[method], bounds="range", rising=False)
    assert every == {method: fitted(method, "range")}
    assert every[method].bounds.eer_score is None


@EVERY_METHOD
@pytest.mark.parametrize("counts", [(5, 9), (9, 5), (150, 400), (2000, 30)])
def test_no_llr_is_beyond_what_trials_and_speakers_support(
    method: MethodName, counts: tuple[int, int]
) -> None:
    tar, non = normal(counts[0], 9, 2), normal(counts[1], -9, 1)
    scores = [*BELOW, *ABOVE, *np.linspace(-20, 20, 501)]
    cal = fitted(method, "counts", tar, non)
    assert cal.supported_llrs == (-math.log(counts[0] + 1), math.log(counts[1] + 1))
    llrs = cal.without_warnings(scores)
    assert cal.supported_llrs[0] <= llrs.min() < 0 < llrs.max() <= cal.supported_llrs[1]
    people = [
        np.arange(2 * count).reshape(-1, 2) % most
        for count, most in zip(counts, (3, 4), strict=True)
    ]
    by_few = llrcal.fit(tar, non, method=method, rising=False, speakers=(people[0], people[1]))
    few = -math.log(min(counts[0], 3) + 1), math.log(min(counts[1], 6) + 1)
    assert by_few.supported_llrs == few
    # Nothing else is new: LLRs in between are the same.
    np.testing.assert_allclose(by_few.without_warnings(scores), np.clip(llrs, *few), atol=1e-9)


def test_speakers_support_no_more_than_the_pairs_of_them() -> None:
    assert supporting((100, 900), None) == (100, 900)
    assert supporting((100, 900), (10, 10)) == (10, 45)
    assert supporting((5, 20), (10, 10)) == (5, 20)
    # Two have one pair, and each may be compared with an imitation of itself.
    assert supporting((9, 9), (1, 1)) == (1, 1)
    assert supporting((9, 9), (2, 2)) == (2, 2)


def test_llrs_are_kept_between_two_others() -> None:
    llrs = np.array([-9.0, -1.0, 2.0, 9.0])
    assert Bounds("counts").supported(llrs, -3.0, 4.0).tolist() == [-3.0, -1.0, 2.0, 4.0]
    assert Bounds("range").supported(llrs, -3.0, 4.0).tolist() == llrs.tolist()


def test_an_edge_of_the_support_within_the_training_scores() -> None:
    """Targets end where an inverse Gaussian ends; non-targets lie far below."""
    tar, non = np.random.default_rng(0).gamma(2, 1, 500) + 2, normal(5000, 0, 1)
    assert fitted("nig", "range", tar, non)(non).min() < -1e9
    assert fitted("nig", "counts", tar, non)(non).min() == -math.log(501)


def test_single_precision_scores_are_compared_at_their_value() -> None:
    """The bound itself is no float32: rounding it would let scores through."""
    calibration = fitted("gaussian", "range", np.append(TAR, 9.1), NON)
    scores = np.array([9.1, 9.2], np.float32)
    assert float(scores[0]) > 9.1
    np.testing.assert_array_equal(calibration(scores), calibration(9.1))


# ------------------------------------------------------------------- the training range


def ends(tar: Array, non: Array) -> tuple[float, float]:
    every = np.concatenate([tar, non]).astype(np.float64)
    return float(every.min()), float(every.max())


SIZES = [(5, 9), (9, 5), (EXACT_UP_TO + 5, 40), (40, 2 * RUN + 7), (2 * RUN + 7, 60)]


@pytest.mark.parametrize("method", ["logistic", "pav"])  # from summaries, and from groups
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_range_is_exact(
    method: MethodName, sizes: tuple[int, int], dtype: type[np.floating[Any]]
) -> None:
    for shift in (-30.0, 0.0, 30.0):  # either class, or each, has the least and the greatest score
        tar, non = normal(sizes[0], shift, 3).astype(dtype), normal(sizes[1], 0, 3).astype(dtype)
        calibration = fitted(method, "range", tar, non)
        assert calibration.bounds == Bounds("range", *ends(tar, non))
        assert calibration.training_range == ends(tar, non)


@pytest.mark.slow
@given(sets=ANY)
def test_infinite_training_scores_are_the_largest_doubles(sets: Sets) -> None:
    low, high = ends(*map(np.array, sets))
    expected = tuple(min(max(end, -LARGEST), LARGEST) for end in (low, high))
    assert fitted("pav", "counts", *sets).training_range == expected
    calibration = fitted("pav", "range", *sets)
    assert calibration.training_range == expected
    scores = [*sets[0], *sets[1], -math.inf, math.inf, -1e300, 0.0, 1e300]
    np.testing.assert_array_equal(calibration(scores), fitted("pav", "none", *sets)(scores))


def test_a_calibration_made_by_hand_is_not_bounded() -> None:
    calibration = llrcal.METHODS["logistic"].fit(Training.of(TAR, NON))
    assert calibration.bounds == Bounds("none", -LARGEST, LARGEST)
    assert calibration(BELOW).tolist() == fitted("logistic", "none")(BELOW).tolist()


# --------------------------------------------------------------------------------- extremes


def notes(tar: Floats, non: Floats, *, method: MethodName, bounds: Any = "range") -> list[str]:
    found = fitted(method, bounds, tar, non).report.notes
    return [note.text for note in found if note.code == "beyond counts"]


def test_llrs_far_beyond_what_trials_support_are_noted() -> None:
    tar, non = normal(300, 9, 1), normal(3000, 0, 1.2)
    calibration = fitted("gaussian", "range", tar, non)
    low, high = calibration.llr_range
    assert high > 21 + math.log(3001)
    assert texts(calibration.report.notes) == [
        f"LLRs range from {low:.3g} to {high:.3g} over the training scores, but 300 targets and "
        "3,000 non-targets can support no more than -5.7 to 8.0; bounds='counts' limits them to "
        "that",
    ]
    assert notes(tar, non, method="gaussian", bounds="none")
    assert not notes(tar, non, method="gaussian", bounds="counts")


@EVERY_METHOD
def test_ordinary_fits_are_not_noted(method: MethodName) -> None:
    assert not notes(normal(300, 2, 1.2), normal(3000, -1, 1), method=method)
    if method != "nig":  # whose non-targets end at 2.3: five scores tell it no better
        assert not notes(np.arange(1.0, 6), np.array([-1.0, 0, 1.5, 2, 2.2]), method=method)


def test_one_side_is_enough_for_a_note() -> None:
    tar, non = normal(300, 2, 1.2), normal(3000, -1, 1)
    assert notes(tar, np.append(non, -12), method="logistic")
    assert notes(np.append(tar, 14), non, method="logistic")


@EVERY_METHOD
def test_fits_to_separate_classes_are_noted_unless_pav(method: MethodName) -> None:
    separate = normal(200, 60, 1), normal(900, 0, 1)
    assert not notes(*separate, method=method, bounds="counts")
    found = notes(*separate, method=method)
    dummies = ("pav", "logistic", "smooth")  # have dummy trials, or parts of them
    assert bool(found) == (method not in dummies)


# ------------------------------------------------------------------------ empirical bounds


@EVERY_METHOD
@pytest.mark.parametrize("rising", [True, False])
def test_elub_keeps_llrs_to_the_empirical_bounds(method: MethodName, rising: bool) -> None:
    ranged, bounded = (
        llrcal.fit(TAR, NON, method=method, bounds=bounds, rising=rising)
        for bounds in ("range", "elub")
    )
    least, greatest = oracle.elub(ranged(TAR).tolist(), ranged(NON).tolist())
    scores = np.concatenate([INSIDE, BELOW, ABOVE])
    expected = np.clip(ranged.without_warnings(scores), least, greatest)
    np.testing.assert_allclose(bounded.without_warnings(scores), expected, atol=1e-11)
    low, high = bounded.bounds.least_llr, bounded.bounds.greatest_llr
    assert low is not None
    assert high is not None
    assert -math.log(151) <= low < 0 < high <= math.log(401)


@pytest.mark.parametrize("method", ["logistic", "nig", "pav"])
def test_elub_in_pieces(method: MethodName) -> None:
    whole = llrcal.fit(TAR, NON, method=method, bounds="elub")
    assert llrcal.fit(of_pieces(cut(TAR, NON, 4)), method=method, bounds="elub") == whole


def test_too_few_trials_for_any_evidence() -> None:
    with pytest.warns(llrcal.LlrcalWarning, match="no better than no evidence"):
        calibration = llrcal.fit([1.0], [-1.0], method="pav", bounds="elub")
    assert calibration([-9.0, 0.0, 9.0]).tolist() == [0.0, 0.0, 0.0]
    assert "no use" in [note.code for note in calibration.report.notes]
