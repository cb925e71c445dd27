"""Copies of training trials are refused as test trials, and independent sets never are."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import llrcal
from llrcal import OptionError, TrialFileError, Trials
from llrcal.arrays import Array
from llrcal.trials.request import ReadOptions
from llrcal.trials.systems import Systems, read_systems
from tests.cli.running import llrcal as command

Pair = tuple[Array, Array]
WORDS = "a calibration tested on its own training trials looks better than it is"
QUICK: dict[str, Any] = {"methods": ["logistic"], "replicates": 0}


def drawn(seed: int, tar: int = 60, non: int = 600) -> Pair:
    rng = np.random.default_rng(seed)
    return rng.normal(2, 2, tar), rng.normal(-2, 2, non)


def both(change: Callable[[Array], Array]) -> Callable[[Pair], Pair]:
    return lambda sides: (change(sides[0]), change(sides[1]))


def partly(share: float) -> Callable[[Pair], Pair]:
    """Training trials for a share of the test trials."""

    def mixed(sides: Pair) -> Pair:
        new = drawn(9)
        for old, side in zip(sides, new, strict=True):
            count = round(share * len(side))
            side[:count] = old[:count]
        return new

    return mixed


def single(side: Array) -> Array:
    return side.astype(np.float32)


COPIES: dict[str, Callable[[Pair], Pair]] = {
    "as they are": both(np.copy),
    "sorted": both(np.sort),
    "shuffled": both(np.random.default_rng(0).permutation),
    "single floats": both(single),
    "six digits": both(lambda side: np.array([float(f"{score:.6g}") for score in side])),
    "60 %": partly(0.6),
    "60 % in single floats": lambda sides: both(single)(partly(0.6)(sides)),
}


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES.keys())
def test_copies_without_ids_are_refused(copy: Callable[[Pair], Pair]) -> None:
    train, test = Trials(*drawn(1)), Trials(*copy(drawn(1)), "the copy")
    for tested in (
        lambda: llrcal.compare(train, test, **QUICK),
        lambda: llrcal.compare(train, test, lower_is_better=True, inverted=True, **QUICK),
        lambda: llrcal.validate(train, test, replicates=99),
        lambda: llrcal.learning_curve(train, test, methods=["logistic"], draws=1),
    ):
        with pytest.raises(OptionError, match=rf"660 test trials \(the copy\) have .*{WORDS}"):
            tested()


def levels(sides: Pair) -> Pair:
    return both(lambda side: np.clip(np.rint(side), -5, 5))(sides)


def heaps(sides: Pair) -> Pair:
    return np.append(sides[0], np.full(33, 50.0)), np.append(sides[1], np.full(33, -20.0))


TIES = {
    "11 levels": levels,
    "one digit": both(lambda side: np.round(side, 1)),
    "two digits": both(lambda side: np.round(side, 2)),
    "heaps": heaps,
}


@pytest.mark.parametrize("tied", TIES.values(), ids=TIES.keys())
def test_ties_are_no_copies_but_copies_of_them_are(tied: Callable[[Pair], Pair]) -> None:
    train = Trials(*tied(drawn(1)))
    for seed in range(2, 12):
        found = llrcal.compare(train, Trials(*tied(drawn(seed))), **QUICK)
        assert "the score and the label" in found.separation.text
    with pytest.raises(OptionError, match=WORDS):
        llrcal.compare(train, Trials(*both(np.sort)(tied(drawn(1)))), **QUICK)


def table(seed: int, first: int = 0) -> pl.DataFrame:
    tar, non = drawn(seed)
    names = {one: [f"{one}{first + i}" for i in range(660)] for one in ("enrol", "test")}
    return pl.DataFrame(
        names | {"score": np.concatenate([tar, non]), "label": [1] * len(tar) + [0] * len(non)}
    )


@pytest.mark.parametrize("share", [0.0, 0.01, 0.02, 1.0])
def test_ids_decide_where_they_are_known(share: float) -> None:
    """Whatever the scores are, and in any order."""
    first = 660 - int(share * 660)
    train, test = llrcal.read_trials(table(1)), llrcal.read_trials(table(2, first)[::-1])
    if share > 0.01:
        with pytest.raises(OptionError, match=rf"{660 - first} of 660 .* have the ids of.*{WORDS}"):
            llrcal.compare(train, test, **QUICK)
        return
    found = llrcal.validate(train, test, method="logistic", replicates=99)
    shared = [str(note) for note in found.notes if note.code == "separation"]
    assert len(shared) == (share > 0)
    assert all("6 of 660 test trials" in note for note in shared)
    answer = "6 of 660 test trials" if share else "no test trial is known by the ids to be"
    assert answer in found.page()


def test_systems_are_compared_on_other_trials() -> None:
    def systems(seed: int, first: int) -> Systems:
        rng = np.random.default_rng(seed)
        frame = table(seed, first).with_columns(other=pl.col("score") + rng.normal(size=660))
        columns = {name: (frame, name) for name in ("score", "other")}
        return read_systems(columns, options=ReadOptions(columns="label=label"))

    assert llrcal.compare(systems(1, 0), systems(2, 660), replicates=0).separation is not None
    with pytest.raises(OptionError, match=WORDS):
        llrcal.compare(systems(1, 0), systems(2, 0), replicates=0)


def test_by_command_in_another_format_and_order(tmp_path: Path) -> None:
    rows = table(1).drop("enrol", "test")
    rows.write_csv(tmp_path / "train.csv")
    rows.sort("score").write_parquet(tmp_path / "sorted.parquet")
    sets = tmp_path / "train.csv", "--test", tmp_path / "sorted.parquet"
    for arguments in (
        ["validate", *sets, "-o", tmp_path / "page.html"],
        ["compare", "--train", *sets, "--out", tmp_path / "out"],
        ["compare", "--train", *sets, "--out", tmp_path / "out", "--in-pieces"],
        ["compare", "--train", sets[0], "--test", sets[0], "--out", tmp_path / "out"],
    ):
        result = command(*arguments)
        assert result.exit_code
        assert WORDS in " ".join(result.stderr.split())
    assert not (tmp_path / "page.html").exists()


def test_large_sets_in_pieces_and_counts_are_compared_as_well(tmp_path: Path) -> None:
    """By some of their scores, which are the same ones in every set."""
    rng = np.random.default_rng(1)
    for name, seed in (("train", 1), ("copy", 1), ("test", 2)):
        tar, non = drawn(seed, 600, 600_000)
        np.savez(tmp_path / f"{name}.npz", tar=tar, non=rng.permutation(non))
    train, copied, test = (
        llrcal.open_trials(tmp_path / f"{name}.npz", in_pieces=True)
        for name in ("train", "copy", "test")
    )
    sides = np.round(drawn(3, 600, 600_000)[1], 3)
    counts = llrcal.Counts(sides, np.where(sides > 3, 1, 0), np.where(sides > 3, 0, 1))
    for one, other in ((train, train), (train, copied), (counts, counts)):
        with pytest.raises(OptionError, match=rf"600,\d+ of 600,\d+ test trials .*{WORDS}"):
            llrcal.compare(one, other, inverted=True, **QUICK)
    assert "no test trial is known" in llrcal.compare(train, test, **QUICK).separation.text


def test_ids_in_pieces_are_compared(tmp_path: Path) -> None:
    """A column more in one of the files is no way around that."""
    table(1).write_parquet(tmp_path / "train.parquet")
    table(2).with_columns(channel=pl.lit("a")).write_csv(tmp_path / "test.csv")
    sets = [
        [llrcal.open_trials(tmp_path / name, in_pieces=is_asked) for is_asked in (True, False)]
        for name in ("train.parquet", "test.csv")
    ]
    for train, test in product(*sets):
        with pytest.raises(OptionError, match=rf"660 of 660 .* have the ids of.*{WORDS}"):
            llrcal.compare(train, test, **QUICK)


def test_the_same_file_is_refused_however_few_or_equal_its_scores_are(tmp_path: Path) -> None:
    decisions = np.repeat([1.0, 0.0], [270, 30]), np.repeat([0.0, 1.0], [2700, 300])
    for tar, non in (decisions, drawn(1, 3, 6)):
        np.savez(tmp_path / "train.npz", tar=tar, non=non)
        shutil.copy(tmp_path / "train.npz", tmp_path / "copy.npz")
        read = [llrcal.read_trials(tmp_path / f"{name}.npz") for name in ("train", "copy")]
        mine = Trials(tar, non)
        for train, test in ((read[0], read[0]), (read[0], read[1]), (mine, mine)):
            with pytest.raises(OptionError, match=WORDS):
                llrcal.compare(train, test, inverted=True, **QUICK)


def test_a_few_equal_scores_are_told_of() -> None:
    (tar, non), (_, other) = drawn(1, 200, 3000), drawn(2, 200, 3000)
    other[:16] = non[:16]
    found = llrcal.compare(Trials(tar, non), Trials(tar + 1e-3, other), **QUICK)
    [note] = [str(note) for note in found.notes if note.code == "separation"]
    assert "16 of 3,200 test trials" in note


def test_sets_in_different_units_are_refused() -> None:
    train, test = table(1), table(2, 660).rename({"score": "log10_lr"})
    with pytest.raises(TrialFileError, match=r"'score' in .* and 'log10_lr' in .*different units"):
        llrcal.compare(llrcal.read_trials(train), llrcal.read_trials(test), **QUICK)
