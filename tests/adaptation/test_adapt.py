"""Labels from training, scores from the field: moves are found, and LLRs follow them."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import llrcal
from llrcal import out_of_core
from llrcal.adaptation.adapt import (
    _bounds,
    _choice,
    _ends,
    _moved_along,
    _portrait_of_class,
    _report,
    adaptation,
    check_options,
)
from llrcal.adaptation.field import Field, expected_cllr
from llrcal.arrays import Floats
from llrcal.calibrations.bounds import Bounds, Policy
from llrcal.errors import DegenerateError, OptionError, ScoreError
from llrcal.method_table import MethodName
from llrcal.onepass.cells import even_ranks
from llrcal.onepass.grid import Grid
from llrcal.onepass.summary import Summary
from llrcal.trials import Trials
from tests.adaptation.worlds import NON, TAR, field_scores, found, given, source_of
from tests.conftest import real_scores
from tests.notes import codes
from tests.trial_sets import normal

dd = pytest.importorskip("dask.dataframe")
import llrcal.dask  # noqa: E402, needs it

GRID = np.linspace(-4, 8, 49)
METHODS = ("smooth", "linear-gaussian", "logistic", "pav", "gaussian", "student-t", "nig")


@cache
def trained(method: MethodName = "gaussian", bounds: Policy = "counts") -> llrcal.Calibration:
    return llrcal.fit(TAR, NON, method=method, bounds=bounds)


@cache
def shifted() -> llrcal.Calibration:
    """Adapted to a field where all scores are 0.8 higher."""
    return adaptation(trained(), field_scores(0.1, shift=0.8), p_target=0.1)


@cache
def as_it_was() -> llrcal.Calibration:
    return adaptation(trained(), field_scores(0.1), p_target=0.1)


def fresh(shift: float = 0.0, wider: float = 1.0, apart: float = 1.0) -> tuple[Floats, Floats]:
    """Both classes of a field, to evaluate with."""
    tar, non = normal(3000, 4.0 * apart - 1.0, 1.4), normal(3001, -1.0, 1.0)
    return shift + wider * tar, shift + wider * non


def loss(cal: llrcal.Calibration, tar: Floats, non: Floats) -> float:
    llrs = (cal.without_warnings(side) for side in (tar, non))
    return llrcal.evaluate(*llrs).calibration_loss


# Moves are found.


@pytest.mark.parametrize(
    ("shift", "wider", "apart", "share"),
    [
        (0.8, 1.0, 1.0, 0.1),
        (-0.7, 1.0, 1.0, 0.02),
        (0.0, 1.35, 1.0, 0.3),
        (1.0, 0.75, 1.0, 0.1),
        (0.0, 1.0, 0.7, 0.3),
    ],
)
def test_simulated_shifts_are_found(shift: float, wider: float, apart: float, share: float) -> None:
    new = adaptation(
        trained(), field_scores(share, shift=shift, wider=wider, apart=apart), p_target=share
    )
    what = found(new)
    assert what.applied
    assert what.choice == "moved"
    truths = {
        "non_shift": shift - (wider - 1),
        "tar_shift": shift + wider * (4 * apart - 1) - 3,
        "non_widening": wider,
        "tar_widening": wider,
        "share": share,
    }
    for name, truth in truths.items():
        value, low, high = getattr(what, name)
        assert low - 0.02 <= truth <= high + 0.02, (name, truth, value, low, high)
        assert low <= value <= high
    tar, non = fresh(shift, wider, apart)
    before, after = (
        llrcal.evaluate(cal.without_warnings(tar), cal.without_warnings(non))
        for cal in (trained(), new)
    )
    assert after.calibration_loss < 0.5 * before.calibration_loss
    for name, truth in {
        "cllr": after.cllr,
        "eer": after.eer,
        "cllr_before": before.cllr,
    }.items():
        value, low, high = getattr(what, name)
        assert low <= truth <= high, (name, truth, value, low, high)
    assert what.cllr.value < what.cllr_before.value


def test_a_shift_takes_the_llrs_along() -> None:
    expected = trained().without_warnings(GRID)
    llrs = shifted().without_warnings(GRID + 0.8)
    assert llrs == pytest.approx(expected, abs=0.8)
    # Some doubt remains: old targets were to be found where only non-targets are now.
    middle = (expected > -4) & (expected < 4)
    assert llrs[middle] == pytest.approx(expected[middle], abs=0.5)
    assert (llrs[middle] >= expected[middle] - 0.2).all()


def test_what_was_given_is_kept_in_mind() -> None:
    what = found(shifted())
    assert (what.p_target, what.factor) == (0.1, 2.0)
    assert (what.unlabelled, what.tar, what.non) == (6000, 0, 0)
    one = adaptation(trained(), field_scores(0.1), tar=TAR[:12], non=NON[:34])
    assert (found(one).p_target, found(one).factor) == (None, 2.0)
    assert (found(one).unlabelled, found(one).tar, found(one).non) == (6000, 12, 34)


def test_where_nothing_has_moved_nothing_changes() -> None:
    """Not a bit of an LLR, nor of what belongs to them."""
    new, old = as_it_was(), trained()
    assert found(new).choice == "as it was"
    assert not found(new).applied
    assert found(new).unmoved > 0.5
    fine = np.linspace(-9, 12, 2001)
    assert (new.without_warnings(fine) == old.without_warnings(fine)).all()
    assert (new.margins, new.bounds, new.portrait) == (old.margins, old.bounds, old.portrait)
    assert old.margins is not None
    assert found(new).scores == found(new).llrs == ()
    assert new.report.converged == old.report.converged
    assert codes(new.report.notes) == [*codes(old.report.notes), "nothing moved"]
    assert found(new).cllr == found(new).cllr_before


def test_margins_portrait_and_report_of_what_has_moved() -> None:
    new, old = shifted(), trained()
    assert new.margins is None
    assert new.portrait != old.portrait
    assert new.report.reason.startswith("adapted: ")
    assert new.report.converged
    assert new.report.positive_definite
    assert new.report.iterations > 50
    assert new.report.gradient_norm < 1e-3
    assert not codes(new.report.notes)
    assert (np.diff(found(new).llrs) >= 0).all()
    assert (np.diff(found(new).scores) > 0).all()
    assert len(found(new).scores) > 300


def test_the_portrait_is_that_of_the_field() -> None:
    """So that the same scores are as in training to it, and its quantiles are the truth's."""
    again = llrcal.watch(shifted(), field_scores(0.1, shift=0.8), p_target=0.1)
    assert again.verdict == "as in training"
    assert again.unmoved > 0.5
    portrait = shifted().portrait
    assert portrait is not None
    for side, (mean, deviation), count in (
        (portrait.tar, (3.8, 1.4), 2000),
        (portrait.non, (-0.2, 1.0), 20_000),
    ):
        assert sum(side.counts) == pytest.approx(count)
        assert len(side.scores) <= 100
        low, middle, high = (side.cells.quantile(level) for level in (0.1587, 0.5, 0.8413))
        assert middle == pytest.approx(mean, abs=0.12)
        assert (high - low) / 2 == pytest.approx(deviation, rel=0.06)


