"""The level of an interval: the share of cases that it should cover."""

from __future__ import annotations

from llrcal.arrays import is_number
from llrcal.errors import OptionError


def check_level(level: float) -> None:
    """Raise an OptionError if this is not between 0 and 1."""
    if not is_number(level) or not 0 < level < 1:
        raise OptionError(f"level is {level!r:.50}; give a number strictly between 0 and 1")
