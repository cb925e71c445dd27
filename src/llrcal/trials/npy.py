"""Arrays of NumPy on disk: ``.npy`` and ``.npz``. Nothing pickled is ever loaded."""

from __future__ import annotations

import io
import math
import os
import threading
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl

from llrcal.arrays import Array
from llrcal.errors import ScoreError, TrialFileError
from llrcal.inputs.scores import as_floats
from llrcal.messages import Setting
from llrcal.trials.conventions import COUNTED, SPEAKERS, are_counts
from llrcal.trials.frames import read_frame
from llrcal.trials.joining import both_classes
from llrcal.trials.request import Request
from llrcal.trials.source import Source, refuse_swelling
from llrcal.trials.table import Table

# NumPy parses headers as Python. In Python 3.11, threads that do so at once can disturb each other.
_PARSING = threading.Lock()
_CLASSES = ("tar", "non")
_WHO = ("tar_speakers", "non_speakers")
_ROLES = {"scores": "score", "labels": "label"}
_LARGEST_RATIO = 1000  # of content to file, in bytes: arrays of zeros shrink by as much


def read_npy(name: str, start: int = 0, end: int | None = None) -> Array:
    """One array, or some of its rows.

    It is copied: a file that is cut off while it is mapped into memory would end the process.
    """
    with _npy_errors(name), Path(name).open("rb") as file:
        whole, is_fortran, dtype = _header(file, os.fstat(file.fileno()).st_size)
        shape = whole if end is None else (end - start, *whole[1:])
        file.seek(start * dtype.itemsize, io.SEEK_CUR)
        array = np.empty(math.prod(shape), dtype)
        if file.readinto(array.view(np.uint8).data) < array.nbytes:
            raise ValueError("it is cut off")
    return np.asarray(array.reshape(shape, order="F" if is_fortran else "C"))


def shape_of_npy(name: str) -> tuple[int, ...]:
    """The shape of an array on disk."""
    with _npy_errors(name), Path(name).open("rb") as file:
        return _header(file, os.fstat(file.fileno()).st_size)[0]


@contextmanager
def _npy_errors(name: str) -> Iterator[None]:
    """Turn errors about an array into a TrialFileError."""
    try:
        yield
    except Exception as problem:  # its header is parsed as Python, which fails in many ways
        raise TrialFileError(f"{name}: cannot be read as an array: {_reason(problem)}") from problem


def _header(stream: IO[bytes], size: int) -> tuple[tuple[int, ...], bool, Any]:
    """The shape of an array in so many bytes, whether it is in Fortran's order, and its type."""
    with _PARSING:
        is_old = np.lib.format.read_magic(stream) == (1, 0)
        read = (
            np.lib.format.read_array_header_1_0 if is_old else np.lib.format.read_array_header_2_0
        )
        shape, is_fortran, dtype = read(stream)
    if dtype.hasobject or not dtype.itemsize:  # which could claim any number of values
        raise ValueError(f"its values have the type {dtype}")
    if math.prod(shape) * dtype.itemsize > size - stream.tell():
        raise ValueError("it is cut off")
    return shape, is_fortran, dtype


def read_npz(name: str) -> dict[str, Array]:
    """Every array of an archive, by name; damaged archives and bombs are refused."""
    try:
        with zipfile.ZipFile(name) as archive:
            check_archive(archive, name)
            return {
                entry.filename.removesuffix(".npy"): _array(archive.read(entry))
                for entry in archive.infolist()
            }
    except TrialFileError:
        raise
    except Exception as problem:  # zipfile and numpy raise a dozen kinds on damaged archives
        raise TrialFileError(f"{name}: cannot be read: {_reason(problem)}") from problem


def check_archive(archive: zipfile.ZipFile, name: str) -> None:
    """Refuse an archive that claims to be far larger than it is, or that repeats a name."""
    names = archive.namelist()
    if len(set(names)) < len(names):
        raise TrialFileError(f"{name}: two of its arrays have the same name")
    total = sum(entry.file_size for entry in archive.infolist())
    hint = "this is not an archive of scores"
    refuse_swelling(name, Path(name).stat().st_size, total, _LARGEST_RATIO, hint)


def _array(content: bytes) -> Array:
    """The array in the content of a file, which is not copied."""
    stream = io.BytesIO(content)
    shape, is_fortran, dtype = _header(stream, len(content))
    array = np.frombuffer(content, dtype, offset=stream.tell())
    return np.asarray(array.reshape(shape, order="F" if is_fortran else "C"))


