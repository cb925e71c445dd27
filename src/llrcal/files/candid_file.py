"""A file to write to that says which file it is when it cannot be written to, and why."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class CandidFile(io.BufferedWriter):
    """A binary file whose errors carry its name, and are remembered.

    What writes to it may lose the reason on its way up: polars tells of a full disk in words, or
    as a "transport error". (To a plain file of Python's it would write behind Python's back.)
    """

    def __init__(
        self, path: Path, mode: str, opener: Callable[[str, int], int] | None = None
    ) -> None:
        self._raw = _Raw(path, mode, opener=opener)
        super().__init__(self._raw)

    @contextmanager
    def reasons(self) -> Iterator[None]:
        """Raise what kept this file from being written, instead of what was made of it."""
        try:
            yield
        except Exception as problem:
            if self._raw.problem is None or self._raw.problem is problem:
                raise
            raise self._raw.problem from problem

    def sync(self) -> None:
        """Bring all that was written to disk."""
        self.flush()
        with self._raw.remembered():
            os.fsync(self.fileno())


class _Raw(io.FileIO):
    problem: OSError | None = None

    def write(self, data: Any, /) -> Any:
        with self.remembered():
            return super().write(data)

    @contextmanager
    def remembered(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            problem.filename = str(self.name)
            self.problem = problem
            raise
