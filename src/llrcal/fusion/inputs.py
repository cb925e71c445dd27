"""What may come into a fusion: columns of scores, side information, and names of conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from llrcal.arrays import Array, ArrayLike
from llrcal.errors import OptionError, ScoreError
from llrcal.inputs.scores import are_usable, as_floats, check_finite
from llrcal.messages import Part, Setting

Scores = ArrayLike | Mapping[str, ArrayLike]
"""Trials x systems, or the scores of each system by its name."""

Ends = tuple[Array, Array]
"""The least and the greatest value of each column in the trials of a class."""


def as_names(names: Sequence[str] | None, scores: Any, what: str) -> tuple[str, ...]:
    """Names for the columns: those given, those of a mapping, or numbers."""
    if names is None and isinstance(scores, Mapping):
        names = list(scores)
    if names is None:
        columns = *_shape(scores), 1, 1
        names = [f"{what} {i + 1}" for i in range(columns[1])]
    texts = [] if isinstance(names, str) else list(names)
    if not texts or not all(isinstance(name, str) and name for name in texts):
        raise OptionError(
            f"{names!r:.80} does not name every {what}; give a text for each, and at least one"
        )
    for name in texts:
        if texts.count(name) > 1:
            raise OptionError(f"two {what}s are called {name!r}; give each a name of its own")
    return tuple(texts)


def as_columns(
    scores: Any,
    names: tuple[str, ...],
    what: str,
    *,
    may_miss: bool = False,
    infinite: bool = False,
) -> Array:
    """Numbers as trials x columns, in the order of the names.

    ``what`` they are is for messages, such as "target scores". If they ``may_miss``, some are
    NaN.
    """
    if by_name := isinstance(scores, Mapping):
        refuse_others(list(scores), names, what)
        scores = [np.asarray(scores[name]) for name in names]
    array = as_floats(scores, what.removesuffix(" scores"))
    if by_name:
        array = array.T
    elif array.ndim == 1 and len(names) == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != len(names):
        raise ScoreError(
            f"{what} have shape {array.shape}; pass one row for each trial and one column for "
            f"each of {_listed(names)}"
        )
    if not len(array):
        raise ScoreError(f"no {what}: the array is empty")
    if are_usable(array.ravel(order="K"), allow_infinite=infinite):
        return array
    for name, column in zip(names, array.T, strict=True):  # which column is it?
        present = column[~np.isnan(column)] if may_miss else column
        of_which = f"{name}: {what}".removesuffix(" scores")
        try:
            check_finite(present, of_which, allow_infinite=infinite)
        except ScoreError as problem:
            hint: tuple[Part, ...] = ()
            if np.isnan(present).any() and what.endswith("scores"):
                hint = (", or fuse what there is: ", Setting("missing", "patterns"))
            raise ScoreError(*problem.args, *hint) from None
    return array


def refuse_others(given: Sequence[str], names: Sequence[str], what: str) -> None:
    """Raise a ScoreError that names what is missing and what is unknown."""
    missing = [name for name in names if name not in given]
    unknown = [name for name in given if name not in names]
    if missing or unknown:
        parts = [f"no {_listed(missing)}"] if missing else []
        parts += [f"unknown: {_listed(unknown)}"] if unknown else []
        raise ScoreError(f"{what}: {'; '.join(parts)}. Expected are {_listed(names)}")


def as_quality(quality: Any, names: tuple[str, ...], count: int, what: str) -> Array:
    """Side information as trials x columns; values of both sides become minima and maxima."""
    if _has_sides(quality):
        sides = np.asarray(quality)
        quality = np.concatenate([sides.min(axis=2), sides.max(axis=2)], axis=1)
    out = as_columns(quality, names, f"{what} side information")
    if len(out) != count:
        raise ScoreError(
            f"{what} side information has {len(out)} rows for {count} trials; pass one for each"
        )
    return out


def quality_names(quality: Any) -> tuple[str, ...]:
    """Names for the columns of side information."""
    first = as_names(None, quality, "quality")
    if _has_sides(quality):
        return tuple(f"{end} of {name}" for end in ("minimum", "maximum") for name in first)
    return first


def refuse_labels(names: Sequence[str], tar: Ends, non: Ends) -> None:
    """Raise a ScoreError if a column of side information has one value in each class."""
    for name, *ends in zip(names, *tar, *non, strict=True):
        if ends[0] == ends[1] != ends[2] == ends[3]:
            raise ScoreError(
                f"{name}: is {ends[0]:g} for every target and {ends[2]:g} for every non-target; "
                "labels are no side information, since new trials have none"
            )


def _has_sides(quality: Any) -> bool:
    """Whether there are two values of a trial in each column."""
    return _shape(quality)[2:] == (2,)


def _shape(values: Any) -> tuple[int, ...]:
    """The shape of an array; none, if there is none."""
    try:
        return np.shape(values)
    except ValueError:
        return ()


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:12]))
    return shown if len(names) <= 12 else f"{shown} and {len(names) - 12} more"
