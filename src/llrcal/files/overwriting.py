"""Results never take the place of what they are made from.

Whoever opens a file to read it says so here, and whoever writes one asks here. What is read and
written in one run, such as a verb of the command line, is known to it: see :func:`one_run`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Literal

from llrcal.errors import OptionError, TrialFileError
from llrcal.files.fingerprint import FileFingerprint
from llrcal.files.names import STANDARD_STREAM, display_name, files_of, is_many

_Inputs = dict[str, FileFingerprint | Literal[False] | None]
_inputs: ContextVar[_Inputs | None] = ContextVar("inputs", default=None)


@contextmanager
def one_run() -> Iterator[None]:
    """What is read in here stays what it was when it was first opened, and is not overwritten."""
    if _inputs.get() is not None:  # a part of one
        yield
        return
    token = _inputs.set({})
    try:
        yield
    finally:
        _inputs.reset(token)


def tell_input(name: str) -> None:
    """Tell of a file that is going to be read, so that no result of this run overwrites it."""
    known = _inputs.get()
    if known is not None:
        known.setdefault(name, None)


def tell_edited(name: str) -> None:
    """Tell of a file that was read, was edited on purpose, and is to be replaced."""
    (_inputs.get() or {})[name] = False


def is_edited(path: str | os.PathLike[str]) -> bool:
    """Whether this file is to be replaced for that reason."""
    return (_inputs.get() or {}).get(os.fspath(path)) is False


def opened_input(name: str) -> FileFingerprint:
    """The fingerprint of a file that is going to be read: in a run, that of the first time.

    Raises
    ------
    TrialFileError
        If there is no such file, or it has changed since it was first opened in this run.
    """
    now, known = FileFingerprint.of(name), _inputs.get()
    if known is None:
        return now
    before = known.get(name)
    if before:
        before.check()
    known[name] = before or now
    return known[name] or now


def refuse_to_read_twice(*inputs: str | None) -> None:
    """Refuse standard input that is named twice: the second time it would be empty."""
    if inputs.count(STANDARD_STREAM) > 1:
        raise OptionError("standard input (-) can be read only once; name a file")


def refuse_to_overwrite(out: str | os.PathLike[str], *inputs: str | None) -> None:
    """Refuse an output that is also an input, under whatever name, or a folder with one in it.

    The original scores would be lost, and running the same command again would calibrate the
    calibrated scores once more. Inputs are the given ones, and those of this run.
    """
    place = os.fspath(out)
    try:
        found = os.stat(1 if place == STANDARD_STREAM else place)  # noqa: PTH116
    except (OSError, ValueError):  # there is nothing to lose
        return
    known = [name for name, state in (_inputs.get() or {}).items() if state is not False]
    for name in dict.fromkeys((*filter(None, inputs), *known)):
        if stat.S_ISDIR(found.st_mode):
            _refuse_around(place, found, name)
        elif stat.S_ISREG(found.st_mode) and any(_is_file(found, one) for one in _every(name)):
            what = "standard output" if place == STANDARD_STREAM else place
            raise OptionError(f"{what} is also an input ({display_name(name)}); name another file")


def _refuse_around(folder: str, found: os.stat_result, name: str) -> None:
    """Refuse a folder with an input in it, which would be deleted with the old folder."""
    for one in _every(name):
        # A link in the folder would be lost with it, and so would what a link points at there.
        path = Path(one).absolute()
        inner = path.resolve()
        if any(_is_file(found, str(up)) for up in (path, *path.parents, inner, *inner.parents)):
            raise OptionError(
                f"{folder} contains the input {name} and would be replaced; choose another folder"
            )


def _every(name: str) -> Iterator[str]:
    """The file of this name; and all that it stands for, if it is a folder or a pattern."""
    if "\0" in name:  # which those who read it refuse
        return
    yield name
    if name != STANDARD_STREAM and is_many(name):
        try:
            yield from files_of(name)
        except TrialFileError:  # there are none
            return


def _is_file(found: os.stat_result, name: str) -> bool:
    """Whether a name leads to this file; pipes may well be read and written."""
    try:
        return os.path.samestat(found, os.stat(0 if name == STANDARD_STREAM else name))  # noqa: PTH116
    except OSError:
        return False
