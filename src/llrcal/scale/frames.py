"""A table with named columns as a batch of trials, at the speed of what it holds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import polars as pl

from llrcal.arrays import Array, Bools
from llrcal.errors import OptionError, TrialFileError
from llrcal.labels import Label
from llrcal.scale.piece import NOTHING, Batch
from llrcal.trials.frames import labels_in, refuse_nulls, scores_in
from llrcal.trials.wish import Wish

Spoof = Literal["error", "omit", "nontarget", "only"]

_ROW = re.compile(r"(?<=\brow )\d+")


@dataclass(frozen=True)
class Columns:
    """Which column holds what, and what may be in it."""

    score: str
    label: str
    wish: Wish
    spoof: Spoof = "error"

    def __post_init__(self) -> None:
        check_spoof(self.spoof)

    def batch(self, frame: pl.DataFrame, name: str, first_row: int = 0) -> Batch:
        """The trials of a table, or of the part of one that begins with some row.

        Raises
        ------
        TrialFileError
            If something in it cannot be used; the message names the file and the row.
        """
        if not frame.height:
            return NOTHING
        try:
            return self._batch(frame, name)
        except TrialFileError as problem:
            message = _ROW.sub(lambda found: str(int(found.group()) + first_row), str(problem))
            raise TrialFileError(message) from problem

    def _batch(self, frame: pl.DataFrame, name: str) -> Batch:
        column = frame[self.score].rechunk()
        if self.wish.on_nan == "drop":
            column = column.fill_null(float("nan"))
        refuse_nulls(column, "score", name)
        scores = scores_in(column, self.wish, name)
        labels = frame[self.label]
        if labels.dtype == pl.Boolean and self.wish.on_nan == "error" and self.spoof != "only":
            refuse_nulls(labels, "label", name)
            # Several times as fast as to index arrays, and the usual case.
            return Batch(scores.filter(labels).to_numpy(), scores.filter(~labels).to_numpy())
        return as_batch(scores.to_numpy(), self._labels(labels, name), self.wish, self.spoof, name)

    def _labels(self, column: pl.Series, name: str) -> Array:
        refuse_nulls(column, "label", name)
        if column.dtype == pl.Boolean:
            return column.to_numpy().view(np.int8)
        # A few words stand for millions of labels.
        words = column.unique(maintain_order=True)
        try:
            meanings = labels_in(words, self.wish, name)
        except TrialFileError:
            labels_in(column, self.wish, name)  # which knows the row
            raise
        if len(words) == len(column):
            return meanings.to_numpy()
        return column.replace_strict(words, meanings, return_dtype=pl.Int8).to_numpy()


def check_spoof(spoof: Spoof) -> None:
    """Refuse what cannot be made of spoofs.

    Raises
    ------
    OptionError
        With what can be.
    """
    if spoof not in get_args(Spoof):
        raise OptionError(f"spoof cannot be {spoof!r}; choose {', '.join(get_args(Spoof))}")


def as_batch(scores: Array, labels: Array, wish: Wish, spoof: Spoof, name: str) -> Batch:
    """Trials by their labels, without those that are to be left out."""
    is_target: Bools = labels == Label.TARGET.value
    is_other: Bools = ~is_target
    is_spoof: Bools = labels == Label.SPOOF.value
    if spoof == "error" and is_spoof.any():
        raise TrialFileError(
            f"{name}: {int(is_spoof.sum())} of its trials are spoofs; say what to make of "
            "them: omit (leave them out), nontarget (beside the other non-targets) or only "
            "(instead of them)"
        )
    if spoof == "omit":
        is_other &= ~is_spoof
    elif spoof == "only":  # also where there are none: they may be in another piece
        is_other = is_spoof
    if wish.on_nan == "drop" and (is_nan := np.isnan(scores)).any():
        is_target, is_other = is_target & ~is_nan, is_other & ~is_nan
    tar, non = scores[is_target], scores[is_other]
    return Batch(tar, non, len(scores) - len(tar) - len(non))
