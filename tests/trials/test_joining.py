"""Scores meet their labels: in any order, and nothing is lost, doubled or mixed up in silence."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal import OptionError, TrialFileError, Trials, read_trials
from llrcal.trials import joining
from llrcal.trials.joining import joined
from llrcal.trials.request import ReadOptions
from llrcal.trials.table import Table
from tests.trials.files import EXAMPLE, Written, assert_reads, kaldi, reversed_lines

SCORES = "a x 1.5\nb y -2.5\nc z 0.25\n"
KEY = "a x target\nb y nontarget\nc z nontarget\n"  # not the same from the last to the first
SAME_ORDER = "scores and key are in the same order: nothing to join"


def read(folder: Path, scores: str, key: str | None, **options: str) -> Trials:
    return read_trials(*Written(scores, key).save(folder), **options)  # type: ignore[arg-type]


def answers(trials: Trials) -> list[tuple[float, bool]]:
    return list(zip(trials.scores.tolist(), trials.labels.tolist(), strict=True))


THREE = [(1.5, True), (-2.5, False), (0.25, False)]


def test_the_same_order_needs_no_join(tmp_path: Path) -> None:
    trials = read(tmp_path, SCORES, KEY)
    assert answers(trials) == THREE
    assert trials.notes[-1].text == SAME_ORDER


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
    assert trials.notes[-1].text == (
        SAME_ORDER if in_order else "scores and key joined on enrol and test"
    )


def test_many_trials_in_another_order(tmp_path: Path) -> None:
    rng = random.Random(5)
    trials = {(f"m{rng.randrange(300)}", f"t{rng.randrange(900)}"): i % 3 for i in range(20_000)}
    scores = "".join(f"{m} {t} {i}.5\n" for i, (m, t) in enumerate(trials))
    words = ("target", "nontarget", "nontarget")
    rows = [f"{m} {t} {words[kind]}\n" for (m, t), kind in trials.items()]
    rng.shuffle(rows)
    read_back = read(tmp_path, scores, "".join(rows))
    assert read_back.labels.tolist() == [kind == 0 for kind in trials.values()]
    assert read_back.scores.tolist() == [i + 0.5 for i in range(len(trials))]


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
    assert answers(read(tmp_path, SCORES, reversed_lines(KEY))) == THREE
    with pytest.raises(TrialFileError, match="1 repeated trials"):
        read(tmp_path, SCORES + "a x 9.5\n", KEY)

    def wrong(frame: pl.DataFrame, ids: list[str], seed: int = 0) -> pl.Series:
        places = pl.Series("hash", range(frame.height), pl.UInt64)
        return usual(frame, ids, seed) if seed else places

    monkeypatch.setattr(joining, "hashes_of_ids", wrong)  # a second hash finds it out
    assert answers(read(tmp_path, SCORES, reversed_lines(KEY))) == THREE


@pytest.mark.parametrize("shuffled", [False, True])
def test_trials_without_a_score(tmp_path: Path, shuffled: bool) -> None:
    key = KEY + "".join(f"m{i} t{i} nontarget\n" for i in range(5))
    key = reversed_lines(key) if shuffled else key
    first = r"\(m4 t4\), \(m3 t3\), \(m2 t2\)" if shuffled else r"\(m0 t0\), \(m1 t1\), \(m2 t2\)"
    with pytest.raises(
        TrialFileError,
        match=rf"^5 trials of .*key\.txt have no score, such as {first}; to leave them out: miss",
    ):
        read(tmp_path, SCORES, key)
    trials = read(tmp_path, SCORES, key, missing="skip")
    assert answers(trials) == THREE
    assert "5 trials of" in trials.notes[2].text
    assert trials.notes[2].text.endswith("; left out")
    with pytest.raises(TrialFileError, match="5 trials"):
        read(tmp_path, SCORES, key, unknown="skip")


@pytest.mark.parametrize("shuffled", [False, True])
def test_scores_without_a_trial(tmp_path: Path, shuffled: bool) -> None:
    scores = "".join(f"m{i} t{i} {i}.5\n" for i in range(5)) + SCORES
    key = reversed_lines(KEY) if shuffled else KEY
    with pytest.raises(
        TrialFileError,
        match=r"^5 scores of .*scores\.txt are not in the key, such as \(m0 t0\), \(m1 t1\), \(m2 ",
    ):
        read(tmp_path, scores, key)
    trials = read(tmp_path, scores, key, unknown="skip")
    assert answers(trials) == THREE
    assert trials.ids is not None
    assert trials.ids["enrol"].to_list() == ["a", "b", "c"]
    assert trials.notes[2].text.endswith("; left out")
    with pytest.raises(TrialFileError, match="5 scores"):
        read(tmp_path, scores, key, missing="skip")


def test_missing_and_unknown_at_once(tmp_path: Path) -> None:
    scores, key = SCORES + "d w 9.5\n", KEY + "e v target\n"
    with pytest.raises(TrialFileError, match="1 trials of"):
        read(tmp_path, scores, key, unknown="skip")
    trials = read(tmp_path, scores, key, unknown="skip", missing="skip")
    assert answers(trials) == THREE


def test_nothing_in_common(tmp_path: Path) -> None:
    key = "p q target\nr s nontarget\nt u target\nv w target\n"
    with pytest.raises(
        TrialFileError,
        match=r"no trial in common: \(a x\), \(b y\), \(c z\) against \(p q\), \(r s\), \(t u\)$",
    ):
        read(tmp_path, SCORES, key, missing="skip", unknown="skip")


REPEATED = SCORES + "a x 9.5\n"


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize(
    ("duplicates", "expected"),
    [
        ("first", THREE),
        ("mean", [(5.5, True), *THREE[1:]]),
        ("all", [*THREE, (9.5, True)]),
    ],
)
def test_scores_that_are_there_twice(
    tmp_path: Path, shuffled: bool, duplicates: str, expected: list[tuple[float, bool]]
) -> None:
    for key in (KEY, KEY + "a x target\n", KEY.replace("\n", "\n", 1) + "a x target\na x target\n"):
        key = reversed_lines(key) if shuffled else key  # noqa: PLW2901
        with pytest.raises(
            TrialFileError, match=r"1 repeated trials, such as \(a x\); choose which"
        ):
            read(tmp_path, REPEATED, key)
        trials = read(tmp_path, REPEATED, key, duplicates=duplicates)
        assert answers(trials) == expected
        if duplicates != "all":
            assert any("1 repeated trials, such as (a x)" in note.text for note in trials.notes)


@pytest.mark.parametrize("duplicates", ["first", "mean", "all"])
def test_trials_that_are_twice_in_the_key(tmp_path: Path, duplicates: str) -> None:
    key = reversed_lines(KEY + "a x target\n")
    with pytest.raises(TrialFileError, match=r"key\.txt: 1 repeated trials, such as \(a x\)"):
        read(tmp_path, SCORES, key)
    assert answers(read(tmp_path, SCORES, key, duplicates=duplicates)) == THREE


@pytest.mark.parametrize("duplicates", ["error", "first", "mean", "all"])
def test_a_trial_that_is_target_and_non_target(tmp_path: Path, duplicates: str) -> None:
    message = r"1 trials are both target and non-target, such as \(a x\)"
    with pytest.raises(TrialFileError, match=message):
        read(tmp_path, SCORES, reversed_lines(KEY) + "a x nontarget\n", duplicates=duplicates)
    with pytest.raises(TrialFileError, match=message):
        read(tmp_path, "a x 1.5 target\na x 2.5 nontarget\n", None, duplicates=duplicates)
    key = KEY + "a x nontarget\n"  # in the order of the scores
    with pytest.raises(TrialFileError, match=rf"key\.txt: {message}"):
        read(tmp_path, REPEATED, key, duplicates=duplicates)
    with pytest.raises(TrialFileError, match=rf"key\.txt: {message}"):  # with no ids to join on
        read(tmp_path, "1.5\n-2.5\n0.25\n9.5\n", key, duplicates=duplicates)


def test_repeated_trials_in_one_file(tmp_path: Path) -> None:
    rows = [f"a t{i} {i}.5 target\n" for i in range(5)] + ["b x 0.5 nontarget\n"]
    text = "".join(rows + rows[:4])
    with pytest.raises(
        TrialFileError, match=r"4 repeated trials, such as \(a t0\), \(a t1\), \(a t2\); choose"
    ):
        read(tmp_path, text, None)
    assert len(read(tmp_path, text, None, duplicates="first")) == 6
    assert len(read(tmp_path, text, None, duplicates="all")) == 10


def test_labels_in_both_files(tmp_path: Path) -> None:
    scores = "a x 1.5 target\nb y -2.5 nontarget\nc z 0.25 nontarget\n"
    for key in (KEY, reversed_lines(KEY)):
        assert answers(read(tmp_path, scores, key)) == THREE
    turned = KEY.replace("nontarget", "imp").replace("target", "nontarget").replace("imp", "target")
    with pytest.raises(
        TrialFileError, match="3 of its labels contradict the key; the first is that of trial 1"
    ):
        read(tmp_path, scores, turned)
    with pytest.raises(TrialFileError, match=r"1 of its labels .* the first is that of trial 3"):
        read(tmp_path, scores, reversed_lines(KEY.replace("c z nontarget", "c z target")))


def test_scores_by_recording_and_a_key_by_pair(tmp_path: Path) -> None:
    scores = "x 1.5\ny -2.5\nz 0.25\n"
    for key in (KEY, reversed_lines(KEY)):
        trials = read(tmp_path, scores, key)
        assert answers(trials) == THREE
    assert trials.notes[-1].text == "scores and key joined on test"
    with pytest.raises(TrialFileError, match=r"both target and non-target, such as \(x\)"):
        read(tmp_path, scores, KEY + "b x nontarget\n")
    with pytest.raises(TrialFileError, match=r"1 repeated trials, such as \(x\)"):
        read(tmp_path, scores, KEY + "b x target\n")


def test_scores_by_pair_and_a_key_by_recording(tmp_path: Path) -> None:
    """As where a recording is bona fide or not, whoever it is compared with."""
    scores = "a x 1.5\nb x 2.5\na y -2.5\n"
    trials = read(tmp_path, scores, "y nontarget\nx target\n")
    assert answers(trials) == [(1.5, True), (2.5, True), (-2.5, False)]
    assert trials.ids is not None
    assert trials.ids.columns == ["enrol", "test"]


def test_sides_that_only_one_file_knows(tmp_path: Path) -> None:
    key = "enrol test side label\na x a target\nb y b nontarget\nc z a nontarget\n"
    assert answers(read(tmp_path, SCORES, key)) == THREE
    with pytest.raises(TrialFileError, match="both target and non-target"):
        read(tmp_path, SCORES, key + "a x b nontarget\n")


def test_scores_without_ids_are_taken_in_order(tmp_path: Path) -> None:
    trials = read(tmp_path, "1.5\n-2.5\n0.25\n", KEY)
    assert answers(trials) == THREE
    assert trials.ids is not None
    assert trials.ids.rows() == [("a", "x"), ("b", "y"), ("c", "z")]
    assert trials.notes[-1].text == "no ids to join on: scores taken in the order of the key"
    assert answers(read(tmp_path, SCORES, "1\n0\n0\n")) == THREE
    for scores in ("1.5\n-2.5\n", "1.5\n-2.5\n0.25\n3.5\n"):
        count = scores.count("\n")
        with pytest.raises(
            TrialFileError, match=rf"has {count} scores and .*key\.txt 3 labels, with no ids in c"
        ):
            read(tmp_path, scores, KEY)


@pytest.mark.parametrize(
    ("scores", "key"),
    [
        ("file1,file2,score\na,x,1.5\nb,y,-2.5\nc,z,.25\n", KEY),
        (SCORES, "file1,file2,label\na,x,target\nb,y,nontarget\nc,z,target\n"),
        ("f,g,score\na,x,1.5\nb,y,-2.5\nc,z,.25\n", "h,i,label\na,x,1\nb,y,0\nc,z,1\n"),
        ("id,score\n17,1.5\n18,-2.5\n19,.25\n", KEY),
        ("enrol,score\na,1.5\nb,-2.5\nc,.25\n", "enrol,label\nc,1\nb,0\na,1\n"),
    ],
)
def test_ids_that_are_not_known_are_not_ignored(tmp_path: Path, scores: str, key: str) -> None:
    """Both files have something to join on: to take them in order would be a guess."""
    with pytest.raises(TrialFileError, match="to join them on: columns='enrol=NAME"):
        read(tmp_path, scores, key)


def test_ids_by_name(tmp_path: Path) -> None:
    scores = "file1,file2,score\na,x,1.5\nb,y,-2.5\nc,z,.25\n"
    key = "f,g,label\nc,z,nontarget\nb,y,nontarget\na,x,target\n"
    trials = read(
        tmp_path, scores, key, columns="enrol=file1,test=file2", key_columns="enrol=f,test=g"
    )
    assert answers(trials) == THREE
    in_order = read(tmp_path, scores, "1\n0\n0\n")  # nothing to join on in the key
    assert answers(in_order) == THREE


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"missing": "Skip"}, "missing cannot be 'Skip'; choose error, skip"),
        ({"unknown": "drop"}, "unknown cannot be 'drop'; choose error, skip"),
        ({"duplicates": "last"}, "duplicates cannot be 'last'; choose error, first, mean, all"),
    ],
)
def test_policies_that_do_not_exist(tmp_path: Path, options: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        read(tmp_path, SCORES, KEY, **options)


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
    for duplicates in ("first", "mean", "all"):
        options = ReadOptions(missing="skip", unknown="skip", duplicates=duplicates)
        if not both:
            with pytest.raises(TrialFileError, match="no trial in common"):
                joined(scores, key, options)
            continue
        kept = both if duplicates == "all" else list(dict.fromkeys(both))
        places = {p: [i + 0.5 for i, q in enumerate(scored) if q == p] for p in kept}
        if duplicates == "all":
            expected = [i + 0.5 for i, pair in enumerate(scored) if pair in labels]
        elif duplicates == "first":
            expected = [places[pair][0] for pair in kept]
        else:
            expected = [float(np.mean(places[pair])) for pair in kept]
        table, _ = joined(scores, key, options)
        assert table.frame["score"].to_list() == expected
        assert table.frame["label"].to_list() == [labels[pair] for pair in kept]
        assert table.frame.select("enrol", "test").rows() == kept


def _frame(pairs: list[tuple[str, str]], **columns: np.ndarray) -> pl.DataFrame:
    ids = pl.DataFrame(pairs, schema={"enrol": pl.String, "test": pl.String}, orient="row")
    return ids.with_columns(pl.Series(name, values) for name, values in columns.items())
