"""Spoof trials: neither targets nor non-targets until the user says how to count them."""

from __future__ import annotations

from typing import Literal, get_args

from llrcal.errors import OptionError, TrialFileError
from llrcal.messages import Setting

Spoof = Literal["error", "omit", "nontarget", "only"]
"""Refuse them, leave them out, or count them as non-targets: with the others or instead of them."""


def check_spoof(spoof: Spoof) -> None:
    """Raise an OptionError if spoofs cannot be treated like this."""
    if spoof not in get_args(Spoof):
        raise OptionError(f"spoof cannot be {spoof!r}; choose {', '.join(get_args(Spoof))}")


def are_spoofs(source: str, count: int, total: int) -> TrialFileError:
    """The error for spoofs in a file if the user did not say how to count them."""
    return TrialFileError(
        f"{source}: {count} of {total} trials are spoofs; choose how to count them: ",
        Setting("spoof", "omit"),
        " (leave them out), ",
        Setting("spoof", "nontarget"),
        " (with the other non-targets) or ",
        Setting("spoof", "only"),
        " (instead of the other non-targets)",
    )
