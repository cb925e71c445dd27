"""The verdict: what it rests on, what it recommends, and when it says that nothing is fit."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.calibrations.bounds import Policy
from llrcal.comparison import Comparison, OperatingPoint, compare
from llrcal.comparison.tables import gravest_first
from llrcal.evaluation.evaluate import evaluate_quietly
from llrcal.evaluation.evaluation import replicates_of
from llrcal.evaluation.measures import Asked
from llrcal.evaluation.statistics import cost_statistic
from llrcal.notes import Note, Severity
from llrcal.report.build import build_report
from llrcal.trials import Trials
from tests.conftest import real_scores

LINE_OR_STEPS = ["logistic", "pav"]


def trials(seed: int, *, tar: int = 500, non: int = 4000, moved: float = 0.0) -> Trials:
    """Scores whose best calibration is a line."""
    rng = np.random.default_rng(seed)
    return Trials(rng.normal(2 + moved, 2, tar), rng.normal(-2, 2, non), f"set {seed}")


@cache
def compared(**options: Any) -> Comparison:
    settings: dict[str, Any] = {"methods": LINE_OR_STEPS, "replicates": 60}
    return compare(trials(1), trials(2), **settings | options)


# --------------------------------------------------------------------------------- criterion


@pytest.mark.slow
def test_the_criterion_is_the_range_unless_points_are_asked_for() -> None:
    points = OperatingPoint(0.1), OperatingPoint(0.3)
    over_range, at_points = compared(), compared(points=points)
    by_cllr = compared(points=points, criterion="cllr")
    ev = over_range.candidates["pav"].evaluation
    values = [c.ranking.values["pav"] for c in (over_range, at_points, by_cllr)]
    x = np.linspace(*over_range.range, 501), [point.prior_log_odds for point in points]
    assert values == pytest.approx([*(ev.bayes_error(one).mean() for one in x), ev.cllr])
    assert "mean Bayes error over prior log-odds" in over_range.verdict.text
    assert "mean Bayes error at p0.1 and p0.3" in at_points.verdict.text
    assert "least Cllr" in by_cllr.verdict.text
    low, high = at_points.ranking.intervals[at_points.verdict.best]
    assert f"(95 % interval {low:.4f} to {high:.4f})" in at_points.verdict.text


def test_one_point_is_called_by_its_name() -> None:
    found = compared(points=(OperatingPoint(0.1),))
    assert "Bayes error at p0.1" in found.verdict.text
    assert "mean" not in found.verdict.text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("eer", "criterion is 'eer'; choose one of points, range, cllr"),
        ("", "criterion is ''"),
        ("points", "none was asked for"),
    ],
)
def test_other_criteria_are_refused(name: str, words: str) -> None:
    with pytest.raises(llrcal.OptionError, match=words):
        compared(criterion=name)


# ------------------------------------------------------------------------------ recommendation


@pytest.mark.slow
def test_of_equals_the_simplest_is_recommended() -> None:
    few = compare(
        trials(1, tar=60, non=400), trials(3, tar=60, non=400), methods=["pav", "nig", "logistic"]
    )
    verdict = few.verdict
    assert {verdict.best, *verdict.equals} == {"pav", "nig", "logistic"}
    assert verdict.recommended == few.recommended == "logistic"
    assert verdict.headline == "Use logistic."
    assert verdict.fit
    assert verdict.reasons == ()
    assert str(verdict) == verdict.text


def test_of_equals_the_default_is_recommended_and_the_text_says_why() -> None:
    few = compare(
        trials(1, tar=60, non=400),
        trials(12, tar=60, non=400),
        methods=["logistic", "smooth", "gaussian"],
        criterion="cllr",
        replicates=60,
    )
    verdict = few.verdict
    assert verdict.best == "logistic"
    assert "smooth" in verdict.equals
    assert (verdict.headline, verdict.recommended) == ("Use smooth.", "smooth")
    assert f"has the least {few.criterion.words}" in verdict.text
    assert "Not distinguishable from it at 95 % (60 draws" in verdict.text
    assert "Of these, smooth is the default" in verdict.text
    command = few.next_command("my results")
    assert command == "llrcal apply 'my results/models/smooth.json' scores.txt -o llrs.txt"
    shown = "<code>llrcal apply models/smooth.json scores.txt -o llrs.txt</code>"
    assert shown in build_report(few)


def test_a_default_that_is_worse_is_not_recommended_and_said_to_be() -> None:
    """Calibrated scores beside the same with much noise, under the name of the default."""
    found = compared(methods=("logistic", "smooth"), criterion="cllr")
    rng = np.random.default_rng(0)
    worse = [llrs + rng.normal(0, 3, len(llrs)) for llrs in trials(2)]
    smooth = replace(found.candidates["smooth"], evaluation=evaluate_quietly(*worse))
    good, bad = replicates_of(
        [found.candidates["logistic"].evaluation, smooth.evaluation],
        partial(cost_statistic, asked=Asked((llrcal.OperatingPoint(0.5),) * 4)),
        60,
    )
    candidates = {
        "logistic": replace(found.candidates["logistic"], replicates=good),
        "smooth": replace(smooth, replicates=bad),
    }
    verdict = replace(found, candidates=candidates).verdict
    assert (verdict.recommended, verdict.equals) == ("logistic", ())
    assert "the next is smooth, by" in verdict.text


def test_a_range_that_is_too_narrow_is_not_judged_by() -> None:
    """30 errors of each kind in hardly more than one place, or nowhere: trials are counted."""
    for tar, words in ((140, "only from -"), (40, "nowhere are there")):
        found = compare(
            trials(1, tar=tar, non=1000), trials(4, tar=tar, non=1000), methods=["logistic"]
        )
        low, high = found.raw.rule_of_30
        assert math.isnan(high) or high - low < 2
        # One false alarm more adds 1/30 to the error at one end, one miss more at the other.
        low, high = found.range
        assert math.exp(-low) / 1000 == pytest.approx(1 / 30)
        assert math.exp(high) / tar == pytest.approx(1 / 30) or (tar, high) == (40, 1.0)
        assert f"over prior log-odds -3.5 to {high:.1f}" in found.verdict.text
        assert f"The range is by the number of trials: {words}" in found.verdict.text
    rng = np.random.default_rng(0)  # classes that do not overlap
    far = [Trials(rng.uniform(20, 30, 10), rng.random(50_000)) for _ in range(2)]
    assert compare(*far, methods=["logistic"], replicates=0).range == (-5.0, 1.0)
    assert compared().range == compared().raw.rule_of_30
    assert "number of trials" not in compared().verdict.text


@pytest.mark.slow
def test_a_method_that_is_truly_worse_is_named_as_such() -> None:
    """Targets far more spread than non-targets: no single variance serves both."""
    rng = np.random.default_rng(0)
    train, test = (
        Trials(rng.normal(4, 3, 3000), rng.normal(-1, 0.7, 9000), "wide") for _ in range(2)
    )
    found = compare(train, test, methods=["linear-gaussian", "pav"])
    verdict = found.verdict
    assert (verdict.best, verdict.equals, verdict.recommended) == ("pav", (), "pav")
    worse = found.ranking.others["linear-gaussian"]
    assert worse.is_seen
    low, high = worse.interval
    assert f"linear-gaussian, by {worse.value:.4f} ({low:.4f} to {high:.4f})" in verdict.text


@pytest.mark.parametrize("replicates", [0, 5])
def test_without_replicates_there_is_no_basis(replicates: int) -> None:
    found = compared(replicates=replicates)
    verdict = found.verdict
    assert verdict.headline == f"Least error: {verdict.best}."
    assert "no telling whether the others differ" in verdict.text
    assert (verdict.equals, verdict.recommended) == ((), verdict.best)


def test_one_method_has_nothing_to_be_compared_with() -> None:
    verdict = compared(methods=("pav",)).verdict
    assert (verdict.headline, verdict.equals) == ("Use pav.", ())
    assert "others" not in verdict.text


# ----------------------------------------------------------------------------------- fitness


@pytest.mark.slow
def test_a_shift_makes_everything_unfit() -> None:
    found = compare(trials(1), trials(2, moved=-2.0))
    verdict = found.verdict
    assert not verdict.fit
    assert verdict.headline == "No calibration here is reliable on the test trials."
    assert [note.code for note in verdict.reasons] == ["calibration loss", "shift", "range"]
    assert verdict.reasons[0].severity is Severity.WARNING
    assert re.search(r"Target scores differ .* functions are up to 0\.\d\d\d apart", verdict.text)
    assert "Calibrate on trials like these." in verdict.text
    assert verdict.text.endswith("see llrcal adapt.")


def test_large_sets_need_no_replicates_to_see_a_shift() -> None:
    train, test = trials(1, tar=5000, non=9000), trials(2, tar=5000, non=9000, moved=-2.0)
    found = compare(train, test, methods=LINE_OR_STEPS, replicates=0)
    assert [note.code for note in found.verdict.reasons] == ["calibration loss", "shift", "range"]
    few = compare(trials(1, tar=50), trials(2, tar=50), methods=LINE_OR_STEPS, replicates=0)
    assert few.verdict.fit


@pytest.mark.slow
def test_few_trials_raise_no_alarm() -> None:
    """Without 30 errors of each kind, the minimum is too optimistic to go by."""
    alarms: list[Note] = []
    for seed in range(20):
        train, test = (trials(100 * i + seed, tar=60, non=400) for i in (1, 2))
        alarms += compare(train, test, methods=LINE_OR_STEPS, replicates=40).verdict.reasons[:1]
    # One wrong LLR of many nats can make an error of more than one of so few trials.
    assert [note.code for note in alarms] in ([], ["no better than the prior"])


@pytest.mark.slow
def test_no_better_than_the_prior_at_a_point_that_was_asked_for() -> None:
    point = OperatingPoint(1e-5)
    asked, unasked = compared(points=(point,)), compared()
    assert unasked.verdict.fit
    assert not asked.verdict.fit
    assert asked.verdict.reasons[0].code == "no better than the prior"
    assert "at p1e-05" in asked.verdict.reasons[0].text
    both = compared(points=(point, OperatingPoint(0.5)), criterion="cllr")
    assert [note.code for note in both.verdict.reasons][:1] == ["no better than the prior"]


def test_scores_that_say_nothing() -> None:
    rng = np.random.default_rng(0)
    noise = [Trials(rng.normal(size=400), rng.normal(size=4000)) for _ in range(2)]
    verdict = compare(*noise, methods=LINE_OR_STEPS).verdict
    assert not verdict.fit
    assert "too little information" in verdict.text


def test_scores_that_run_the_wrong_way() -> None:
    upright = trials(1), trials(2)
    inverted = [one.negated() for one in upright]
    verdict = compare(*inverted, methods=LINE_OR_STEPS, replicates=0).verdict
    assert [note.code for note in verdict.reasons] == ["wrong way"]
    assert not verdict.fit
    assert compare(*inverted, methods=LINE_OR_STEPS, lower_is_better=True).verdict.fit
    said: list[str] = []
    with pytest.raises(llrcal.OptionError, match="targets score lower than non-targets"):
        compare(*inverted, inverted=False, progress=said.append)
    assert said == ["raw scores"]  # before anything is trained
    with pytest.raises(llrcal.OptionError, match="targets score lower"):
        compare(trials(1).negated(), trials(2), methods=["pav"], inverted=False)


def test_classes_apart_are_fit() -> None:
    rng = np.random.default_rng(0)
    apart = [Trials(rng.uniform(1, 2, 300), rng.uniform(-2, -1, 300)) for _ in range(2)]
    verdict = compare(*apart, methods=LINE_OR_STEPS, replicates=40).verdict
    assert verdict.fit


def test_warnings_come_before_notes_and_without_those_that_the_verdict_tells() -> None:
    found = compare(trials(1), trials(2, moved=-2.0), methods=LINE_OR_STEPS)
    assert {note.code for note in found.notes} >= {"shift"}
    warnings, others = gravest_first(found)
    assert not any(note.code == "shift" for note in warnings)
    assert others == sum(note.severity is Severity.INFO for note in found.notes)
    unshifted = replace(found, test=found.train)
    assert len(gravest_first(unshifted)[0]) >= len(warnings)


# -------------------------------------------------------------------------------- real scores


def condition(name: str) -> Trials:
    tar, non = (
        np.load(real_scores("nist_sre08", f"cond_{name}_{kind}.npy")) for kind in ("tar", "non")
    )
    return Trials(tar, non, name)


@pytest.mark.slow
def test_from_phones_to_interviews_nothing_is_fit() -> None:
    phone, interview = "phonecall_phn-phonecall_phn", "interview_mic-interview_mic"
    verdict = compare(condition(phone), condition(interview)).verdict
    assert not verdict.fit
    assert "Target scores differ between training and test" in verdict.text


def test_of_as_many_parameters_the_lesser_error_decides() -> None:
    found = compare(
        trials(1),
        trials(2),
        methods=[("logistic", {"alpha": alpha}) for alpha in (0.3, 0.5, 0.7)],
        replicates=60,
    )
    assert found.recommended == found.verdict.best


def few_speakers(rng: np.random.Generator, speakers: int, factor: float = 1.0) -> Trials:
    """All pairs of five recordings of each speaker, who moves the scores."""
    effect = rng.normal(0, 0.4, speakers)
    who = np.repeat(np.arange(speakers), 5)
    pairs = who[np.column_stack(np.triu_indices(len(who), 1))]
    same = pairs[:, 0] == pairs[:, 1]
    noise = rng.normal(0, 0.85, len(same))
    scores = factor * (np.where(same, 2.0, -2.0) + effect[pairs].sum(axis=1) + noise)
    return Trials(scores[same], scores[~same], "few", pairs[same], pairs[~same])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("speakers", "factor", "bounds", "least", "most"),
    [
        *((speakers, 1.0, "counts", 0, 6) for speakers in (10, 20, 40)),
        # Held at what so many speakers support, tripled LLRs lose little.
        (40, 3.0, "none", 95, 100),
    ],
)
def test_few_speakers_of_one_population_are_not_called_unfit(
    speakers: int, factor: float, bounds: Policy, least: int, most: int
) -> None:
    unfit = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        sets = few_speakers(rng, speakers), few_speakers(rng, speakers, factor)
        found = compare(*sets, methods=["logistic"], bounds=bounds, replicates=0)
        unfit += not found.verdict.fit
    assert least <= unfit <= most


def test_many_trials_of_few_speakers_are_not_called_unfit() -> None:
    """Decisions far beyond what ten speakers support are those of the prior, by design."""
    who = np.repeat(np.arange(10), 40)
    first, second = np.triu_indices(400, 1)
    sets = []
    for rng in map(np.random.default_rng, (1, 2)):
        effect, same = rng.normal(0, 0.2, 10), who[first] == who[second]
        scores = np.where(same, 3.0, -3.0) + effect[who[first]] + effect[who[second]]
        scores += rng.normal(0, 1.5, len(same))
        pairs = np.column_stack([who[first], who[second]])
        sets.append(Trials(scores[same], scores[~same], "many", pairs[same], pairs[~same]))
    assert compare(*sets, methods=["logistic"], replicates=60).verdict.fit
