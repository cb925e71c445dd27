"""What is read and where results go: no stream twice, and nothing over what it is made from."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

_STANDARD_STREAM = "-"


def refuse_to_read_twice(*inputs: str | None) -> None:
    """Refuse standard input in two places: the second would find it empty.

    Raises
    ------
    OptionError
        If it is named more than once.
    """
    from llrcal.errors import OptionError

    if sum(name == _STANDARD_STREAM for name in _files(*inputs)) > 1:
        raise OptionError("standard input (-) can be read only once; name a file")


def refuse_to_overwrite(out: str, *inputs: str | None) -> None:
    """Refuse a file for results that is also read, under whatever name.

    It would be replaced in one step, and yet the scores be gone: what was calibrated once would
    be calibrated twice by the same command.

    Raises
    ------
    OptionError
        If it is one of the ``inputs``, which is named.
    """
    from llrcal.errors import OptionError

    for place in _files(out):
        for name in _files(*inputs):
            if place != _STANDARD_STREAM and _are_one_file(place, name):
                read = "standard input" if name == _STANDARD_STREAM else name
                raise OptionError(f"{place} is also what is read ({read}); name another file")


def refuse_to_bury(folder: str | None, *inputs: str | None) -> None:
    """Refuse a folder for results that holds what is read: to replace it would delete that.

    Raises
    ------
    OptionError
        If one of the ``inputs`` lies in it, which is named.
    """
    from llrcal.errors import OptionError

    if folder is None:
        return
    around = Path(folder).resolve()
    for name in _files(*inputs):
        # A link in the folder would be lost with it, as would be what a link points at there.
        if any(path.is_relative_to(around) for path in (_spelt_out(name), Path(name).resolve())):
            raise OptionError(
                f"{folder} holds {name}, which is to be read, and would be replaced; choose "
                "another folder"
            )


def _files(*names: str | None) -> Iterator[str]:
    """Every file that is named, also those of a pair written with a comma."""
    for name in names:
        if name is None or "\0" in name:
            continue
        yield name
        if "," in name:
            yield from name.split(",")


def _spelt_out(name: str) -> Path:
    """Where a name is, links around it followed, but not itself."""
    path = Path(name).absolute()
    return path.parent.resolve() / path.name


def _are_one_file(one: str, other: str) -> bool:
    """Whether both are there and the same; pipes and terminals may well be read and written."""
    try:
        found, read = os.stat(one), os.stat(0 if other == _STANDARD_STREAM else other)  # noqa: PTH116
    except OSError:
        return False
    return stat.S_ISREG(read.st_mode) and os.path.samestat(found, read)
