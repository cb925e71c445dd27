"""Reading trials from the files people have."""

from __future__ import annotations

import stat
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any

import numpy as np
import polars as pl

from llrcal.arrays import Array
from llrcal.inputs.labels import Label
from llrcal.trials.conventions import IDS, SPEAKERS
from llrcal.trials.joining import OnDuplicates, OnMissing, Policy, joined, without_duplicates
from llrcal.trials.nan_scores import are_numbers, refuse_nan, without_nan
from llrcal.trials.npy import (
    archive_trials,
    is_npy,
    is_npz,
    read_npy,
)
from llrcal.trials.request import OnNan, Request
from llrcal.trials.source import Source, mode_of
from llrcal.trials.spoofs import Spoof, are_spoofs, check_spoof
from llrcal.trials.table import Table
from llrcal.trials.table_reading import read_file, read_table
from llrcal.trials.trials import Trials


def read_trials(
    source: str | PathLike[str] | Any,
    key: str | PathLike[str] | Any | None = None,
    *,
    columns: str | None = None,
    convention: str | None = None,
    key_columns: str | None = None,
    key_convention: str | None = None,
    labels: str | None = None,
    separator: str | None = None,
    header: bool | None = None,
    missing: OnMissing = "error",
    unknown: OnMissing = "error",
    duplicates: OnDuplicates = "error",
    spoof: Spoof = "error",
    allow_infinite: bool = False,
    on_nan: OnNan = "error",
) -> Trials:
    """Read scores and labels, from one file or from a score file and its key.

    Parameters
    ----------
    source
        A score file of any kind that docs/formats.md lists, plain, gzip or zstd; ``-`` for
        standard input; two files of one class each as ``"GENUINE,IMPOSTOR"``; or a frame of
        polars, pandas or any library that exchanges tables the same way.
    key
        The labels, if they are somewhere else: joined on the ids of the trials, in any order.
    columns, key_columns
        What the columns are, where that cannot be told from the file: roles in the order of the
        file (``"enrol,test,score,label"``, with ``-`` for any other), or a name for a role
        (``"score=plda"``).
    convention, key_convention
        The name of a format, such as ``"kaldi"``.
    labels
        The words for target and non-target, such as ``"Yes,No"``, if they are unusual.
    separator
        ``"tab"``, ``"comma"``, ``"semicolon"`` or ``"space"`` (any run of blanks).
    header
        Whether the first line names the columns.
    missing, unknown
        Trials of the key without a score, and scores without a trial in the key: ``"error"``
        or ``"skip"``.
    duplicates
        Trials that are there more than once: ``"error"``, ``"first"``, ``"mean"`` or ``"all"``.
    spoof
        Spoof trials: ``"error"``, ``"omit"``, ``"nontarget"`` (beside the other non-targets), or
        ``"only"`` (instead of them).
    allow_infinite
        Whether scores may be infinite, as LLRs may.
    on_nan
        Trials whose score is NaN (in a frame, also null): ``"error"``, or ``"drop"`` to leave them
        out, also of the key.

    Returns
    -------
    Trials
        Target and non-target scores, labels and ids; its ``notes`` say how they were read, and
        ``left_out`` what was dropped.

    Raises
    ------
    TrialFileError
        If a file cannot be read without guessing; the message says what to tell.
    ScoreError
        If a class is empty, or a score is not finite.
    """
    request, key_request = requests(
        has_key=key is not None,
        columns=columns,
        convention=convention,
        key_columns=key_columns,
        key_convention=key_convention,
        labels=labels,
        separator=separator,
        header=header,
        allow_infinite=allow_infinite,
        on_nan=on_nan,
    )
    check_spoof(spoof)
    if key is None:
        pair = _pair(source)
        if pair:
            return _class_by_class(pair, request)
        if _is_archive(source):
            return archive_trials(fspath(source), request)
    policy = Policy(missing, unknown, duplicates)
    return _trials(read_and_join(source, key, request, key_request, policy), spoof, request)


def requests(
    *,
    has_key: bool,
    convention: str | None,
    columns: str | None,
    key_convention: str | None,
    key_columns: str | None,
    allow_infinite: bool = False,
    on_nan: OnNan = "error",
    **form: Any,
) -> tuple[Request, Request]:
    """What to look for in the scores, and what in the key."""
    return (
        Request.of(
            "scores" if has_key else "trials",
            convention=convention,
            columns=columns,
            allow_infinite=allow_infinite,
            on_nan=on_nan,
            **form,
        ),
        Request.of("key", convention=key_convention, columns=key_columns, **form),
    )


@dataclass(frozen=True)
class Joined:
    """Scores, with labels from the key where there is one, and how they were read."""

    table: Table
    notes: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    """Those of the notes that tell of scores that could not be used."""


