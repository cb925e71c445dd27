"""Systems beside their fusion, and calibrations by condition, in one comparison."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import llrcal
from llrcal.arrays import Array
from llrcal.comparison import compare
from llrcal.errors import OptionError
from llrcal.evaluation.bootstrap import enough_for
from llrcal.figures.table import of_comparison
from llrcal.report.build import build_report
from llrcal.report.data import page_data
from llrcal.trials.request import ReadOptions
from llrcal.trials.systems import Systems, read_systems
from tests.figures.drawing import axes

ALONE: Array = np.arange(900) < 300


def frame(seed: int, *, useless: bool = False) -> pl.DataFrame:
    """Two systems; scores of the first lie higher where the channel is a microphone."""
    rng = np.random.default_rng(seed)
    where = rng.choice(["mic", "phone"], 900)
    cos = rng.normal(np.where(ALONE, 1.2, -1.2), 1) + np.where(where == "mic", 3, 0)
    plda = rng.normal(np.where(ALONE & (not useless), 1.2, -1.2), 1)
    ids = {one: [f"{one[0]}{seed}-{i}" for i in range(900)] for one in ("enrol", "test")}
    columns = {"y": ALONE.astype(int), "line": where, "cos": cos, "plda": plda}
    return pl.DataFrame({**ids, **columns})


def systems(seed: int, **options: Any) -> Systems:
    table = frame(seed, **options)
    columns = {name: (table, name) for name in ("cos", "plda")}
    return read_systems(columns, options=ReadOptions(columns="label=y", keep=["line"]))


def test_systems_are_compared_with_their_fusion_on_the_same_trials() -> None:
    train, test = systems(1), systems(2)
    comparison = compare(train, test, replicates=20, by=["line"])
    assert list(comparison.candidates) == ["cos", "plda", "fusion"]
    fused = llrcal.fuse(*train.split(train.scores), names=train.names)
    expected = llrcal.evaluate(*test.split(fused(test.scores)))
    found = comparison.candidates["fusion"]
    assert found.evaluation.cllr == expected.cllr
    every = [one.evaluation.min_cllr for one in comparison.candidates.values()]
    assert comparison.least(lambda one: one.min_cllr) == min(every) < max(every)
    assert comparison.band_options == {"level": 0.95, "replicates": enough_for(0.95)}
    mic = (test.kept["line"] == "mic").to_numpy()
    llrs = fused(test.scores)
    assert found.by is not None
    alone = llrcal.evaluate(llrs[mic & ALONE], llrs[mic & ~ALONE]).cllr
    assert found.by.cells["mic",].cllr == alone
    # Good on all trials together, and bad for each channel: that is said, and seen on the page.
    assert any(note.code == "bad in a condition" for note in comparison.notes)
    page = build_report(comparison)
    assert f"{alone:.4f}</strong>" in page
    assert '<section id="transforms" hidden' in page


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"learning_curve": True}, "learning_curve is for the scores of one system"),
        ({"lower_is_better": True}, "lower_is_better is for the scores of one system"),
        ({"inverted": False}, "inverted is for the scores of one system"),
        ({"rising": False}, "rising is for the scores of one system"),
        ({"methods": ["pav"]}, "systems are compared by lines"),
        ({"methods": [("logistic", {"rule": "brier"})]}, "systems are compared by lines"),
        ({"points": []}, "points are none: give some, or leave it out"),
    ],
)
def test_options_that_do_not_apply_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        compare(systems(1), systems(2), replicates=0, **options)


def test_what_each_system_adds_is_compared() -> None:
    """Of three systems, one is noise: the fusion of the others does as well."""
    noise = np.random.default_rng(5).normal(0, 1, (900, 1))
    names = ("cos", "plda", "noise")
    train, test = (
        replace(one, names=names, scores=np.hstack([one.scores, shifted]))
        for one, shifted in ((systems(1), noise), (systems(2), noise[::-1]))
    )
    comparison = compare(train, test, replicates=0)
    labels = [*names, "fusion", "without cos", "without plda", "without noise"]
    assert list(comparison.candidates) == labels
    without = comparison.candidates["without noise"].calibration
    two = [side[:, :2] for side in train.split(train.scores)]
    assert without == llrcal.fuse(*two, names=["cos", "plda"])
    said = [note.place for note in comparison.notes if note.code == "adds nothing"]
    assert said == ["noise"]


@pytest.mark.parametrize("where", [0, 400])
def test_a_score_may_be_missing(where: int) -> None:
    """In training, in test and in folds: it is left out of the sum, as in a fusion of patterns."""
    full, other = systems(1), systems(2)
    scores = full.scores.copy()
    scores[where, 0] = np.nan
    holed = replace(full, scores=scores)
    for train, test in ((holed, other), (other, holed)):
        assert np.isfinite(compare(train, test, replicates=0).llrs("fusion").scores).all()
    whole, left = (
        compare(one, folds=5, replicates=0).llrs("fusion").scores for one in (full, holed)
    )
    assert np.abs(left - whole)[np.arange(900) != where].max() < 0.1
    assert np.isfinite(left).all()
    trained = compare(holed, other, replicates=0).candidates["fusion"].calibration
    assert trained == llrcal.fuse(*holed.split(holed.scores), names=holed.names, missing="patterns")


@pytest.mark.parametrize("known", [True, False])
def test_systems_in_folds_are_tested_by_models_of_strangers(known: bool) -> None:
    """Against a plain loop over pairs of folds."""
    found = systems(6)
    rng = np.random.default_rng(0)
    who = rng.integers(0, 12, (900, 2))
    who[ALONE, 1] = who[ALONE, 0]
    trials = replace(found, speakers=who if known else None)
    comparison = compare(trials, folds=4, replicates=0, by=["line"])
    folds = comparison.folds
    assert folds is not None
    assert folds.by == ("speaker" if known else "trial")
    groups = np.empty((900, 2), int)
    groups[ALONE], groups[~ALONE] = folds.tar, folds.non
    alone = {"cos": [0], "plda": [1], "fusion": [0, 1]}
    for label, columns in alone.items():
        llrs = np.full(900, np.nan)
        for pair in {(*one,) for one in groups.tolist()}:
            strangers = ~np.isin(groups, pair).any(axis=1)
            scores = found.scores[:, columns]
            sides = strangers & ALONE, strangers & ~ALONE
            fused = llrcal.fuse(
                *(scores[side] for side in sides),
                names=["a", "b"][: len(columns)],
                speakers=(who[sides[0]], who[sides[1]]) if known else None,
            )
            mine = (groups == pair).all(axis=1)
            llrs[mine], _ = fused.answers(scores[mine])
        answer = comparison.llrs(label)
        np.testing.assert_array_equal(answer.scores, llrs)
        assert comparison.candidates[label].evaluation.cllr == llrcal.evaluate(answer).cllr
    assert np.array_equal(comparison.test.scores, comparison.llrs("fusion").scores)
    assert comparison.candidates["fusion"].calibration == llrcal.fuse(
        *found.split(found.scores),
        names=found.names,
        speakers=found.split(who) if known else None,
    )
    page = build_report(comparison)
    assert f"cross-validated in 4 folds, dealt by {folds.by}" in page
    with pytest.raises(OptionError, match="there is no calibration 'pav'; choose one of cos, plda"):
        comparison.llrs("pav")
    with pytest.raises(OptionError, match="here are others to test on"):
        compare(trials, trials, folds=4)
    with pytest.raises(OptionError, match="there are no trials to test on"):
        compare(trials)


def test_minima_and_the_det_plot_are_those_of_every_system() -> None:
    """A fusion that is worse than one of its systems has a greater minimum as well."""
    train, test = systems(3, useless=True), systems(4, useless=True)
    comparison = compare(train, test, replicates=19, criterion="cllr")
    alone = {label: one.evaluation for label, one in comparison.candidates.items()}
    cos = alone["cos"]
    assert comparison.least(lambda ev: ev.min_cllr) == cos.min_cllr < alone["fusion"].min_cllr
    assert comparison.verdict.best == "cos"
    assert f"{100 * (cos.cllr / cos.min_cllr - 1):.1f} % above" in comparison.verdict.text
    (*_, at_even) = page_data(comparison)["minimum"]  # the last of the operating points
    assert at_even == min(ev.min_bayes_error(0.0) for ev in alone.values())
    drawn = of_comparison(comparison)["det"]
    labels = {str(line.get_label()) for line in drawn(ax=axes()).get_lines()}
    assert labels >= {"cos", "plda", "fusion"}


def test_it_is_said_that_a_fusion_does_not_beat_the_best_system() -> None:
    """With a few training trials, what noise adds is harm."""
    train, test = systems(3, useless=True), systems(4, useless=True)
    few = np.arange(900) % 30 == 0
    assert train.is_target is not None
    part = replace(
        train, scores=train.scores[few], is_target=train.is_target[few], kept=train.kept.filter(few)
    )
    comparison = compare(part, test, replicates=0)
    single = comparison.candidates["cos"].evaluation.cllr
    fused = comparison.candidates["fusion"].evaluation.cllr
    assert fused > single
    (said,) = (note.text for note in comparison.notes if note.code == "not better")
    assert said.endswith(f"cos: Cllr {fused:.4f} against {single:.4f}")


def test_folds_know_the_conditions_of_their_trials() -> None:
    """Columns that were kept go with the trials that are dealt."""
    trials = llrcal.read_trials(frame(5), columns={"score": "cos", "label": "y"}, keep=["line"])
    comparison = compare(trials, folds=3, methods=["logistic"], replicates=0, by="line")
    by = comparison.candidates["logistic"].by
    assert by is not None
    mic = (trials.kept["line"] == "mic").to_numpy() if trials.kept is not None else ALONE
    assert by.cells["mic",].tar_count == (mic & ALONE).sum()
    assert by.cells["mic",].min_cllr < 0.9 * by.pooled.min_cllr
    assert by.bad
