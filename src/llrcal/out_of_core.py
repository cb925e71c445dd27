"""Files that are larger than memory: the same answers as from arrays, to the last bit.

>>> from llrcal import out_of_core
>>> cal = out_of_core.fit("night/*.parquet", method="nig")  # doctest: +SKIP
>>> ev = out_of_core.evaluate("test/*.parquet", calibration=cal)  # doctest: +SKIP

Parquet, text and ``.npy`` are read in pieces of a few million trials. Files of any other kind are
read one at a time. Scores and labels must be in the same file, or in two arrays of one class each
(``"tar.npy,non.npy"``). What :func:`open_trials` returns can be given to :func:`llrcal.fit`,
:func:`llrcal.fit_all`, :func:`llrcal.evaluate` and :func:`llrcal.compare` like trials in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any, Literal

from llrcal import calibrations, evaluation
from llrcal.arrays import ArrayLike
from llrcal.calibrations import Calibration
from llrcal.calibrations.beyond import Beyond
from llrcal.evaluation import Evaluation
from llrcal.method_table import DEFAULT
from llrcal.notes import warn
from llrcal.scale.applying import Calibrated, Rewriter, apply_to_files, one_by_one
from llrcal.scale.engines.engine import Progress, silent
from llrcal.scale.engines.threads import Threads
from llrcal.scale.pieces.file_names import Paths
from llrcal.scale.pieces.opening import pieces_of
from llrcal.scale.trials_in_pieces import TrialsInPieces, check_duplicates
from llrcal.trials.request import Request
from llrcal.trials.spoofs import Spoof

__all__ = ["apply", "evaluate", "fit", "fit_all", "open_trials"]


def open_trials(
    paths: Paths,
    *,
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
    spoof
        What to do with spoof trials, as in :func:`llrcal.read_trials`.
    duplicates
        Trials that occur more than once, in one file or in several: ``"error"`` looks for them,
        which takes a pass over the ids; ``"all"`` keeps them all without looking.
    progress
        Called with what is being done, the number of trials done, and the total.
    form
        How to read files whose form is ambiguous, as in :func:`llrcal.read_trials`:
        ``form={"columns": "score=plda"}``.

    Raises
    ------
    LlrcalError
        As :func:`llrcal.read_trials` does; the message names the file.
    """
    check_duplicates(duplicates)
    request = Request.of("trials", **(form or {}))
    pieces = pieces_of(paths, request, spoof)
    source = fspath(paths) if isinstance(paths, str | PathLike) else f"{len(list(paths))} files"
    return TrialsInPieces.of(
        pieces, Threads(progress), source, check_repeated=duplicates == "error"
    )


def fit(
    paths: Paths,
    *,
    method: str = DEFAULT,
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
    paths, spoof, duplicates, progress, form
        As in :func:`open_trials`.
    method, **settings
        As in :func:`llrcal.fit`.
    """
    trials = open_trials(paths, spoof=spoof, duplicates=duplicates, progress=progress, form=form)
    return calibrations.fit(trials, method=method, **settings)


def fit_all(
    paths: Paths,
    *,
    methods: Sequence[calibrations.Method] = calibrations.PAPER,
    spoof: Spoof = "error",
    duplicates: Literal["error", "all"] = "error",
    progress: Progress = silent,
    form: Mapping[str, Any] | None = None,
    **settings: Any,
) -> dict[str, Calibration]:
    """Train several calibrations in the same passes, see :func:`fit` and :func:`llrcal.fit_all`."""
    trials = open_trials(paths, spoof=spoof, duplicates=duplicates, progress=progress, form=form)
    return calibrations.fit_all(trials, methods=methods, **settings)


def evaluate(
    paths: Paths,
    *,
    calibration: Calibration | None = None,
    prior_log_odds: ArrayLike = (),
    spoof: Spoof = "error",
    duplicates: Literal["error", "all"] = "error",
    progress: Progress = silent,
    form: Mapping[str, Any] | None = None,
) -> Evaluation:
    """Evaluate the LLRs of files, or their scores after a calibration.

    Parameters
    ----------
    paths, spoof, duplicates, progress, form
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
    trials = open_trials(paths, spoof=spoof, duplicates=duplicates, progress=progress, form=form)
    if calibration is not None:
        trials = trials.mapped(calibration)
    return evaluation.evaluate(trials, prior_log_odds=prior_log_odds)


def apply(
    calibration: Calibration,
    paths: Paths,
    out: str | PathLike[str],
    *,
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
    progress
        Called with what is being done, the number of files done, and the total.
    force
        Whether to replace the folder if it exists.

    Raises
    ------
    TrialFileError
        If a file cannot be read without guessing; nothing is written then.

    Warns
    -----
    LlrcalWarning
        If more than a few scores lie beyond those of training.
    """
    seen = Beyond(calibration)
    rewriter = Rewriter(Calibrated(calibration, seen), Request.of("scores", **(form or {})))
    apply_to_files(rewriter, paths, out, one_by_one(progress), force=force)
    warn(seen.notes)