@pytest.mark.parametrize("count", [500, 3])
def test_a_portrait_by_hand(count: int) -> None:
    """Even scores: the points are the middles of cells, which are narrow in both tails."""
    scores = np.linspace(2, 3, 4001)
    one = _portrait_of_class(scores, np.full(4001, 0.7), count)
    least = 0.5 / max(count, 10)
    edges = np.concatenate([[0], even_ranks(least, 1 - least, 100), [1]])
    assert one.counts == pytest.approx(count * np.diff(edges))
    assert one.scores == pytest.approx(2 + 0.5 * (edges[1:] + edges[:-1]), abs=5e-4)
    heap = np.where(np.abs(scores - 2.5) < 1e-9, 1.0, 0.0)
    alone = _portrait_of_class(scores, heap, count)
    assert sum(alone.counts) == pytest.approx(count)
    assert alone.scores == pytest.approx([2.5] * len(alone.scores), abs=5e-4)
    assert (np.diff(alone.scores) > 0).all()


def test_a_far_move_is_not_taken_for_one_class_alone_though_training_is_small() -> None:
    """Non-targets that have moved to where targets were: thirty targets in training say little."""
    rng = np.random.default_rng(5)
    cal = llrcal.fit(rng.normal(2.8, 1.2, 30), rng.normal(0, 1, 300))
    scores = np.concatenate([rng.normal(5.8, 1.2, 300), rng.normal(3, 1, 2700)])
    new = adaptation(cal, scores, p_target=0.1)
    assert found(new).choice == "moved"
    assert found(new).non_shift.value == pytest.approx(3, abs=0.5)


