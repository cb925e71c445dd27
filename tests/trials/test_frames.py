"""Tables with named columns: frames of any library, Parquet and Arrow files."""

from __future__ import annotations

import datetime
import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from llrcal import OptionError, TrialFileError, Trials, read_trials
from tests.processes import python
from tests.trials.files import EXAMPLE, PACKED, Row, assert_reads

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")

COLUMNS: dict[str, list[Any]] = {
    "language": ["eng"] * len(EXAMPLE),
    "label": [row.word("nontarget", "target") for row in EXAMPLE],
    "test": [row.test for row in EXAMPLE],
    "score": [float(row.score) for row in EXAMPLE],
    "enrol": [row.enrol for row in EXAMPLE],
}
BINARY = [row.kind for row in EXAMPLE]


def assert_example(trials: Trials) -> None:
    assert_reads(trials, EXAMPLE, ("enrol", "test"))


def frame(**changed: Any) -> pl.DataFrame:
    return pl.DataFrame({**COLUMNS, **changed})


FRAMES: dict[str, Callable[[], Any]] = {
    "polars": frame,
    "polars, lazy": lambda: frame().lazy(),
    "polars, categories": lambda: frame().with_columns(pl.col(pl.String).cast(pl.Categorical)),
    "polars, decimal": lambda: frame().with_columns(pl.col("score").cast(pl.Decimal(20, 8))),
    "polars, sliced": lambda: pl.concat([frame(), frame()]).slice(7),
    "pandas": lambda: pandas.DataFrame(COLUMNS),
    "pandas, nullable": lambda: pandas.DataFrame(COLUMNS).convert_dtypes(),
    "pandas, categories": lambda: pandas.DataFrame(COLUMNS).astype(
        {"label": "category", "enrol": "category", "language": "category"}
    ),
    "pandas, index": lambda: pandas.DataFrame(COLUMNS).set_index(["enrol", "test"])[
        ["score", "label"]
    ],
    "pandas, odd index": lambda: pandas.DataFrame(COLUMNS, index=range(7, 0, -1)),
    "pyarrow": lambda: pyarrow.table(COLUMNS),
    "pyarrow, batch": lambda: pyarrow.record_batch(COLUMNS),
}


@pytest.mark.parametrize("made", FRAMES.values(), ids=FRAMES)
def test_frames_of_any_library(made: Callable[[], Any]) -> None:
    trials = read_trials(made())
    assert_example(trials)
    assert trials.source == "the frame"
    assert trials.score_name == "score"
    assert "score=score" in trials.notes[0].text


LABELS: dict[str, Callable[[], Any]] = {
    "whole": lambda: frame(label=BINARY),
    "with a sign": lambda: frame(label=[2 * kind - 1 for kind in BINARY]),
    "with a point": lambda: frame(label=[float(kind) for kind in BINARY]),
    "booleans": lambda: frame(label=[kind == 1 for kind in BINARY]),
    "hypotheses": lambda: frame(label=["Hp" if kind else "Hd" for kind in BINARY]),
}


@pytest.mark.parametrize("made", LABELS.values(), ids=LABELS)
def test_labels_of_any_type(made: Callable[[], Any]) -> None:
    assert_example(read_trials(made()))


def test_words_of_the_user_go_for_numbers_too() -> None:
    turned = [1 - kind for kind in BINARY]
    assert_example(read_trials(frame(label=turned), labels="0,1"))
    assert_example(read_trials(frame(label=[kind == 1 for kind in turned]), labels="false,true"))
    with pytest.raises(TrialFileError, match="does not hold labels"):
        read_trials(frame(label=[kind == 1 for kind in turned]), labels="no,yes")
    with pytest.raises(TrialFileError, match="labels are 1, 0 and -1"):
        read_trials(frame(label=[1, 0, -1, 1, 0, -1, 0]))


def test_a_frame_as_a_key() -> None:
    scores = frame().select("enrol", "test", "score")
    key = frame().select("label", "test", "enrol").reverse()
    assert_example(read_trials(scores, key))
    assert_example(read_trials(scores.to_pandas(), key.lazy()))
    in_order = read_trials(frame().select("score"), frame().select("label"))
    assert in_order.labels.tolist() == [kind == 1 for kind in BINARY]
    unknown = key.rename({"test": "file", "enrol": "person"})
    with pytest.raises(TrialFileError, match="has enrol, test and the frame file, person; name"):
        read_trials(scores, unknown)


