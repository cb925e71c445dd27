"""Scores in, LLRs out, in a file of the same kind: only the scores are replaced."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import replace
from typing import IO

import numpy as np

from llrcal.errors import OptionError, TrialFileError
from llrcal.files.compression import output
from llrcal.inputs.scores import as_floats, check_finite
from llrcal.trials.frame_files import rewrite_frame_file, sheet_as_text
from llrcal.trials.npy import read_npy, read_npz
from llrcal.trials.request import Request
from llrcal.trials.source import Source
from llrcal.trials.text.lines import Answers, rewritten
from llrcal.trials.text.sniffing import sniff

_ARRAYS = ("tar", "non", "scores")


def rewrite(
    source: str,
    out: str,
    answers: Answers,
    request: Request,
    *,
    progress: Callable[[int], None] = lambda _: None,
) -> str:
    """Write the file ``out``: ``source`` with ``answers`` in place of its scores.

    Other columns, header and comments stay where they are; the sheet of a workbook is written as
    CSV. ``out`` appears whole or not at all; it is compressed if its name ends in ``.gz`` or
    ``.zst``, and ``-`` is standard output.
    ``progress`` is told the number of bytes as they are written. Returns how the file was read.

    Raises
    ------
    TrialFileError
        If the scores cannot be found without guessing, or one of them is not a number.
    OptionError
        If columns are to be added to a file that has no room for them.
    """
    request = replace(request, contents="scores", joins=False)
    file = Source(source)
    with output(out) as written, file.held():
        if file.kind == "excel" and out.endswith(".xlsx"):
            raise OptionError(f"{source}: LLRs of a workbook are written as CSV: name {out} .csv")
        return _write(file, written, answers, request, progress)


def _write(
    file: Source,
    written: IO[bytes],
    answers: Answers,
    request: Request,
    progress: Callable[[int], None],
) -> str:
    if file.kind == "hdf5":
        raise TrialFileError(
            f"{file.name}: scores in HDF5 files are not replaced; convert the file first to CSV or "
            "Parquet, as llrcal convert does"
        )
    if file.kind == "excel":
        file, request = sheet_as_text(file, request)
    if file.kind in ("parquet", "arrow"):
        return rewrite_frame_file(file, written, answers, request)
    if file.kind in ("npy", "npz"):
        return _write_arrays(file, written, answers, request)
    layout = sniff(file, request)
    for block in rewritten(file, layout, request, answers):
        written.write(block)
        progress(len(block))
    return layout.reading


def _write_arrays(file: Source, written: IO[bytes], answers: Answers, request: Request) -> str:
    """Write arrays again, in which each score has its place, and there is room for LLRs alone."""
    if request.on_nan == "drop":
        raise OptionError(
            f"{file.name}: no score can be left out of a file of this kind, in which each has its "
            "place; repair those that are NaN, or convert it first"
        )
    is_one = file.kind == "npy"
    arrays = {"scores": read_npy(file.on_disk)} if is_one else read_npz(file.on_disk)
    found = [name for name in _ARRAYS if name in arrays]
    if not found:
        raise TrialFileError(f"{file.name}: holds none of the arrays {', '.join(_ARRAYS)}")
    for name in found:
        where = file.name if is_one else f"{file.name}: {name}"
        scores = as_floats(arrays[name], where)
        check_finite(scores, where, allow_infinite=request.allow_infinite)
        arrays[name], *others = answers(scores).values()
        if others:
            raise OptionError(f"{file.name}: no columns can be added to a file of this kind")
    if is_one:
        np.save(written, arrays["scores"], allow_pickle=False)
        return "scores in an array"
    # Not numpy's savez, which takes some names for its own options.
    with zipfile.ZipFile(written, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, array, allow_pickle=False)
    return f"arrays {', '.join(found)}"
