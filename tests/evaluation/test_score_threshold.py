"""Thresholds for an error-rate, against counting by hand and simulated repetitions."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import llrcal
from llrcal.errors import OptionError
from llrcal.evaluation.evaluate import evaluate_quietly
from tests.cli.running import llrcal as run
from tests.cli.running import only_line

SIDE = st.lists(st.integers(-9, 9).map(lambda n: n + 0.5), min_size=1, max_size=12)
RATE = st.sampled_from([0.01, 0.1, 0.25, 0.29, 0.5, 0.9])


@given(tar=SIDE, non=SIDE, rate=RATE)
def test_thresholds_are_those_of_trying_all(
    tar: list[float], non: list[float], rate: float
) -> None:
    ev = evaluate_quietly(tar, non)
    every = sorted({*tar, *non})
    within = [t for t in every if sum(n >= t for n in non) <= rate * len(non) + 1e-9]
    found = ev.threshold(pfa=rate)
    assert found.value == (within[0] if within else np.nextafter(every[-1], np.inf))
    assert found.false_alarms == sum(n >= found.value for n in non)
    assert (found.pfa, found.pmiss) == (ev.pfa(found.value), ev.pmiss(found.value))
    found = ev.threshold(pmiss=rate)
    assert found.value == max(t for t in every if sum(x < t for x in tar) <= rate * len(tar) + 1e-9)
    assert found.interval[0] <= found.value <= found.interval[1]
    found = ev.threshold()
    reached = [t for t in every if ev.pmiss(t) >= ev.pfa(t)]
    assert found.value == (reached[0] if reached else np.nextafter(every[-1], np.inf))


@pytest.mark.parametrize("side", ["pfa", "pmiss"])
def test_intervals_hold(side: str) -> None:
    """The true threshold of uniform scores is known: 1 - rate, or the rate itself."""
    rng, held = np.random.default_rng(0), 0
    for _ in range(300):
        ev = evaluate_quietly(rng.uniform(size=500), rng.uniform(size=500))
        low, high = ev.threshold(**{side: 0.05}).interval
        held += low <= (0.95 if side == "pfa" else 0.05) <= high
    assert 0.93 <= held / 300 <= 1.0


def test_corners_of_the_roc_have_thresholds() -> None:
    rng = np.random.default_rng(1)
    tar, non = rng.normal(1, 1, 40).round(1), rng.normal(0, 1, 200).round(1)
    ev = evaluate_quietly(tar, non)
    pfa, pmiss = ev.roc()
    at = ev.roc_thresholds()
    assert ev.pfa(at).tolist() == pytest.approx(pfa.tolist())
    assert ev.pmiss(at).tolist() == pytest.approx(pmiss.tolist())


def test_wrong_use() -> None:
    ev = evaluate_quietly([1.0, 2.0], [0.0, 1.5])
    for rates in ({"pfa": 0.0}, {"pmiss": 1.0}, {"pfa": float("nan")}, {"pfa": 0.1, "pmiss": 0.1}):
        with pytest.raises(OptionError):
            ev.threshold(**rates)
    with pytest.raises(OptionError, match="level"):
        ev.threshold(pfa=0.1, level=1.0)


def table(folder: Path, sign: int = 1) -> Path:
    rng = np.random.default_rng(2)
    tar, non = rng.normal(3, 1, 200), rng.normal(0, 1, 5000)
    rows = [(sign * score, 1) for score in tar.tolist()]
    rows += [(sign * score, 0) for score in non.tolist()]
    path = folder / "scores.csv"
    path.write_text("score,label\n" + "".join(f"{score!r},{label}\n" for score, label in rows))
    return path


def test_on_the_command_line(tmp_path: Path) -> None:
    path = table(tmp_path)
    trials = llrcal.read_trials(path)
    found = evaluate_quietly(trials).threshold(pfa=1e-3)
    told = run("decide", path, "--fmr", "1e-3")
    assert told.stdout.startswith("Accept scores >= 3.056\n(FMR 0.001 with 5 false alarms")
    assert 3.056 <= found.value < 3.057
    numbers = json.loads(run("decide", path, "--fmr", "1e-3", "--json").stdout)
    assert (numbers["value"], numbers["interval"]) == (found.value, list(found.interval))
    distances = table(tmp_path, -1)
    numbers = json.loads(run("decide", distances, "--fmr", "1e-3", "--distance", "--json").stdout)
    assert numbers["value"] == -found.value
    assert numbers["accept"] == "scores <= value"
    only_line(run("decide", distances, "--eer"), "targets score lower than non-targets")
    only_line(run("decide", distances, "--distance", "--fmr", "0"), "--fmr is 0.0; give a rate")
    few = run("decide", distances, "--distance", "--fmr", "1e-5", "--json")
    [note] = [one for one in json.loads(few.stdout)["notes"] if one["severity"] == "warning"]
    assert (note["code"], few.stderr.count("warning: these trials are too few")) == (
        "few errors",
        1,
    )


def test_error_rates_of_an_evaluation(tmp_path: Path) -> None:
    path = table(tmp_path)
    document = json.loads(run("evaluate", path, "--error-rates", "--json").stdout)
    rates = document["error_rates"]
    assert [one["false_alarms"] for one in rates] == [50, 5]
    told = " ".join(run("evaluate", path, "--error-rates").stdout.split())
    assert "5,000 non-targets are too few" in told
    low, high = (100 * end for end in rates[0]["pmiss_interval"])
    assert f"{low:.4g} to {high:.4g} %" in told
    assert "intervals take trials to be independent" in told


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--fmr", "1e-3"], "--fmr needs SCORES"),
        (["scores.csv"], "give one of --fmr, --fnmr and --eer"),
        (["scores.csv", "--fmr", "0.1", "--eer"], "give one of --fmr, --fnmr and --eer"),
        (["--p-target", "0.1"], "give --model and --p-target; or SCORES"),
    ],
)
def test_wrong_use_of_decide(options: list[str], words: str) -> None:
    only_line(run("decide", *options), words)


@pytest.mark.parametrize("known", ["pfa", "pmiss", "neither"])
def test_rates_without_each_group_by_hand(known: str) -> None:
    """A jackknife over groups of speakers: rates on the scale of log-odds, thresholds as is."""
    rng = np.random.default_rng(5)
    scores = np.arange(40.0)
    groups = [
        (rng.poisson(np.where(scores > 15, 9, 1)), rng.poisson(np.where(scores < 25, 40, 2)))
        for _ in range(6)
    ]
    total = [sum(side) for side in zip(*groups, strict=True)]
    without = [llrcal.Counts(scores, total[0] - tar, total[1] - non) for tar, non in groups]
    ev = llrcal.evaluate(llrcal.Counts(scores, total[0], total[1], without=tuple(without)))
    alone = llrcal.evaluate(llrcal.Counts(scores, total[0], total[1]))
    asked = {"pfa": {"pfa": 0.05}, "pmiss": {"pmiss": 0.1}, "neither": {}}[known]
    found, plain = ev.threshold(**asked), alone.threshold(**asked)
    assert found.by == "group of speakers"
    assert plain.by == "trial"
    own = [llrcal.evaluate(one).threshold(**asked) for one in without]
    at_value = [llrcal.evaluate(one) for one in without]
    misses, alarms = [one.pmiss for one in own], [one.pfa for one in own]
    if known == "pmiss":
        misses = [one.pmiss(found.value) for one in at_value]
    elif known == "pfa":
        alarms = [one.pfa(found.value) for one in at_value]
    for name, numbers, number in (("pmiss", misses, found.pmiss), ("pfa", alarms, found.pfa)):
        moved = np.log(numbers) - np.log1p(-np.array(numbers))
        reach = stats.t(5).ppf(0.975) * np.sqrt(5 / 6 * np.square(moved - moved.mean()).sum())
        middle = math.log(number / (1 - number))
        ends = 1 / (1 + np.exp(-(middle + np.array([-reach, reach]))))
        independent = getattr(plain, f"{name}_interval")
        expected = min(ends[0], independent[0]), max(ends[1], independent[1])
        assert getattr(found, f"{name}_interval") == pytest.approx(expected)