@pytest.mark.parametrize("shift", [0.19, 0.2])
def test_a_calibration_changes_for_a_gain_of_two_thousandths_of_a_bit(shift: float) -> None:
    scores = field_scores(0.1, shift=shift, count=3000)
    new = adaptation(trained(), scores, p_target=0.1)
    field = Field.of(trained(), source_of(TAR, NON), given(scores), 0.1, 2.0)
    llrs = np.clip(field.llrs, *_ends(trained()))
    gain = expected_cllr(field.mean, field.old_llrs) - expected_cllr(field.mean, llrs)
    assert 0.0005 < gain < 0.004
    assert found(new).applied == (gain > 0.002)
    if found(new).applied:
        kept = field.mean[0] + field.mean[1] > 1e-12
        assert found(new).scores == pytest.approx(field.scores[kept])
        assert found(new).llrs == pytest.approx(llrs[kept])
        assert new.portrait is not None
        sides = zip((new.portrait.tar, new.portrait.non), field.known, strict=True)
        for side, masses in sides:  # without doubt: what the next field is compared with
            again = _portrait_of_class(field.scores, masses, round(sum(side.counts)))
            assert side.scores == pytest.approx(again.scores, rel=1e-12)
        ends = [one.solution for one in field.hypotheses]
        assert new.report.iterations == sum(end.iterations for end in ends)
        assert new.report.saddles_escaped == sum(end.saddles_escaped for end in ends)
        assert new.report.objective == pytest.approx(field.best.solution.value)
        assert new.report.gradient_norm == pytest.approx(field.best.solution.gradient_norm)
        lost = replace(field.hypotheses[3], solution=replace(ends[3], converged=False))
        partly = replace(field, hypotheses=(*field.hypotheses[:3], lost, *field.hypotheses[4:]))
        assert _report(field).converged
        assert not _report(partly).converged


@pytest.mark.parametrize("method", METHODS)
def test_every_method_adapts_and_is_kept_in_files(method: MethodName, tmp_path: Path) -> None:
    old = trained(method)
    new = adaptation(old, field_scores(0.1, shift=0.8, count=3000), p_target=0.1)
    assert found(new).applied
    assert new.method == method
    assert loss(new, *fresh(0.8)) < 0.5 * loss(old, *fresh(0.8))
    new.save(tmp_path / "model.json")
    again = llrcal.load(tmp_path / "model.json")
    assert again == new
    assert again.adapted == new.adapted
    assert again.portrait == new.portrait
    assert (again.without_warnings(GRID) == new.without_warnings(GRID)).all()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["gaussian", "student-t", "nig"])
def test_bayesian_methods_adapt(method: MethodName, tmp_path: Path) -> None:
    old = llrcal.fit(TAR[:300], NON[:3000], method=method, bayes=True)
    new = adaptation(old, field_scores(0.1, shift=1.0), p_target=0.1)
    assert loss(new, *fresh(1.0)) < 0.5 * loss(old, *fresh(1.0))
    new.save(tmp_path / "model.json")
    again = llrcal.load(tmp_path / "model.json")
    assert (again.without_warnings(GRID) == new.without_warnings(GRID)).all()


