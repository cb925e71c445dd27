"""Which way scores run: the one rule for "targets score lower than non-targets".

It goes by ranks alone, so that no score weighs more than any other, however far out it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from llrcal.arrays import Array
from llrcal.errors import OptionError
from llrcal.messages import Setting
from llrcal.notes import Note

WRONG_WAY = "wrong way"
"""Code of the note that targets score lower than non-targets."""

_CLEARLY = 2.0  # standard errors


def order(higher: float, tar_count: int, non_count: int) -> float:
    """Mann and Whitney's z: positive if targets score higher, negative if they score lower.

    ``higher`` is the share of all pairs of a target and a non-target in which the target scores
    higher, ties counted by half: the area under the ROC.
    """
    error = math.sqrt((tar_count + non_count + 1) / (12 * tar_count * non_count))
    return (higher - 0.5) / error


def share_of_pairs(tar: Array, non: Array) -> float:
    """That share, from the shares of both classes at rising scores."""
    return float((tar * (np.cumsum(non) - non / 2)).sum())


def runs_backwards(z: float) -> bool:
    """Whether targets score lower than non-targets, by more than chance explains."""
    return z <= -_CLEARLY


def runs_forwards(z: float) -> bool:
    """Whether targets score higher, likewise."""
    return z >= _CLEARLY


def refuse_wrong_way(notes: Iterable[Note], source: str, *, distance: bool) -> None:
    """Raise an OptionError if a note says that scores run the wrong way."""
    if not any(note.code == WRONG_WAY for note in notes):
        return
    anyway = ". To continue anyway, give ", Setting("inverted", True)
    if distance:
        raise OptionError(
            f"{source}: targets have larger distances than non-targets. If these are "
            "similarities, leave out ",
            Setting("lower_is_better", True),
            *anyway,
        )
    raise OptionError(
        f"{source}: targets score lower than non-targets. If these are distances, give ",
        Setting("lower_is_better", True),
        "; if the labels are swapped, give ",
        Setting("labels"),
        *anyway,
    )
