"""Evaluation by condition: each cell is what it is alone, and averages are those of the cells."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure

import llrcal
from llrcal.errors import LlrcalWarning, OptionError, ScoreError
from llrcal.evaluation import OperatingPoint

RNG = np.random.default_rng(2)
TAR, NON = RNG.normal(2, 2, 300), RNG.normal(-2, 2, 700)
WHERE = RNG.choice(["a, b", "c"], 300), RNG.choice(["a, b", "c"], 700)
POINTS = [OperatingPoint(0.01, 10, 1), OperatingPoint(0.5)]


def test_cells_and_averages_are_those_of_a_direct_computation() -> None:
    ev = llrcal.evaluate(TAR, NON, by=WHERE)
    assert list(ev.cells) == [("a, b",), ("c",)]
    alone = [llrcal.evaluate(TAR[WHERE[0] == c], NON[WHERE[1] == c]) for c in ("a, b", "c")]
    for one, cell in zip(alone, ev.cells.values(), strict=True):
        assert one.to_dict(POINTS) == cell.to_dict(POINTS)
    assert ev.pooled.to_dict(POINTS) == llrcal.evaluate(TAR, NON).to_dict(POINTS)
    assert ev.average["cllr"] == pytest.approx((alone[0].cllr + alone[1].cllr) / 2, rel=1e-15)
    # Costs of averaged rates of error, each cell with the same weight.
    threshold = -POINTS[0].prior_log_odds
    miss = np.mean([(TAR[WHERE[0] == c] < threshold).mean() for c in ("a, b", "c")])
    false = np.mean([(NON[WHERE[1] == c] >= threshold).mean() for c in ("a, b", "c")])
    lines = llrcal.figures.bayes_error(
        ev.by_label, ax=Figure().subplots()
    ).get_legend_handles_labels()[1]
    assert {"pooled", "a, b", "c"} <= set(lines)
    cost = (0.01 * 10 * miss + 0.99 * false) / min(0.1, 0.99)
    assert ev.average_at(POINTS)["act_dcf"][0] == pytest.approx(cost, rel=1e-12)


def test_trials_of_a_file_by_columns_of_the_key(tmp_path: Path) -> None:
    names = [f"t{i}" for i in range(1000)]
    scores = np.concatenate([TAR, NON])
    sex = RNG.choice(["f", "m"], 1000)
    channel = np.concatenate(WHERE)
    pl.DataFrame({"test": names, "score": scores}).write_csv(tmp_path / "llrs.csv")
    key = pl.DataFrame({"test": names, "label": [1] * 300 + [0] * 700, "line": channel, "sex": sex})
    key.sample(fraction=1, shuffle=True, seed=1).write_csv(tmp_path / "key.csv")
    trials = llrcal.read_trials(
        tmp_path / "llrs.csv", tmp_path / "key.csv", keep=["line", "sex"], allow_infinite=True
    )
    ev = llrcal.evaluate(trials, by=["line", "sex"])
    both = np.column_stack([channel, sex])
    again = llrcal.evaluate(TAR, NON, by=(both[:300], both[300:]))
    assert {c: e.cllr for c, e in ev.cells.items()} == {c: e.cllr for c, e in again.cells.items()}
    with pytest.raises(OptionError, match=r"have no column 'age'; read them with keep"):
        llrcal.evaluate(trials, by=["age"])


def test_speakers_stay_with_their_trials() -> None:
    """Intervals of a condition are those of its trials and speakers alone."""
    enrol = RNG.integers(12, size=1000)
    test = (enrol + np.where(np.arange(1000) < 300, 0, RNG.integers(1, 12, 1000))) % 12
    frame = pl.DataFrame(
        {
            "score": [*TAR, *NON],
            "label": [1] * 300 + [0] * 700,
            "enrol_speaker": enrol.astype(str),
            "test_speaker": test.astype(str),
            "line": np.concatenate(WHERE),
        }
    )
    trials = llrcal.read_trials(frame, keep=["line"])
    for (line,), cell in llrcal.evaluate(trials, by=["line"]).cells.items():
        alone = llrcal.evaluate(llrcal.read_trials(frame.filter(line=line)))
        found, expected = (one.intervals((), replicates=39) for one in (cell, alone))
        assert found.by == expected.by == "speaker"
        assert found.to_dict() == expected.to_dict()


def test_missing_conditions_and_cells_of_one_class_are_named() -> None:
    where = (["a"] * 298 + ["c", None], ["a"] * 600 + ["b"] * 100)
    with pytest.warns(LlrcalWarning) as warned:
        ev = llrcal.evaluate(TAR, NON, by=where)
    assert [str(one.message) for one in warned] == [
        "1 trials have no condition: they are in the pooled numbers only",
        "there is nothing to evaluate where one class is missing: b (100 non-targets); c "
        "(1 targets). These trials are in the pooled numbers only",
    ]
    assert list(ev.cells) == [("a",)]
    with pytest.raises(ScoreError, match="no condition of condition 1 has both"):
        llrcal.evaluate(TAR, NON, by=(["a"] * 300, ["b"] * 700))
    with pytest.raises(ScoreError, match=r"target conditions have shape \(2,\)"):
        llrcal.evaluate(TAR, NON, by=(["a"] * 2, ["b"] * 700))