def test_adapting_twice() -> None:
    """The same field changes nothing more; the old field brings the old LLRs back."""
    once = shifted()
    twice = adaptation(once, field_scores(0.1, shift=0.8), p_target=0.1)
    assert not found(twice).applied
    assert (twice.without_warnings(GRID) == once.without_warnings(GRID)).all()
    assert found(twice).scores == found(once).scores
    assert found(twice).llrs == found(once).llrs
    back = adaptation(once, field_scores(0.1), p_target=0.1)
    assert found(back).applied
    assert found(back).non_shift.value == pytest.approx(-0.8, abs=0.15)
    expected = trained().without_warnings(GRID)
    middle = np.abs(expected) < 4
    assert back.without_warnings(GRID)[middle] == pytest.approx(expected[middle], abs=0.7)


def test_scores_that_differ_in_their_last_digits() -> None:
    """Far from zero, neighbouring nodes are rounded to the same score."""
    far = [1e8 + 1e-6 * side for side in (TAR, NON)]
    new = adaptation(
        llrcal.fit(*far, method="gaussian"), 1e8 + 1e-6 * (1 + field_scores(0.1)), p_target=0.1
    )
    scores, llrs = found(new).scores, found(new).llrs
    assert found(new).applied
    assert len(scores) == len(llrs) < 398
    assert (np.diff(scores) > 0).all()
    assert found(new).non_shift.value == pytest.approx(1e-6, rel=0.1)


def test_distances_are_negated_scores() -> None:
    far = llrcal.fit(-TAR, -NON, method="gaussian", lower_is_better=True)
    scores, tar, non = field_scores(0.1, shift=0.8), TAR[:9] + 0.8, NON[:9] + 0.8
    one = adaptation(far, -scores, p_target=0.1, tar=-tar, non=-non)
    two = adaptation(trained(), scores, p_target=0.1, tar=tar, non=non)
    assert one.without_warnings(-GRID) == pytest.approx(two.without_warnings(GRID), abs=1e-9)
    assert found(one).non_shift == pytest.approx(found(two).non_shift)
    summary = adaptation(far, Summary.of(scores), p_target=0.1, tar=-tar, non=-non)
    assert (summary.without_warnings(-GRID) == one.without_warnings(-GRID)).all()
    trials = adaptation(far, Trials(-scores[:9], -scores[9:]), p_target=0.1, tar=-tar, non=-non)
    assert (trials.without_warnings(-GRID) == one.without_warnings(-GRID)).all()


def test_the_same_bits_from_arrays_summaries_trials_and_pieces(tmp_path: Path) -> None:
    scores = field_scores(0.1, shift=0.8, count=40_000)  # enough for bins
    expected = llrcal.adapt(trained(), scores, p_target=0.1)
    grid = Grid.of(scores)
    parts = [Summary.of(part, grid) for part in (scores[:1000], scores[1000:])]
    np.save(tmp_path / "a.npy", scores[:20_000])
    pl.DataFrame({"score": scores[20_000:]}).write_parquet(tmp_path / "b.parquet")
    for new in (
        llrcal.adapt(trained(), scores[::-1].tolist(), p_target=0.1),
        llrcal.adapt(trained(), Summary.merge(*parts), p_target=0.1),
        llrcal.adapt(trained(), Trials(scores[:100], scores[100:]), p_target=0.1),
        out_of_core.adapt(trained(), tmp_path, p_target=0.1),
    ):
        assert new == expected
        assert new.adapted == expected.adapted


@pytest.mark.slow
def test_the_same_bits_from_a_cluster() -> None:
    scores = field_scores(0.1, shift=0.8, count=40_000)
    frame = pd.DataFrame({"plda": scores, "other": 1})
    new = llrcal.dask.adapt(
        trained(), dd.from_pandas(frame, npartitions=3), score="plda", p_target=0.1
    )
    assert new.adapted == llrcal.adapt(trained(), scores, p_target=0.1).adapted


