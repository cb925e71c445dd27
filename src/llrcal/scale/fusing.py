"""Fusions of trials in pieces: columns of one table, read side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, Unpack

from llrcal.calibrations.bounds import TrainedOn
from llrcal.errors import OptionError, ScoreError, TrialFileError
from llrcal.files.overwriting import one_run
from llrcal.fusion.fuse import Pattern, fusion_of
from llrcal.fusion.fused import Fused, Limit
from llrcal.fusion.inputs import as_names, refuse_labels
from llrcal.fusion.sample import ColumnSampleFold
from llrcal.messages import Setting
from llrcal.notes import warn
from llrcal.scale.engine import Engine, Progress, silent
from llrcal.scale.folds import fold_pieces
from llrcal.scale.opening import engine_for, is_on_cluster, opened, opened_frame
from llrcal.scale.passes import tell_left_out
from llrcal.scale.piece import read_side_by_side
from llrcal.scale.trials_in_pieces import TrialsInPieces
from llrcal.trials.request import ReadKeywords, ReadOptions
from llrcal.trials.systems import with_score


def fuse_files(
    source: Any,
    *,
    scores: Sequence[str],
    quality: Sequence[str] = (),
    alpha: float | Literal["empirical"] = 0.5,
    bounds: Limit = "counts",
    client: Any | None = None,
    progress: Progress = silent,
    **options: Unpack[ReadKeywords],
) -> Fused:
    """Fuse several systems, whose scores are columns of the same files.

    The same, to the last bit, as :func:`llrcal.fuse` gives on the same trials in memory, in any
    order, in one pass.

    Parameters
    ----------
    source, client, progress, **options
        As in :func:`llrcal.open_trials`; the column of labels is named by
        ``columns={"label": "y"}``.
    scores
        The names of the columns of scores, which are those of the systems.
    quality
        The names of columns of side information.
    alpha, bounds
        As in :func:`llrcal.fuse`.
    """
    engine = engine_for(source, client, progress)
    with one_run():  # in which every column is of the same file
        trials = opened_columns(source, engine, scores, quality, ReadOptions(**options))
    fused = fused_columns(trials, scores, quality, alpha=alpha, bounds=bounds)
    warn(fused.report.all_notes)
    return fused


def fused_columns(
    trials: TrialsInPieces,
    scores: Sequence[str],
    quality: Sequence[str],
    *,
    alpha: float | str,
    bounds: str,
) -> Fused:
    """A fusion of columns of scores, which side information follows."""
    new = partial(ColumnSampleFold, len(scores) + len(quality))
    found = trials.engine.reduce(trials.pieces, partial(fold_pieces, new, new), "reading")
    for sample, name in zip(found.sides, ("target", "non-target"), strict=True):
        if not sample.count:
            raise ScoreError(f"no {name} scores in {trials.source}")
    tell_left_out(found.left_out)
    places = slice(len(scores), None)
    ends = ((sample.lowest[places], sample.highest[places]) for sample in found.sides)
    refuse_labels(quality, *ends)
    whole = Pattern(tuple(range(len(scores))), found.sides)
    training = TrainedOn(found.tar.count, found.non.count, trials.speaker_counts())
    return fusion_of([whole], training, scores, quality, alpha, bounds)


def opened_columns(
    source: Any,
    engine: Engine,
    scores: Sequence[str],
    quality: Sequence[str],
    options: ReadOptions,
) -> TrialsInPieces:
    """Columns of the same files, or of a frame of Dask, as one set of trials.

    Raises
    ------
    OptionError
        If there are no scores, a column is named twice or not by a text, or trials would be left
        out where one of them is NaN.
    LlrcalError
        As :func:`llrcal.open_trials` does.
    """
    if isinstance(scores, str) or isinstance(quality, str):
        raise OptionError(
            Setting("scores"), " and ", Setting("quality"), " are lists of columns, not one text"
        )
    names = as_names([*scores, *quality], None, "column") if scores else ()
    if not names:
        raise OptionError("name the columns of scores: ", Setting("scores", "cos,plda"))
    if options.on_nan != "error":
        raise OptionError(
            Setting("on_nan", options.on_nan), " does not work with several columns in pieces"
        )
    if is_on_cluster(source):
        return opened_frame(source, engine, with_score(options, names[0]), others=names[1:])
    sets = []
    for name in names:
        trials = opened(source, None, engine, with_score(options, name))
        if not isinstance(trials, TrialsInPieces):
            raise TrialFileError(
                f"{trials.source}: holds counted trials, and single ones are needed here"
            )
        sets.append(trials)
        options = replace(options, duplicates="all")  # looked for once
    pieces = []
    for first, *others in zip(*(one.pieces for one in sets), strict=True):
        readers = [first.reader, *(other.reader for other in others)]
        pieces.append(replace(first, reader=partial(read_side_by_side, readers)))
    return replace(sets[0], pieces=tuple(pieces))
