"""Scores meet their labels: in any order, and nothing is lost, doubled or mixed up in silence."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal import TrialFileError, Trials, read_trials
from llrcal.trials import joining
from llrcal.trials.joining import joined
from llrcal.trials.request import OnDuplicates, ReadOptions
from llrcal.trials.table import Table
from tests.trials.files import EXAMPLE, Written, assert_reads, kaldi, reversed_lines

SCORES = "a x 1.5\nb y -2.5\nc z 0.25\n"
KEY = "a x target\nb y nontarget\nc z nontarget\n"  # not the same from the last to the first
THREE = [(1.5, True), (-2.5, False), (0.25, False)]
TWICE = SCORES + "a x 9.5\n"
MORE_SCORES = "".join(f"m{i} t{i} {i}.5\n" for i in range(5)) + SCORES
MORE_KEY = KEY + "".join(f"m{i} t{i} nontarget\n" for i in range(5))
SAME_ORDER = "scores and key are in the same order: nothing to join"


def read(folder: Path, scores: str, key: str | None, *, turned: bool = False, **by: Any) -> Trials:
    key = reversed_lines(key) if turned and key else key
    return read_trials(*Written(scores, key).save(folder), **by)


def answers(trials: Trials) -> list[tuple[float, bool]]:
    return list(zip(trials.scores.tolist(), trials.labels.tolist(), strict=True))


@given(order=st.permutations(range(len(EXAMPLE))))
def test_any_order_gives_the_same_trials(
    tmp_path_factory: pytest.TempPathFactory, order: list[int]
) -> None:
    written = kaldi(EXAMPLE)
    rows = str(written.key).splitlines(keepends=True)
    paths = Written(written.scores, "".join(rows[i] for i in order)).save(
        tmp_path_factory.getbasetemp()
    )
    trials = read_trials(*paths)
    assert_reads(trials, EXAMPLE, ("enrol", "test"))
    in_order = order == sorted(order, reverse=True)  # the key was written backwards
    joined_on = "scores and key joined on enrol and test"
    assert trials.notes[-1].text == (SAME_ORDER if in_order else joined_on)


NO_IDS = "1.5\n-2.5\n0.25\n"
LABELLED = "a x 1.5 target\nb y -2.5 nontarget\nc z 0.25 nontarget\n"
NAMED = "file1,file2,score\na,x,1.5\nb,y,-2.5\nc,z,.25\n"
BY_SIDE = "enrol test side label\na x a target\nb y b nontarget\nc z a nontarget\n"
SKIP: dict[str, Any] = {"missing": "skip", "unknown": "skip"}
READ: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "in order": (SCORES, KEY, {}, SAME_ORDER),
    "missing": (SCORES, MORE_KEY, {"missing": "skip"}, r"5 trials of .* \(m.*\); left out"),
    "unknown": (MORE_SCORES, KEY, {"unknown": "skip"}, r"5 scores of .* \(m0 t0\).*; left out"),
    "both": (SCORES + "d w 9.5\n", KEY + "e v target\n", SKIP, "1 scores of .*; left out"),
    "the first": (TWICE, KEY, {"duplicates": "first"}, r"1 repeated .* \(a x\); only the first"),
    "twice in the key": (SCORES, KEY + "a x target\n", {"duplicates": "all"}, "joined on"),
    "labels in both files": (LABELLED, KEY, {}, ""),
    "by recording": ("x 1.5\ny -2.5\nz 0.25\n", KEY, {}, "joined on test|in the same order"),
    "sides that only the key knows": (SCORES, BY_SIDE, {}, ""),
    "no ids in the scores": (NO_IDS, KEY, {}, "scores taken in the order of the key"),
    "no ids in the key": (SCORES, "1\n0\n0\n", {}, "scores taken in the order of the key"),
    "names that are not known": (NAMED, "1\n0\n0\n", {}, "in the order of the key"),
    "names that are given": (
        NAMED,
        "f,g,label\nc,z,nontarget\nb,y,nontarget\na,x,target\n",
        {"columns": "enrol=file1,test=file2", "key_columns": "enrol=f,test=g"},
        "joined on enrol and test",
    ),
}


@pytest.mark.parametrize("name", READ)
def test_what_is_joined(name: str, tmp_path: Path) -> None:
    scores, key, options, note = READ[name]
    in_order = "order" in note or key.startswith(("f,", "enrol"))
    for turned in (False,) if in_order else (False, True):
        trials = read(tmp_path, scores, key, turned=turned, **options)
        assert answers(trials) == THREE
        assert any(re.search(note, one.text) for one in trials.notes)
    if trials.ids is not None and "enrol" in trials.ids:
        assert trials.ids["enrol"].to_list() == ["a", "b", "c"]


CONFLICT = r"1 trials are both target and non-target, such as \("
NAMES = "to join them on: columns='enrol=NAME"
REFUSED: dict[str, tuple[str, str, str]] = {  # more of them are in tests/hostile/keys.py
    "twice in the key": (SCORES, KEY + "a x target\n", r"key\.txt: 1 repeated .*\(a x\)"),
    "by recording": ("x 1.5\ny -2.5\nz 0.25\n", KEY + "b x nontarget\n", CONFLICT + "x"),
    "twice by recording": ("x 1.5\ny -2.5\nz 0.25\n", KEY + "b x target\n", r"1 rep.* \(x\)"),
    "by side": (SCORES, BY_SIDE + "a x b nontarget\n", CONFLICT),
    "names of the scores": (NAMED, KEY, NAMES),
    "names of the key": (SCORES, "f,g,label\na,x,1\nb,y,0\nc,z,1\n", NAMES),
    "one name": ("id,score\n17,1.5\n18,-2.5\n19,.25\n", KEY, NAMES),
    "models alone": ("enrol,score\na,1.5\nb,-2.5\n", "enrol,label\nb,0\na,1\n", NAMES),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str, tmp_path: Path) -> None:
    """Among others, files that both have something to join on: to take them in order is a guess."""
    scores, key, message = REFUSED[name]
    for turned in (False,) if "," in key or "enrol" in key else (False, True):
        with pytest.raises(TrialFileError, match=message):
            read(tmp_path, scores, key, turned=turned)


def test_models_and_recordings_are_not_run_together(tmp_path: Path) -> None:
    """(a, bc) is not (ab, c), and (x, y) is not (y, x)."""
    scores = "a bc 1.5\nab c -2.5\nx y 3.5\ny x -4.5\n"
    key = "y x nontarget\nab c nontarget\nx y target\na bc target\n"
    expected = [(1.5, True), (-2.5, False), (3.5, True), (-4.5, False)]
    assert answers(read(tmp_path, scores, key)) == expected


def test_ids_that_share_a_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = joining.hashes_of_ids

    def crowded(frame: pl.DataFrame, ids: list[str], seed: int = 0) -> pl.Series:
        lengths = frame[ids[0]].str.len_bytes().cast(pl.UInt64).rename("hash")
        return usual(frame, ids, seed) if seed else lengths

    monkeypatch.setattr(joining, "hashes_of_ids", crowded)
    assert answers(read(tmp_path, SCORES, KEY, turned=True)) == THREE
    with pytest.raises(TrialFileError, match="1 repeated trials"):
        read(tmp_path, TWICE, KEY)

    def wrong(frame: pl.DataFrame, ids: list[str], seed: int = 0) -> pl.Series:
        places = pl.Series("hash", range(frame.height), pl.UInt64)
        return usual(frame, ids, seed) if seed else places

    monkeypatch.setattr(joining, "hashes_of_ids", wrong)  # a second hash finds it out
    assert answers(read(tmp_path, SCORES, KEY, turned=True)) == THREE


def test_scores_by_pair_and_a_key_by_recording(tmp_path: Path) -> None:
    """As where a recording is bona fide or not, whoever it is compared with."""
    trials = read(tmp_path, "a x 1.5\nb x 2.5\na y -2.5\n", "y nontarget\nx target\n")
    assert answers(trials) == [(1.5, True), (2.5, True), (-2.5, False)]
    assert trials.ids is not None
    assert trials.ids.columns == ["enrol", "test"]


PAIRS = st.tuples(st.sampled_from(["a", "ab", "c"]), st.sampled_from(["c", "bc", "a"]))


@given(
    data=st.data(),
    scored=st.lists(PAIRS, min_size=1, max_size=9),
    keyed=st.lists(PAIRS, min_size=1, max_size=9),
)
def test_against_a_join_by_hand(
    data: st.DataObject, scored: list[tuple[str, str]], keyed: list[tuple[str, str]]
) -> None:
    labels = {pair: data.draw(st.integers(0, 1)) for pair in keyed}
    scores = Table(_frame(scored, score=np.arange(len(scored)) + 0.5), "s", "")
    key = Table(_frame(keyed, label=np.array([labels[p] for p in keyed], np.int8)), "k", "")
    both = [pair for pair in scored if pair in labels]
    for duplicates in get_args(OnDuplicates)[1:]:
        options = ReadOptions(missing="skip", unknown="skip", duplicates=duplicates)
        if not both:
            with pytest.raises(TrialFileError, match="no trial in common"):
                joined(scores, key, options)
            continue
        kept = both if duplicates == "all" else list(dict.fromkeys(both))
        expected = [i + 0.5 for i, pair in enumerate(scored) if pair in labels]
        if duplicates == "first":
            expected = [scored.index(pair) + 0.5 for pair in kept]
        table = joined(scores, key, options)
        assert table.frame["score"].to_list() == expected
        assert table.frame["label"].to_list() == [labels[pair] for pair in kept]
        assert table.frame.select("enrol", "test").rows() == kept


def _frame(pairs: list[tuple[str, str]], **columns: np.ndarray) -> pl.DataFrame:
    ids = pl.DataFrame(pairs, schema={"enrol": pl.String, "test": pl.String}, orient="row")
    return ids.with_columns(pl.Series(name, values) for name, values in columns.items())
