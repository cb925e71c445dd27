"""Columns of a table as scores, labels and ids that can be used; and trials by their class."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from llrcal.arrays import Array, Bools, Floats
from llrcal.inputs.labels import Label
from llrcal.inputs.scores import are_usable
from llrcal.kernels import kernels_for
from llrcal.onepass.two_classes import Both
from llrcal.trials.frames import converted, rows_counted_from
from llrcal.trials.leaving_out import are_spoofs
from llrcal.trials.request import Request


def checked(
    frame: pl.DataFrame,
    roles: Iterable[tuple[str, str]],
    request: Request,
    source: str,
    first_row: int = 0,
) -> pl.DataFrame:
    """The columns of a part of a table by their roles, given pairs of role and name.

    Raises
    ------
    TrialFileError
        If a value cannot be used; the message names the file and the row.
    """
    with rows_counted_from(first_row):
        return pl.DataFrame([_checked(frame[name], role, request, source) for role, name in roles])


def _checked(column: pl.Series, role: str, request: Request, source: str) -> pl.Series:
    is_score = role.startswith("score")
    if is_score and _are_scores(column, request):
        return column.alias(role)
    return converted(column, "score" if is_score else role, request, source).alias(role)


def _are_scores(column: pl.Series, request: Request) -> bool:
    """Whether a column needs neither a conversion nor an error."""
    is_float = column.dtype in (pl.Float64, pl.Float32)
    if request.on_nan != "error" or not is_float or column.null_count():
        return False
    parts = (part.to_numpy() for part in column.get_chunks())  # of which nothing is copied
    return all(are_usable(part, allow_infinite=request.allow_infinite) for part in parts)


NO_SCORES: Floats = np.empty(0)


def by_class(frame: pl.DataFrame, request: Request, source: str) -> Both[Array]:
    """Trials by their labels, without those that the user wants to leave out.

    Where there are no labels, all count as non-targets. If there are several columns of scores,
    so has the result.
    """
    names = [name for name in frame.columns if name.startswith("score")]
    scores = frame["score"].to_numpy() if len(names) == 1 else frame.select(names).to_numpy()
    is_target, is_other = classes(frame, request, source)
    if len(names) == 1 and (is_target ^ is_other).all():
        return split(scores, is_target)  # the usual case
    tar, non = scores[is_target], scores[is_other]
    return Both(tar, non, len(scores) - len(tar) - len(non))


def classes(frame: pl.DataFrame, request: Request, source: str) -> tuple[Bools, Bools]:
    """Which trials are targets, and which are non-targets; others are left out."""
    if "label" in frame.columns:
        labels = frame["label"].to_numpy()
    else:
        labels = np.full(frame.height, Label.NONTARGET.value, np.int8)
    is_target: Bools = labels == Label.TARGET.value
    is_spoof: Bools = labels == Label.SPOOF.value
    is_other: Bools = ~is_target
    spoof = request.spoof
    if spoof == "error" and is_spoof.any():
        raise are_spoofs(source, int(is_spoof.sum()), len(labels))
    if spoof == "omit":
        is_other &= ~is_spoof
    elif spoof == "only":  # even if there are none here: other pieces may have some
        is_other = is_spoof
    if request.on_nan == "drop" and (is_nan := frame["score"].is_nan().to_numpy()).any():
        is_target, is_other = is_target & ~is_nan, is_other & ~is_nan
    return is_target, is_other


def split(scores: Array, is_tar: Bools) -> Both[Array]:
    """Target and non-target scores of an array."""
    kernels = kernels_for(scores)
    if kernels is None:
        return Both(scores[is_tar].astype(np.float64), scores[~is_tar].astype(np.float64))
    targets = int(np.count_nonzero(is_tar))
    tar, non = np.empty(targets + 1), np.empty(len(is_tar) - targets + 1)  # room for one more
    kernels.split(scores, is_tar, tar, non)
    return Both(tar[:-1], non[:-1])
