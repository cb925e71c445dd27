"""Intervals by leaving out groups of speakers, against formulas and brute force."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

from llrcal import Counts, OperatingPoint, ScoreError
from llrcal.arrays import Array, Floats
from llrcal.evaluation.evaluate import evaluate_quietly
from llrcal.evaluation.jackknife import GROUPS, jackknife
from tests.cli.running import answer, done

SPEAKERS, EACH, GROUP = 40, 4, 10


def test_the_interval_of_a_mean_is_students() -> None:
    """Of a mean, the jackknife's variance is the usual one."""
    values = np.random.default_rng(1).normal(3, 2, 12)
    without = (values.sum() - values) / 11
    found = np.ravel(jackknife(without[:, None], np.array([values.mean()]), 0.9))
    error = values.std(ddof=1) / math.sqrt(12)
    assert found == pytest.approx(student.interval(0.9, 11, values.mean(), error))


def speakers(seed: int) -> tuple[Floats, Array, Array]:
    """Scores of all pairs of utterances, the speakers of both, and whether these are the same."""
    rng = np.random.default_rng(seed)
    where = rng.normal(0, 1, (SPEAKERS, 1, 8)) + rng.normal(0, 0.5, (SPEAKERS, EACH, 8))
    vectors = where.reshape(-1, 8)
    who = np.repeat(np.arange(SPEAKERS), EACH)
    first, second = np.triu_indices(len(who), 1)
    distances = ((vectors[first] - vectors[second]) ** 2).sum(axis=1)
    pairs = np.column_stack([who[first], who[second]])
    return np.round(8 - distances, 2), pairs, pairs[:, 0] == pairs[:, 1]


def counted(scores: Floats, same: Array, **more: Any) -> Counts:
    values, place = np.unique(scores, return_inverse=True)
    sides = (np.bincount(place[kept], minlength=len(values)) for kept in (same, ~same))
    targets, nontargets = sides
    return Counts(values, targets, nontargets, **more)


@pytest.fixture(scope="module")
def counts() -> Counts:
    scores, pairs, same = speakers(2)
    kept = [~(pairs % GROUP == group).any(axis=1) for group in range(GROUP)]
    return counted(scores, same, without=tuple(counted(scores[k], same[k]) for k in kept))


def by_hand(numbers: list[float], number: float, there: Any, back: Any) -> list[float]:
    moved = [there(one) for one in numbers]
    mean = sum(moved) / GROUP
    variance = (GROUP - 1) / GROUP * sum((one - mean) ** 2 for one in moved)
    reach = student.ppf(0.975, GROUP - 1) * math.sqrt(variance)
    return [back(there(number) - reach), back(there(number) + reach)]


def logit(p: float) -> float:
    return math.log(p / (1 - p))


