"""Spoof trials: neither targets nor non-targets until somebody says what to make of them."""

from __future__ import annotations

from typing import Literal, get_args

from llrcal.errors import OptionError, TrialFileError

Spoof = Literal["error", "omit", "nontarget", "only"]
"""Refuse them, leave them out, or count them as non-targets: beside the others, or alone."""


def check_spoof(spoof: Spoof) -> None:
    """Refuse what cannot be made of spoofs.

    Raises
    ------
    OptionError
        With what can be.
    """
    if spoof not in get_args(Spoof):
        raise OptionError(f"spoof cannot be {spoof!r}; choose {', '.join(get_args(Spoof))}")


def are_spoofs(source: str, count: int, total: int) -> TrialFileError:
    """What is said of spoofs where nobody said what to make of them."""
    return TrialFileError(
        f"{source}: {count} of its {total} trials are spoofs; say what to make of them: --spoof "
        "omit (leave them out), nontarget (beside the other non-targets) or only (instead of them)"
    )
