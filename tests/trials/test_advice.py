"""What errors advise: an argument in Python, and an option on the command line."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from llrcal import evaluate, read_trials
from llrcal.errors import LlrcalError
from llrcal.messages import Setting
from llrcal.trials import reading
from llrcal.trials.request import ReadOptions
from llrcal.trials.systems import read_systems
from llrcal.trials.table import Table
from llrcal.trials.writing import format_of, prepared
from tests import beyond_memory

SCORES = "a x 1.5\nb y -0.5\n"
KEY = "a x target\nb y nontarget\n"
LABELLED = "a x 1.5 target\nb y -0.5 nontarget\n"
THREE = "a x 1.5 1\nb y -0.5 0\nc z 2.5 -1\n"
NAMED = "enrol,test,score,label\n"


@dataclass(frozen=True)
class Case:
    """A file with a fault, and the settings that the error advises, as options."""

    cause: Callable[[Path], Any]
    options: tuple[str, ...]


def of_pair(scores: str, key: str | None, *options: str, **settings: Any) -> Case:
    def cause(folder: Path) -> None:
        (folder / "a").write_text(scores)
        (folder / "k").write_text(key or "")
        read_trials(folder / "a", key and folder / "k", **settings)

    return Case(cause, options)


def of_file(text: str, *options: str, **settings: Any) -> Case:
    return of_pair(text, None, *options, **settings)


def of_frame(data: dict[str, Any], *options: str, **settings: Any) -> Case:
    return Case(lambda _: read_trials(pl.DataFrame(data), **settings), options)


def of_arrays(arrays: dict[str, Any], *options: str, **settings: Any) -> Case:
    def cause(folder: Path) -> None:
        np.savez(folder / "a.npz", **arrays)
        read_trials(folder / "a.npz", **settings)

    return Case(cause, options)


def of_array(array: list[float], *options: str) -> Case:
    def cause(folder: Path) -> None:
        np.save(folder / "a.npy", array)
        read_trials(folder / "a.npy")

    return Case(cause, options)


def of_parquet_in_pieces(columns: dict[str, Any], *options: str, **form: Any) -> Case:
    def cause(folder: Path) -> None:
        pl.DataFrame(columns).write_parquet(folder / "a.parquet")
        beyond_memory.fit(folder / "a.parquet", **form)

    return Case(cause, options)


def of_writing(columns: dict[str, Any], to: str, *options: str, key: bool = False) -> Case:
    table = Table(pl.DataFrame(columns), "trials", "made up")
    return Case(lambda _: prepared(table, to=to, key=key), options)


def of_columns(text: str, *options: str, **settings: Any) -> Case:
    def cause(folder: Path) -> None:
        (folder / "a").write_text(text)
        read_systems({"x": (folder / "a", "x")}, options=ReadOptions(**settings))

    return Case(cause, options)


WORDS = {"score": [1.5, 2.0], "label": ["yes", "maybe"]}
SPOOFS = ("--spoof omit", "--spoof nontarget", "--spoof only")
TWICE = ("--duplicates first", "--duplicates all")
LABELS = "--labels TARGET,NONTARGET"

CASES = {
    "names of columns without a header": of_columns(
        SCORES, "--scores", "--no-header", header=False
    ),
    "a label": of_file(LABELLED * 20 + "c z 2.5 maybe\n", LABELS),
    "a label of a table": of_frame(
        {"score": [1.5] * 20, "label": ["yes"] * 19 + ["maybe"]}, LABELS
    ),
    "a column of labels": of_frame(WORDS, "--columns label=NAME", LABELS),
    "a column of labels, in the key": of_pair(
        SCORES, "enrol,test,label\na,x,maybe\nb,y,perhaps\n", "--key-columns label=NAME", LABELS
    ),
    "a column of scores": of_file(NAMED + "a,b,high,target\n", "--columns score=NAME"),
    "a label of an archive": of_arrays(
        {"scores": [1.5, 2.5], "labels": ["Y", "Z"]}, "--labels TARGET,NONTARGET", labels="Y,N"
    ),
    "three numbers": of_file(THREE, "--labels 1,-1,0", "--spoof omit"),
    "no key": of_file(SCORES, "--key FILE"),
    "no key of a table": of_frame({"score": [1.5]}, "--columns label=NAME", "--key FILE"),
    "no key of an array": of_array([1.5], "--key FILE", "--nontargets FILE"),
    "two scores": of_frame(
        {"plda": [1.5], "cosine": [2.0], "label": ["target"]}, "--columns score=plda"
    ),
    "no score": of_frame({"word": ["a"], "label": ["target"]}, "--columns score=NAME"),
    "two labels in a key": of_pair(
        SCORES, "test,same,key\nx,1,1\ny,0,0\n", "--key-columns label=same"
    ),
    "no label in a key": of_pair(
        SCORES, "enrol,test,language\na,x,german\nb,y,czech\n", "--key-columns label=NAME"
    ),
    "one class": Case(
        lambda folder: [
            (folder / "a").write_text("a 0.5 1\nc 0.25 1\n"),
            read_trials(folder / "a", nontargets=folder / "a"),
        ],
        ("--columns -,-,score",),
    ),
    "columns of no convention": of_file("a b c d e 1.5\n", "--columns enrol,test,score,label"),
    "columns of no convention, in a key": of_pair(
        SCORES, "a b c d e f g\n", "--key-columns enrol,test,label"
    ),
    "two ways": of_file(
        "a x 1 0\nb y 0 1\nc z 1 1\n", "--columns enrol,test,score,label", "--format NAME"
    ),
    "two ways to read a key": of_pair(
        SCORES, "1 0\n0 1\n1 1\n", "--key-columns test,label", "--key-format NAME"
    ),
    "a decimal comma": of_file(
        "a x 1,5 target\nb y 0,5 nontarget\n", "--decimal comma", "--separator comma"
    ),
    "too few roles": of_file(LABELLED, "--columns enrol,score", columns=("enrol", "score")),
    "no role for scores": of_file(
        LABELLED, "--columns enrol,test,-,label", columns="enrol,test,-,label"
    ),
    "a role that does not fit": of_file(
        LABELLED, "--columns score,test,-,label", columns="score,test,-,label"
    ),
    "too few roles of a table": of_frame(WORDS, "--columns score", columns="score"),
    "a role that does not exist": of_file(LABELLED, "--columns", columns="probe"),
    "a role of the key that does not exist": of_pair(
        SCORES, KEY, "--key-columns", key_columns="probe"
    ),
    "names of systems without a header": Case(
        lambda _: read_systems({"plda": ("a", "plda")}, options=ReadOptions(header=False)),
        ("--scores", "--no-header"),
    ),
    "names without a header": of_file(
        LABELLED, "--columns", "--no-header", columns="score=x", header=False
    ),
    "one word for labels": of_file(LABELLED, "--labels", labels="target"),
    "NaN in text": of_file("a x nan target\nb y 1 nontarget\n", "--on-nan drop"),
    "NaN in a table": of_frame({"score": [np.nan], "label": [1]}, "--on-nan drop"),
    "null in a table": of_frame({"score": [None, 1.0], "label": [1, 0]}, "--on-nan drop"),
    "NaN in an archive": of_arrays({"tar": [np.nan], "non": [1.0]}, "--on-nan drop"),
    "repeated": of_file(2 * LABELLED, *TWICE),
    "missing": of_pair(SCORES, KEY + "c z target\n", "--missing skip"),
    "unknown": of_pair(SCORES + "c z 1.0\n", KEY, "--unknown skip"),
    "unknown ids": of_pair(
        "file,score\na,1.5\nb,2.5\n",
        "person,label\nann,1\nbob,0\n",
        "--columns enrol=NAME,test=NAME",
        "--key-columns enrol=NAME,test=NAME",
    ),
    "spoofs": of_file("a x 1.5 target\nb y -0.5 spoof\n", *SPOOFS),
    "no column for pieces": of_parquet_in_pieces(
        {"score": [1.5, 0.5], "claimed": ["a", "b"], "real": ["a", "c"]}, "--columns label=NAME"
    ),
    "no speaker": of_file(LABELLED, "--speakers-from", speakers_from="{speaker}-{rest}"),
    "speakers in two ways": of_file(
        LABELLED,
        "--columns",
        "--speakers-from",
        columns="enrol_speaker=a,test_speaker=b",
        speakers_from="{speaker}-{rest}",
    ),
    "a missing speaker": of_frame(
        {"score": [1.5, 0.5], "label": [1, 0], "speaker1": ["a", None], "speaker2": ["a", "b"]},
        "--speakers-from none",
    ),
    "two units": Case(
        lambda _: evaluate(read_trials(pl.DataFrame({"lr": [1.5, 0.5], "label": [1, 0]}))),
        ("--units ratio",),
    ),
    "an extension": Case(lambda _: format_of("scores.txt"), ("--to FORMAT",)),
    "labels without a file": of_writing(
        {"score": [1.5], "label": [1]}, "scores", "--to labels", key=True
    ),
    "spoofs without a word": of_writing(
        {"enrol": ["a"], "test": ["b"], "score": [1.5], "label": [2]},
        "speechbrain",
        "--spoof omit",
    ),
}


def error_of(case: Case, folder: Path) -> LlrcalError:
    with pytest.raises(LlrcalError) as caught:
        case.cause(folder)
    return caught.value


@pytest.mark.parametrize("name", CASES)
def test_advice_is_spelled_for_those_who_read_it(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    error = error_of(case, tmp_path)
    settings = [part for part in error.args if isinstance(part, Setting)]
    assert tuple(setting.option for setting in settings) == case.options
    for setting in settings:
        assert str(setting) in str(error)
        assert setting.option in error.on_command_line
        assert f"{setting.name}=" not in error.on_command_line.replace(setting.option, "")
    assert "--" not in str(error)


def test_advice_on_three_numbers_helps(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(THREE + "d w 3.5 1\n" * 20)
    trials = read_trials(tmp_path / "a", labels="1,-1,0", spoof="omit", duplicates="all")
    assert (trials.tar.tolist(), trials.non.tolist()) == ([1.5, *[3.5] * 20], [2.5])
    with pytest.raises(LlrcalError, match="line 2: the label '0' is neither target nor non-target"):
        read_trials(tmp_path / "a", labels="1,-1")


def test_every_setting_is_advised_somewhere(tmp_path: Path) -> None:
    """No setting is named in the source that the cases above do not bring out."""
    written: set[str] = set()
    for path in Path(str(reading.__file__)).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in {"Setting", "setting"} and isinstance(node.args[0], ast.Constant):
                written.add(str(node.args[0].value))
    advised = {
        part.name
        for case in CASES.values()
        for part in error_of(case, tmp_path).args
        if isinstance(part, Setting)
    }
    assert written - advised == {"key_out"}  # of a note: see test_writing.py
