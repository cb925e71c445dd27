"""A file or frame of any kind as a table; the kind of a file is known by its first bytes."""

from __future__ import annotations

import os
from dataclasses import replace
from os import PathLike, fspath
from typing import Any

from llrcal.errors import OptionError, TrialFileError
from llrcal.notes import Note
from llrcal.trials.frame_files import counted as scanned
from llrcal.trials.frame_files import sheet_as_text
from llrcal.trials.frames import as_polars, is_frame, read_frame
from llrcal.trials.hdf5 import read_hdf5
from llrcal.trials.npy import read_arrays
from llrcal.trials.request import Request
from llrcal.trials.source import Source
from llrcal.trials.table import Table
from llrcal.trials.text.parsing import read_text
from llrcal.trials.text.sniffing import sniff

_readers: list[int] = []  # the first process that read a file; a fork has the list of its parent


def read_table(source: Any, request: Request, *, counted: bool = False) -> Table:
    """A file or frame of any kind, in columns named by their roles; a note says how it was read.

    Counted trials are refused, unless ``counted`` says that they will do. A table stays as it is.
    """
    if isinstance(source, Table):
        return source
    unused = request.for_text
    if isinstance(source, str | PathLike):
        file = Source(fspath(source))
        with file.held():
            table = _read_file(file, request)
        unused = [] if file.kind == "text" else unused
    elif is_frame(source):
        table = read_frame(as_polars(source), request, "the frame")
        table = replace(table, index=getattr(source, "index", None))
    else:
        raise OptionError(
            f"trials are read from a file or a frame, not from {type(source).__name__}; give the "
            "name of a file, or a polars or pandas frame"
        )
    if table.is_counted and not counted:
        raise TrialFileError(
            f"{table.source}: holds counted trials, and single ones are needed here"
        )
    notes = [Note.of("read", f"{len(table):,} trials; {table.reading}"), *unused]
    return table.changed(table.frame, *(note.about(table.source) for note in notes))


def _read_file(file: Source, request: Request) -> Table:
    refuse_after_fork()
    if file.kind == "excel":
        file, request = sheet_as_text(file, request)
    if file.kind == "text":
        return read_text(file, sniff(file, request), request)
    if file.kind == "hdf5":
        return read_hdf5(file.on_disk, request)
    if file.kind in ("npy", "npz"):
        return read_arrays(file, request)
    return read_frame(scanned(file)[0], request, file.name)  # columns not needed stay on disk


def refuse_after_fork() -> None:
    """Refuse to read where polars would wait forever for threads that a fork does not have."""
    if not _readers:
        _readers.append(os.getpid())
    elif _readers[0] != os.getpid():
        raise TrialFileError(
            "this process was forked from one that had read files, and would wait forever for "
            "threads that only that one has; start processes by spawn or forkserver "
            '(multiprocessing.get_context("spawn"))'
        )
