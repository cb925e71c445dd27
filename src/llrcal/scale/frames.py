"""A table with named columns as a batch of trials, at the speed of what it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from llrcal.arrays import Array, Bools
from llrcal.errors import TrialFileError
from llrcal.labels import Label
from llrcal.scale.piece import Batch
from llrcal.trials.frames import labels_in, refuse_nulls, scores_in
from llrcal.trials.wish import Wish

Spoof = Literal["error", "omit", "nontarget", "only"]


@dataclass(frozen=True)
class Columns:
    """Which column holds what, and what may be in it."""

    score: str
    label: str
    wish: Wish
    spoof: Spoof = "error"

    def batch(self, frame: pl.DataFrame, name: str) -> Batch:
        """The trials of a table.

        Raises
        ------
        TrialFileError
            If something in it cannot be used; the message names the file and the row.
        """
        if not frame.height:
            return Batch(np.empty(0), np.empty(0))
        column = frame[self.score]
        if self.wish.on_nan == "drop":
            column = column.fill_null(float("nan"))
        refuse_nulls(column, "score", name)
        scores = scores_in(column, self.wish, name).to_numpy()
        labels = self._labels(frame[self.label], name)
        return as_batch(scores, labels, self.wish, self.spoof, name)

    def _labels(self, column: pl.Series, name: str) -> Array:
        refuse_nulls(column, "label", name)
        if column.dtype == pl.Boolean:
            return column.to_numpy().view(np.int8)
        # A few words stand for millions of labels.
        words = column.unique(maintain_order=True)
        meanings = labels_in(words, self.wish, name)
        if len(words) == len(column):
            return meanings.to_numpy()
        return column.replace_strict(words, meanings, return_dtype=pl.Int8).to_numpy()


def as_batch(scores: Array, labels: Array, wish: Wish, spoof: Spoof, name: str) -> Batch:
    """Trials by their labels, without those that are to be left out."""
    is_target: Bools = labels == Label.TARGET.value
    is_other: Bools = ~is_target
    if (is_spoof := labels == Label.SPOOF.value).any():
        if spoof == "error":
            raise TrialFileError(
                f"{name}: {int(is_spoof.sum())} of its trials are spoofs; say what to make of "
                "them: omit (leave them out), nontarget (beside the other non-targets) or only "
                "(instead of them)"
            )
        is_other = {
            "omit": is_other & ~is_spoof, "nontarget": is_other, "only": is_spoof
        }[spoof]  # fmt: skip
    if wish.on_nan == "drop" and (is_nan := np.isnan(scores)).any():
        is_target, is_other = is_target & ~is_nan, is_other & ~is_nan
    tar, non = scores[is_target], scores[is_other]
    return Batch(tar, non, len(scores) - len(tar) - len(non))
