"""Who speaks in each trial: arrays of speakers, and speakers numbered from zero."""

from __future__ import annotations

import numpy as np

from llrcal.arrays import Array, ArrayLike
from llrcal.errors import OptionError, ScoreError

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
    if not isinstance(speakers, tuple | list) or len(speakers) != 2:
        raise OptionError(
            "speakers must be a pair: those of the targets and those of the non-targets, each with "
            "the enrolment and the test speaker of each trial"
        )
    tar, non = speakers
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
