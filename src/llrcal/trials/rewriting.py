"""Scores in, LLRs out, in a file of the same kind: only the scores are replaced."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import IO, cast

import numpy as np
import polars as pl

from llrcal.arrays import Array, Floats
from llrcal.errors import OptionError, TrialFileError
from llrcal.scores import as_floats, check_finite
from llrcal.trials.frames import score_column
from llrcal.trials.hdf5 import is_hdf5, rewrite_hdf5
from llrcal.trials.lines import Answers, rewritten, rewritten_matrix
from llrcal.trials.matrix import matrix_cells
from llrcal.trials.npy import is_npy, is_npz, read_npy, read_npz
from llrcal.trials.packing import check_place, output
from llrcal.trials.parquet_rewriting import rewrite_parquet
from llrcal.trials.sniffing import sniff
from llrcal.trials.source import Source
from llrcal.trials.wish import Wish

_ARRAYS = ("tar", "non", "scores")


def rewrite(
    source: str,
    out: str,
    answers: Answers,
    wish: Wish,
    *,
    progress: Callable[[int], None] = lambda _: None,
) -> str:
    """Write the file ``out``: ``source`` with ``answers`` in place of its scores.

    Every line, id and comment stays where it is. ``out`` appears whole or not at all; it is
    compressed if its name ends in ``.gz`` or ``.zst``, and ``-`` is standard output.
    ``progress`` is told the number of bytes as they are written. Returns how the file was read.

    Raises
    ------
    TrialFileError
        If the scores cannot be found without guessing, or one of them is not a number.
    OptionError
        If columns are to be added to a file that has no room for them.
    """
    wish = replace(wish, contents="scores")
    if "," in source and not Path(source).exists():
        return _rewrite_pair(source, out, answers, wish, progress)
    file = Source(source)
    if is_hdf5(file.head):
        check_place(out, by_name=True)
        _refuse_to_drop(file.name, wish)
        llrs = _only_llrs(answers, file.name)
        rewrite_hdf5(_on_disk(file), out, llrs, allow_infinite=wish.allow_infinite)
        return "scores in HDF5"
    with output(out) as written:
        return _write(file, written, answers, wish, progress)


def _rewrite_pair(
    source: str, out: str, answers: Answers, wish: Wish, progress: Callable[[int], None]
) -> str:
    names, outs = source.split(","), out.split(",")
    if len(names) != 2 or len(set(outs)) != 2:
        raise OptionError(f"{source} are two files; name two for the answer as well: OUT1,OUT2")
    files = [Source(name) for name in names]
    for file in files:
        if is_hdf5(file.head):
            raise TrialFileError(f"{file.name}: HDF5 is not rewritten in pairs; name one at a time")
    wish = replace(wish, contents="class")
    with output(outs[0]) as one, output(outs[1]) as other:  # both appear, or none
        for file, written in zip(files, (one, other), strict=True):
            reading = _write(file, written, answers, wish, progress)
    return reading


def _write(
    file: Source,
    written: IO[bytes],
    answers: Answers,
    wish: Wish,
    progress: Callable[[int], None],
) -> str:
    if file.path is not None and file.head.startswith(b"PAR1"):
        return rewrite_parquet(file, written, answers, wish)
    if file.head.startswith((b"PAR1", b"ARROW1")):
        return _write_frame(file, written, answers, wish)
    if is_npy(file.head) or is_npz(file.head):
        _refuse_to_drop(file.name, wish)
        return _write_arrays(file, written, _only_llrs(answers, file.name), wish)
    layout = sniff(file.head, wish, file.name)
    if layout.is_matrix:
        _refuse_to_drop(file.name, wish)
        _, _, scores = matrix_cells(file, layout, wish)
        llrs = _only_llrs(answers, file.name)(scores.ravel()).reshape(scores.shape)
        written.write(rewritten_matrix(file, layout, llrs))
        return layout.reading
    for block in rewritten(file, layout, wish, answers):
        written.write(block)
        progress(len(block))
    return layout.reading


def _refuse_to_drop(name: str, wish: Wish) -> None:
    """Refuse to leave out scores of a file in which each has its place."""
    if wish.on_nan == "drop":
        raise OptionError(
            f"{name}: no score can be left out of a file of this kind, in which each has its "
            "place; repair those that are NaN, or convert it first"
        )


def _only_llrs(answers: Answers, name: str) -> Callable[[Floats], Floats]:
    """LLRs alone, for files that have no room for more."""

    def llrs(scores: Floats) -> Floats:
        columns = answers(scores)
        if len(columns) > 1:
            raise OptionError(f"{name}: no columns can be added to a file of this kind")
        return cast("Floats", next(iter(columns.values())))

    return llrs


def _write_arrays(
    file: Source, written: IO[bytes], llrs: Callable[[Floats], Floats], wish: Wish
) -> str:
    if is_npy(file.head):
        answer = llrs(_finite(read_npy(_on_disk(file)), file.name, wish))
        np.save(written, answer, allow_pickle=False)
        return "scores in an array"
    arrays = read_npz(_on_disk(file))
    found = [name for name in _ARRAYS if name in arrays]
    if not found:
        raise TrialFileError(f"{file.name}: holds none of the arrays {', '.join(_ARRAYS)}")
    for name in found:
        arrays[name] = llrs(_finite(arrays[name], f"{file.name}: {name}", wish))
    # Not numpy's savez, which takes some names for its own options.
    with zipfile.ZipFile(written, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, array, allow_pickle=False)
    return f"arrays {', '.join(found)}"


def _on_disk(file: Source) -> str:
    """The name of a file that must be opened by name."""
    if file.path is None:
        raise TrialFileError(f"{file.name}: binary data must be a plain file; decompress it first")
    return file.path


def _finite(array: Array, name: str, wish: Wish) -> Floats:
    scores = as_floats(array, name)
    check_finite(scores, name, allow_infinite=wish.allow_infinite)
    return scores


def _write_frame(file: Source, written: IO[bytes], answers: Answers, wish: Wish) -> str:
    frame, name = score_column(file, wish)
    columns = answers(frame[name].cast(pl.Float64).to_numpy())
    llrs, *added = (pl.Series(key, value) for key, value in columns.items())
    taken = [column.name for column in added if column.name in frame.columns]
    if taken:
        raise OptionError(f"{file.name}: has a column {taken[0]!r} already")
    frame = frame.with_columns(llrs.rename(name), *added)
    if file.head.startswith(b"PAR1"):
        frame.write_parquet(written)
    else:
        frame.write_ipc(written)
    return f"column {name!r}"
