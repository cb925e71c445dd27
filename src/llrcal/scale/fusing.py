"""Fusions of trials in pieces: columns of one table, read side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np

from llrcal.arrays import Floats
from llrcal.errors import OptionError, ScoreError
from llrcal.fusion.fuse import fusion_of
from llrcal.fusion.fused import Fused
from llrcal.fusion.passes import ColumnSketch, Pass, Sums
from llrcal.messages import Setting
from llrcal.onepass.two_classes import Both
from llrcal.scale.engine import Engine
from llrcal.scale.folds import Total, fold_pieces
from llrcal.scale.opening import is_on_cluster, opened, opened_frame
from llrcal.scale.passes import tell_left_out
from llrcal.scale.piece import MultiColumn
from llrcal.scale.trials_in_pieces import TrialsInPieces
from llrcal.trials.request import ReadOptions
from llrcal.trials.systems import with_score

_Value = TypeVar("_Value", ColumnSketch, Sums)


@dataclass(frozen=True)
class ColumnsInPieces:
    """Trials in pieces with a score of each of some systems, and side information after these."""

    trials: TrialsInPieces
    columns: int

    def looks(self) -> tuple[ColumnSketch, ColumnSketch]:
        return self._looks

    @cached_property
    def _looks(self) -> tuple[ColumnSketch, ColumnSketch]:
        found = self._over_all(ColumnSketch.at, ColumnSketch.at, "reading")
        for look, name in ((found.tar, "target"), (found.non, "non-target")):
            if not len(look):
                raise ScoreError(f"no {name} scores in {self.trials.source}")
        tell_left_out(found.left_out)
        return found.tar, found.non

    def sums(self, work: Pass) -> tuple[Sums, Sums]:
        return self._over_all(work.tar, work.non, "fusing").sides

    def _over_all(
        self, tar: Callable[[Floats], _Value], non: Callable[[Floats], _Value], what: str
    ) -> Both[_Value]:
        of_tar, of_non = (
            partial(Total, partial(_of_columns, self.columns, of)) for of in (tar, non)
        )
        work = partial(fold_pieces, of_tar, of_non)
        return self.trials.engine.reduce(self.trials.pieces, work, what)


def _of_columns(columns: int, of: Callable[[Floats], _Value], scores: Floats) -> _Value:
    """A function of the trials of a class, of their scores in columns."""
    return of(scores.reshape(-1, columns).astype(np.float64, copy=False))


def fused_columns(
    trials: TrialsInPieces,
    scores: Sequence[str],
    quality: Sequence[str],
    *,
    alpha: float | str,
    bounds: str,
) -> Fused:
    """A fusion of columns of scores, which side information follows."""
    columns = ColumnsInPieces(trials, len(scores) + len(quality))
    return fusion_of(columns, names=scores, quality_names=quality, alpha=alpha, bounds=bounds)


def opened_columns(
    source: Any, engine: Engine, names: Sequence[str], options: ReadOptions
) -> TrialsInPieces:
    """Columns of the same files, or of a frame of Dask, as one set of trials.

    Raises
    ------
    OptionError
        If there are none, or trials would be left out where one of them is NaN.
    LlrcalError
        As :func:`llrcal.out_of_core.open_trials` does.
    """
    if isinstance(names, str) or not names or len({*names}) < len(names):
        raise OptionError("name the columns of scores, each once: ", Setting("scores", "cos,plda"))
    if options.on_nan != "error":
        raise OptionError(
            Setting("on_nan", options.on_nan), " does not work with several columns in pieces"
        )
    if is_on_cluster(source):
        return opened_frame(source, engine, with_score(options, names[0]), others=names[1:])
    sets = []
    for name in names:
        sets.append(opened(source, None, engine, with_score(options, name)))
        options = replace(options, duplicates="all")  # looked for once
    pieces = (
        replace(columns[0], reader=MultiColumn(tuple(column.reader for column in columns)))
        for columns in zip(*(one.pieces for one in sets), strict=True)
    )
    return replace(sets[0], pieces=tuple(pieces))