def test_numbers_as_ids_match_texts(tmp_path: Path) -> None:
    scores = pl.DataFrame({"enrol": [17, 18], "test": [3, 4], "score": [1.5, -1.5]})
    key = tmp_path / "key.txt"
    key.write_text("18 4 nontarget\n17 3 target\n")
    trials = read_trials(scores, key)
    assert trials.labels.tolist() == [True, False]
    assert trials.ids is not None
    assert trials.ids.rows() == [("17", "3"), ("18", "4")]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"score": [1.5, None, *[0.5] * 5]}, "'score' has 1 missing values, the first in row 1"),
        ({"score": [1.5, np.nan, *[0.5] * 5]}, "1 scores that are not finite; the first is nan in"),
        ({"score": [1.5, np.inf, *[0.5] * 5]}, "1 scores that are not finite; the first is inf in"),
        ({"label": ["target", None, *["non"] * 5]}, "'label' has 1 missing values, the first in"),
        ({"label": [*["target", "non"] * 3, "maybe"] * 1}, "'label' should be the label, but does"),
        ({"enrol": [None, *"abcdef"]}, "'enrol' has 1 missing values, the first in row 0"),
        ({"score": [*map(str, range(6)), "x"]}, "'score' has 1 non-numeric values, the first in "),
        ({"score": [[x] for x in range(7)]}, "'score' should be the score, but does not hold numb"),
        ({"score": [True] * 7}, "'score' should be the score, but does not hold numbers"),
        ({"enrol": [[x] for x in range(7)]}, "'enrol' should be the enrol, but is of type List"),
        ({"cm_score": [0.5] * 7}, "2 columns could be the score: score, cm_score; choose one"),
    ],
)
def test_frames_with_faults(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(TrialFileError, match=message):
        read_trials(frame(**changed))


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([object()] * 7, dtype=pl.Object),
        pl.Series([[1, 2]] * 7),
        pl.Series([{"a": 1}] * 7),
        pl.Series([b"\xff"] * 7),
        pl.Series([datetime.timedelta(1)] * 7),
        pl.Series([datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)] * 7),
        pl.Series([None] * 7),
    ],
    ids=lambda column: str(column.dtype),
)
def test_columns_that_are_of_no_concern(column: pl.Series) -> None:
    assert_example(read_trials(frame().with_columns(column.alias("other"))))


def test_what_is_no_frame() -> None:
    class OldProtocol:
        def __dataframe__(self) -> None: ...

    for value in (np.zeros(3), dict(COLUMNS), 5, None, OldProtocol()):
        with pytest.raises(OptionError, match="from a file or a frame, not from"):
            read_trials(value)
    with pytest.raises(TrialFileError, match="the frame: "):
        read_trials(pl.Series([1.5]))
    with pytest.raises((TrialFileError, OptionError), match="frame"):  # pandas 2: no stream
        read_trials(pandas.Series([1.5]))
    twice = pandas.DataFrame([[1.5, 2.5, 1]], columns=["score", "score", "label"])
    with pytest.raises(TrialFileError, match="a table with named columns"):
        read_trials(twice)
    with pytest.raises(TrialFileError, match="the frame: holds no trials"):
        read_trials(frame().head(0))


def test_a_frame_is_not_changed() -> None:
    original = frame(label=BINARY)
    copy = original.clone()
    trials = read_trials(original)
    trials.scores[:] = 0
    assert original.equals(copy)


def test_columns_by_name_or_place() -> None:
    other = frame().rename({"score": "plda", "enrol": "who"}).with_columns(cosine=pl.lit(0.5))
    assert_example(read_trials(other, columns="score=plda,enrol=who"))
    by_place = frame().select("score", "label", "enrol", "language", "test")
    assert_example(read_trials(by_place, columns="score,label,enrol,-,test"))
    with pytest.raises(TrialFileError, match="has 5 columns, but 2 were named"):
        read_trials(by_place, columns="score,label")
    for role in ("score", "label"):
        columns = "score,label,enrol,-,test".replace(role, "-")
        with pytest.raises(TrialFileError, match=f"no column was named as the {role}"):
            read_trials(by_place, columns=columns)
    with pytest.raises(TrialFileError, match="there is no column 'x'"):
        read_trials(by_place, columns="score=x")
    lists = by_place.with_columns(label=pl.lit([1]))
    with pytest.raises(TrialFileError, match="'label' should be the label, but is of type List"):
        read_trials(lists, columns="score,label,enrol,-,test")


def test_any_frame_of_pandas_without_pyarrow() -> None:
    """In a process that does not find it; pandas 3 keeps every text in a type of its own."""
    code = """
from importlib.machinery import PathFinder as finder
found = finder.find_spec
finder.find_spec = lambda name, *more: None if name == "pyarrow" else found(name, *more)
import llrcal, pandas
words = pandas.DataFrame({
    "score": [1.5, 0.5, -2.5],
    "label": ["target", "target", "nontarget"],
    "enrol": pandas.Series(["a", "b", "c"]).astype("category"),
    "test": pandas.array([7, 8, 9], dtype="Int64"),
})
for other in (["x", None, "y"], ["x", 1, object()], [1j, 2j, 3j], [pandas.NaT] * 3):
    trials = llrcal.read_trials(words.assign(other=other), keep=["enrol"])
    print(*trials.scores, *trials.labels, *trials.kept["enrol"], *trials.ids["test"])
"""
    expected = ["1.5", "0.5", "-2.5", "True", "True", "False", "a", "b", "c", "7", "8", "9"]
    assert python(code) == expected * 4


