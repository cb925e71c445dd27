"""What may come into a fusion: columns of scores, side information, and names of conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from llrcal.arrays import Array, ArrayLike
from llrcal.errors import OptionError, ScoreError
from llrcal.inputs.scores import as_floats, check_finite
from llrcal.messages import Part, Setting

Scores = ArrayLike | Mapping[str, ArrayLike]
"""Trials x systems, or the scores of each system by its name."""


def as_names(names: Sequence[str] | None, scores: Any, what: str) -> tuple[str, ...]:
    """Names for the columns: those given, those of a mapping, or numbers."""
    if names is None and isinstance(scores, Mapping):
        names = list(scores)
    if names is None:
        shape = np.shape(scores) if not _is_ragged(scores) else (0, 0)
        return tuple(f"{what} {i + 1}" for i in range(shape[1] if len(shape) > 1 else 1))
    if isinstance(names, str) or not all(isinstance(name, str) and name for name in names):
        raise OptionError(f"the names of {what}s are {names!r:.80}; give a list of texts")
    for name in names:
        if list(names).count(name) > 1:
            raise OptionError(f"two {what}s are called {name!r}; give each a name of its own")
    return tuple(names)


def as_columns(
    scores: Any, names: tuple[str, ...], what: str, *, holes: bool = False, infinite: bool = False
) -> Array:
    """Numbers as trials x columns, in the order of the names.

    ``what`` they are is for messages, such as "target scores". ``holes`` may be NaN.
    """
    if isinstance(scores, Mapping):
        scores = _by_name(scores, names, what)
    array = as_floats(scores, what.removesuffix(" scores"))
    if array.ndim == 1 and len(names) == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != len(names):
        raise ScoreError(
            f"{what} have shape {array.shape}; pass one row for each trial and one column for "
            f"each of {_listed(names)}"
        )
    if not len(array):
        raise ScoreError(f"no {what}: the array is empty")
    try:
        check_finite(array, "the", allow_infinite=infinite)
    except ScoreError:  # which column is it?
        for name, column in zip(names, array.T, strict=True):
            _check(column, f"{name}: {what}", holes=holes, infinite=infinite)
    return array


def _check(column: Array, what: str, *, holes: bool, infinite: bool) -> None:
    if holes:
        column = column[~np.isnan(column)]
    try:
        check_finite(column, what.removesuffix(" scores"), allow_infinite=infinite)
    except ScoreError as problem:
        hint: tuple[Part, ...] = ()
        if np.isnan(column).any() and what.endswith("scores"):
            hint = (", or fuse what there is: ", Setting("missing", "patterns"))
        raise ScoreError(*problem.args, *hint) from None


def _by_name(scores: Mapping[str, ArrayLike], names: tuple[str, ...], what: str) -> Any:
    refuse_others(list(scores), names, what)
    columns = [np.asarray(scores[name]) for name in names]
    lengths = {len(column) if column.ndim == 1 else -1 for column in columns}
    if len(lengths) > 1 or lengths == {-1}:
        shapes = ", ".join(
            f"{name} {column.shape}" for name, column in zip(names, columns, strict=True)
        )
        raise ScoreError(f"{what}: columns must be equally long; these have the shapes {shapes}")
    return np.column_stack(columns)


def refuse_others(given: Sequence[str], names: Sequence[str], what: str) -> None:
    """Raise a ScoreError that names what is missing and what is unknown."""
    missing = [name for name in names if name not in given]
    unknown = [name for name in given if name not in names]
    if missing or unknown:
        parts = [f"no {_listed(missing)}"] if missing else []
        parts += [f"unknown: {_listed(unknown)}"] if unknown else []
        raise ScoreError(f"{what}: {'; '.join(parts)}. Expected are {_listed(names)}")


def as_quality(quality: Any, names: tuple[str, ...], count: int, what: str) -> Array:
    """Side information as trials x columns; values of both sides become two columns."""
    array = both_sides(quality)
    out = as_columns(array, names, f"{what} side information")
    if len(out) != count:
        raise ScoreError(
            f"{what} side information has {len(out)} rows for {count} trials; pass one for each"
        )
    return out


def both_sides(quality: Any) -> Any:
    """Trials x columns x 2 sides as columns of minima and maxima; anything else as it is."""
    if isinstance(quality, Mapping) or _is_ragged(quality):
        return quality
    array = np.asarray(quality)
    if array.ndim != 3 or array.shape[2] != 2:
        return quality
    return np.concatenate([array.min(axis=2), array.max(axis=2)], axis=1)


def quality_names(quality: Any) -> tuple[str, ...]:
    """Names for the columns of side information."""
    first = as_names(None, quality, "quality")
    if not isinstance(quality, Mapping) and not _is_ragged(quality) and np.ndim(quality) == 3:
        return tuple(f"{end} of {name}" for end in ("minimum", "maximum") for name in first)
    return first


def _is_ragged(scores: Any) -> bool:
    try:
        np.shape(scores)
    except ValueError:
        return True
    return False


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:12]))
    return shown if len(names) <= 12 else f"{shown} and {len(names) - 12} more"
