"""Whether a file is still the one that it was."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from llrcal.errors import TrialFileError

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class FileFingerprint:
    """What the system says of a file whose content is still the same."""

    path: str
    size: int
    modified: int
    """In nanoseconds."""
    inode: int
    machine: str
    """Who says so: on another machine, inodes and fractions of a second may differ."""

    @classmethod
    def of(cls, path: str) -> FileFingerprint:
        """The fingerprint of a file as it is now.

        Raises
        ------
        TrialFileError
            If there is no such file.
        """
        try:
            found = Path(path).stat()
        except (OSError, ValueError) as problem:
            reason = getattr(problem, "strerror", None) or problem
            raise TrialFileError(f"{path}: cannot be read: {reason}") from problem
        return cls(path, found.st_size, found.st_mtime_ns, found.st_ino, platform.node())

    def check(self) -> None:
        """Refuse a file that is no longer what it was.

        Raises
        ------
        TrialFileError
            If so: what was read before and what would be read now are different trials.
        """
        now = FileFingerprint.of(self.path)
        same = now == self
        if now.machine != self.machine:
            seconds = now.modified // 10**9, self.modified // 10**9
            same = now.size == self.size and seconds[0] == seconds[1]
        if not same:
            raise TrialFileError(
                f"{self.path}: has changed while it was read; start again when nobody writes to it"
            )

    def sha256(self) -> str:
        """The SHA-256 of what is in the file, in hexadecimal digits, as ``sha256sum`` prints it.

        Raises
        ------
        TrialFileError
            If the file is no longer what it was.
        """
        with self.held(), Path(self.path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Refuse what is done here with the file if that changes meanwhile, failed or not."""
        try:
            yield
        except (KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except BaseException:  # panics of polars are no Exceptions
            self.check()  # a file that changes is damaged for no other reason
            raise
        self.check()

    def watched(self, values: Iterator[_Value]) -> Iterator[_Value]:
        """What is read from the file; an error in the end, unless it is the same as when opened."""
        with self.held():
            yield from values
