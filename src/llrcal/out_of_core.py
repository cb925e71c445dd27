"""Files that are larger than memory: the same answers as from arrays, to the last bit.

>>> from llrcal import out_of_core
>>> cal = out_of_core.fit("night/*.parquet", method="nig")  # doctest: +SKIP
>>> ev = out_of_core.evaluate("test/*.parquet", calibration=cal)  # doctest: +SKIP

Parquet, text and ``.npy`` are read in pieces of a few million trials. Files of any other kind are
read one at a time. Scores and labels are in the same file; in two arrays of one class each
(``"tar.npy,non.npy"``); or in different files with trial ids, which are then joined (``key``). What
:func:`open_trials` returns can be given to :func:`llrcal.fit`, :func:`llrcal.fit_all`,
:func:`llrcal.evaluate` and :func:`llrcal.compare` like trials in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal

from llrcal import adaptation, calibrations, evaluation
from llrcal.adaptation.moved_calibration import densities_of
from llrcal.arrays import ArrayLike
from llrcal.calibrations import Calibration
from llrcal.calibrations.beyond import Beyond
from llrcal.evaluation import Evaluation
from llrcal.fusion.fused import Fused, Limit
from llrcal.method_table import DEFAULT
from llrcal.notes import warn
from llrcal.scale.applying import Calibrated, Rewriter, apply_to_files, one_by_one
from llrcal.scale.engines.engine import Progress, silent
from llrcal.scale.engines.threads import Threads
from llrcal.scale.fusing import fused_columns, opened_columns
from llrcal.scale.opening import opened, opened_scores
from llrcal.scale.pieces.file_names import Paths
from llrcal.scale.trials_in_pieces import TrialsInPieces
from llrcal.trials.request import OnMissing, ReadOptions, Spoof

__all__ = ["adapt", "apply", "evaluate", "fit", "fit_all", "fuse", "open_trials"]


def open_trials(
    paths: Paths,
    *,
    key: Paths | None = None,
    missing: OnMissing = "error",
    unknown: OnMissing = "error",
    spoof: Spoof = "error",
    duplicates: Literal["error", "all"] = "error",
    progress: Progress = silent,
    form: Mapping[str, Any] | None = None,
) -> TrialsInPieces:
    """Open files as one set of trials, which is read in pieces whenever it is used.

    Parameters
    ----------
    paths
        A file, a folder, a pattern such as ``"night/*.parquet"``, or a list of these.
    key
        Files with the labels, if these are not in the same files as the scores. They are joined on
        the ids of the trials, which takes a pass over both, and temporary files of some 34 bytes
        per trial.
    missing, unknown
        Trials of the key without a score, and scores without a trial in the key, as in
        :func:`llrcal.read_trials`.
    spoof
        What to do with spoof trials, as in :func:`llrcal.read_trials`.
    duplicates
        Trials that occur more than once, in one file or in several: ``"error"`` looks for them,
        which takes a pass over the ids; ``"all"`` keeps them all without looking.
    progress
        Called with what is being done, the number of trials done, and the total.
    form
        How to read files whose form is ambiguous, as in :func:`llrcal.read_trials`:
        ``form={"columns": "score=plda", "key_columns": "label=truth"}``.

    Raises
    ------
    LlrcalError
        As :func:`llrcal.read_trials` does; the message names the file.
    """
    options = ReadOptions(
        missing=missing, unknown=unknown, spoof=spoof, duplicates=duplicates, **(form or {})
    )
    return opened(paths, key, Threads(progress), options)


def fit(
    paths: Paths,
    *,
    method: str = DEFAULT,
    key: Paths | None = None,
    spoof: Spoof = "error",
    duplicates: Literal["error", "all"] = "error",
    progress: Progress = silent,
    form: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Calibration:
    """Train a calibration on the trials of files.

    The same, to the last bit, as :func:`llrcal.fit` gives on the same scores in memory.

    Parameters
    ----------
    paths, key, spoof, duplicates, progress, form
        As in :func:`open_trials`.
    method, **settings
        As in :func:`llrcal.fit`.
    """
    trials = open_trials(
        paths, key=key, spoof=spoof, duplicates=duplicates, progress=progress, form=form
    )
    found: Calibration = calibrations.fit(trials, method=method, **settings)
    return found


def fit_all(
    paths: Paths,
    *,
    methods: Sequence[calibrations.Method] = calibrations.PAPER,
    key: Paths | None = None,
    spoof: Spoof = "error",
    duplicates: Literal["error", "all"] = "error",
    progress: Progress = silent,
    form: Mapping[str, Any] | None = None,
    **settings: Any,
) -> dict[str, Calibration]:
    """Train several calibrations in the same passes, see :func:`fit` and :func:`llrcal.fit_all`."""
    trials = open_trials(
        paths, key=key, spoof=spoof, duplicates=duplicates, progress=progress, form=form
    )
    return calibrations.fit_all(trials, methods=methods, **settings)


def fuse(
    paths: Paths,
    *,
    scores: Sequence[str],
    quality: Sequence[str] = (),
    alpha: float | Literal["empirical"] = 0.5,
    bounds: Limit = "range",
    spoof: Spoof = "error",
    duplicates: Literal["error", "all"] = "error",
    progress: Progress = silent,
    form: Mapping[str, Any] | None = None,
) -> Fused:
    """Fuse several systems, whose scores are columns of the same files.

    The same, to the last bit, as :func:`llrcal.fuse` gives on the same trials in memory, in any
    order. It takes four passes: a look at all trials, and three of the search.

    Parameters
    ----------
    paths, spoof, duplicates, progress, form
        As in :func:`open_trials`; the column of labels is named by
        ``form={"columns": {"label": "y"}}``.
    scores
        The names of the columns of scores, which are those of the systems.
    quality
        The names of columns of side information.
    alpha, bounds
        As in :func:`llrcal.fuse`.
    """
    names = [*scores, *quality]
    options = ReadOptions(spoof=spoof, duplicates=duplicates, **(form or {}))
    trials = opened_columns(paths, Threads(progress), names, options)
    fused = fused_columns(trials, scores, quality, alpha=alpha, bounds=bounds)
    warn(fused.report.all_notes)
    return fused


def evaluate(
    paths: Paths,
    *,
    calibration: Calibration | None = None,
    prior_log_odds: ArrayLike = (),
    key: Paths | None = None,
    spoof: Spoof = "error",
    duplicates: Literal["error", "all"] = "error",
    progress: Progress = silent,
    form: Mapping[str, Any] | None = None,
) -> Evaluation:
    """Evaluate the LLRs of files, or their scores after a calibration.

    Parameters
    ----------
    paths, key, spoof, duplicates, progress, form
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
    form = {"allow_infinite": True, **(form or {})}
    trials = open_trials(
        paths, key=key, spoof=spoof, duplicates=duplicates, progress=progress, form=form
    )
    if calibration is not None:
        trials = trials.mapped(calibration)
    return evaluation.evaluate(trials, prior_log_odds=prior_log_odds)


def adapt(
    calibration: Calibration,
    paths: Paths,
    *,
    p_target: float = 0.01,
    progress: Progress = silent,
    form: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Calibration:
    """Adapt a calibration to the scores of files, in one pass.

    The same, to the last bit, as :func:`llrcal.adapt` gives on the same scores in memory.

    Parameters
    ----------
    calibration, p_target, **settings
        As in :func:`llrcal.adapt`.
    paths, progress, form
        As in :func:`open_trials`; labels are neither needed nor used.
    """
    densities_of(calibration)  # or refused, before anything is read
    scores = opened_scores(paths, Threads(progress), ReadOptions(**(form or {})))
    return adaptation.adapt(calibration, scores, p_target=p_target, **settings)


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
        If more than a few scores lie beyond those of training.
    """
    seen = Beyond(calibration)
    answers = Calibrated(calibration, seen, interval)
    rewriter = Rewriter(answers, ReadOptions(**(form or {})).request("scores"))
    apply_to_files(rewriter, paths, out, one_by_one(progress), force=force)
    warn(seen.notes)
