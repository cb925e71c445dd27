"""A batch of trials from a table with named columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from llrcal.arrays import Array, Bools
from llrcal.errors import TrialFileError
from llrcal.inputs.labels import Label
from llrcal.scale.pieces.piece import NOTHING, Batch
from llrcal.trials.request import Request
from llrcal.trials.spoofs import Spoof, are_spoofs, check_spoof
from llrcal.trials.tables.frames import labels_in, refuse_nulls, rows_counted_from, scores_in


@dataclass(frozen=True)
class Columns:
    """Which columns hold the scores and the labels, and how to read them."""

    score: str
    label: str
    request: Request
    spoof: Spoof = "error"

    def __post_init__(self) -> None:
        check_spoof(self.spoof)

    def batch(self, frame: pl.DataFrame, name: str, first_row: int = 0) -> Batch:
        """The trials of a table, or of the part of a table that begins at ``first_row``.

        Raises
        ------
        TrialFileError
            If a value cannot be used; the message names the file and the row.
        """
        if not frame.height:
            return NOTHING
        with rows_counted_from(first_row):
            return self._batch(frame, name)

    def _batch(self, frame: pl.DataFrame, name: str) -> Batch:
        column = frame[self.score].rechunk()
        if self.request.on_nan == "drop":
            column = column.fill_null(float("nan"))
        refuse_nulls(column, "score", name)
        scores = scores_in(column, self.request, name)
        labels = frame[self.label]
        if labels.dtype == pl.Boolean and self.request.on_nan == "error" and self.spoof != "only":
            refuse_nulls(labels, "label", name)
            # The usual case; several times faster than indexing arrays.
            return Batch(scores.filter(labels).to_numpy(), scores.filter(~labels).to_numpy())
        return as_batch(
            scores.to_numpy(), self._labels(labels, name), self.request, self.spoof, name
        )

    def _labels(self, column: pl.Series, name: str) -> Array:
        refuse_nulls(column, "label", name)
        if column.dtype == pl.Boolean:
            return column.to_numpy().view(np.int8)
        # Millions of labels are only a few different words.
        words = column.unique(maintain_order=True)
        try:
            meanings = labels_in(words, self.request, name)
        except TrialFileError:
            labels_in(column, self.request, name)  # this error names the row
            raise
        if len(words) == len(column):
            return meanings.to_numpy()
        return column.replace_strict(words, meanings, return_dtype=pl.Int8).to_numpy()


def as_batch(scores: Array, labels: Array, request: Request, spoof: Spoof, name: str) -> Batch:
    """Trials by label, without those that the user wants to leave out."""
    is_target: Bools = labels == Label.TARGET.value
    is_other: Bools = ~is_target
    is_spoof: Bools = labels == Label.SPOOF.value
    if spoof == "error" and is_spoof.any():
        raise are_spoofs(name, int(is_spoof.sum()), len(labels))
    if spoof == "omit":
        is_other &= ~is_spoof
    elif spoof == "only":  # even if there are none here: other pieces may have some
        is_other = is_spoof
    if request.on_nan == "drop" and (is_nan := np.isnan(scores)).any():
        is_target, is_other = is_target & ~is_nan, is_other & ~is_nan
    tar, non = scores[is_target], scores[is_other]
    return Batch(tar, non, len(scores) - len(tar) - len(non))
