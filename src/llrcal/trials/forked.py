"""Processes that were forked from one that had read files: they have its locks, not its threads."""

from __future__ import annotations

import os

from llrcal.errors import TrialFileError

_readers: list[int] = []  # the first process that read a file; a fork has the list of its parent


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
