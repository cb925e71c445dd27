"""Names that people give: of files, of folders, of standard input, and patterns for many files."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path

from llrcal.errors import TrialFileError

STANDARD_STREAM = "-"
"""The name of standard input or output, in place of that of a file."""

Paths = str | PathLike[str] | Sequence[str | PathLike[str]]


def display_name(name: str) -> str:
    """The name of an input for messages."""
    return "standard input" if name == STANDARD_STREAM else name


def files_of(paths: Paths) -> list[str]:
    """The names of the files given, of those that match a pattern, and of those in a folder.

    Raises
    ------
    TrialFileError
        If there is no such file.
    """
    given = [paths] if isinstance(paths, str | PathLike) else list(paths)
    found: list[str] = []
    for path in (fspath(one) for one in given):
        if Path(path).is_dir():
            inside = sorted(Path(path).rglob("*"))
            names = [str(p) for p in inside if p.is_file() and not p.name.startswith((".", "_"))]
        elif glob.has_magic(path) and not Path(path).exists():
            names = sorted(glob.glob(path, recursive=True))  # noqa: PTH207, a pattern may be absolute
        else:
            names = [path]
        if not names:
            what = "is a folder without files" if Path(path).is_dir() else "there is no such file"
            raise TrialFileError(f"{path}: {what}")
        found += names
    return found


def is_many(paths: Paths) -> bool:
    """Whether these are several files, or a pattern or a folder that may stand for several."""
    if not isinstance(paths, str | PathLike):
        return True
    path = fspath(paths)
    return Path(path).is_dir() or (glob.has_magic(path) and not Path(path).exists())
