"""Scores on a cluster, through Dask: the same answers as from one machine, to the last bit.

>>> import llrcal.dask  # doctest: +SKIP
>>> from distributed import Client  # doctest: +SKIP
>>> client = Client("tcp://scheduler:8786")  # doctest: +SKIP
>>> cal = llrcal.dask.fit("/shared/night/*.parquet", method="nig")  # doctest: +SKIP

Files are read by the workers, so all of them must see the same paths. Dask frames are processed
partition by partition, wherever they come from. Only summaries and counts are sent over the network
(a few kilobytes per piece) and, once, the scores of the rarer class. Dask does everything else: it
decides where each piece is processed, and processes it again elsewhere if a worker dies.

Without a client, Dask's threads in this process do the work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from os import PathLike, fspath
from typing import Any, Literal

try:
    import dask.dataframe as dd
    import distributed  # noqa: F401  (needed by workers and clients)
except ImportError as problem:
    raise ImportError('llrcal.dask needs Dask: pip install "llrcal[dask]"') from problem

from llrcal import adaptation, calibrations, evaluation
from llrcal.adaptation.moved_calibration import densities_of
from llrcal.arrays import ArrayLike
from llrcal.calibrations import Calibration
from llrcal.errors import OptionError
from llrcal.evaluation import Evaluation
from llrcal.files.atomic import atomic_folder
from llrcal.fusion.fused import Fused, Limit
from llrcal.method_table import DEFAULT
from llrcal.notes import warn
from llrcal.scale.applying import Calibrated, Rewriter, apply_to_files
from llrcal.scale.engines.dask import KEEP_MEMORY, DaskEngine
from llrcal.scale.engines.dask_applying import LLRFrame, by_tasks
from llrcal.scale.engines.dask_frames import (
    check_frame_columns,
    is_frame,
    is_remote,
    is_table,
    opened_frame,
)
from llrcal.scale.engines.engine import Progress, silent
from llrcal.scale.fusing import check_columns, fused_columns, opened_columns
from llrcal.scale.opening import opened, opened_scores
from llrcal.scale.pieces.columns import Columns
from llrcal.scale.trials_in_pieces import TrialsInPieces, check_duplicates
from llrcal.trials.request import OnMissing, ReadOptions, Spoof

__all__ = ["KEEP_MEMORY", "adapt", "apply", "evaluate", "fit", "fit_all", "fuse", "open_trials"]


def open_trials(
    trials: Any,
    *,
    score: str = "score",
    label: str = "label",
    client: Any | None = None,
    key: Any | None = None,
    missing: OnMissing = "error",
    unknown: OnMissing = "error",
    spoof: Spoof = "error",
    duplicates: Literal["error", "all"] = "error",
    progress: Progress = silent,
    form: Mapping[str, Any] | None = None,
) -> TrialsInPieces:
    """Open a Dask frame or files as one set of trials to be read by the cluster.

    Parameters
    ----------
    trials
        A Dask frame; or a file, a folder, a pattern or a list of these, which the workers can read
        under the same names; or URLs of Parquet files that fsspec understands (``s3://...``).
    score, label
        Names of the columns.
    client
        The cluster; by default the most recently connected one.
    key, missing, unknown, spoof, duplicates, progress, form
        As in :func:`llrcal.out_of_core.open_trials`. Frames have no trial ids, so only files are
        checked for repeated trials.

    Raises
    ------
    LlrcalError
        As :func:`llrcal.read_trials` does; the message names the file or the partition.
    """
    check_duplicates(duplicates)
    named: dict[str, Any] = {"columns": f"score={score},label={label}"}
    if key is not None:
        named = {"columns": f"score={score}", "key_columns": f"label={label}"}
    options = ReadOptions(
        missing=missing,
        unknown=unknown,
        spoof=spoof,
        duplicates=duplicates,
        **{**named, **(form or {})},
    )
    connected = _client(client)
    if is_table(trials):
        if key is not None:
            raise OptionError("a key is for files; join the frame with it yourself")
        columns = Columns(score, label, options.request("trials"))
        return opened_frame(trials, columns, connected, progress)
    return opened(trials, key, DaskEngine(connected, progress=progress), options)


def fit(trials: Any, *, method: str = DEFAULT, **settings: Any) -> Calibration:
    """Train a calibration on a cluster.

    The same, to the last bit, as :func:`llrcal.fit` gives on the same scores in memory.

    Parameters
    ----------
    trials
        As in :func:`open_trials`.
    method, **settings
        As in :func:`open_trials` and in :func:`llrcal.fit`.
    """
    opening, others = _split_settings(settings)
    found: Calibration = calibrations.fit(open_trials(trials, **opening), method=method, **others)
    return found


def fit_all(
    trials: Any,
    *,
    methods: Sequence[calibrations.Method] = calibrations.PAPER,
    **settings: Any,
) -> dict[str, Calibration]:
    """Train several calibrations in the same passes, see :func:`fit` and :func:`llrcal.fit_all`."""
    opening, others = _split_settings(settings)
    return calibrations.fit_all(open_trials(trials, **opening), methods=methods, **others)


def fuse(
    trials: Any,
    *,
    scores: Sequence[str],
    quality: Sequence[str] = (),
    label: str = "label",
    alpha: float | Literal["empirical"] = 0.5,
    bounds: Limit = "range",
    client: Any | None = None,
    spoof: Spoof = "error",
    duplicates: Literal["error", "all"] = "error",
    progress: Progress = silent,
    form: Mapping[str, Any] | None = None,
) -> Fused:
    """Fuse several systems on a cluster, whose scores are columns of a frame or of files.

    The same, to the last bit, as :func:`llrcal.fuse` gives on the same trials in memory, in any
    order. It takes four passes: a look at all trials, and three of the search.

    Parameters
    ----------
    trials, label, client, spoof, duplicates, progress, form
        As in :func:`open_trials`.
    scores, quality, alpha, bounds
        As in :func:`llrcal.out_of_core.fuse`.
    """
    check_duplicates(duplicates)
    connected, names = _client(client), [*scores, *quality]
    given: dict[str, Any] = {"columns": f"label={label}", **(form or {})}
    options = ReadOptions(spoof=spoof, duplicates=duplicates, **given)
    if is_table(trials):
        check_columns(names)
        first = Columns(names[0], label, options.request("trials"))
        opened_trials = opened_frame(trials, first, connected, progress, names[1:])
    else:
        engine = DaskEngine(connected, progress=progress)
        opened_trials = opened_columns(trials, engine, names, options)
    fused = fused_columns(opened_trials, scores, quality, alpha=alpha, bounds=bounds)
    warn(fused.report.all_notes)
    return fused


def evaluate(
    trials: Any,
    *,
    calibration: Calibration | None = None,
    prior_log_odds: ArrayLike = (),
    form: Mapping[str, Any] | None = None,
    **opening: Any,
) -> Evaluation:
    """Evaluate LLRs on a cluster, or scores after a calibration.

    Parameters
    ----------
    trials, form, **opening
        As in :func:`open_trials`.
    calibration
        Turns the scores into LLRs; None if they are LLRs already.
    prior_log_odds
        Operating points that you are going to ask for. Each request for others costs another pass.

    Returns
    -------
    Evaluation
        The same numbers, to the last bit, as :func:`llrcal.evaluate` gives. If both classes have
        more than eight million trials, its ROC has only the corners of the convex hull.
    """
    opened = open_trials(trials, form={"allow_infinite": True, **(form or {})}, **opening)
    if calibration is not None:
        opened = opened.mapped(calibration)
    return evaluation.evaluate(opened, prior_log_odds=prior_log_odds)


def adapt(
    calibration: Calibration,
    trials: Any,
    *,
    p_target: float = 0.01,
    score: str = "score",
    client: Any | None = None,
    progress: Progress = silent,
    form: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Calibration:
    """Adapt a calibration to scores on a cluster, in one pass.

    The same, to the last bit, as :func:`llrcal.adapt` gives on the same scores in memory.

    Parameters
    ----------
    calibration, p_target, **settings
        As in :func:`llrcal.adapt`.
    trials, score, client, progress, form
        As in :func:`open_trials`; labels are neither needed nor used.
    """
    densities_of(calibration)  # or refused, before anything is read
    given: dict[str, Any] = {"columns": f"score={score}", **(form or {})}
    connected, options = _client(client), ReadOptions(**given)
    if is_table(trials):
        columns = Columns(score, None, options.request("scores", joins=False))
        scores = opened_frame(trials, columns, connected, progress)
    else:
        scores = opened_scores(trials, DaskEngine(connected, progress=progress), options)
    return adaptation.adapt(calibration, scores, p_target=p_target, **settings)


def apply(
    calibration: Calibration,
    trials: Any,
    out: str | PathLike[str] | None = None,
    *,
    score: str = "score",
    interval: float | None = None,
    client: Any | None = None,
    force: bool = False,
) -> Any:
    """Replace scores by LLRs, partition by partition.

    Parameters
    ----------
    calibration
        The calibration that turns scores into LLRs.
    trials
        A Dask frame, or files as in :func:`fit`; each file is a partition.
    out
        A folder, which gets one file per partition; for a frame, None to write nothing.
    score
        The column to replace. All others stay as they are.
    interval
        A level such as 0.95, to add columns ``low`` and ``high``: the ends of the interval of each
        LLR.
    client
        As in :func:`fit`.
    force
        Whether to replace the folder if it exists.

    Returns
    -------
    dask.dataframe.DataFrame or None
        The frame with LLRs, if nothing is written.

    Raises
    ------
    LlrcalError
        If a score is not a number; the message names the file or the partition.
    """
    connected = _client(client)
    if not is_frame(trials) and not is_remote(trials):
        if out is None:
            raise OptionError("give a folder for the LLRs of files (out)")
        request = ReadOptions(columns=f"score={score}").request("scores")
        rewriter = Rewriter(Calibrated(calibration, interval=interval), request)
        apply_to_files(rewriter, trials, out, by_tasks(connected), force=force)
        return None
    frame = trials if is_frame(trials) else dd.read_parquet(trials)
    check_frame_columns(frame, [score])
    llrs = LLRFrame.of(frame, Calibrated(calibration, interval=interval), score)
    if out is None:
        return llrs.frame()
    if is_remote(out):
        llrs.frame().to_parquet(fspath(out), write_index=False)
        return None
    with atomic_folder(out, force=force) as folder:
        llrs.write(folder, connected)
    return None


def _split_settings(settings: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings of :func:`open_trials`, and the remaining ones."""
    names = signature(open_trials).parameters
    opening = {name: value for name, value in settings.items() if name in names}
    return opening, {name: value for name, value in settings.items() if name not in names}


def _client(client: Any | None) -> Any | None:
    """The cluster to use: the one given, or the most recently connected one, if any."""
    if client is not None:
        return client
    from distributed import default_client

    try:
        return default_client()
    except ValueError:
        return None
