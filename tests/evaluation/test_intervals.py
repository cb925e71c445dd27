"""Intervals and bands of an evaluation, against sets that are written down and evaluated."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from llrcal import Evaluation, OperatingPoint, OptionError, ScoreError, Trials, evaluate
from llrcal.arrays import Array, Floats
from llrcal.evaluation.bands import EntropyCells
from llrcal.evaluation.cells import Cells
from llrcal.evaluation.evaluating import evaluated
from llrcal.evaluation.intervals import Intervals
from llrcal.evaluation.percentiles import centred, interval
from llrcal.evaluation.resampling import Resampling
from llrcal.evaluation.speaker_draws import SpeakerDraws
from tests.notes import codes
from tests.oracles import bias_corrected
from tests.trial_sets import normal

RULES = ("brier", (0.5, -0.5))
STRENGTHS = (1.0, 10.0, 100.0, 1000.0)
POINTS = [OperatingPoint(0.1), OperatingPoint(0.5, 3)]
PRIORS, THRESHOLDS = np.linspace(-3, 3, 5), np.array([-2.0, 0.0, 0.5, 3.0])


def of_speakers(seed: int = 0) -> Trials:
    """Rounded LLRs of a few speakers, so that many are tied."""
    rng = np.random.default_rng(seed)
    same = np.repeat(np.arange(8), 5)
    pairs = np.array([(i, j) for i in range(8) for j in range(8) if i != j])
    tar, non = np.round(rng.normal(2, 2, 40)), np.round(rng.normal(-2, 2, 56))
    return Trials(tar, non, "speakers", np.column_stack([same, same]), pairs)


def numbers(ev: Evaluation) -> list[float]:
    """All numbers that have intervals, in their order there."""
    x = [point.prior_log_odds for point in POINTS]
    costs = [ev.cost(rule) for rule in RULES]
    rates = [ev.forensic.misleading(strength) for strength in STRENGTHS]
    return [
        *(ev.cllr, ev.min_cllr, ev.calibration_loss, ev.eer),
        *(*ev.bayes_error(x), *ev.min_bayes_error(x)),
        *(value for cost in costs for value in (cost.actual, cost.minimum, cost.loss)),
        *(value for rate in rates for value in (rate.tar, rate.non)),
    ]


def forensic_numbers(ev: Evaluation) -> list[float]:
    """Those of other forensic figures of merit."""
    expected = ev.forensic.expected_lrs
    return [ev.forensic.dev_pav, expected.llr_tar, expected.llr_non]


def flat(found: Intervals) -> Floats:
    """The same of intervals, one a row."""
    rules = (end for one in found.rules.values() for end in (one.actual, one.minimum, one.loss))
    rates = (end for both in found.misleading for end in both)
    overall = (found.cllr, found.min_cllr, found.calibration_loss, found.eer)
    return np.array([*overall, *found.act_dcf, *found.min_dcf, *rules, *rates])


def curves(ev: Evaluation) -> Floats:
    rates = (*ev.pmiss(THRESHOLDS), *ev.pfa(THRESHOLDS))
    return np.array([*rates, *ev.bayes_error(PRIORS), *ev.cross_entropy(PRIORS)])


def bands(ev: Evaluation, **options: Any) -> Floats:
    found = ev.bands(**options)
    rates = found.rates(THRESHOLDS)
    every = [*rates, found.bayes_error(PRIORS), found.cross_entropy(PRIORS)]
    return np.concatenate([np.column_stack(band) for band in every])


def of_drawn(drawn: Sequence[Evaluation], whole: Evaluation, ask: Any) -> Floats:
    rows = np.array([ask(ev) for ev in drawn])
    return np.array(interval(centred(rows, ask(whole))))


def possible(count: int) -> float:
    """The rate at which so many trials show no error in one of 40 cases."""
    return float(1 - 0.025 ** (1 / count))


def unseen_errors(ev: Evaluation, x: Any) -> Floats:
    """Bayes errors if misses, or else false alarms, have at least the possible rate."""
    x = np.asarray(x)
    pmiss, pfa = ev.pmiss(-x), ev.pfa(-x)
    tar, non = np.exp(np.maximum(x, 0)), np.exp(np.maximum(-x, 0))
    more = np.maximum(pmiss, possible(ev.tar_count)), np.maximum(pfa, possible(ev.non_count))
    return np.maximum(tar * more[0] + non * pfa, tar * pmiss + non * more[1])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")
def test_by_speaker_is_the_evaluation_of_trials_repeated_as_drawn() -> None:
    trials, ev = of_speakers(), evaluate(of_speakers())
    draws: dict[str, Any] = {"replicates": 79, "seed": 3}
    assert trials.tar_speakers is not None
    assert trials.non_speakers is not None
    speakers = SpeakerDraws.of(trials.tar_speakers, trials.non_speakers, **draws).weights.T
    drawn = [
        evaluated(
            np.repeat(trials.tar, times[trials.tar_speakers[:, 0]]),
            np.repeat(trials.non, times[trials.non_speakers].prod(axis=1)),
        )
        for times in speakers
    ]
    found = ev.intervals(POINTS, rules=RULES, forensic=True, **draws)
    assert (found.by, found.level, found.replicates) == ("speaker", 0.95, 79)
    expected = of_drawn(drawn, ev, numbers)
    by_draw = np.transpose([numbers(one) for one in drawn])
    for row in (3, 6, 7):  # EER and minimum costs
        expected[row] = bias_corrected(by_draw[row].tolist(), numbers(ev)[row], 0.95)
    reach = unseen_errors(ev, [point.prior_log_odds for point in POINTS])
    expected[4:6, 1] = np.maximum(expected[4:6, 1], reach)
    for row, count in ((-8, 40), (-7, 56)):  # misleading evidence, the classes in turn
        expected[row::2, 0] = np.minimum(expected[row::2, 0], 1 - possible(count))
        expected[row::2, 1] = np.maximum(expected[row::2, 1], possible(count))
    np.testing.assert_allclose(flat(found), expected, rtol=1e-9, atol=1e-12)
    by_set = np.array([forensic_numbers(one) for one in drawn])
    shifted = by_set - by_set.mean(axis=0) + forensic_numbers(ev)
    shifted[:, 0] = np.maximum(shifted[:, 0], 0)
    assert found.forensic is not None
    ends = np.array(list(vars(found.forensic).values()))
    np.testing.assert_allclose(ends, interval(shifted), rtol=1e-9, atol=1e-12)
    expected = of_drawn(drawn, ev, curves)
    for rows, count in ((slice(0, 4), 40), (slice(4, 8), 56)):
        expected[rows, 0] = np.minimum(expected[rows, 0], 1 - possible(count))
        expected[rows, 1] = np.maximum(expected[rows, 1], possible(count))
    expected[8:13, 1] = np.maximum(expected[8:13, 1], unseen_errors(ev, PRIORS))
    np.testing.assert_allclose(bands(ev, **draws), expected, rtol=1e-9, atol=1e-12)


def test_by_trial_is_every_set_that_can_be_drawn() -> None:
    """Two targets and three non-targets: 4 x 27 sets, each as likely as any other."""
    tar, non = [-0.5, 2.5], [-3.0, -1.0, 1.5]
    sets = itertools.product(itertools.product(tar, repeat=2), itertools.product(non, repeat=3))
    expected = Counter(round(evaluated(*one).cllr, 9) for one in sets)
    cells = Cells.of(np.array(tar), np.array(non), prior_log_odds=np.empty(0))
    rows = Resampling.of(None, replicates=1000, seed=0).numbers(cells)
    seen = Counter(np.round(rows[:, 0], 9).tolist())
    assert seen.keys() == expected.keys()
    for value, ways in expected.items():
        likely = 1000 * ways / 108
        assert abs(seen[value] - likely) < 5 * math.sqrt(likely) + 1


def test_cross_entropies_are_those_of_the_trials_to_four_digits() -> None:
    tar, non = normal(500, 3, 3), normal(2000, -3, 3)
    cells = EntropyCells.of(tar, non, PRIORS)
    found = cells.metrics(cells.tar.counts, cells.non.counts)
    np.testing.assert_allclose(found, evaluate(tar, non).cross_entropy(PRIORS), atol=1e-4)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")
def test_neither_order_nor_threads_change_a_bit(
    known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials, rng = of_speakers(), np.random.default_rng(1)
    tar, non = trials.tar + rng.normal(size=40), trials.non + rng.normal(size=56)

    def asked(at: Array, of: Array) -> tuple[Intervals, bytes]:
        assert trials.tar_speakers is not None
        assert trials.non_speakers is not None
        pairs = (trials.tar_speakers[at], trials.non_speakers[of]) if known else (None, None)
        ev = evaluate(Trials(tar[at], non[of], "moved", *pairs))
        found = ev.intervals(rules=RULES, forensic=True, replicates=39)
        return found, bands(ev, replicates=39).tobytes()

    first = asked(np.arange(40), np.arange(56))
    monkeypatch.setenv("LLRCAL_THREADS", "3")
    assert asked(rng.permutation(40), rng.permutation(56)) == first


@pytest.mark.slow
def test_every_number_lies_in_its_interval_and_every_curve_in_its_band() -> None:
    ev = evaluate(normal(300, 2, 2), normal(3000, -2, 2))
    found = flat(ev.intervals(POINTS, rules=RULES, forensic=True, replicates=199))
    for (low, high), number in zip(found, numbers(ev), strict=True):
        assert low <= number <= high
    forensic = ev.intervals(POINTS, forensic=True, replicates=199).forensic
    assert forensic is not None
    for (low, high), number in zip(vars(forensic).values(), forensic_numbers(ev), strict=True):
        assert low < number < high
    band = bands(ev, replicates=199)
    assert ((band[:, 0] <= curves(ev) + 1e-4) & (curves(ev) <= band[:, 1] + 1e-4)).all()


@pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")
def test_notes_say_what_the_intervals_hide() -> None:
    few = evaluate(normal(49, 2, 2), normal(3000, -2, 2)).intervals(POINTS, replicates=39)
    assert codes(few.notes) == ["by trial", "few drawn", "few errors"]
    assert "only 49 targets" in str(few.notes[1])
    assert "p0.1 (" in str(few.notes[2])
    assert codes(evaluate(of_speakers()).intervals([], replicates=39).notes) == ["few drawn"] * 2
    many = evaluate(normal(3000, 2, 2), normal(3000, -2, 2))
    assert codes(many.intervals(POINTS, replicates=39).notes) == ["by trial"]


def test_plain_values_survive_json() -> None:
    found = evaluate(normal(30, 2, 2), normal(90, -2, 2)).intervals(
        POINTS, rules=RULES, forensic=True, replicates=39
    )
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["cllr"] == list(found.cllr)
    assert plain["min_dcf"] == [list(ends) for ends in found.min_dcf]
    assert plain["rules"]["0.5,-0.5"]["loss"] == list(found.rules["0.5,-0.5"].loss)
    assert plain["misleading"]["non"][1] == list(found.misleading[1][1])
    assert found.forensic is not None
    assert plain["forensic"]["dev_pav"] == list(found.forensic.dev_pav)
    assert plain["notes"] == [note.to_dict() for note in found.notes]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"level": 95}, "level is 95; give a number strictly between 0 and 1"),
        ({"level": 0.999}, r"1,000 replicates cannot show: give at least replicates=1999"),
        ({"replicates": 38}, r"38 replicates cannot show: give at least replicates=39"),
        ({"replicates": 0}, "replicates is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"rules": ["brief"]}, "rule is 'brief'"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        evaluate([1.0, 2.0], [0.0]).intervals(**options)


def test_speakers_must_be_whole_numbers() -> None:
    names = np.array([["ann", "ann"]]), np.array([["ann", "bob"]])
    with pytest.raises(ScoreError, match="pass integers"):
        evaluate(Trials(np.ones(1), np.zeros(1), "names", *names)).intervals()
