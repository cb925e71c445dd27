"""A fusion as a value: weights, intervals and notes against brute force, and what it is called."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

import llrcal
from llrcal.arrays import Floats
from llrcal.errors import DegenerateError, ScoreError
from llrcal.fusion.fuse import fuse, fusion
from llrcal.fusion.fused import Line
from llrcal.fusion.inputs import as_columns
from llrcal.fusion.regression import regression
from llrcal.fusion.sample import ColumnSample
from llrcal.fusion.terms import Columns, Terms
from tests.fusion.oracle import derivatives, minimum
from tests.fusion.test_sample import cost_of

RNG = np.random.default_rng(3)
MIX = np.array([[1.0, 0.6], [0.0, 0.8]])
TAR = RNG.normal(0.5, 1, (30, 2)) @ MIX
NON = RNG.normal(-0.5, 1, (90, 2)) @ MIX
SECONDS = RNG.exponential(1, 30), RNG.exponential(1, 90)


@pytest.mark.parametrize("alpha", [0.25, 0.6])
def test_intervals_are_by_how_weights_follow_each_trial(alpha: float) -> None:
    """At another alpha than the share of the targets, which is 0.25, the centre follows as well."""
    cost = cost_of(TAR, NON, alpha)
    found = regression(cost)
    rows = [cost.terms.rows(side).T for side in (TAR, NON)]
    ones, precision = [np.ones(30), np.ones(90)], found.at_share.precision

    def weights(counted: list[Floats]) -> Floats:
        first, _ = minimum(rows, 0.25, np.zeros(3), precision, counted)
        if found.prior is None:
            return first
        return minimum(rows, alpha, first, found.prior.precision, counted)[0]

    assert (found.prior is None) == (alpha == 0.25)
    assert np.allclose(weights(ones), found.solution.point, rtol=0, atol=1e-6)
    covariance = np.zeros((3, 3))
    for side in (0, 1):
        for trial in range(len(ones[side])):
            ends = []
            for step in (1e-3, -1e-3):
                counted = [one.copy() for one in ones]
                counted[side][trial] += step
                ends.append(weights(counted))
            follows = (ends[0] - ends[1]) / 2e-3
            covariance += np.outer(follows, follows) * len(ones[side]) / (len(ones[side]) - 1)
    start, _ = minimum(rows, 0.25, np.zeros(3), precision)
    sure = np.linalg.inv(derivatives(rows, 0.25, start)[1] + np.diag(precision))
    variances = np.maximum(covariance.diagonal(), sure.diagonal())
    line = fusion(TAR, NON, alpha=alpha).lines[0]
    assert line.by == "trial"
    assert np.allclose(line.margins, student.ppf(0.975, 29) * np.sqrt(variances), rtol=1e-4)


def test_weights_are_what_one_unit_adds() -> None:
    fused = fuse(TAR, NON, quality=({"s": SECONDS[0]}, {"s": SECONDS[1]}), bounds="range")
    line = fused.lines[0]
    middle, side = np.array(line.scores.centre), line.quality.centre[0]
    assert list(fused.weights) == [
        "system 1", "system 2", "s", "system 1 x s", "system 2 x s",
    ]  # fmt: skip
    small = 1e-3

    def llr(first: float = 0.0, second: float = 0.0, seconds: float = 0.0) -> float:
        at = middle + np.array([first, second])
        return float(fused(at[None, :], quality=[side + seconds])[0])

    here = llr()
    assert fused.offset.value == pytest.approx(here, abs=1e-12)
    for name, more in {
        "system 1": llr(first=small) - here,
        "system 2": llr(second=small) - here,
        "s": llr(seconds=small) - here,
    }.items():
        assert fused.weights[name].value * small == pytest.approx(more, rel=1e-6)
    both = llr(second=1, seconds=0.1) - llr(second=1) - llr(seconds=0.1) + here
    assert fused.weights["system 2 x s"].value * 0.1 == pytest.approx(both, rel=1e-6)
    low, high = fused.weights["s"][1:]
    assert (low + high) / 2 == pytest.approx(fused.weights["s"].value)
    assert (high - low) / 2 == pytest.approx(line.margins[2] / line.quality.unit[0])


def test_columns_are_those_of_the_terms() -> None:
    """Scores and side information are standardised as stated, clipped, and multiplied."""
    columns = Columns((1.0, 2.0), (2.0, 0.0), (-1.0, 2.0), (3.0, 2.0))
    sides = Columns((0.5, -1.0), (0.5, 4.0), (0.0, -3.0), (1.0, 5.0))
    terms = Terms(columns, sides)
    assert terms.count == 9
    trials = np.array([[2.0, 2.0, 0.75, 1.0], [9.0, 7.0, -9.0, 9.0]])
    rows = terms.rows(trials)
    z = [[0.5, 0.0, 0.5, 0.5], [1.0, 0.0, -1.0, 1.5]]
    expected = [[a, b, c, d, a * c, b * c, a * d, b * d, 1.0] for a, b, c, d in z]
    assert rows.T.tolist() == expected
    assert terms.per_unit.tolist() == [0.5, 0, 2, 0.25, 1, 0, 0.125, 0, 1]
    assert terms.largest.tolist() == [1, 0, 1, 1.5, 1, 0, 1.5, 0, 1]
    part = terms.of_systems((1,))
    assert (part.scores.centre, part.scores.highest) == ((2.0,), (2.0,))
    assert part.quality == sides
    assert terms.places((1,)) == [1, 2, 3, 5, 7, 8]
    assert terms.places((0, 1)) == list(range(9))
    assert [terms.groups, part.groups] == [
        (slice(0, 2), slice(2, 8)),
        (slice(0, 1), slice(1, 5)),
    ]


def test_a_unit_reaches_to_the_ends_that_a_sample_has_not_seen() -> None:
    """One such value among so many has this deviation from the centre, on either side."""
    tar, non = (ColumnSample.of(np.array([[low], [low + 2.0]])) for low in (4.0, 0.0))
    for ends in ((-3.0, 903.0), (-897.0, 9.0)):
        low, high = (np.array([end]) for end in ends)
        both = replace(tar, lowest=low, count=50), replace(non, highest=high)
        found = Terms.of(both, 1).scores
        assert found.centre == pytest.approx((3.0,))
        assert found.unit[0] == pytest.approx(900 / 2 * math.sqrt(2 / 50))
        assert (found.lowest, found.highest) == ((ends[0],), (ends[1],))
    near = Terms.of((tar, replace(non, count=50)), 1).scores
    assert near.unit[0] == pytest.approx(math.sqrt(5))  # 4 apart, and 1 within


@pytest.mark.parametrize(
    ("alpha", "says"), [(0.051, False), (0.049, True), (0.899, False), (0.901, True)]
)
def test_a_weight_far_from_the_trials_is_said(alpha: float, says: bool) -> None:
    """A fifth of the share of either class: of the targets (0.25) and of a half."""
    codes = [note.code for note in fusion(TAR, NON, alpha=alpha).report.notes]
    assert ("far alpha" in codes) == says
    empirical = fusion(TAR[:1], np.tile(NON, (5, 1)), alpha="empirical").report.notes
    assert "far alpha" not in [note.code for note in empirical]


def test_classes_that_touch_overlap() -> None:
    tar, non = np.array([1.0, 2.0, 3.0]), np.array([-1.0, 0.0, 1.0])
    assert fusion(tar, non).report.notes == ()
    assert [note.code for note in fusion(tar + 1e-9, non).report.notes] == ["separable"]


def test_columns_out_of_range_are_counted_from_one() -> None:
    tiny = SECONDS[0] * 1e-310, SECONDS[1] * 1e-310
    with pytest.raises(DegenerateError, match="quality 2"):
        fusion(TAR, NON, quality=tuple(np.c_[a, b] for a, b in zip(SECONDS, tiny, strict=True)))
    with pytest.raises(DegenerateError, match="system 2"):
        fusion(TAR * [1, 1e-310], NON * [1, 1e-310])


def test_scores_beyond_training_are_counted_on_both_sides() -> None:
    fused = fuse(TAR, NON, names=["cos", "plda"])
    both = np.concatenate([TAR, NON])
    assert fused.reach == tuple(zip(both.min(axis=0).tolist(), both.max(axis=0), strict=True))
    inside = np.concatenate([both, both, both])
    assert fused.answers(inside)[1] == ()
    for way in (-100, 100):
        few, more = inside.copy(), inside.copy()
        few[:3, 1] += way
        more[:4, 1] += way
        assert fused.answers(few)[1] == ()
        (note,) = fused.answers(more)[1]
        assert (note.code, note.place) == ("beyond", "plda")
        assert str(note).startswith("plda: 4 of 360 scores lie beyond those of training, from ")


def test_trials_take_the_line_of_the_most_systems_that_are_there() -> None:
    rng = np.random.default_rng(0)
    tar, non = rng.normal(1, 1, (60, 3)), rng.normal(-1, 1, (90, 3))
    tar[:20, 2] = non[:20, 2] = tar[20:40, 0] = non[20:40, 0] = np.nan
    fused = fusion(tar, non, missing="patterns", bounds="range")
    patterns = [line.systems for line in fused.lines]
    assert patterns == [(0, 1, 2), (0, 1), (1, 2), (0,), (1,), (2,)]
    new = np.array([0.3, -0.2, 0.7])
    for present, systems in {
        (0, 1, 2): (0, 1, 2), (0, 2): (0,), (1, 2): (1, 2), (2,): (2,), (): (),
    }.items():  # fmt: skip
        row = np.full((1, 3), np.nan)
        row[0, list(present)] = new[list(present)]
        llr = fused.answers(row)[0][0]
        if not systems:
            assert llr == 0.0
            continue
        line = fused.lines[patterns.index(systems)]
        z = (new[list(systems)] - np.array(line.scores.centre)) / np.array(line.scores.unit)
        assert llr == pytest.approx(z @ np.array(line.weights[:-1]) + line.weights[-1])


def test_patterns_need_trials_of_both_classes() -> None:
    tar, non = np.tile(TAR, (2, 1)), NON.copy()
    tar[:30, 0] = tar[30:, 1] = np.nan
    fused = fusion(tar, non, missing="patterns")
    assert [line.systems for line in fused.lines] == [(0,), (1,)]
    first, second = (fused.answers([[1.0, hole], [hole, 1.0]])[0] for hole in (np.nan, 2.0))
    assert second.tolist() == [first[0], fused.answers([[2.0, np.nan]])[0][0]]


def test_rare_patterns_go_without_some_of_their_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    """The most common ones are kept, and each system alone."""
    monkeypatch.setattr(sys.modules[fusion.__module__], "_MOST_PATTERNS", 2)
    rng = np.random.default_rng(0)
    tar, non = rng.normal(1, 1, (30, 3)), rng.normal(-1, 1, (30, 3))
    for side in (tar, non):
        side[:2, 0] = side[2:8, 1] = side[8:, 2] = np.nan
    patterns = [line.systems for line in fusion(tar, non, missing="patterns").lines]
    assert patterns == [(0, 1), (0, 2), (0,), (1,), (2,)]


def test_conditions_leave_trials_without_a_score_at_zero() -> None:
    where = np.arange(30) % 2, np.arange(90) % 2
    fused = fusion(TAR, NON, missing="patterns", condition=where)
    new = np.array([[np.nan, np.nan], [1.0, 1.0]])
    llrs, notes = fused.answers(new, condition=[0, 1])
    assert llrs[0] == 0.0 != llrs[1]
    assert [note.code for note in notes] == ["no score"]


@pytest.mark.parametrize(
    ("scores", "names", "words"),
    [
        (np.zeros((3, 2)), ("a",), r"have shape \(3, 2\); pass one row for each trial"),
        (np.zeros(3), ("a", "b"), r"have shape \(3,\)"),
        (np.zeros((2, 2, 2)), ("a", "b"), r"have shape \(2, 2, 2\)"),
        (np.zeros((0, 2)), ("a", "b"), "no new scores: the array is empty"),
        ({"a": [1.0], "c": [1.0]}, ("a", "b"), "no 'b'; unknown: 'c'. Expected are 'a', 'b'"),
        ({"a": [1.0]}, tuple("abcdefghijklmno"), "'l', 'm' and 2 more"),
        (np.zeros((1, 2)), tuple("abcdefghijklm"), "'k', 'l' and 1 more"),
        ([[1.0, np.inf]], ("a", "b"), "b: new scores"),
        ([[np.nan, 1.0]], ("a", "b"), r"a: new scores.*fuse what there is: missing='patterns'"),
    ],
)
def test_columns_that_cannot_be_used(scores: Any, names: tuple[str, ...], words: str) -> None:
    with pytest.raises(ScoreError, match=words):
        as_columns(scores, names, "new scores")


def test_columns_by_name_or_in_order() -> None:
    found = as_columns({"b": [3, 4], "a": [1, 2]}, ("a", "b"), "new scores")
    assert found.tolist() == [[1, 3], [2, 4]]
    assert as_columns([1, 2], ("a",), "new scores").tolist() == [[1], [2]]
    holes = as_columns([[np.nan, 1.0]], ("a", "b"), "new scores", may_miss=True)
    assert np.isnan(holes[0, 0])
    with pytest.raises(ScoreError, match="b: new scores"):
        as_columns([[np.nan, np.inf]], ("a", "b"), "new scores", may_miss=True)


def test_what_a_fusion_shows() -> None:
    fused = fuse(TAR, NON, names=["cos", "<plda>"])
    assert repr(fused).startswith("<fusion of cos, <plda> on 30 target and 90 non-target trials: ")
    page = fused._repr_html_()
    value, low, high = fused.weights["cos"]
    assert f"{value:.4g} ({low:.4g} to {high:.4g})" in page
    assert "weight of &lt;plda&gt;" in page
    assert "not converged" not in page
    assert fused.report.gradient_norm < 1e-10
    assert isinstance(fused.lines[0], Line)
    assert math.isfinite(llrcal.fuse(TAR, NON).offset.value)
