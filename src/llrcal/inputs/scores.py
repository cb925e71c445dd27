"""Input arrays of scores: checked once, never changed, not copied unless necessary."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any

import numpy as np

from llrcal.arrays import LARGEST, Array, ArrayLike, is_number
from llrcal.errors import ScoreError, changed_scores
from llrcal.inputs.labels import Label, words_of
from llrcal.kernels import kernels_for
from llrcal.messages import Position
from llrcal.onepass.chunks import chunks, on_threads


def as_scores(scores: ArrayLike, name: str, *, allow_infinite: bool = False) -> Array:
    """One-dimensional float array of scores; otherwise raises a ScoreError.

    float32 and float64 arrays are not copied; integers and float16 are converted.
    """
    array = as_floats(scores, name)
    if array.ndim != 1:
        raise ScoreError(
            f"{name} scores have shape {array.shape}; pass a one-dimensional array of scores"
        )
    if array.size == 0:
        raise ScoreError(f"no {name} scores: the array is empty")
    check_finite(array, name, allow_infinite=allow_infinite)
    return array


def check_classes(tar: Any, non: Any) -> None:
    """Refuse a path, and a second array that is missing or contains labels."""
    if isinstance(tar, str | PathLike):
        raise ScoreError(
            f"{fspath(tar)!r:.200} is a path, but scores are expected: pass what "
            "llrcal.open_trials or llrcal.read_trials makes of the file"
        )
    if non is None:
        raise ScoreError(
            "there are no non-target scores; pass target and non-target scores, or trials as "
            "llrcal.read_trials gives them"
        )
    if not isinstance(non, np.ndarray):  # a list may be anything, which others complain of
        try:
            tar, non = np.asarray(tar), np.asarray(non)
        except Exception:  # whatever is wrong with it, others say it better
            return
    if non.dtype.kind not in "iu" or np.shape(tar) != non.shape:
        return
    if set(np.unique(non).tolist()) in ({0, 1}, {-1, 1}):
        raise ScoreError(
            "the second array looks like labels; pass target and non-target scores, as "
            "llrcal.split(scores, labels) gives them"
        )


def as_floats(scores: ArrayLike, name: str) -> Array:
    """Float array of any shape; anything but real numbers is refused, not converted."""
    if isinstance(scores, np.ma.MaskedArray) and np.ma.is_masked(scores):
        raise ScoreError(f"{name} scores are a masked array; pass scores.compressed()")
    array = _as_array(scores, f"{name} scores")
    if array.dtype.kind in "iu" or array.dtype == np.float16:
        return array.astype(np.float64)
    if array.dtype.kind == "b":
        raise ScoreError(f"{name} scores are booleans; were labels passed as scores?")
    if array.dtype.kind != "f":
        raise ScoreError(
            f"{name} scores have type {array.dtype}{_first_odd(array)}; pass real numbers (float64 "
            "or float32)"
        )
    if array.dtype.itemsize <= 8:
        return array
    with np.errstate(over="ignore"):  # too large for a double: becomes infinite
        return array.astype(np.float64)


def _as_array(values: ArrayLike, what: str) -> Array:
    try:
        return np.asarray(values)
    except ValueError:
        raise ScoreError(f"{what} are lists of different lengths") from None
    except Exception as problem:  # objects of other libraries convert themselves, or refuse to
        reason = f"{type(problem).__name__}: {problem}"
        raise ScoreError(
            f"{what} cannot be converted to an array: {reason:.200}; pass a NumPy array"
        ) from problem


def check_finite(array: Array, name: str, *, allow_infinite: bool = False) -> None:
    """Raise a ScoreError if there are scores that are not finite; it names the first."""
    flat = array.ravel()
    if not are_usable(flat, allow_infinite=allow_infinite):
        every = np.flatnonzero(np.isnan(flat) if allow_infinite else _not_finite(flat))
        if not every.size:  # memory that is shared, or mapped to a file
            raise changed_scores(name)
        first = int(every[0])
        what = "NaN" if allow_infinite else "not finite"
        those = f"{name} scores".removeprefix("the ")
        raise ScoreError(
            f"{every.size} of {array.size} {those} are {what}; the first is {flat[first]} at ",
            Position("index", first),
            ". Remove or repair them",
        )


def are_usable(scores: Array, *, allow_infinite: bool = False) -> bool:
    """Whether all scores are finite, or at least numbers."""
    limit, unusable = (np.inf, np.isnan) if allow_infinite else (LARGEST, _not_finite)

    def are_within(start: int, end: int) -> bool:
        part = scores[start:end]
        if kernels := kernels_for(part):
            return not kernels.any_beyond(part, limit)
        return not any(unusable(chunk).any() for chunk in chunks(part))

    return all(on_threads(are_within, len(scores)))


def _first_odd(array: Array) -> str:
    """Words on the first object that is not a real number; empty if all are."""
    if array.dtype.kind != "O":
        return ""
    if not array.ndim:
        return f" (one {type(array.item()).__name__})"
    for index, value in enumerate(array.ravel()):
        if not is_number(value):
            return f"; the first that is not a number is {value!r:.50} at index {index}"
    return ""


def _not_finite(array: Array) -> Array:
    return ~np.isfinite(array)


def split(scores: ArrayLike, labels: ArrayLike) -> tuple[Array, Array]:
    """Split scores into targets and non-targets by their labels.

    Parameters
    ----------
    scores
        One-dimensional scores.
    labels
        As many labels: 1 and 0, True and False, or the words of the field (target / nontarget,
        genuine / impostor, Hp / Hd, ...).

    Returns
    -------
    tar, non
        Target and non-target scores, in the order given.

    Examples
    --------
    >>> import llrcal
    >>> tar, non = llrcal.split([1.5, -0.5, 2.0], [1, 0, 1])
    >>> tar, non
    (array([1.5, 2. ]), array([-0.5]))
    """
    array = as_floats(scores, "the")
    targets = is_target(_as_array(labels, "labels"))
    if array.shape != targets.shape or array.ndim != 1:
        raise ScoreError(
            f"scores have shape {array.shape} and labels {targets.shape}; "
            "pass one label for each score"
        )
    return array[targets], array[~targets]


def is_target(labels: Array) -> Array:
    """Boolean mask of target labels; raises a ScoreError for unknown labels."""
    if labels.dtype.kind == "b":
        return labels
    if labels.dtype.kind in "iuf":
        targets, nontargets = labels == 1, labels == 0
        if not nontargets.any():  # 1 and -1 is another convention; all three together are refused
            nontargets = labels == -1
    elif labels.dtype.kind in "UO":
        targets = np.isin(labels, words_of(Label.TARGET))
        nontargets = np.isin(labels, words_of(Label.NONTARGET))
    else:
        raise ScoreError(f"labels have type {labels.dtype}; pass 1 and 0, or target and nontarget")
    unknown = ~(targets | nontargets)
    if unknown.any():
        first = int(np.flatnonzero(unknown)[0])
        raise ScoreError(
            f"{int(unknown.sum())} labels are neither target nor non-target; the first is "
            f"{labels.ravel()[first]!r} at index {first}. Use 1 and 0, or target and nontarget"
        )
    return np.asarray(targets, bool)
