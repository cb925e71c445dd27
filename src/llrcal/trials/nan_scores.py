"""Trials whose score is NaN: left out before anything is made of them, and counted."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from llrcal.arrays import Array, Bools
from llrcal.errors import LlrcalWarning, ScoreError, TrialFileError
from llrcal.inputs.scores import check_finite
from llrcal.trials.request import TO_DROP_NAN, Request
from llrcal.trials.table import Table

# The arrays of scores in an archive: what is said of them, and what goes with them.
_SCORES = {
    "tar": (" target", "tar_speakers"),
    "non": (" non-target", "non_speakers"),
    "scores": ("", "labels"),
}


def without_nan(scores: Table, key: Table | None) -> tuple[Table, Table | None, list[str]]:
    """Scores without those that are NaN, the key without their trials, and what was left out.

    This comes before duplicates are averaged, since the mean would be NaN, and before scores and
    key are joined, where the trials would be missing.

    Raises
    ------
    TrialFileError
        If no score is left.
    """
    is_nan = scores.frame["score"].is_nan()
    if not is_nan.any():
        return scores, key, []
    kept = replace(scores, frame=scores.frame.filter(~is_nan))
    said = sentence(scores.source, int(is_nan.sum()), len(scores))
    if key is None:
        return kept, None, [said]
    ids = [role for role in scores.ids if role in key.ids]
    if ids:  # a trial that has another score as well is still in the key
        gone = scores.frame.filter(is_nan).join(kept.frame, on=ids, how="anti")
        left = key.frame.join(gone, on=ids, how="anti", maintain_order="left")
        return kept, replace(key, frame=left), [said]
    if len(scores) == len(key):  # line by line
        key = replace(key, frame=key.frame.filter(~is_nan))
    return kept, key, [said]


def refuse_nan(scores: Array, name: str, request: Request) -> None:
    """Raise a ScoreError where scores of an array cannot be used, with the way out."""
    try:
        check_finite(scores, name, allow_infinite=request.allow_infinite)
    except ScoreError as problem:
        if np.isnan(scores).any():
            raise ScoreError(f"{problem}, {TO_DROP_NAN}") from None
        raise


def are_numbers(scores: Array, source: str) -> tuple[Bools, list[str]]:
    """Which scores of an array are not NaN, and what is said of the others.

    Raises
    ------
    TrialFileError
        If no score is left.
    """
    found = ~np.isnan(scores)
    count = int((~found).sum())
    return found, [sentence(source, count, found.size)] if count else []


def usable_arrays(
    arrays: Mapping[str, Array], source: str, request: Request
) -> tuple[dict[str, Array], list[str]]:
    """The arrays of an archive without scores that are NaN, and what was left out.

    Speakers and labels go with their scores. An array that holds no scores, by its type or shape,
    is left for others to complain of.

    Raises
    ------
    ScoreError
        If scores are NaN and nobody said to leave them out.
    TrialFileError
        If no score is left.
    """
    out, said = dict(arrays), []
    for name, (what, beside) in _SCORES.items():
        scores = arrays.get(name)
        if scores is None or scores.dtype.kind != "f" or scores.ndim != 1:
            continue
        if request.on_nan == "error":
            refuse_nan(scores, f"{source}:{what}", request)
            continue
        found, sentences = are_numbers(scores, f"{source}: {name}")
        said += sentences
        for part in (name, beside):
            if part in out and len(out[part]) == len(found):
                out[part] = out[part][found]
    return out, said


def warn_of(said: Sequence[str]) -> None:
    """Warn of trials that are left out of a file that is written again."""
    for text in said:
        warnings.warn(text, LlrcalWarning, stacklevel=2)


def sentence(source: str, count: int, total: int) -> str:
    """How many trials were left out.

    Raises
    ------
    TrialFileError
        If all of them would be.
    """
    if count == total:
        raise TrialFileError(f"{source}: every score is NaN, so that none is left")
    return f"{source}: {count:,} of {total:,} trials left out, whose score is NaN"
