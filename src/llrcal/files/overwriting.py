"""Checks, before any work, that results do not overwrite what they are made from."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from llrcal.errors import OptionError
from llrcal.files.compression import STANDARD_STREAM, display_name


def refuse_to_read_twice(*inputs: str | None) -> None:
    """Refuse standard input that is named twice: the second time it would be empty."""
    if inputs.count(STANDARD_STREAM) > 1:
        raise OptionError("standard input (-) can be read only once; name a file")


def refuse_to_overwrite(out: str, *inputs: str | None) -> None:
    """Refuse an output file that is also an input, under whatever name.

    The original scores would be lost, and running the same command again would calibrate the
    calibrated scores once more.
    """
    for name in filter(None, inputs):
        if out != STANDARD_STREAM and _are_one_file(out, name):
            raise OptionError(f"{out} is also an input ({display_name(name)}); name another file")


def refuse_output_around_inputs(folder: str | None, *inputs: str | None) -> None:
    """Refuse an output folder with an input in it, which would be deleted with the old folder."""
    if folder is None:
        return
    around = Path(folder).resolve()
    for name in inputs:
        if name is None or "\0" in name:  # which those who read it refuse
            continue
        # A link in the folder would be lost with it, and so would what a link points at there.
        path = Path(name).absolute()
        places = path.parent.resolve() / path.name, path.resolve()
        if any(place.is_relative_to(around) for place in places):
            raise OptionError(
                f"{folder} contains the input {name} and would be replaced; choose another folder"
            )


def _are_one_file(one: str, other: str) -> bool:
    """Whether both names lead to the same regular file; pipes may well be read and written."""
    try:
        found, read = os.stat(one), os.stat(0 if other == STANDARD_STREAM else other)  # noqa: PTH116
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(read.st_mode) and os.path.samestat(found, read)
