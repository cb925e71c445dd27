"""Intervals and bands of an evaluation, against sets that are written down and evaluated."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from llrcal import Evaluation, OperatingPoint, OptionError, Trials, evaluate
from llrcal.arrays import Array, Floats
from llrcal.evaluation.bootstrap import Bootstrap
from llrcal.evaluation.evaluate import evaluate_quietly
from llrcal.evaluation.intervals import Intervals
from tests.notes import codes
from tests.oracles import bias_corrected
from tests.trial_sets import ANY, Sets, normal

RULES = ("brier", "log")
POINTS = [OperatingPoint(0.1), OperatingPoint(0.5, 3)]
PRIORS, THRESHOLDS = np.linspace(-3, 3, 5), np.array([-2.0, 0.0, 0.5, 3.0])


def of_speakers(seed: int = 0) -> Trials:
    """Rounded LLRs of a few speakers, so that many are tied."""
    rng = np.random.default_rng(seed)
    same = np.repeat(np.arange(8), 5)
    pairs = np.array([(i, j) for i in range(8) for j in range(8) if i != j])
    tar, non = np.round(rng.normal(2, 2, 40)), np.round(rng.normal(-2, 2, 56))
    return Trials(tar, non, "speakers", np.column_stack([same, same]), pairs)


ASKED: dict[str, Any] = {"rules": RULES, "forensic": True}


def numbers(ev: Evaluation) -> dict[str, float]:
    """All numbers that have intervals, by name."""
    return {number.name: number.value for number in ev.numbers(POINTS, **ASKED)}


def flat(found: Intervals) -> Floats:
    """Intervals, one a row."""
    return np.array([*found.numbers.values()])


def curves(ev: Evaluation) -> Floats:
    rates = (*ev.pmiss(THRESHOLDS), *ev.pfa(THRESHOLDS))
    return np.array([*rates, *ev.bayes_error(PRIORS), *ev.cross_entropy(PRIORS)])


def bands(ev: Evaluation, **options: Any) -> Floats:
    found = ev.bands(**options)
    rates = found.rates(THRESHOLDS)
    every = [*rates, found.bayes_error(PRIORS), found.cross_entropy(PRIORS)]
    return np.concatenate([np.column_stack(band) for band in every])


def possible(count: int, level: float) -> float:
    """The rate at which so many trials show no error in one of 40 cases, at 95 %."""
    return float(1 - ((1 - level) / 2) ** (1 / count))


def unseen_errors(ev: Evaluation, x: Any, level: float = 0.95) -> Floats:
    """Bayes errors if misses, or else false alarms, have at least the possible rate."""
    x = np.asarray(x)
    pmiss, pfa = ev.pmiss(-x), ev.pfa(-x)
    tar, non = np.exp(np.maximum(x, 0)), np.exp(np.maximum(-x, 0))
    misses = np.maximum(pmiss, unseen(pmiss, ev.tar_count, 8 if ev.knows_speakers else 0, level))
    alarms = np.maximum(pfa, unseen(pfa, ev.non_count, 28 if ev.knows_speakers else 0, level))
    return np.maximum(tar * misses + non * pfa, tar * pmiss + non * alarms)


def unseen(rates: Any, count: int, of_speakers: int, level: float) -> Floats:
    """Rates that are possible; where there is no error, for as many trials as speakers make."""
    least = possible(min(count, of_speakers or count), level)
    return np.where(np.asarray(rates) == 0, least, possible(count, level))


def reach(ends: Floats, rates: Any, count: int, of_speakers: int, level: float) -> None:
    """Widen intervals of rates by what may happen to so many trials, and did not."""
    rates = np.asarray(rates)
    ends[:, 0] = np.minimum(ends[:, 0], 1 - unseen(1 - rates, count, of_speakers, level))
    ends[:, 1] = np.maximum(ends[:, 1], unseen(rates, count, of_speakers, level))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")
@pytest.mark.parametrize(("replicates", "level", "rank"), [(79, 0.95, 2), (39, 0.9, 2)])
def test_by_speaker_is_the_evaluation_of_trials_repeated_as_drawn(
    replicates: int, level: float, rank: int
) -> None:
    """Each trial is written down as often as it counts, and the lists are evaluated."""
    trials, ev = of_speakers(), evaluate(of_speakers())
    draws: dict[str, Any] = {"replicates": replicates, "seed": 3}
    assert trials.tar_speakers is not None
    assert trials.non_speakers is not None
    _, weights = Bootstrap(replicates, 3, trials.speakers).drawn_speakers
    drawn = [
        evaluate_quietly(
            np.repeat(trials.tar, times[trials.tar_speakers[:, 0]]),
            np.repeat(trials.non, times[trials.non_speakers].prod(axis=1)),
        )
        for times in weights.T
    ]

    def expected_of(rows: Floats, actual: Floats) -> Floats:
        ordered = np.sort(rows - rows.mean(axis=0) + actual, axis=0)
        return np.column_stack([ordered[rank - 1], ordered[-rank]])

    found = ev.intervals(POINTS, **ASKED, level=level, **draws)
    assert (found.by, found.level, found.replicates) == ("speaker", level, replicates)
    rows = [numbers(one) for one in drawn]
    costs = unseen_errors(ev, [point.prior_log_odds for point in POINTS], level)
    reached = {f"act_dcf_{point.name}": cost for point, cost in zip(POINTS, costs, strict=True)}
    for name, number in numbers(ev).items():
        column = np.array([[row[name]] for row in rows])
        if name == "eer" or name.startswith("min_dcf"):
            ends = np.array([bias_corrected(column[:, 0].tolist(), number, level)])
        else:
            ends = expected_of(column, np.array([number]))
        if not name.startswith("log10"):
            ends = np.maximum(ends, 0)
        ends[:, 1] = np.maximum(ends[:, 1], reached.get(name, -math.inf))
        if name.startswith("misleading"):
            counts = (40, 8) if "tar" in name else (56, 28)
            reach(ends, [number], *counts, level)
        np.testing.assert_allclose(found[name], ends[0], rtol=1e-9, atol=1e-12, err_msg=name)
    shown = np.array([curves(one) for one in drawn])
    expected = np.maximum(expected_of(shown, curves(ev)), 0)
    for part, count, few in ((slice(0, 4), 40, 8), (slice(4, 8), 56, 28)):
        reach(expected[part], curves(ev)[part], count, few, level)
    expected[8:13, 1] = np.maximum(expected[8:13, 1], unseen_errors(ev, PRIORS, level))
    np.testing.assert_allclose(bands(ev, level=level, **draws), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.slow
def test_closed_forms() -> None:
    """By trial, Cllr varies like a mean of costs."""
    tar, non = normal(1000, 2, 2), normal(10_000, -2, 2)
    low, high = evaluate(tar, non).intervals(POINTS, replicates=999)["cllr"]
    variance = np.logaddexp(0, -tar).var() / 1000 + np.logaddexp(0, non).var() / 10_000
    deviation = math.sqrt(variance) / math.log(4)
    assert (high - low) / (2 * 1.959964) == pytest.approx(deviation, rel=0.1)


# ------------------------------------------------------------------------ simple cases


@pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")
@given(sets=ANY)
def test_any_trials_have_intervals(sets: Sets) -> None:
    """Tiny, tied, separable or infinite: ends in order, and within what is possible."""
    tar, non = (np.array(side) for side in sets)
    same, others = (
        np.arange(len(side))[:, None] + [0, more] for side, more in ((tar, 0), (non, 1))
    )
    for tar_speakers, non_speakers in ((None, None), (same, others)):
        trials = Trials(tar, non, "", tar_speakers, non_speakers, allow_infinite=True)
        found = evaluate_quietly(trials).intervals(POINTS, replicates=5, level=0.5)
        ends = flat(found)
        assert not np.isnan(ends).any()
        assert (ends[:, 0] <= ends[:, 1]).all()
        assert (ends >= 0).all()
        assert found["min_cllr"][1] <= 1 + 1e-14
        assert found["eer"][1] <= 0.5


def test_separable_classes_stay_separable() -> None:
    found = evaluate([1.0, 2.0, 3.0], [0.5, -1.0]).intervals(POINTS, forensic=True, replicates=99)
    assert np.isnan(found["dev_pav"]).all()
    # But two non-targets say little of others: a rate of 1 - 0.025^(1/2) would go unseen.
    assert [found[name] for name in ("eer", "min_dcf_p0.1")] == [(0, 0.5), (0, 1)]
    assert found["min_cllr"] == pytest.approx((0, 0.9160), abs=1e-4)
    low, high = found["cllr"]
    assert 0 < low < high == found["min_cllr"][1]


@pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")
def test_a_wrong_infinite_llr_makes_the_upper_end_infinite() -> None:
    """It is missing from a third of the draws, and Cllr is finite there."""
    found = evaluate([-math.inf, *range(10)], [-1.0, -math.inf]).intervals([], replicates=99)
    assert 0 < found["cllr"][0] < math.inf == found["cllr"][1]
    assert found["calibration_loss"][0] < math.inf == found["calibration_loss"][1]
    assert not any("dcf" in name for name in found.numbers)
    right = evaluate([math.inf, 1.0, 2.0], [-1.0, -math.inf]).intervals([], replicates=99)
    assert 0 <= right["cllr"][0] < right["cllr"][1] < 1


@pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")
def test_the_seed_decides() -> None:
    for trials in (of_speakers(), Trials(of_speakers().tar, of_speakers().non)):
        ev = evaluate(trials)
        first, again, other = (ev.intervals(POINTS, replicates=39, seed=seed) for seed in (1, 1, 2))
        assert first == again
        assert (flat(first) != flat(other)).any()


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")
def test_neither_order_nor_threads_change_a_bit(
    known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials, rng = of_speakers(), np.random.default_rng(1)
    tar, non = trials.tar + rng.normal(size=40), trials.non + rng.normal(size=56)
    speakers = trials.speakers

    def asked(at: Array, of: Array) -> tuple[Intervals, bytes]:
        pairs = (speakers[0][at], speakers[1][of]) if known and speakers else (None, None)
        ev = evaluate(Trials(tar[at], non[of], "moved", *pairs))
        found = ev.intervals(rules=RULES, forensic=True, replicates=39)
        return found, bands(ev, replicates=39).tobytes()

    first = asked(np.arange(40), np.arange(56))
    monkeypatch.setenv("LLRCAL_THREADS", "3")
    assert asked(rng.permutation(40), rng.permutation(56)) == first


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
    plain = found.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["min_dcf"] == [list(found[f"min_dcf_{point.name}"]) for point in POINTS]
    assert plain["rules"]["log"]["loss"] == list(found["cost_loss_log"])
    assert plain["forensic"]["misleading"]["non"][1] == list(found["misleading_non_10"])
    assert plain["forensic"]["expected"]["log10_lr_tar"] == list(found["log10_lr_tar"])
    assert plain["notes"] == [note.to_dict() for note in found.notes]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"level": 95}, "level is 95; give a number strictly between 0 and 1"),
        ({"level": 0.999}, r"1,000 replicates cannot show: give at least replicates=1999"),
        ({"replicates": 38}, r"38 replicates cannot show: give at least replicates=39"),
        ({"level": math.nan}, "level is nan"),
        ({"replicates": 0}, "replicates is 0"),
        ({"replicates": 2.5}, "replicates is 2.5"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": None}, "seed is None"),
        ({"rules": ["brief"]}, "rule is 'brief'"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        evaluate([1.0, 2.0], [0.0]).intervals(**options)
