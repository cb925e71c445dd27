"""Files that are larger than memory: the same answers as from arrays, to the last bit.

>>> from llrcal import out_of_core
>>> cal = out_of_core.fit("night/*.parquet", method="nig")  # doctest: +SKIP
>>> ev = out_of_core.evaluate("test/*.parquet", calibration=cal)  # doctest: +SKIP

Parquet, text and ``.npy`` are read in pieces of a few million trials. Files of any other kind are
read one at a time. Scores and labels must be in the same file, or in two arrays of one class each
(``"tar.npy,non.npy"``); trials that are there twice are not looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

from llrcal.arrays import ArrayLike
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.doubts import warn_of
from llrcal.calibrations.methods import PAPER, Method, label
from llrcal.evaluation import Evaluation
from llrcal.scale.applying import Calibrated, Rewriter, apply_to_files, one_by_one
from llrcal.scale.engines.threads import Progress, Threads, silent
from llrcal.scale.jobs import evaluation_of_pieces, train_on_pieces
from llrcal.scale.pieces.file_names import Paths
from llrcal.scale.pieces.opening import pieces_of
from llrcal.trials.request import Request
from llrcal.trials.spoofs import Spoof


def fit(
    paths: Paths,
    *,
    method: str = "logistic",
    bounds: str = "range",
    lower_is_better: bool = False,
    progress: Progress = silent,
    spoof: Spoof = "error",
    form: dict[str, Any] | None = None,
    **options: Any,
) -> Calibration:
    """Train a calibration on the trials of files, see :func:`llrcal.fit`.

    Parameters
    ----------
    paths
        A file, a folder, a pattern such as ``"night/*.parquet"``, or a list of these.
    method, bounds, lower_is_better, **options
        As in :func:`llrcal.fit`.
    progress
        Called with what is being done, the number of trials done, and the number of all.
    spoof, form
        What to make of spoof trials, and how to read files whose form cannot be told, as in
        :func:`llrcal.read_trials`: ``form={"columns": "score=plda"}``.

    Returns
    -------
    Calibration
        The same, to the last bit, as :func:`llrcal.fit` gives on the same scores in memory.

    Raises
    ------
    LlrcalError
        As :func:`llrcal.fit` and :func:`llrcal.read_trials` do; the file is named.
    """
    pieces = pieces_of(paths, Request.of("trials", **(form or {})), spoof)
    methods = [(method, options)]
    every = train_on_pieces(
        pieces, Threads(progress), methods, bounds, lower_is_better=lower_is_better
    )
    warn_of(every, stacklevel=2)
    return every[label(method, options)]


def fit_all(
    paths: Paths,
    *,
    methods: Sequence[Method] = PAPER,
    bounds: str = "range",
    lower_is_better: bool = False,
    progress: Progress = silent,
    spoof: Spoof = "error",
    form: dict[str, Any] | None = None,
) -> dict[str, Calibration]:
    """Train several calibrations in the same passes, see :func:`fit` and :func:`llrcal.fit_all`."""
    pieces = pieces_of(paths, Request.of("trials", **(form or {})), spoof)
    every = train_on_pieces(
        pieces, Threads(progress), methods, bounds, lower_is_better=lower_is_better
    )
    warn_of(every, stacklevel=2)
    return every


def evaluate(
    paths: Paths,
    *,
    calibration: Calibration | None = None,
    prior_log_odds: ArrayLike = (),
    progress: Progress = silent,
    spoof: Spoof = "error",
    form: dict[str, Any] | None = None,
) -> Evaluation:
    """Evaluate the LLRs of files, or their scores after a calibration.

    Parameters
    ----------
    paths, progress, spoof, form
        As in :func:`fit`.
    calibration
        Turns the scores of the files into LLRs; None if they are LLRs already.
    prior_log_odds
        Operating points that are going to be asked for. Any others cost one pass each time.

    Returns
    -------
    Evaluation
        The same numbers, to the last bit, as :func:`llrcal.evaluate` gives. Where both classes
        have more than eight million trials, its ROC has the corners of the hull alone.
    """
    request = Request.of("trials", allow_infinite=True, **(form or {}))
    return evaluation_of_pieces(
        pieces_of(paths, request, spoof),
        Threads(progress),
        calibration=calibration,
        prior_log_odds=prior_log_odds,
    )


def apply(
    calibration: Calibration,
    paths: Paths,
    out: str | PathLike[str],
    *,
    progress: Progress = silent,
    form: dict[str, Any] | None = None,
    force: bool = False,
) -> None:
    """Write files again, with LLRs in place of their scores.

    Parameters
    ----------
    calibration
        What turns scores into LLRs.
    paths, form
        As in :func:`fit`; labels are not needed.
    out
        The new file; or a folder for as many files as are read, if these are more than one.
    progress
        Called with what is being done, the number of files done, and the number of all.
    force
        Whether to replace a folder that is there already.

    Raises
    ------
    TrialFileError
        If a file cannot be read without guessing; nothing is written then.
    """
    rewriter = Rewriter(Calibrated(calibration), Request.of("scores", **(form or {})))
    apply_to_files(rewriter, paths, out, one_by_one(progress), force=force)