# Labelled scores.


def test_labelled_scores_alone() -> None:
    new = adaptation(trained(), tar=TAR[:60] + 1.5, non=NON[:60] + 1.5)
    what = found(new)
    assert what.applied
    assert what.non_shift.value == pytest.approx(1.5, abs=0.3)
    assert what.tar_shift.value == pytest.approx(1.5, abs=0.6)
    assert (what.unlabelled, what.trust, what.misfit) == (0, 0.0, 0.0)
    assert loss(new, *fresh(1.5)) < 0.2 * loss(trained(), *fresh(1.5))


def test_a_hundred_labelled_scores_outweigh_a_wrong_share() -> None:
    scores, losses = field_scores(0.02, shift=1.5, wider=1.3), []
    tar, non = fresh(1.5, 1.3)
    for few in (0, 30, 100):
        labelled = {"tar": tar[:few], "non": non[:few]} if few else {}
        new = adaptation(trained(), scores, p_target=0.2, factor=1.3, **labelled)
        losses.append(loss(new, tar, non))
    assert max(losses) < 0.1 * loss(trained(), tar, non)
    assert losses[2] < 0.5 * losses[0]


def test_one_labelled_score_of_each_class_will_do() -> None:
    new = adaptation(trained(), field_scores(0.1, shift=0.8), tar=[3.9], non=[-0.3])
    assert found(new).non_shift.value == pytest.approx(0.8, abs=0.1)
    assert codes(new.report.notes) == []


# Options.


def test_a_share_that_is_not_told_is_found() -> None:
    new = adaptation(trained(), field_scores(0.1, shift=0.8))
    assert found(new).p_target is None
    assert found(new).share.low < 0.1 < found(new).share.high
    assert loss(new, *fresh(0.8)) < 0.3 * loss(trained(), *fresh(0.8))


def test_never_much_worse_than_no_evidence_at_all() -> None:
    rng = np.random.default_rng(7)
    for scores in (rng.uniform(-6, 9, 400), rng.normal(-9, 4, 400)):
        what = found(adaptation(trained(), scores, p_target=0.1))
        assert what.cllr.value < 1.05


def test_draws_far_beyond_the_others() -> None:
    rng = np.random.default_rng(7)
    rng.uniform(-6, 9, 400)
    what = found(adaptation(trained(), rng.normal(2, 0.3, 400), p_target=0.1))
    assert what.cllr.high < 5


def test_where_nothing_can_be_told_llrs_are_next_to_zero() -> None:
    """Targets lie right among the non-targets, as labelled scores show."""
    new = adaptation(trained(), NON[:3000], p_target=0.1, tar=NON[:200], non=NON[200:400])
    assert found(new).choice == "no evidence"
    assert found(new).cllr.value > 0.9
    assert np.abs(new.without_warnings(np.linspace(-2.5, 0.5, 9))).max() < 0.7


@pytest.mark.parametrize("p_target", [0.0, 1.0, -0.1, 1e-10, math.nan, "0.1", True])
def test_shares_out_of_range(p_target: float) -> None:
    with pytest.raises(OptionError, match=r"p_target is .*strictly between 0 and 1"):
        llrcal.adapt(trained(), field_scores(0.1), p_target=p_target)


@pytest.mark.parametrize("factor", [1.0, 0.5, -2, math.inf, math.nan, 1e7, "2"])
def test_factors_out_of_range(factor: float) -> None:
    with pytest.raises(OptionError, match=r"factor is .*above 1"):
        llrcal.adapt(trained(), field_scores(0.1), factor=factor)


def test_a_factor_without_a_share() -> None:
    with pytest.raises(OptionError, match="factor says how far off a share may be; give that: p_t"):
        llrcal.adapt(trained(), field_scores(0.1), factor=3.0)


def test_options_at_their_ends() -> None:
    for p_target, factor in ((1e-9, 1.01), (1 - 1e-9, 1e6)):
        check_options(p_target, factor)
    check_options(None, 2)


