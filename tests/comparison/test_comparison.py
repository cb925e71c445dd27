"""A comparison says of each calibration what evaluate says, and warns of what is odd."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import llrcal
from llrcal.comparison import Comparison, OperatingPoint, compare
from llrcal.comparison.checks import bends, score_range
from llrcal.comparison.tables import metrics
from llrcal.method_table import methods_to_compare
from llrcal.notes import Severity
from llrcal.report.metrics_table import metrics_table
from llrcal.trials import Trials


def trials(seed: int, tar: int = 400, non: int = 20_000, shift: float = 0.0) -> Trials:
    rng = np.random.default_rng(seed)
    return Trials(rng.normal(3 + shift, 1.3, tar), rng.gamma(4, 0.7, non) - 4, f"set {seed}")


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(trials(1), trials(2), replicates=20)


@pytest.mark.slow
def test_the_papers_ten_and_smooth_are_compared(comparison: Comparison) -> None:
    ten = llrcal.fit_all([0.5, 1, 2, 4, 7], [0.0, 1, 2, 3, 5])
    assert {"smooth", *ten} <= {*comparison.candidates}
    for label, candidate in comparison.candidates.items():
        options: dict[str, Any] = {} if candidate.alpha is None else {"alpha": candidate.alpha}
        method: Any = candidate.method
        alone = llrcal.fit(comparison.train.tar, comparison.train.non, method=method, **options)
        ev = llrcal.evaluate(alone(comparison.test.tar), alone(comparison.test.non))
        assert candidate.label == label
        assert candidate.evaluation.cllr == ev.cllr
        assert candidate.evaluation.eer == ev.eer


def test_rows_hold_the_numbers_of_evaluate(comparison: Comparison) -> None:
    rows = metrics(comparison)
    assert list(rows[0])[:2] == ["method", "alpha"]
    assert {"cllr", "min_cllr", "calibration_loss", "eer", "mean_error"} < {*rows[0]}
    weights = [(row["method"], row["alpha"]) for row in rows]
    assert {("smooth", ""), ("linear-gaussian", "empirical"), ("nig", "")} <= {*weights}
    for row, candidate in zip(rows, comparison.candidates.values(), strict=True):
        ev = candidate.evaluation
        assert row["cllr"] == ev.cllr
        assert row["mean_error"] == comparison.mean_errors[candidate.label]
        assert row["act_dcf_p0.01"] == ev.act_dcf(0.01)
        assert row["min_dcf_p0.5"] == ev.min_dcf(0.5)
        assert float(row["cllr_low"]) <= float(row["cllr"]) <= float(row["cllr_high"])


def test_it_is_said_that_intervals_by_trial_are_too_narrow() -> None:
    """A warning where ids show it, a note where it may be so; neither if speakers are known."""
    rng = np.random.default_rng(0)
    labels, scores = rng.random(300) < 0.3, rng.normal(size=300)
    rows = {"score": scores + 2 * labels, "label": labels.astype(int)}
    train = trials(1)
    ids = {"enrol": [f"m{i % 40}" for i in range(300)], "test": [f"t{i}" for i in range(300)]}
    single = {"enrol": [f"m{i}" for i in range(300)], "test": ids["test"]}
    others = [f"m{(i + (not is_target)) % 40}" for i, is_target in enumerate(labels)]
    who = ids | {"enrol_speaker": ids["enrol"], "test_speaker": others}
    named, unnamed, once, known = (
        llrcal.read_trials(pl.DataFrame(rows | more)) for more in (ids, {}, single, who)
    )
    found = []
    for one in (named, unnamed, once, known):
        comparison = compare(train, one, methods=["logistic"], replicates=19)
        found.append([note for note in comparison.notes if note.code == "by trial"])
    assert [[note.severity for note in notes] for notes in found] == [
        [Severity.WARNING],
        [Severity.INFO],
        [Severity.INFO],
        [],
    ]
    assert "the intervals are too narrow, since 'm0' has several trials" in found[0][0].text
    folded = compare(named, folds=2, methods=["logistic"], replicates=19)
    assert found[0][0] in folded.notes
    assert found[0][0] not in compare(train, named, methods=["logistic"], replicates=0).notes


@pytest.mark.slow
def test_scoring_rules_are_compared_like_weights() -> None:
    methods = methods_to_compare([0.5], ["log", "brier"])
    found = compare(trials(1), trials(2), methods=methods, replicates=20)
    labels = ["logistic-0.5", "logistic-0.5-brier"]
    assert [label for label in found.candidates if label.startswith("logistic")] == labels
    rows = dict(zip(found.candidates, metrics(found), strict=True))
    assert [rows[label]["rule"] for label in (*labels, "pav")] == ["", "brier", ""]
    assert found.candidates["logistic-0.5-brier"].calibration == llrcal.fit(
        *found.train, method="logistic", alpha=0.5, rule="brier"
    )
    page = metrics_table(found)
    for label, row in rows.items():
        cost = found.candidates[label].evaluation.cost("brier")
        assert (row["cost_brier"], row["min_cost_brier"]) == (cost.actual, cost.minimum)
        low, high = row["cost_brier_low"], row["cost_brier_high"]
        assert float(low) <= float(row["cost_brier"]) <= float(high)
        assert f"<small>{low:.4f}&nbsp;to {high:.4f}</small>" in page


def kinds(found: Comparison) -> set[tuple[str, str]]:
    return {(note.code, note.place) for note in found.notes}


def test_a_transform_that_bends_is_found() -> None:
    rng = np.random.default_rng(0)
    wide, other = (Trials(rng.normal(1, 3, 500), rng.normal(0, 1, 5000)) for _ in range(2))
    found = compare(wide, other, methods=["gaussian", "logistic"], replicates=0)
    assert ("held", "gaussian") in kinds(found)
    assert ("held", "logistic") not in kinds(found)
    assert ("not monotone", "gaussian") not in kinds(found)  # for it is held
    plain = llrcal.fit(wide.tar, wide.non, method="gaussian", rising=False)
    (bend,) = bends(plain, wide, other)
    assert bend.code == "not monotone"


def test_what_is_odd_about_the_test_trials_is_found() -> None:
    train, test = trials(1), trials(2)
    further = Trials(np.append(test.tar + 1.0, 50.0), test.non)
    points = [OperatingPoint(1e-6), OperatingPoint(1e-5), OperatingPoint(0.5)]
    found = compare(train, further, methods=["pav"], points=points, replicates=0)
    told = {note.code: note.text for note in found.notes}
    assert "lie outside the range of the training scores" in told["range"]
    assert told["shift"].startswith("target")
    [few] = [note.text for note in found.notes if note.code == "rule of 30"]
    assert few.startswith("at p1e-06, p1e-05, ")
    tar, non = (np.clip(side, *score_range(train)) for side in test)
    within = Trials(tar, non)
    same = compare(train, within, methods=["pav"], replicates=0)
    assert not any(kind in {"range", "shift"} for kind, _ in kinds(same))


@pytest.mark.slow
def test_the_paper_has_plain_formulas() -> None:
    found = compare(
        *(trials(i) for i in (1, 2)),
        methods=llrcal.PAPER,
        bounds="none",
        rising=False,
        replicates=0,
    )
    plain = llrcal.fit_all(trials(1), bounds="none", rising=False)
    assert list(found.candidates) == list(plain)
    assert {label: one.calibration for label, one in found.candidates.items()} == plain


def test_other_points_and_methods() -> None:
    point = OperatingPoint(0.01, c_miss=10)
    found = compare(trials(1), trials(2), methods=["pav"], points=[point], replicates=0)
    (row,) = metrics(found)
    assert row["act_dcf_p0.01-miss10-fa1"] == found.candidates["pav"].evaluation.act_dcf(0.01, 10)
    assert "cllr_low" not in row
    with pytest.raises(llrcal.OptionError, match="p_target"):
        OperatingPoint(1.5)
