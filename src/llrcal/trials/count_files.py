"""Files and frames of counted trials: columns ``score``, ``targets`` and ``nontargets``.

They are known by these names. A further column, ``without``, is 0 or empty for the counts of all
trials, and g for those without the g-th group of speakers.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from llrcal.arrays import Array
from llrcal.errors import LlrcalError, OptionError, TrialFileError
from llrcal.files.compression import output, plain_name
from llrcal.files.names import files_of
from llrcal.messages import Part, Position, Setting
from llrcal.notes import Note
from llrcal.trials.counts import Counts, as_counts
from llrcal.trials.frame_files import counted
from llrcal.trials.frames import as_polars, collected, is_frame, polars_errors
from llrcal.trials.leaving_out import left_out
from llrcal.trials.npy import names_in_npz, read_npz
from llrcal.trials.request import ReadOptions
from llrcal.trials.source import Source

_KINDS = ("targets", "nontargets")
_SEPARATORS = ",;\t"
_ENDINGS = ("csv", "parquet", "npz")

Columns = Mapping[str, Array]
"""Those of a table of counts, by name, and all that it needs: ``without`` as well."""


def are_counts(names: Sequence[str]) -> bool:
    """Whether a table with these columns holds counted trials."""
    return {*_KINDS} <= {*names} and bool({"score", "scores"} & {*names})


def hold_counts(source: Any) -> bool:
    """Whether these files, or the first of them, hold counted trials."""
    names = _regular(source)
    return bool(names) and are_counts(_names_in(names[0]))


def counts_from(source: Any, key: Any | None, options: ReadOptions) -> Counts | None:
    """The counted trials of files or of a frame; None if these hold trials one by one.

    Raises
    ------
    LlrcalError
        If they cannot be read, or something is asked that needs single trials.
    """
    tables: dict[str, Any]
    if is_frame(source):
        tables, name = {"the frame": as_polars(source)}, "the frame"
        if not are_counts(tables[name].columns):
            return None
    else:
        if not hold_counts(source):
            return None
        names = _regular(source)
        tables = dict.fromkeys(names)
        name = names[0] if isinstance(source, str | PathLike) else f"{len(names)} files"
    _refuse_what_needs_trials(name, key, options)
    parts, notes = [], list[Note]()
    for one, frame in tables.items():
        columns = _of_frame(frame, one) if frame is not None else _of_file(one)
        columns, dropped = _without_nan(columns, one, options)
        parts.append((one, columns))
        notes += dropped
    return _added_up(parts, notes, name, options)


def _regular(source: Any) -> list[str]:
    """The names of files, all of which are there; none for a stream, or anything else."""
    given = [source] if isinstance(source, str | PathLike) else source
    if not isinstance(given, list | tuple) or not all(isinstance(g, str | PathLike) for g in given):
        return []
    if any("://" in fspath(one) for one in given):
        return []
    try:
        names = files_of(given)
        return names if all(Path(name).is_file() for name in names) else []
    except (LlrcalError, OSError, ValueError):  # which reading them will tell
        return []


def _names_in(name: str) -> list[str]:
    """The names of the columns of a file; none if it cannot be read, as reading it will tell."""
    from llrcal.trials.table_reading import refuse_after_fork  # which asks for counts itself

    refuse_after_fork()
    try:
        file = Source(name)
        if file.kind == "npz" and file.path:
            return names_in_npz(file.path)
        if file.kind in ("parquet", "arrow"):
            return collected(counted(file)[0].head(0), name).columns
        return _header(file)[0] if file.kind == "text" else []
    except LlrcalError:
        return []


def _header(file: Source) -> tuple[list[str], str]:
    """The names in the first line of a text file, and what separates them."""
    lines = file.head.decode(errors="replace").removeprefix("\ufeff").split("\n")
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    sign = max(_SEPARATORS, key=first.count)
    return [name.strip(' "\r') for name in first.split(sign)], sign


def _refuse_what_needs_trials(name: str, key: Any | None, options: ReadOptions) -> None:
    given: dict[Part, Any] = {Setting("key"): key, Setting("nontargets"): options.nontargets}
    given["columns of conditions"] = options.keep or None
    for what, value in given.items():
        if value is not None:
            text = (
                f"{name}: holds counted trials, which have neither ids nor conditions; leave out "
            )
            raise OptionError(text, what)


def _of_file(name: str) -> Columns:
    """The columns of a file of counts."""
    file = Source(name)
    names = _names_in(name)
    if not are_counts(names):
        raise TrialFileError(
            f"{name}: holds no counted trials, but another of the files does: give files of one "
            "kind"
        )
    with file.held():
        if file.kind == "npz":
            arrays = read_npz(file.on_disk)
            lengths = {array.shape for array in map(arrays.get, names) if array is not None}
            if len(lengths) > 1 or any(len(shape) != 1 for shape in lengths):
                raise TrialFileError(f"{name}: its arrays are not of one length")
            frame = pl.DataFrame({key: _plain(array, name) for key, array in arrays.items()})
        elif file.kind == "text":
            names, sign = _header(file)
            with polars_errors(name):
                frame = pl.read_csv(
                    io.BytesIO(file.content),
                    separator=sign,
                    comment_prefix="#",
                    infer_schema=False,
                )
            frame.columns = [column.strip() for column in frame.columns]
        else:
            frame = collected(counted(file)[0].select(_wanted(names)), name)
    return _of_frame(frame, name)


def _wanted(names: Sequence[str]) -> list[str]:
    return [name for name in names if name in ("score", "scores", "without", *_KINDS)]


def _plain(array: Array, name: str) -> Array:
    if array.dtype.kind not in "iuf":
        raise TrialFileError(f"{name}: has an array of type {array.dtype}; expected numbers")
    return array


def _of_frame(frame: pl.DataFrame, name: str) -> Columns:
    """The columns of a table of counts, as numbers."""
    if not frame.height:
        raise TrialFileError(f"{name}: holds no trials")
    scores = "score" if "score" in frame.columns else "scores"
    found = {"score": _numbers(frame[scores], name, float)}
    found |= {kind: _numbers(frame[kind], name, int) for kind in _KINDS}
    without = np.zeros(frame.height, np.int64)
    if "without" in frame.columns:
        column = frame["without"]
        if column.dtype == pl.String:
            column = column.str.strip_chars().replace("", None)
        without = as_counts(_numbers(column.fill_null(0), name, int), "groups", frame.height)
    try:
        for kind in _KINDS:
            found[kind] = as_counts(found[kind], kind, frame.height)
    except LlrcalError as problem:
        raise problem.within(name) from None
    return {**found, "without": without}


def _numbers(column: pl.Series, name: str, kind: type) -> Array:
    """A column as numbers; an error about the first value that is none."""
    numbers = column
    if column.dtype == pl.String:
        text = column.str.strip_chars()
        numbers = text.cast(pl.Int64 if kind is int else pl.Float64, strict=False)
        if numbers.null_count() and kind is int:  # 2.0, and what is no whole number
            numbers = text.cast(pl.Float64, strict=False)
    elif not column.dtype.is_numeric():
        raise TrialFileError(f"{name}: column {column.name!r} is of type {column.dtype}")
    if numbers.null_count():
        row = int(numbers.is_null().arg_max() or 0)
        raise TrialFileError(
            f"{name}: column {column.name!r} has {numbers.null_count()} values that are no "
            f"numbers; the first is {column[row]!r} in ",
            Position("row", row),
        )
    return numbers.to_numpy()


def _without_nan(columns: Columns, name: str, options: ReadOptions) -> tuple[Columns, list[Note]]:
    is_nan = np.isnan(columns["score"])
    if options.on_nan != "drop" or not is_nan.any():
        return columns, []
    trials = (columns["targets"] + columns["nontargets"]) * (columns["without"] == 0)
    notes = left_out(name, int(trials[is_nan].sum()), int(trials.sum()))
    return {key: column[~is_nan] for key, column in columns.items()}, notes


def _added_up(
    parts: Sequence[tuple[str, Columns]], notes: Sequence[Note], name: str, options: ReadOptions
) -> Counts:
    """The trials of all tables, and those without each group, which must be in all of them."""
    groups = {one: np.unique(columns["without"]) for one, columns in parts}
    first = parts[0][0]
    for one, has in groups.items():
        if not np.array_equal(has, groups[first]):
            raise TrialFileError(f"{one}: leaves out other groups of speakers than {first} does")
    if groups[first][0] != 0:
        raise TrialFileError(f"{first}: has no counts of all trials, in rows whose without is 0")
    every = {key: np.concatenate([columns[key] for _, columns in parts]) for key in parts[0][1]}

    def of(group: int) -> Counts:
        rows = every["without"] == group
        return Counts(
            every["score"][rows],
            every["targets"][rows],
            every["nontargets"][rows],
            source=name,
            score_name="score",
            allow_infinite=options.allow_infinite,
        )

    without = tuple(of(group) for group in groups[first][1:].tolist())
    found = replace(of(0), without=without)
    return replace(found, notes=(Note.of("read", found.words).about(name), *notes))


def write_counts(counts: Counts, path: str | PathLike[str]) -> None:
    """Write counts to CSV, Parquet or npz, as the extension says; see :meth:`Counts.save`."""
    name = fspath(path)
    ending = plain_name(name).rpartition(".")[2]
    if ending not in _ENDINGS:
        endings = ", ".join(f".{one}" for one in _ENDINGS)
        raise OptionError(f"{name}: counts are written to files that end in {endings}")
    sets = (counts, *counts.without)
    columns = {
        "score": np.concatenate([one.scores for one in sets]),
        "targets": np.concatenate([one.targets for one in sets]),
        "nontargets": np.concatenate([one.nontargets for one in sets]),
    }
    if counts.without:
        columns["without"] = np.repeat(np.arange(len(sets)), [len(one.scores) for one in sets])
    with output(name) as file:
        if ending == "npz":
            arrays: dict[str, Any] = {**columns, "scores": columns["score"]}
            del arrays["score"]
            np.savez(file, **arrays)
        elif ending == "parquet":
            pl.DataFrame(columns).write_parquet(file)
        else:
            pl.DataFrame(columns).write_csv(file)
