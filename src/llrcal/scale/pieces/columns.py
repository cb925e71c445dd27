"""A batch of trials from a table with named columns."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from llrcal.arrays import Array, Bools, Floats
from llrcal.errors import TrialFileError
from llrcal.inputs.labels import Label
from llrcal.inputs.scores import are_usable
from llrcal.kernels import kernels_for
from llrcal.scale.pieces.piece import Batch
from llrcal.trials.frames import (
    FIRST,
    labelled,
    labels_in,
    refuse_nulls,
    rows_counted_from,
    scores_in,
)
from llrcal.trials.request import Request
from llrcal.trials.spoofs import are_spoofs

_IN_CACHE = 2**17  # rows that are taken apart at a time
_UNUSED = 3  # references: that of the thread, that of a name, and that of an argument


@dataclass(frozen=True)
class Columns:
    """Which columns hold the scores and the labels, and how to read them."""

    score: str
    label: str | None
    """None if labels are not needed."""
    request: Request

    @property
    def names(self) -> list[str]:
        return [name for name in (self.score, self.label) if name is not None]

    def batches(self, frame: pl.DataFrame, name: str, first_row: int = 0) -> Iterator[Batch]:
        """The trials of a table, or of the part of a table that begins at ``first_row``.

        They come in parts that stay in the cache while they are worked on.

        Raises
        ------
        TrialFileError
            If a value cannot be used; the message names the file and the row.
        """
        with rows_counted_from(first_row):
            labels = (
                None if self.label is None else labels_of(frame[self.label], self.request, name)
            )
        for start in range(0, frame.height, _IN_CACHE):
            scores = self.scores(frame.slice(start, _IN_CACHE), name, first_row + start)
            some = None if labels is None else labels[start : start + _IN_CACHE]
            yield as_batch(scores, some, self.request, name)

    def scores(self, frame: pl.DataFrame, name: str, first_row: int) -> list[Array]:
        """The scores of a part of a table, whatever their labels, as they lie in memory."""
        with rows_counted_from(first_row):
            return _arrays(self._scores(frame, name))

    def _scores(self, frame: pl.DataFrame, name: str) -> pl.Series:
        column = frame[self.score]
        if self.request.on_nan == "drop":
            column = column.fill_null(float("nan"))
        refuse_nulls(column, "score", name)
        return column if self._are_scores(column) else scores_in(column, self.request, name)

    def _are_scores(self, column: pl.Series) -> bool:
        """Whether a column needs neither a conversion nor an error."""
        if self.request.on_nan != "error" or column.dtype not in (pl.Float64, pl.Float32):
            return False
        infinite = self.request.allow_infinite
        return all(are_usable(part, allow_infinite=infinite) for part in _arrays(column))


def labels_of(column: pl.Series, request: Request, name: str) -> Array:
    """A column as labels; millions of them are only a few different words.

    Raises
    ------
    TrialFileError
        If a word in it is not a label; the message names the row.
    """
    refuse_nulls(column, "label", name)
    if column.dtype == pl.Boolean:
        return column.to_numpy().view(np.int8)
    for some in (column.head(FIRST), column):
        words = some.unique(maintain_order=True)
        try:
            labels = labelled(column, words, labels_in(words, request, name))
        except TrialFileError:
            labels_in(column, request, name)  # this error names the row
            raise
        if not labels.null_count():
            break
    return labels.to_numpy()


def _arrays(column: pl.Series) -> list[Array]:
    """The parts in which a column without missing values lies in memory."""
    return [part.to_numpy() for part in column.get_chunks()]


def _by_class(parts: Sequence[Array], is_tar: Bools) -> Batch:
    """Target and non-target scores of an array in parts."""
    targets = int(np.count_nonzero(is_tar))
    tar, non = np.empty(targets + 1), _reused(len(is_tar) - targets + 1)  # kernels need the room
    start = done = 0
    for part in parts:
        here, to_tar, to_non = is_tar[start : start + len(part)], tar[done:], non[start - done :]
        if kernels := kernels_for(part):
            found = kernels.split(part, here, to_tar, to_non)
        else:
            found = int(np.count_nonzero(here))
            to_tar[:found] = part[here]
            to_non[: len(part) - found] = part[~here]
        start, done = start + len(part), done + found
    return Batch(tar[:-1], non[:-1])


_here = threading.local()


def _reused(count: int) -> Floats:
    """So many doubles: those of the last call on this thread, if nobody holds them any more.

    New memory would cost more time than what is written into it.
    """
    known: Floats | None = getattr(_here, "doubles", None)
    if known is None or len(known) < count or sys.getrefcount(known) > _UNUSED:
        known = _here.doubles = np.empty(count)
    return known[:count]


def as_batch(parts: Sequence[Array], labels: Array | None, request: Request, name: str) -> Batch:
    """Trials by label, without those that the user wants to leave out.

    Where labels are not needed, all count as non-targets. Scores may come in several parts.
    """
    if labels is None:
        labels = np.full(sum(map(len, parts)), Label.NONTARGET.value, np.int8)
    spoof = request.spoof
    is_target: Bools = labels == Label.TARGET.value
    is_spoof: Bools = labels == Label.SPOOF.value
    if request.on_nan == "error" and spoof != "only" and not is_spoof.any():
        return _by_class(parts, is_target)  # the usual case, in which scores are copied once
    scores = np.concatenate(parts)
    is_other: Bools = ~is_target
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