def read_arrays(file: Source, request: Request) -> Table:
    """The trials of an array, or of an archive: ``tar`` and ``non``, or ``scores`` and ``labels``.

    Scores alone will do where labels are not needed, and labels alone for a key.
    """
    if file.kind == "npz":
        arrays = read_npz(file.on_disk)
    elif request.contents != "trials":
        arrays = {"scores" if request.needs_score else "labels": read_npy(file.on_disk)}
    else:
        raise TrialFileError(
            f"{file.name}: a single array has no labels; give a key: ",
            Setting("key", "FILE"),
            ", or non-targets in an array of their own: ",
            Setting("nontargets", "FILE"),
        )
    if are_counts([*arrays]):
        names = [name for name in arrays if name in ("scores", "without", *COUNTED)]
        columns = [_column(name, arrays[name], file.name) for name in names]
        return read_frame(_frame(columns, file.name), request, file.name)
    may_have_classes = request.contents != "class"
    needed = ["scores"] * request.needs_score + ["labels"] * request.needs_label
    has_classes = may_have_classes and {*_CLASSES} <= arrays.keys()
    used = arrays.keys() & ({*_CLASSES, *_WHO} if has_classes else {*_ROLES})
    others = sorted(arrays.keys() - used)
    if not has_classes and not {*needed} <= used:
        found = ", ".join(sorted(arrays)) or "nothing"
        expected = "tar and non, or " * may_have_classes + " and ".join(needed)
        raise TrialFileError(f"{file.name}: holds {found}; expected {expected}")
    if not {*_CLASSES, *_WHO, *_ROLES}.isdisjoint(others):
        both = f"{', '.join(sorted(used))}, and {', '.join(others)}"
        raise TrialFileError(f"{file.name}: holds {both}; remove one or the other")
    chosen = {name: arrays[name] for name in _ROLES if name in used}
    read = partial(_read_classes, arrays) if has_classes else partial(_read, chosen)
    table = read(file.name, request)
    ignored = f", without {', '.join(others)}" if others else ""
    return replace(table, reading=table.reading + ignored)


def _read_classes(arrays: Mapping[str, Array], source: str, request: Request) -> Table:
    """The trials of ``tar`` and ``non``, with their speakers if these are known."""
    request = replace(request, contents="class")
    tables = [_read({"scores": arrays[side]}, f"{source}: {side}", request) for side in _CLASSES]
    both = replace(both_classes(*tables), source=source, reading="arrays tar and non")
    known = [arrays[who] for who in _WHO if who in arrays]
    if not known:
        return both
    shapes = [who.shape for who in known]
    if shapes != [(len(table), 2) for table in tables]:
        raise TrialFileError(
            f"{source}: {' and '.join(_WHO)} must have a row for each trial, and two columns; "
            f"they have the shapes {' and '.join(map(str, shapes))}"
        )
    pairs = pl.DataFrame(np.concatenate(known), schema=list(SPEAKERS))
    return replace(both, frame=both.frame.hstack(pairs))


def _read(arrays: Mapping[str, Array], source: str, request: Request) -> Table:
    """Arrays as the columns of a table."""
    columns = [_column(name, array, source) for name, array in arrays.items()]
    frame = _frame(columns, source)
    request = replace(request, columns=tuple(_ROLES[name] for name in arrays), named=())
    table = read_frame(frame, request, source)
    return replace(table, reading=f"arrays {' and '.join(arrays)}")


def _frame(columns: Sequence[pl.Series], source: str) -> pl.DataFrame:
    """Columns as a table; an error if they are of several lengths."""
    if len({*map(len, columns)}) > 1:
        counts = " and ".join(f"{len(column)} {column.name}" for column in columns)
        raise TrialFileError(f"{source}: has {counts}; there must be one for each score")
    return pl.DataFrame(columns)


def _column(name: str, array: Array, source: str) -> pl.Series:
    if array.ndim != 1:
        raise TrialFileError(
            f"{source}: {name} have shape {array.shape}; expected a one-dimensional array"
        )
    if name == "scores":
        with np.errstate(invalid="ignore"):  # there are NaNs that even a conversion complains of
            return pl.Series(name, floats_of(array, source).astype(np.float64, copy=False))
    native = array.astype(array.dtype.newbyteorder("="), copy=False)  # polars needs it
    try:
        return pl.Series(name, native)
    except (ValueError, SystemError) as problem:  # from characters beyond Unicode
        raise TrialFileError(
            f"{source}: its {name} are not valid text ({problem}); write the file again"
        ) from problem


def floats_of(array: Array, name: str) -> Array:
    """The scores in an array as floats; an error names the file."""
    try:
        return as_floats(array, "the")
    except ScoreError as problem:
        raise problem.within(name) from None


def _reason(problem: Exception) -> str:
    return getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
