"""Scores on a cluster, through Dask: the same answers as from one machine, to the last bit.

>>> import llrcal.dask  # doctest: +SKIP
>>> from distributed import Client  # doctest: +SKIP
>>> client = Client("tcp://scheduler:8786")  # doctest: +SKIP
>>> cal = llrcal.dask.fit("/shared/night/*.parquet", method="nig")  # doctest: +SKIP

Files are read by the workers, so all of them must see the same paths. Dask frames are taken
partition by partition, wherever they come from. Only summaries and counts travel, a few kilobytes a
piece, and once the scores of the rarer class. Dask does everything else: it decides where a piece
is worked on, and does it again elsewhere if a worker dies.

Without a client, Dask's threads in this process do the work.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike, fspath
from typing import Any

import dask.dataframe as dd

from llrcal.arrays import ArrayLike
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.doubts import warn_of
from llrcal.calibrations.methods import PAPER, Method
from llrcal.calibrations.methods import label as label_of
from llrcal.errors import OptionError
from llrcal.evaluation import Evaluation
from llrcal.files.atomic import atomic_folder
from llrcal.scale.applying import Calibrated, Rewriter, apply_to_files
from llrcal.scale.engines.dask import KEEP_MEMORY, DaskEngine, Partition
from llrcal.scale.engines.dask_applying import LLRFrame, by_tasks
from llrcal.scale.engines.threads import Progress, silent
from llrcal.scale.jobs import evaluation_of_pieces, train_on_pieces
from llrcal.scale.pieces.columns import Columns
from llrcal.scale.pieces.opening import pieces_of
from llrcal.scale.pieces.piece import Piece
from llrcal.trials.request import Request
from llrcal.trials.spoofs import Spoof

__all__ = ["KEEP_MEMORY", "apply", "evaluate", "fit", "fit_all"]

_ROWS = 2**20  # what is said of partitions whose length nobody knows, to show progress


def fit(
    trials: Any,
    *,
    method: str = "logistic",
    score: str = "score",
    label: str = "label",
    bounds: str = "range",
    lower_is_better: bool = False,
    client: Any | None = None,
    progress: Progress = silent,
    spoof: Spoof = "error",
    form: dict[str, Any] | None = None,
    **options: Any,
) -> Calibration:
    """Train a calibration on a cluster, see :func:`llrcal.fit`.

    Parameters
    ----------
    trials
        A Dask frame; or a file, a folder, a pattern or a list of these, which the workers see under
        the same names; or addresses of Parquet files that fsspec understands (``s3://...``).
    method, bounds, lower_is_better, **options
        As in :func:`llrcal.fit`.
    score, label
        The columns.
    client
        The cluster; by default the one that was connected to last.
    progress
        Called with what is being done, the number of trials done, and the number of all.
    spoof, form
        As in :func:`llrcal.read_trials`: ``form={"labels": "Yes,No", "on_nan": "drop"}``.

    Returns
    -------
    Calibration
        The same, to the last bit, as :func:`llrcal.fit` gives on the same scores in memory.

    Raises
    ------
    LlrcalError
        As :func:`llrcal.fit` does; the file or the partition is named.
    """
    pieces, engine = _opened(
        trials, _request(score, label, form), (score, label), spoof, client, progress
    )
    methods = [(method, options)]
    every = train_on_pieces(pieces, engine, methods, bounds, lower_is_better=lower_is_better)
    warn_of(every, stacklevel=2)
    return every[label_of(method, options)]


def fit_all(
    trials: Any,
    *,
    methods: Sequence[Method] = PAPER,
    score: str = "score",
    label: str = "label",
    bounds: str = "range",
    lower_is_better: bool = False,
    client: Any | None = None,
    progress: Progress = silent,
    spoof: Spoof = "error",
    form: dict[str, Any] | None = None,
) -> dict[str, Calibration]:
    """Train several calibrations in the same passes, see :func:`fit` and :func:`llrcal.fit_all`."""
    pieces, engine = _opened(
        trials, _request(score, label, form), (score, label), spoof, client, progress
    )
    every = train_on_pieces(pieces, engine, methods, bounds, lower_is_better=lower_is_better)
    warn_of(every, stacklevel=2)
    return every


def evaluate(
    trials: Any,
    *,
    calibration: Calibration | None = None,
    score: str = "score",
    label: str = "label",
    prior_log_odds: ArrayLike = (),
    client: Any | None = None,
    progress: Progress = silent,
    spoof: Spoof = "error",
    form: dict[str, Any] | None = None,
) -> Evaluation:
    """Evaluate LLRs on a cluster, or scores after a calibration.

    Parameters
    ----------
    trials, score, label, client, progress, spoof, form
        As in :func:`fit`.
    calibration
        Turns the scores into LLRs; None if they are LLRs already.
    prior_log_odds
        Operating points that are going to be asked for. Any others cost one pass each time.

    Returns
    -------
    Evaluation
        The same numbers, to the last bit, as :func:`llrcal.evaluate` gives. Where both classes
        have more than eight million trials, its ROC has the corners of the hull alone.
    """
    request = _request(score, label, form, allow_infinite=True)
    pieces, engine = _opened(trials, request, (score, label), spoof, client, progress)
    return evaluation_of_pieces(
        pieces, engine, calibration=calibration, prior_log_odds=prior_log_odds
    )


def apply(
    calibration: Calibration,
    trials: Any,
    out: str | PathLike[str] | None = None,
    *,
    score: str = "score",
    client: Any | None = None,
    force: bool = False,
) -> Any:
    """Replace scores by LLRs, partition by partition.

    Parameters
    ----------
    calibration
        What turns scores into LLRs.
    trials
        A Dask frame, or files as in :func:`fit`, of which each is a partition.
    out
        A folder for as many files as there are partitions; for a frame, None to write nothing.
    score
        The column that is replaced. All others stay as they are.
    client
        As in :func:`fit`.
    force
        Whether to replace a folder that is there already.

    Returns
    -------
    dask.dataframe.DataFrame or None
        The frame with LLRs, where nothing is written.

    Raises
    ------
    LlrcalError
        If a score is not a number; the file or the partition is named.
    """
    connected = _client(client)
    if not _is_frame(trials) and not _is_remote(trials):
        if out is None:
            raise OptionError("give a folder for the LLRs of files (out)")
        request = Request.of("scores", columns=f"score={score}")
        rewriter = Rewriter(Calibrated(calibration), request)
        apply_to_files(rewriter, trials, out, by_tasks(connected), force=force)
        return None
    frame = trials if _is_frame(trials) else dd.read_parquet(trials)
    _check_columns(frame, [score])
    llrs = LLRFrame.of(frame, calibration, score)
    if out is None:
        return llrs.frame()
    if _is_remote(out):
        llrs.frame().to_parquet(fspath(out), write_index=False)
        return None
    with atomic_folder(out, force=force) as folder:
        llrs.write(folder, connected)
    return None


def _request(
    score: str, label: str, form: dict[str, Any] | None, *, allow_infinite: bool = False
) -> Request:
    settings = {"columns": f"score={score},label={label}", **(form or {})}
    return Request.of("trials", allow_infinite=allow_infinite, **settings)


def _opened(
    trials: Any,
    request: Request,
    columns: tuple[str, str],
    spoof: Spoof,
    client: Any | None,
    progress: Progress,
) -> tuple[Sequence[Piece], DaskEngine]:
    """The pieces of frames or files, and who goes through them."""
    connected = _client(client)
    if not _is_frame(trials) and not _is_remote(trials):
        return pieces_of(trials, request, spoof), DaskEngine(connected, progress=progress)
    frame = trials if _is_frame(trials) else dd.read_parquet(trials)
    _check_columns(frame, columns)
    chosen = Columns(*columns, request, spoof)
    parts = frame[list(columns)].to_delayed()
    pieces = [
        Partition(name=f"partition {index} of the frame", rows=_ROWS, index=index, columns=chosen)
        for index in range(len(parts))
    ]
    return pieces, DaskEngine(connected, parts, progress)


def _check_columns(frame: Any, columns: Iterable[str]) -> None:
    for column in columns:
        if column not in frame.columns:
            known = ", ".join(map(str, frame.columns))
            raise OptionError(f"there is no column {column!r}; there are {known}")


def _is_frame(trials: Any) -> bool:
    return isinstance(trials, dd.DataFrame)


def _is_remote(trials: Any) -> bool:
    """Whether files have addresses that fsspec understands, rather than names."""
    first = trials if isinstance(trials, str | PathLike) else next(iter(trials), "")
    return "://" in str(first)


def _client(client: Any | None) -> Any | None:
    """The cluster to use: the one given, or the one that was connected to last, if any."""
    if client is not None:
        return client
    from distributed import default_client

    try:
        return default_client()
    except ValueError:
        return None