@pytest.mark.slow
def test_pandas_is_never_imported() -> None:
    code = (
        "import sys, polars, llrcal\n"
        "f = polars.DataFrame({'score': [1.5, 0.5], 'label': [1, 0]})\n"
        "llrcal.read_trials(f)\n"
        "print([m for m in ('pandas', 'pyarrow') if m in sys.modules])\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


WRITERS: dict[str, Callable[[pl.DataFrame, io.BytesIO], None]] = {
    "parquet": lambda table, file: table.write_parquet(file),
    "arrow": lambda table, file: table.write_ipc(file),
}


def written(table: pl.DataFrame, write: Callable[[pl.DataFrame, io.BytesIO], None]) -> bytes:
    file = io.BytesIO()
    write(table, file)
    return file.getvalue()


@pytest.mark.parametrize("packed", PACKED.values(), ids=PACKED)
@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_files_of_tables(
    tmp_path: Path,
    write: Callable[[pl.DataFrame, io.BytesIO], None],
    packed: Callable[[bytes], bytes],
) -> None:
    path = tmp_path / "any name"
    path.write_bytes(packed(written(frame(), write)))
    assert_example(read_trials(path))
    path.write_bytes(packed(written(frame().rename({"score": "plda"}), write)))
    assert_example(read_trials(path, columns="score=plda"))
    key = tmp_path / "key"
    key.write_bytes(packed(written(frame().select("label", "enrol", "test").reverse(), write)))
    path.write_bytes(packed(written(frame().drop("label"), write)))
    assert_example(read_trials(path, key))


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
@pytest.mark.parametrize("name", ["s[1]", "s*", "s?", "s{1,2}", "~", "s%201"])
def test_names_of_files_are_no_patterns(
    tmp_path: Path, name: str, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else another file would be read, without a word."""
    write = WRITERS[ending]
    for other in ("s1", "s2", "s 1"):
        (tmp_path / f"{other}.{ending}").write_bytes(written(frame(score=[9.5] * 7), write))
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"{name}.{ending}").write_bytes(written(frame(), write))
    assert_example(read_trials(f"{name}.{ending}"))
    assert_example(read_trials(tmp_path / f"{name}.{ending}"))


def test_the_home_of_the_user_is_no_folder_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, here = tmp_path / "home", tmp_path / "here"
    monkeypatch.setenv("HOME", str(home))
    for folder, score in ((home, 9.5), (here / "~", 1.5)):
        folder.mkdir(parents=True)
        frame(score=[score] * 7).write_csv(folder / "a.csv")
        frame(score=[score] * 7).write_parquet(folder / "a.parquet")
    monkeypatch.chdir(here)
    for name in ("~/a.csv", "~/a.parquet"):
        assert read_trials(name).scores.tolist() == [1.5] * 7


def test_tables_without_what_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    frame().drop("label").write_parquet(path)
    with pytest.raises(
        TrialFileError, match=r"none of the columns language, test.* looks like the label"
    ):
        read_trials(path)
    frame().drop("score").write_parquet(path)
    with pytest.raises(TrialFileError, match="looks like the score; name it"):
        read_trials(path)
    frame().head(0).write_parquet(path)
    with pytest.raises(TrialFileError):
        read_trials(path)


def test_a_long_table_whose_beginning_differs(tmp_path: Path) -> None:
    """Columns are told by the first thousand rows; faults behind them are found."""
    rows = [Row("a", f"b{i}", f"{i}.5", i % 2) for i in range(3000)]
    table = pl.DataFrame(
        {
            "test": [row.test for row in rows],
            "score": [None if i == 2500 else float(row.score) for i, row in enumerate(rows)],
            "label": [row.kind for row in rows],
        }
    )
    path = tmp_path / "a.parquet"
    table.write_parquet(path)
    with pytest.raises(TrialFileError, match="'score' has 1 missing values, the first in row 2500"):
        read_trials(path)


def test_a_panic_of_the_library_is_an_error_like_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Damaged tables make Rust panic, which is not even an Exception."""

    def panic(*_: object, **__: object) -> None:
        raise pl.exceptions.PanicException("index out of bounds")

    path = tmp_path / "a.parquet"
    frame().write_parquet(path)  # which early versions of polars do by `collect`, too
    monkeypatch.setattr(pl.LazyFrame, "collect", panic)
    with pytest.raises(TrialFileError, match=r"a\.parquet: cannot be read: its content cont"):
        read_trials(path)