def test_a_calibration_without_a_portrait() -> None:
    old = replace(trained(), portrait=None)
    with pytest.raises(OptionError, match=r"gaussian calibration has no portrait.*[Tt]rain it"):
        llrcal.adapt(old, field_scores(0.1))


def test_scores_that_cannot_be_used() -> None:
    with pytest.raises(ScoreError, match="both tar and non, or neither"):
        llrcal.adapt(trained(), field_scores(0.1), tar=[1.0])
    with pytest.raises(ScoreError, match="both tar and non, or neither"):
        llrcal.adapt(trained(), non=[1.0])
    with pytest.raises(ScoreError, match="there are no scores from the field"):
        llrcal.adapt(trained())
    with pytest.raises(ScoreError, match="unlabelled"):
        llrcal.adapt(trained(), [1.0, math.nan])
    with pytest.raises(ScoreError, match="non-target"):
        llrcal.adapt(trained(), tar=[1.0, 2.0], non=[math.nan])
    with pytest.raises(ScoreError):
        llrcal.adapt(trained(), [])
    with pytest.raises(DegenerateError, match="all 3 unlabelled scores equal 2"):
        llrcal.adapt(trained(), [2.0, 2.0, 2.0])
    far = llrcal.fit(-TAR, -NON, method="gaussian", lower_is_better=True)
    with pytest.raises(DegenerateError, match="all 3 unlabelled scores equal 2"):
        llrcal.adapt(far, [2.0, 2.0, 2.0])


def test_warnings_are_issued() -> None:
    with pytest.warns(llrcal.LlrcalWarning, match="few|little"):
        llrcal.adapt(trained(), field_scores(0.5, count=20), p_target=0.5)


# Bounds.


def test_bounds_hold_both_the_new_and_the_old_range_moved_along() -> None:
    new, old = shifted(), trained()
    low, high = new.training_range
    scores = field_scores(0.1, shift=0.8)
    assert low <= scores.min()
    assert high >= scores.max()
    assert low == pytest.approx(min(scores.min(), old.training_range[0] + 0.8), abs=0.1)
    assert high == pytest.approx(max(scores.max(), old.training_range[1] + 0.8), abs=0.4)
    assert new.bounds.policy == old.bounds.policy
    meeting = new.bounds.eer_score
    assert meeting is not None
    assert old.bounds.eer_score is not None
    assert meeting == pytest.approx(old.bounds.eer_score + 0.8, abs=0.1)
    assert new.bounds.soft_end == old.bounds.soft_end


def test_labelled_scores_are_within_the_range() -> None:
    tar, non = np.append(TAR[:60] + 1.5, 25.0), np.append(NON[:60] + 1.5, -19.0)
    new = adaptation(trained(), field_scores(0.1, shift=1.5), tar=tar, non=non)
    assert new.training_range == (-19.0, 25.0)


def test_scores_without_bounds_and_without_a_meeting() -> None:
    field = _field()
    given_scores = given(field_scores(0.1))
    old = Bounds("none")
    new = _bounds(old, field, given_scores)
    assert (new.lowest_score, new.highest_score) == given_scores.range
    assert new.eer_score is None
    odd = replace(old, lowest_score=-5.0, highest_score=-4.8, eer_score=-4.9)
    narrow = replace(given_scores, range=(-4.95, -4.85))
    new = _bounds(odd, field, narrow)
    assert new.lowest_score == pytest.approx(-5.0, abs=0.1)
    assert new.eer_score == new.highest_score


@cache
def _field() -> Field:
    return Field.of(trained(), source_of(TAR, NON), given(field_scores(0.1)), 0.1, 2.0)


