"""Settings in the environment that are numbers."""

from __future__ import annotations

import os

from llrcal.errors import OptionError

NUMBERS = {
    "LLRCAL_THREADS": range(1, 10_001),
    "POLARS_MAX_THREADS": range(1, 10_001),
    "SOURCE_DATE_EPOCH": range(2**33),
}
"""Variables and what they may be, for llrcal or for a package that it uses."""


def number_of(name: str) -> int | None:
    """The whole number that a variable gives; None if it is not set.

    Raises
    ------
    OptionError
        If it is anything else.
    """
    text, known = os.environ.get(name), NUMBERS[name]
    if text is None or (text.isdecimal() and int(text) in known):
        return None if text is None else int(text)
    raise OptionError(
        f"the environment variable {name} is {text!r:.50}; give a whole number from {known[0]} to "
        f"{known[-1]}, or unset it"
    )