def read_and_join(
    source: Any, key: Any | None, request: Request, key_request: Request, policy: Policy
) -> Joined:
    """The trials of a file, or of a file of scores and a key."""
    scores = read_table(source, request)
    labelled = None if key is None else read_table(key, key_request)
    left_out: list[str] = []
    if request.on_nan == "drop":
        scores, labelled, left_out = without_nan(scores, labelled)
    if labelled is None:
        table, said = without_duplicates(scores, policy)
        return Joined(table, (_note(table), *left_out, *said), tuple(left_out))
    table, said = joined(scores, labelled, policy)
    notes = (_note(scores), _note(labelled), *left_out, *said)
    return Joined(replace(table, forensic=labelled.forensic), notes, tuple(left_out))


def _note(table: Table) -> str:
    return f"{table.source}: {len(table):,} trials; {table.reading}"


def _pair(source: Any) -> tuple[str, str] | None:
    """The two files of a pair written with a comma, unless a file has that very name."""
    if not isinstance(source, str) or source.count(",") != 1 or mode_of(source) is not None:
        return None
    genuine, impostor = source.split(",")
    return genuine, impostor


def _is_archive(source: Any) -> bool:
    if not isinstance(source, str | PathLike) or not stat.S_ISREG(mode_of(fspath(source)) or 0):
        return False  # a pipe can be read only once
    file = Source(fspath(source))
    return file.path is not None and is_npz(file.head)


def _class_by_class(pair: tuple[str, str], request: Request) -> Trials:
    """Trials from two files, the targets first."""
    classes, notes = [], []
    left_out: list[str] = []
    for name, what in zip(pair, ("targets", "non-targets"), strict=True):
        scores, note = _one_class(Source(name), what, replace(request, contents="class"))
        notes.append(note)
        if scores.dtype.kind != "f":  # what is wrong with it is told of the class
            pass
        elif request.on_nan == "error":
            refuse_nan(scores, f"{name}: {what.removesuffix('s')}", request)
        else:
            found, said = are_numbers(scores, name)
            scores = scores[found] if said else scores
            left_out += said
        classes.append(scores)
    tar, non = classes
    return Trials(
        tar,
        non,
        ",".join(pair),
        notes=(*notes, *left_out),
        left_out=tuple(left_out),
        allow_infinite=request.allow_infinite,
    )


def _one_class(file: Source, what: str, request: Request) -> tuple[Array, str]:
    """The scores of one class, and how they were read."""
    if is_npy(file.head):
        return read_npy(file.on_disk), f"{file.name}: {what}, an array"
    table = read_file(file, request)
    return table.frame["score"].to_numpy(), f"{file.name}: {len(table):,} {what}; {table.reading}"


def _trials(read: Joined, spoof: Spoof, request: Request) -> Trials:
    table, said = without_spoof(read.table, spoof)
    frame = table.frame
    labels = (frame["label"] == Label.TARGET.value).to_numpy()
    scores = frame["score"].to_numpy()
    ids = [role for role in IDS if role in frame.columns]
    speakers = _speakers(frame)
    return Trials(
        scores[labels],
        scores[~labels],
        table.source,
        None if speakers is None else speakers[labels],
        None if speakers is None else speakers[~labels],
        is_target=labels,
        ids=frame.select(ids) if ids else None,
        notes=(*read.notes, *said),
        left_out=read.left_out,
        score_name=table.score_name,
        forensic=table.forensic,
        allow_infinite=request.allow_infinite,
    )


def without_spoof(table: Table, spoof: Spoof) -> tuple[Table, list[str]]:
    """The table with its spoof trials left out or relabelled, and what was done.

    Raises
    ------
    TrialFileError
        If there are some, and nobody said what to make of them.
    """
    frame = table.frame
    is_spoof = frame["label"] == Label.SPOOF.value
    count = int(is_spoof.sum())
    if not count:
        return table, []
    if spoof == "error":
        raise are_spoofs(table.source, count, frame.height)
    if spoof == "omit":
        return replace(table, frame=frame.filter(~is_spoof)), [f"{count:,} spoof trials left out"]
    relabelled = pl.col("label").replace(Label.SPOOF.value, Label.NONTARGET.value)
    said = f"{count:,} spoof trials count as non-targets"
    if spoof == "only":
        frame = frame.filter(is_spoof | (frame["label"] == Label.TARGET.value))
        said = f"{count:,} spoof trials are the only non-targets"
    return replace(table, frame=frame.with_columns(relabelled)), [said]


def _speakers(frame: pl.DataFrame) -> Array | None:
    """Who is speaking, as whole numbers in two columns."""
    if not set(SPEAKERS) <= set(frame.columns):
        return None
    both = pl.concat([frame[role].rename("speaker") for role in SPEAKERS])
    codes = both.rank("dense").to_numpy().astype(np.int64)
    return codes.reshape(2, -1).T
