"""What is known of trials beside their scores: who speaks, and under which conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from llrcal.arrays import Array, ArrayLike
from llrcal.errors import OptionError, ScoreError
from llrcal.messages import Position

Speakers = tuple[ArrayLike, ArrayLike]
"""Of targets and of non-targets: the enrolment and the test speaker of each trial."""

_TABLE = 2**24  # speaker ids within a range of this size are looked up in a table


def as_speakers(speakers: ArrayLike, count: int, name: str) -> Array:
    """Speaker ids as an integer array of shape (count, 2); otherwise raises a ScoreError."""
    array = np.asarray(speakers)
    if array.dtype.kind not in "iu":
        raise ScoreError(f"{name} speakers have type {array.dtype}; pass integers")
    if array.shape != (count, 2):
        raise ScoreError(
            f"{name} speakers have shape {array.shape}; {count} trials need shape ({count}, 2): "
            "the enrolment and the test speaker of each"
        )
    return array


def both_speakers(speakers: Speakers, tar_count: int, non_count: int) -> tuple[Array, Array]:
    """The speakers of both classes, checked."""
    tar, non = pair(speakers, "speakers")
    return as_speakers(tar, tar_count, "target"), as_speakers(non, non_count, "non-target")


def numbered(*classes: Array) -> tuple[list[Array], int]:
    """Speakers numbered from zero in the order of their ids, and the number of speakers."""
    ids = [pairs.astype(np.int64, copy=False) for pairs in classes]
    low, high = min(int(part.min()) for part in ids), max(int(part.max()) for part in ids)
    if high - low >= _TABLE:
        everyone, number = np.unique(np.concatenate(ids), return_inverse=True)
        numbered = number.reshape(-1, 2).astype(np.int32)
        return np.split(numbered, [len(ids[0])]), len(everyone)
    seen = np.zeros(high - low + 1, bool)
    for part in ids:
        seen[part - low] = True
    table = np.cumsum(seen, dtype=np.int32) - np.int32(1)
    return [table[part - low] for part in ids], int(seen.sum())


def speaker_counts(tar: Array, non: Array) -> tuple[int, int]:
    """How many different speakers the trials of either class have, given these."""
    return numbered(tar)[1], numbered(non)[1]


def supporting(counts: tuple[int, int], speakers: tuple[int, int] | None) -> tuple[int, int]:
    """How many targets and non-targets tell of different speakers: never more than there are.

    What the trials of a speaker, or of a pair of them, have in common, further ones cannot tell.
    """
    if speakers is None:
        return counts
    tar, non = speakers
    return min(counts[0], tar), min(counts[1], trials_of(non, in_pairs=True))


def trials_of(speakers: int, *, in_pairs: bool) -> int:
    """How many trials so many speakers make: one each; or S (S - 1) / 2, in pairs.

    If there are fewer pairs than speakers, one each, since a non-target may have a single speaker.
    """
    return max(speakers, speakers * (speakers - 1) // 2) if in_pairs else speakers


@runtime_checkable
class WithConditions(Protocol):
    """Trials in memory, whose conditions are known."""

    @property
    def tar(self) -> Array: ...

    @property
    def non(self) -> Array: ...

    @property
    def speakers(self) -> tuple[Array, Array] | None:
        """Where known, the two speakers of each target and of each non-target trial."""

    @property
    def speaker_names(self) -> Array | None:
        """By the numbers of the speakers, where they have names."""

    def conditions(self, names: Sequence[str]) -> tuple[Array, Array]:
        """Columns of text, of the targets and of the non-targets."""


_MISSING = ("NAType", "NaTType")  # of pandas


def condition_texts(conditions: Any, count: int, what: str) -> Array:
    """Conditions as trials x columns of text; those that are missing (None, NaN) are empty."""
    array = np.asarray(conditions, dtype=object)
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2 or len(array) != count:
        raise ScoreError(
            f"{what} conditions have shape {np.shape(conditions)}; pass one for each of {count} "
            "trials"
        )
    texts = np.asarray(np.frompyfunc(_text, 1, 1)(array))
    values = {value for value in array.ravel().tolist() if _text(value)}
    if len(values) != len({*texts.ravel().tolist()} - {""}):
        raise ScoreError(
            f"{what} conditions are of several types, such as 1 beside '1' or 1.0; give text"
        )
    return texts


def as_conditions(conditions: Any, count: int, what: str, *, may_miss: bool = False) -> Array:
    """The condition of each trial as text; an empty one where it is missing."""
    table = condition_texts(conditions, count, what)
    if table.shape[1] != 1:
        raise ScoreError(f"{what} trials have {table.shape[1]} conditions each; join them into one")
    texts: Array = table[:, 0]
    empty = np.flatnonzero(texts == "")
    if len(empty) and not may_miss:
        raise ScoreError(
            f"{len(empty)} of {count} {what} trials have no condition; the first at ",
            Position("index", int(empty[0])),
            ". Name one, such as 'unknown'",
        )
    return texts


def both_conditions(both: Any, tar_count: int, non_count: int) -> tuple[Array, Array]:
    """The condition of each target and of each non-target trial as text; none may be missing.

    Labels are no conditions: one of these, at least, has trials of both classes.
    """
    tar, non = pair(both, "condition")
    texts = as_conditions(tar, tar_count, "target"), as_conditions(non, non_count, "non-target")
    if {*texts[0]}.isdisjoint(texts[1]):
        raise ScoreError(
            f"no condition has both target and non-target trials: the first of these are in "
            f"{texts[0][0]!r:.50} and {texts[1][0]!r:.50}; labels are no conditions, since new "
            "trials have none"
        )
    return texts


def pair(both: Any, name: str) -> tuple[Any, Any]:
    """Values for targets and for non-targets; an error if these are not two."""
    if not isinstance(both, tuple | list) or len(both) != 2:
        raise OptionError(
            f"{name} must be a pair: those of the targets and those of the non-targets"
        )
    return both[0], both[1]


def _text(value: object) -> str:
    missing = value is None or (isinstance(value, float) and np.isnan(value))
    return "" if missing or type(value).__name__ in _MISSING else str(value)
