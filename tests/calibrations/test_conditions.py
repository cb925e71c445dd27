"""Slopes and offsets by condition: pooled if alike, apart if not, whatever the shares are."""

from __future__ import annotations

import json
import math
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

import llrcal
import llrcal.calibrations
from llrcal.arrays import Array, Floats
from llrcal.calibrations import conditions
from llrcal.calibrations.conditions import _Cells, fitted_conditions
from llrcal.errors import LlrcalWarning, ModelFileError

RNG = np.random.default_rng(7)
SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "model.schema.json").read_text("utf-8"))


def llrs(shift: float, tar: int, non: int) -> tuple[Floats, Floats]:
    """LLRs of Gaussian classes, all of them too high by a shift."""
    return RNG.normal(2 + shift, 2, tar), RNG.normal(-2 + shift, 2, non)


def test_conditions_that_differ_are_told_apart_and_shares_do_not_leak() -> None:
    """The second condition has ten times the share of targets, which must not raise its offset."""
    parts = [llrs(2.0, 300, 3000), llrs(-2.0, 300, 300), llrs(0.0, 300, 1000)]
    tar, non = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    where = [np.repeat(["up", "down", "still"], [len(part[k]) for part in parts]) for k in (0, 1)]
    found = fitted_conditions(tar, non, where[0], where[1], 0.5)
    for name, shift in (("up", 2.0), ("down", -2.0), ("still", 0.0)):
        slope, offset = found.lines[name]
        assert slope == pytest.approx(1, abs=0.2)
        assert offset == pytest.approx(-shift, abs=0.4)


def test_conditions_that_are_alike_are_pooled() -> None:
    tar, non = llrs(0.0, 600, 2000)
    where = [RNG.choice([*"abcdef"], len(side)) for side in (tar, non)]
    found = fitted_conditions(tar, non, where[0], where[1], 0.5)
    every = np.array(list(found.lines.values()))
    assert np.abs(every - found.pooled).max() < 0.1


def test_a_condition_of_few_trials_or_one_class_stays_with_the_others() -> None:
    tar, non = llrs(0.0, 400, 400)
    here: Array = np.where(np.arange(400) < 398, "many", "few")
    there: Array = np.where(np.arange(400) < 200, "many", "alone")
    found = fitted_conditions(tar, non, here, there, 0.5)
    assert found.lines["alone"] == pytest.approx(found.pooled)
    assert found.lines["few"] == pytest.approx(found.pooled)


def test_each_line_is_a_trade_between_its_trials_and_the_prior() -> None:
    """Brute force on the trials themselves, of which the code sees cells."""
    parts = [llrs(shift, 50, 90) for shift in (1.0, -1.0)]
    tar, non = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    mean, covariance = np.array([1.0, 0.2]), np.array([[0.04, 0.02], [0.02, 0.3]])
    which = np.concatenate([np.repeat([0, 1], 50), np.repeat([0, 1], 90)])
    cells = _Cells(tar, non, which, 2, 0.3)
    lines, _ = cells.posteriors(np.tile(mean, (2, 1)), mean, covariance)
    worth, odds = 2 / (0.3 / 50 + 0.7 / 90), np.log(0.3 / 0.7)

    def cost(line: Floats, tar: Floats, non: Floats) -> float:
        x, y = (line[0] * side + line[1] + odds for side in (tar, non))
        mean_cost = 0.3 * np.logaddexp(0, -x).mean() + 0.7 * np.logaddexp(0, y).mean()
        away = line - mean
        return float(worth * mean_cost + away @ np.linalg.solve(covariance, away) / 2)

    for part, line in zip(parts, lines, strict=True):
        assert np.allclose(minimize(cost, mean, part).x, line, atol=1e-3)