def expit(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def test_intervals_by_hand(counts: Counts) -> None:
    ev = evaluate_quietly(counts)
    every = [evaluate_quietly(one) for one in counts.without]
    point = OperatingPoint(0.2)
    found = ev.intervals([point], rules=["brier"], forensic=True)
    assert (found.by, found.replicates) == (GROUPS, GROUP)
    for name in ("cllr", "min_cllr", "calibration_loss"):
        numbers = [getattr(one, name) for one in every]
        expected = by_hand(numbers, getattr(ev, name), math.log, math.exp)
        assert found[name] == pytest.approx(expected, rel=1e-9)
    rates = by_hand([one.eer for one in every], ev.eer, logit, expit)
    assert found["eer"] == pytest.approx(rates, rel=1e-9)
    x = point.prior_log_odds
    for name, ask in (("act_dcf", "bayes_error"), ("min_dcf", "min_bayes_error")):
        numbers = [getattr(one, ask)(x) for one in every]
        expected = by_hand(numbers, getattr(ev, ask)(x), math.log, math.exp)
        assert found[f"{name}_{point.name}"] == pytest.approx(expected, rel=1e-9)
    for number in ev.numbers([point], rules=["brier"], forensic=True, intervals=found):
        assert number.interval[0] <= number.value <= number.interval[1], number.name


def test_bands(counts: Counts) -> None:
    ev = evaluate_quietly(counts)
    bands = ev.bands()
    assert bands.by == GROUPS
    at = np.array([-2.0, 0.0, 2.0])
    for (low, high), curve in zip(bands.rates(at), (ev.pmiss(at), ev.pfa(at)), strict=True):
        assert (low < curve).all()
        assert (curve < high).all()
    low, high = bands.cross_entropy(at)
    assert (low < ev.cross_entropy(at)).all()
    assert (ev.cross_entropy(at) < high).all()


def test_thresholds(counts: Counts) -> None:
    ev = evaluate_quietly(counts)
    alone = evaluate_quietly(replace(counts, without=()))
    for asked in ({"pfa": 0.01}, {"pmiss": 0.05}, {}):
        found, expected = ev.threshold(**asked), alone.threshold(**asked)
        assert found.value == expected.value
        numbers = [evaluate_quietly(one).threshold(**asked).value for one in counts.without]
        low, high = by_hand(numbers, found.value, float, float)
        assert found.interval[0] == pytest.approx(min(low, expected.interval[0]))
        assert found.interval[1] == pytest.approx(max(high, expected.interval[1]))


def test_without_groups_trials_are_drawn(counts: Counts) -> None:
    found = evaluate_quietly(replace(counts, without=())).intervals(replicates=99)
    assert found.by == "trial"
    assert found.notes[0].code == "by trial"


def test_rates_of_zero_are_taken_as_they_are() -> None:
    low, high = jackknife(np.zeros((5, 1)), np.zeros(1), 0.95, (0.0, 1.0))
    assert (low.tolist(), high.tolist()) == ([0], [0])
    apart = Counts(np.array([-1.0, 1.0]), np.array([0, 50]), np.array([50, 0]))
    whole = replace(apart, without=(apart, apart, apart))
    found = evaluate_quietly(whole.mapped(lambda s: 3 * s)).intervals([OperatingPoint(0.5)])
    assert found["eer"] == pytest.approx((0, 1 - 0.025 ** (1 / 50)))  # what nobody has seen
    assert found["act_dcf_p0.5"][1] > 0.05
    assert "only 3 groups of speakers" in str(found.notes[0])


def test_groups_that_leave_nothing() -> None:
    one = Counts(np.array([-1.0, 1.0]), np.array([0, 5]), np.array([5, 0]))
    none = Counts(np.array([-1.0, 1.0]), np.array([0, 0]), np.array([5, 1]))
    with pytest.raises(ScoreError, match="without has one set; a jackknife needs two or more"):
        replace(one, without=(one,))
    with pytest.raises(ScoreError, match="without group 2 there are no targets"):
        replace(one, without=(one, none))


def test_on_the_command_line(
    counts: Counts, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    counts.save("counts.csv")
    said = done("evaluate counts.csv --intervals --inverted").stdout
    assert f"95 % intervals by a jackknife over {GROUP} groups of speakers" in said
    found = answer("evaluate counts.csv --intervals --inverted")
    assert found["intervals"]["cllr"] == list(evaluate_quietly(counts).intervals()["cllr"])


def test_coverage() -> None:
    """Of other speakers of the same kind; by trial, intervals hold half of the time."""
    truth = []
    for seed in range(100, 130):
        scores, _, same = speakers(seed)
        truth.append(evaluate_quietly(counted(scores, same)).cllr)
    held = []
    for seed in range(140, 180):
        scores, pairs, same = speakers(seed)
        kept = [~(pairs % GROUP == group).any(axis=1) for group in range(GROUP)]
        whole = counted(scores, same, without=tuple(counted(scores[k], same[k]) for k in kept))
        low, high = evaluate_quietly(whole).intervals([])["cllr"]
        held.append(low <= np.mean(truth) <= high)
    assert np.mean(held) >= 0.85  # 95 %, but for chance
