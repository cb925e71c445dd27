"""Files that are larger than memory: the same answers as from arrays, to the last bit.

>>> from llrcal import out_of_core
>>> cal = out_of_core.fit("night/*.parquet", method="nig")  # doctest: +SKIP
>>> ev = out_of_core.evaluate("test/*.parquet", calibration=cal)  # doctest: +SKIP

Parquet, text and ``.npy`` are read in pieces of a few million trials. Files of any other kind are
read one at a time. Scores and labels are in the same file; in arrays of one class each
(``fit("tar.npy", nontargets="non.npy")``); or in different files with trial ids, which are then
joined (``key``).

These are shortcuts: :func:`llrcal.open_trials` opens the same files for :func:`llrcal.fit`,
:func:`llrcal.evaluate`, :func:`llrcal.compare` and others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Unpack

from llrcal import adaptation, calibrations, evaluation
from llrcal.arrays import ArrayLike
from llrcal.calibrations import Calibration
from llrcal.calibrations.bounds import OutOfRangeCounter
from llrcal.evaluation import Evaluation
from llrcal.files.names import Paths
from llrcal.files.overwriting import one_run
from llrcal.fusion.fused import Fused, Limit
from llrcal.method_table import DEFAULT, MethodName
from llrcal.notes import warn
from llrcal.scale.applying import FieldCounter, LLRColumns, apply_to_files
from llrcal.scale.engine import Engine, Progress, Threads, silent
from llrcal.scale.fusing import fused_columns, opened_columns
from llrcal.scale.opening import opened, opened_scores, reading_options, split_settings
from llrcal.trials.count_files import hold_counts
from llrcal.trials.request import ReadKeywords
from llrcal.trials.trials import TrialSet

__all__ = ["adapt", "apply", "evaluate", "fit", "fit_all", "fuse", "open_trials", "watch"]


def open_trials(
    paths: Paths,
    *,
    key: Paths | None = None,
    progress: Progress = silent,
    engine: Engine | None = None,
    form: Mapping[str, Any] | None = None,
    **options: Unpack[ReadKeywords],
) -> TrialSet:
    """Open files as one set of trials, which is read in pieces whenever it is used.

    Parameters
    ----------
    paths, key, progress
        As in :func:`llrcal.open_trials`.
    engine
        Who reads the pieces: threads of this process, unless :mod:`llrcal.dask` gives another.
    form, **options
        As in :func:`llrcal.open_trials`; ``form`` is a mapping of options.
    """
    return opened(paths, key, engine or Threads(progress), reading_options(options, form))


def fit(paths: Paths, *, method: MethodName = DEFAULT, **settings: Any) -> Calibration:
    """Train a calibration on the trials of files.

    The same, to the last bit, as :func:`llrcal.fit` gives on the same scores in memory.

    Parameters
    ----------
    paths
        As in :func:`open_trials`.
    method, **settings
        As in :func:`open_trials` and in :func:`llrcal.fit`.
    """
    opening, others = split_settings(settings)
    found: Calibration = calibrations.fit(open_trials(paths, **opening), method=method, **others)
    return found


def fit_all(
    paths: Paths, *, methods: Sequence[calibrations.Method] = calibrations.PAPER, **settings: Any
) -> dict[str, Calibration]:
    """Train several calibrations in the same passes, see :func:`fit` and :func:`llrcal.fit_all`."""
    opening, others = split_settings(settings)
    return calibrations.fit_all(open_trials(paths, **opening), methods=methods, **others)


def fuse(
    paths: Paths,
    *,
    scores: Sequence[str],
    quality: Sequence[str] = (),
    alpha: float | Literal["empirical"] = 0.5,
    bounds: Limit = "counts",
    progress: Progress = silent,
    engine: Engine | None = None,
    form: Mapping[str, Any] | None = None,
    **options: Unpack[ReadKeywords],
) -> Fused:
    """Fuse several systems, whose scores are columns of the same files.

    The same, to the last bit, as :func:`llrcal.fuse` gives on the same trials in memory, in any
    order. It takes four passes: a look at all trials, and three of the search.

    Parameters
    ----------
    paths, progress, engine, form, **options
        As in :func:`open_trials`; the column of labels is named by ``columns={"label": "y"}``.
    scores
        The names of the columns of scores, which are those of the systems.
    quality
        The names of columns of side information.
    alpha, bounds
        As in :func:`llrcal.fuse`.
    """
    reading = reading_options(options, form)
    with one_run():  # in which every column is of the same file
        trials = opened_columns(paths, engine or Threads(progress), scores, quality, reading)
    fused = fused_columns(trials, scores, quality, alpha=alpha, bounds=bounds)
    warn(fused.report.all_notes)
    return fused


def evaluate(
    paths: Paths,
    *,
    calibration: Calibration | None = None,
    prior_log_odds: ArrayLike = (),
    **opening: Any,
) -> Evaluation:
    """Evaluate the LLRs of files, or their scores after a calibration.

    Parameters
    ----------
    paths, **opening
        As in :func:`open_trials`.
    calibration
        Turns the scores of the files into LLRs; None if they are LLRs already.
    prior_log_odds
        Operating points that you are going to ask for. Each request for others costs another pass.

    Returns
    -------
    Evaluation
        The same numbers, to the last bit, as :func:`llrcal.evaluate` gives. If both classes have
        more than eight million trials, its ROC has only the corners of the convex hull.
    """
    trials = open_trials(paths, **{"allow_infinite": True, **opening})
    if calibration is not None:
        trials = trials.mapped(calibration)
    return evaluation.evaluate(trials, prior_log_odds=prior_log_odds)


def adapt(
    calibration: Calibration,
    paths: Paths,
    *,
    p_target: float | None = None,
    progress: Progress = silent,
    engine: Engine | None = None,
    form: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Calibration:
    """Adapt a calibration to scores from the field in files, in one pass.

    The same, to the last bit, as :func:`llrcal.adapt` gives on the same scores in memory.

    Parameters
    ----------
    calibration, p_target, **settings
        As in :func:`llrcal.adapt`.
    paths, progress, engine, form
        As in :func:`open_trials`; labels are neither needed nor used.
    """
    scores = opened_scores(paths, engine or Threads(progress), reading_options({}, form))
    return adaptation.adapt(calibration, scores, p_target=p_target, **settings)


def watch(
    calibration: Calibration,
    paths: Paths,
    *,
    p_target: float | None = None,
    progress: Progress = silent,
    engine: Engine | None = None,
    form: Mapping[str, Any] | None = None,
    **settings: Any,
) -> adaptation.Watched:
    """Tell whether the scores of files look as in training, in one pass.

    The same, to the last bit, as :func:`llrcal.watch` tells of the same scores in memory.

    Parameters
    ----------
    calibration, p_target, **settings
        As in :func:`llrcal.watch`.
    paths, progress, engine, form
        As in :func:`open_trials`; labels are neither needed nor used.
    """
    scores = opened_scores(paths, engine or Threads(progress), reading_options({}, form))
    return adaptation.watch(calibration, scores, p_target=p_target, **settings)


def apply(
    calibration: Calibration,
    paths: Paths,
    out: str | PathLike[str],
    *,
    interval: float | None = None,
    progress: Progress = silent,
    form: Mapping[str, Any] | None = None,
    force: bool = False,
) -> None:
    """Write files again, with LLRs in place of their scores.

    Parameters
    ----------
    calibration
        The calibration that turns scores into LLRs.
    paths, form
        As in :func:`open_trials`; labels are not needed.
    out
        The new file; for several files, a folder with one new file for each.
    interval
        A level such as 0.95, to add columns ``low`` and ``high``: the ends of the interval of each
        LLR.
    progress
        Called with what is being done, the number of files done, and the total.
    force
        Whether to replace the folder if it exists.

    Raises
    ------
    TrialFileError
        If a file cannot be read without guessing; nothing is written then.
    OptionError
        If there is no room for columns, or the calibration has no intervals.

    Warns
    -----
    LlrcalWarning
        If more than a few scores lie beyond those of training, or all of them together do not look
        like those of training: see :func:`watch`.
    """
    seen, field = OutOfRangeCounter(calibration), FieldCounter(calibration)
    request = reading_options({}, form).request("scores")
    columns = LLRColumns(calibration, interval, seen, field)
    apply_to_files(columns, request, paths, out, Threads(progress), force=force)
    if not hold_counts(paths):  # distinct scores look like no field
        warn(seen.notes)
        warn(field.notes)
