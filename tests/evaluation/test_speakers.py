"""Tables of speakers, against counting by hand."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.random import Generator

from llrcal import Trials, evaluate
from llrcal.arrays import Array
from llrcal.errors import OptionError, ScoreError
from llrcal.evaluation.evaluate import evaluate_quietly
from tests.beyond_memory import open_trials

NAMES = np.array([f"person {i}" for i in range(40)], dtype=object)


def people(rng: Generator, speakers: int = 40) -> tuple[Array, Array, Array, Array]:
    """LLRs of targets and non-targets, and who speaks; the first eighth of them score low."""
    same = rng.choice(speakers, 400)
    both = rng.choice(speakers, (2_500, 2))
    both = both[both[:, 0] != both[:, 1]]
    tar = 3 + rng.standard_normal(len(same)) - 2 * (same < speakers // 8)
    return tar, rng.standard_normal(len(both)) - 3, np.column_stack([same, same]), both


def table_of(tar: Array, non: Array, same: Array, both: Array) -> pl.DataFrame:
    return evaluate_quietly(Trials(tar, non, "drawn", same, both, allow_infinite=True)).speakers()


def counted(trials: Trials) -> dict[Any, dict[str, list[float]]]:
    """Costs and LLRs of each speaker, trial by trial."""
    found: dict[Any, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    assert trials.speakers is not None
    sides = zip((trials.tar, trials.non), trials.speakers, ("tar", "non"), (-1, 1), strict=True)
    for llrs, speakers, name, sign in sides:
        for llr, pair in zip(llrs.tolist(), speakers.tolist(), strict=True):
            cost = math.log1p(math.exp(sign * llr)) / len(llrs)
            for who in {*pair}:
                found[who][name].append(llr)
                found[who]["cost"].append(cost / len({*pair}))
    return found


def test_the_table_is_that_of_counting() -> None:
    tar, non, same, both = people(np.random.default_rng(0))
    both[0, 1] = both[0, 0]  # a non-target trial of one speaker
    trials = Trials(tar, non, "drawn", same, both, speaker_names=NAMES)
    table = evaluate_quietly(trials).speakers()
    by_hand = counted(trials)
    total = sum(sum(one["cost"]) for one in by_hand.values())
    assert table.height == len(by_hand)
    assert table["share"].is_sorted(descending=True)
    assert table["share"].sum() == pytest.approx(1)
    for row in table.to_dicts():
        one = by_hand[NAMES.tolist().index(row["speaker"])]
        assert (row["tar_count"], row["non_count"]) == (len(one["tar"]), len(one["non"]))
        assert row["llr_tar"] == pytest.approx(np.mean(one["tar"]))
        assert row["llr_non"] == pytest.approx(np.mean(one["non"]))
        assert row["share"] == pytest.approx(sum(one["cost"]) / total)


def test_speakers_of_one_class_and_infinite_llrs() -> None:
    same = np.repeat([[0, 0], [1, 1], [2, 2], [3, 3]], 2, axis=0)
    both = np.array([[0, 1], [1, 2], [2, 9], [9, 0], [3, 0]])
    tar = np.array([1.0, 2.0, -math.inf, 3.0, math.inf, -math.inf, 2.0, 2.5])
    non = np.array([-1.0, -2.0, -math.inf, 0.5, -4.0])
    rows = {row["speaker"]: row for row in table_of(tar, non, same, both).to_dicts()}
    assert (rows[9]["tar_count"], rows[9]["llr_tar"]) == (0, None)
    assert rows[1]["llr_tar"] == -math.inf
    assert rows[2]["llr_tar"] is None  # infinite on both sides
    # Beside two infinite costs, others are nothing.
    assert [rows[who]["share"] for who in (0, 1, 2, 3, 9)] == [0, 0.5, 0.5, 0, 0]


def test_order_does_not_matter() -> None:
    tar, non, same, both = people(np.random.default_rng(2))
    table = table_of(tar, non, same, both)
    rng = np.random.default_rng(3)
    first, second = rng.permutation(len(tar)), rng.permutation(len(non))
    again = table_of(tar[first], non[second], same[first], both[second])
    assert again.equals(table)


def test_what_cannot_be_told(tmp_path: Any) -> None:
    with pytest.raises(OptionError, match="speakers are not known"):
        evaluate_quietly([1.0, 2.0], [-1.0, 0.0]).speakers()
    two = Trials(np.ones(1), -np.ones(1), "two", np.array([[0, 1]]), np.array([[0, 1]]))
    with pytest.raises(ScoreError, match="1 target trials have two speakers"):
        evaluate(two).speakers()
    pl.DataFrame({"llr": [1.0, -1.0], "label": [1, 0]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(OptionError, match="tables of speakers need all LLRs in memory"):
        evaluate_quietly(open_trials(tmp_path / "a.parquet")).speakers()