def test_where_scores_move_along() -> None:
    """With the class that is nearer, in units of its scale."""
    field, source = _field(), _field().source
    moves = np.zeros(9)
    moves[:4] = 0.5, 0.2, math.log(1.5), 0.3
    draws = np.tile(moves, (len(field.draws), 1))
    moved = replace(field, draws=draws)
    tar, non = source.moved(moves)

    def score(at: float) -> float:
        return source.origin + source.unit * at

    for old, new, wider in (
        (source.tar.theta[0], tar.theta[0], math.exp(0.5)),
        (source.non.theta[0], non.theta[0], math.exp(0.2)),
    ):
        for off in (-0.4, 0.0, 0.7):
            expected = score(new + wider * off)
            assert _moved_along(moved, score(old + off)) == pytest.approx(expected)
    halfway = (0.5 * source.tar.theta[0] + 0.5 * source.non.theta[0]) + 0.1
    scale = math.exp(source.tar.theta[1])  # that of the targets is larger: they are nearer
    assert scale > 1.2
    expected = score(tar.theta[0] + math.exp(0.5) * (halfway - source.tar.theta[0]))
    assert _moved_along(moved, score(halfway)) == pytest.approx(expected)


@pytest.mark.parametrize("bounds", ["counts", "elub", "range", "none"])
def test_llrs_keep_to_what_bounds_allow(bounds: Policy) -> None:
    old = trained("gaussian", bounds)
    new = adaptation(old, field_scores(0.1, shift=0.8, count=3000), p_target=0.1)
    llrs = new.without_warnings(np.linspace(-30, 40, 300))
    assert (np.diff(llrs) >= 0).all()
    if bounds == "counts":
        assert llrs[0] >= -math.log(2001) - math.log(2)
        assert llrs[-1] <= math.log(20_001) + math.log(2)
        least, greatest = _ends(old)
        assert least == pytest.approx(-math.log(2001) - 5 * old.bounds.soft_end)
        assert greatest == pytest.approx(math.log(20_001) + 5 * old.bounds.soft_end)
        assert least <= min(found(new).llrs)
        assert max(found(new).llrs) <= greatest
    elif bounds == "elub":
        assert old.bounds.least_llr is not None
        assert old.bounds.greatest_llr is not None
        assert old.bounds.least_llr <= llrs[0] <= llrs[-1] <= old.bounds.greatest_llr
    else:
        assert _ends(old) == (-100.0, 100.0)
    assert new.bounds.policy == bounds


def test_expected_cllr_of_masses_by_hand() -> None:
    masses = np.array([1.0, 3.0]), np.array([6.0, 2.0])
    llrs = np.log([0.5, 4.0])
    tar = 0.25 * math.log2(1 + 2) + 0.75 * math.log2(1 + 0.25)
    non = 0.75 * math.log2(1 + 0.5) + 0.25 * math.log2(1 + 4)
    assert expected_cllr(masses, llrs) == pytest.approx((tar + non) / 2)


def test_choices_have_names() -> None:
    field = _field()
    no_llrs = np.zeros(len(field.nodes))
    assert _choice(field, no_llrs) == "no evidence"
    assert _choice(field, field.llrs) == "in between"
    still = np.array([one.unmoved for one in field.hypotheses])
    weights = np.where(still, 0.0, field.weights)
    moved = replace(field, weights=weights / weights.sum())
    assert _choice(moved, field.llrs) == "moved"
    for miss, choice in ((0.39, "moved"), (0.4, "no evidence")):  # 0.965 and 0.971 bits
        masses = np.array([miss, 1 - miss]), np.array([1 - miss, miss])
        two = replace(moved, known=masses, still=masses)
        assert _choice(two, np.log([miss / (1 - miss), (1 - miss) / miss])) == choice


@pytest.mark.slow
def test_a_shifted_pair_of_real_places() -> None:
    folder = real_scores("nist_sre08")
    old, new = (
        [np.load(folder / f"cond_{place}_{side}.npy").astype(float) for side in ("tar", "non")]
        for place in ("phonecall_phn-phonecall_phn", "phonecall_phn-interview_mic")
    )
    cal = llrcal.fit(*old, method="nig")
    pool = np.concatenate(new)
    there = adaptation(cal, pool, p_target=len(new[0]) / len(pool))
    assert loss(there, *new) < 0.3 * loss(cal, *new)
