"""Names that people give: of files, of folders, of standard input, and patterns for many files."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from itertools import chain
from os import PathLike, fspath
from pathlib import Path

from llrcal.errors import OptionError, TrialFileError

STANDARD_STREAM = "-"
"""The name of standard input or output, in place of that of a file."""

Paths = str | PathLike[str] | Sequence[str | PathLike[str]]
_HIDDEN = re.compile("/[._]")
_URL = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)


def display_name(name: str) -> str:
    """The name of an input for messages."""
    return "standard input" if name == STANDARD_STREAM else name


def given_name(path: str | PathLike[str]) -> str:
    """The name of a file or a folder that can be one on this machine.

    Raises
    ------
    OptionError
        If it is empty, which the system takes for the current folder, or a URL.
    """
    if not (name := fspath(path)):
        raise OptionError("the name of a file or folder is empty; give one, or leave it out")
    if _URL.match(name):
        raise OptionError(f"{name} is a URL; download it first, or name a file on this machine")
    return name


def output_name(path: str | PathLike[str]) -> str:
    """The name of a file or folder to write, whose parent folder exists.

    Names are taken as the system takes them: ``a/..`` is nothing if there is no folder ``a``.

    Raises
    ------
    OptionError
        If nothing can be written there.
    """
    name = given_name(path)
    parent, last = os.path.split(name.rstrip(os.sep + (os.altsep or "")))
    if last in ("", ".", "..") or "\0" in name:
        raise OptionError(f"{name!r} is not a name for a file or folder; give it one of its own")
    if not Path(parent).is_dir():
        raise OptionError(f"{name} cannot be written: {parent} is not a folder")
    return name


def files_of(paths: Paths) -> list[str]:
    """The names of the files given, of those that match a pattern, and of those in a folder.

    Files in a folder whose names, or those of folders around them in it, begin with a dot or an
    underscore are left out.

    Raises
    ------
    OptionError
        If a name is empty, or a URL.
    TrialFileError
        If there is no such file.
    """
    given = [paths] if isinstance(paths, str | PathLike) else list(paths)
    found: list[str] = []
    for path in map(given_name, given):
        if Path(path).is_dir():
            inside = all_in(path)
            shown = (p for p in inside if not _HIDDEN.search(f"/{p.relative_to(path).as_posix()}"))
            names = [str(p) for p in shown if p.is_file()]
        elif glob.has_magic(path) and not Path(path).exists():
            names = sorted(glob.glob(path, recursive=True))  # noqa: PTH207, a pattern may be absolute
        else:
            names = [path]
        if not names:
            what = "is a folder without files" if Path(path).is_dir() else "there is no such file"
            raise TrialFileError(f"{path}: {what}")
        found += names
    return found


def all_in(folder: str | PathLike[str]) -> list[Path]:
    """All that is in a folder, at any depth; nothing if there is none. Links are not followed.

    Raises
    ------
    OSError
        If a folder in it cannot be read.
    """

    def refuse(problem: OSError) -> None:
        if not isinstance(problem, FileNotFoundError):
            raise problem

    walked = os.walk(folder, onerror=refuse)
    return sorted(Path(place, name) for place, *names in walked for name in chain(*names))


def is_many(paths: Paths) -> bool:
    """Whether these are several files, or a pattern or a folder that may stand for several."""
    if not isinstance(paths, str | PathLike):
        return True
    path = fspath(paths)
    if not _URL.match(path):  # which a cluster may read
        given_name(path)
    return Path(path).is_dir() or (glob.has_magic(path) and not Path(path).exists())