@pytest.mark.slow
def test_it_has_converged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds of the prior end where all others would change nothing that matters."""
    parts = [llrs(shift, 60, 150) for shift in (1.0, -1.0, 0.3, 0.0, 2.0)]
    tar, non = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    where = [np.repeat([*"abcde"], count) for count in (60, 150)]
    found = fitted_conditions(tar, non, where[0], where[1], 0.5)
    monkeypatch.setattr(conditions, "_SETTLED", 1e-9)
    monkeypatch.setattr(conditions, "_ROUNDS", 20_000)
    whole = fitted_conditions(tar, non, where[0], where[1], 0.5)
    for name, line in whole.lines.items():
        assert found.lines[name] == pytest.approx(line, abs=0.05)
    assert found.pooled == pytest.approx(whole.pooled, abs=0.02)


def test_an_unseen_condition_gets_the_pooled_line_and_that_is_said() -> None:
    tar, non = llrs(0.0, 100, 200)
    where = RNG.choice(["a, b", "c"], 100), RNG.choice(["a, b", "c"], 200)
    fused = llrcal.fuse(tar, non, condition=where)
    with pytest.warns(LlrcalWarning, match=r"2 of 3 trials .* \('\(none\)', 'new'\): they get"):
        new = fused([1.0, 1.0, 1.0], condition=["new", None, "c"])
    slope, offset = fused.conditions.pooled if fused.conditions else (0.0, 0.0)
    pooled = llrcal.fuse(tar, non)([1.0])[0]
    assert new[:2] == pytest.approx(slope * pooled + offset)


@pytest.mark.parametrize("other", ["1", 1.0, True])
def test_conditions_of_several_types_are_refused(other: object) -> None:
    """They would become one condition, or two, by the way they are written."""
    tar, non = np.linspace(0.0, 3.0, 20), np.linspace(-2.0, 1.0, 20)
    mixed = [1, other] * 10, [1] * 20
    for ask in (
        lambda: llrcal.fit(tar, non, method="logistic", condition=mixed),
        lambda: llrcal.evaluate(tar, non, by=mixed),
    ):
        with pytest.raises(llrcal.ScoreError, match="target conditions are of several types"):
            ask()


@pytest.mark.parametrize("missing", [None, math.nan, pd.NA, pd.NaT])
def test_missing_conditions_are_none(missing: object) -> None:
    tar, non = np.linspace(0.0, 3.0, 20), np.linspace(-2.0, 1.0, 20)
    where = ["a", missing] * 10, ["a"] * 20
    with pytest.raises(llrcal.ScoreError, match="10 of 20 target trials have no condition"):
        llrcal.fit(tar, non, method="logistic", condition=where)
    with pytest.warns(LlrcalWarning, match="10 trials have no condition"):
        assert list(llrcal.evaluate(tar, non, by=where).cells) == [("a",)]


def test_a_calibration_by_condition_is_a_line_on_top_of_the_pooled_one(tmp_path: Path) -> None:
    """And it mends what a pooled one cannot: conditions with scores of their own."""
    tar, non = (np.concatenate([side, side / 3 - 4]) for side in llrs(0.0, 300, 900))
    where = np.repeat(["near", "far"], 300), np.repeat(["near", "far"], 900)
    pooled = llrcal.fit(tar, non, method="logistic")
    cal = llrcal.fit(tar, non, method="logistic", condition=where)
    assert cal.pooled == pooled
    slope, offset = cal.conditions.lines["far"]
    formula = slope * pooled.without_warnings(tar[where[0] == "far"]) + offset
    within = np.abs(formula) < 5
    assert within.any()
    found = cal(tar, condition=where[0])[where[0] == "far"]
    assert np.allclose(found[within], formula[within], rtol=1e-12)
    assert np.abs(cal.answers(tar * 1e6, condition=where[0])[0]).max() < np.log(
        2 * 1801
    )  # as counts allow
    by = llrcal.evaluate(*(cal(s, condition=w) for s, w in zip((tar, non), where, strict=True)))
    assert by.cllr < llrcal.evaluate(pooled(tar), pooled(non)).cllr - 0.05
    cal.save(tmp_path / "by.json")
    assert llrcal.load(tmp_path / "by.json") == cal
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads((tmp_path / "by.json").read_text()))
    with pytest.raises(ModelFileError, match="is a calibration by condition"):
        llrcal.calibrations.load(tmp_path / "by.json")
    with pytest.warns(LlrcalWarning, match="1 of 2 trials are in conditions that were not there"):
        unseen = cal([0.5, 0.5], condition=["near", "roof"])
    assert unseen[1] == pytest.approx(
        cal.conditions.pooled[0] * pooled(0.5) + cal.conditions.pooled[1]
    )
