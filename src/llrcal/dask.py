"""Scores on a cluster, through Dask: the same answers as from one machine, to the last bit.

>>> import llrcal.dask  # doctest: +SKIP
>>> from distributed import Client  # doctest: +SKIP
>>> client = Client("tcp://scheduler:8786")  # doctest: +SKIP
>>> cal = llrcal.dask.fit("/shared/night/*.parquet", method="nig")  # doctest: +SKIP

Files are read by the workers, so all of them must see the same paths. Dask frames are processed
partition by partition, wherever they come from. Only summaries and counts are sent over the network
(a few kilobytes per piece) and, once, the scores of the rarer class. Dask does everything else: it
decides where each piece is processed, and processes it again elsewhere if a worker dies.

Without a client, threads of this process do the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from typing import Any

try:
    import dask.dataframe as dd  # noqa: F401  (both are needed by workers and clients)
    import distributed  # noqa: F401
    from fsspec.core import url_to_fs  # type: ignore[import-untyped]
except ImportError as problem:
    raise ImportError('llrcal.dask needs Dask: pip install "llrcal[dask]"') from problem

from llrcal import calibrations, out_of_core
from llrcal.adaptation import Watched
from llrcal.calibrations import Calibration
from llrcal.errors import OptionError
from llrcal.evaluation import Evaluation
from llrcal.files.atomic import atomic_folder
from llrcal.fusion.fused import Fused
from llrcal.method_table import DEFAULT, MethodName
from llrcal.scale.applying import LLRColumns, apply_to_files
from llrcal.scale.dask_applying import frame_of_llrs, write_partitions
from llrcal.scale.dask_engine import KEEP_MEMORY, check_frame_columns, dask_frame, naming
from llrcal.scale.engine import silent
from llrcal.scale.opening import cluster_engine, default_client, is_on_cluster
from llrcal.trials.request import ReadOptions
from llrcal.trials.trials import TrialSet

__all__ = [
    "KEEP_MEMORY",
    "adapt",
    "apply",
    "evaluate",
    "fit",
    "fit_all",
    "fuse",
    "open_trials",
    "watch",
]


def open_trials(trials: Any, **settings: Any) -> TrialSet:
    """Open a Dask frame or files as one set of trials to be read by the cluster.

    Parameters
    ----------
    trials
        A Dask frame; or a file, a folder, a pattern or a list of these, which the workers can read
        under the same names; or URLs of Parquet files that fsspec understands (``s3://...``).
    score, label
        Names of the columns, ``"score"`` and ``"label"`` by default.
    client
        The cluster; by default the most recently connected one.
    **settings
        As in :func:`llrcal.out_of_core.open_trials`. Frames have no trial ids, so only files are
        checked for repeated trials.
    """
    return out_of_core.open_trials(trials, **_on_cluster(settings, "score", "label"))


def fit(trials: Any, *, method: MethodName = DEFAULT, **settings: Any) -> Calibration:
    """Train a calibration on a cluster.

    The same, to the last bit, as :func:`llrcal.fit` gives on the same scores in memory.

    Parameters
    ----------
    trials
        As in :func:`open_trials`.
    method, **settings
        As in :func:`open_trials` and in :func:`llrcal.fit`.
    """
    return out_of_core.fit(trials, method=method, **_on_cluster(settings, "score", "label"))


def fit_all(
    trials: Any, *, methods: Sequence[calibrations.Method] = calibrations.PAPER, **settings: Any
) -> dict[str, Calibration]:
    """Train several calibrations in the same passes, see :func:`fit` and :func:`llrcal.fit_all`."""
    given = _on_cluster(settings, "score", "label")
    return out_of_core.fit_all(trials, methods=methods, **given)


def fuse(trials: Any, *, scores: Sequence[str], **settings: Any) -> Fused:
    """Fuse several systems on a cluster, whose scores are columns of a frame or of files.

    Parameters
    ----------
    trials
        As in :func:`open_trials`.
    scores, **settings
        As in :func:`open_trials` and in :func:`llrcal.out_of_core.fuse`.
    """
    return out_of_core.fuse(trials, scores=scores, **_on_cluster(settings, "label"))


def evaluate(trials: Any, **settings: Any) -> Evaluation:
    """Evaluate LLRs on a cluster, or scores after a calibration.

    Parameters
    ----------
    trials
        As in :func:`open_trials`.
    **settings
        As in :func:`open_trials` and in :func:`llrcal.out_of_core.evaluate`.
    """
    return out_of_core.evaluate(trials, **_on_cluster(settings, "score", "label"))


def adapt(calibration: Calibration, trials: Any, **settings: Any) -> Calibration:
    """Adapt a calibration to scores from the field on a cluster, in one pass.

    Parameters
    ----------
    calibration, **settings
        As in :func:`open_trials` and in :func:`llrcal.adapt`.
    trials
        As in :func:`open_trials`; labels are neither needed nor used.
    """
    return out_of_core.adapt(calibration, trials, **_on_cluster(settings, "score"))


def watch(calibration: Calibration, trials: Any, **settings: Any) -> Watched:
    """Tell whether scores on a cluster look as in training, in one pass.

    Parameters
    ----------
    calibration, **settings
        As in :func:`open_trials` and in :func:`llrcal.watch`.
    trials
        As in :func:`open_trials`; labels are neither needed nor used.
    """
    return out_of_core.watch(calibration, trials, **_on_cluster(settings, "score"))


def _on_cluster(settings: dict[str, Any], *roles: str) -> dict[str, Any]:
    """Settings for :mod:`llrcal.out_of_core`: with an engine, and with columns by their names."""
    named = {role: settings.pop(role, role) for role in roles}
    columns: dict[str, Any] = {"columns": named}
    if settings.get("key") is not None:
        columns = {"columns": {"score": named["score"]}, "key_columns": {"label": named["label"]}}
    told = settings.keys() & columns.keys()
    form = {
        **columns,
        **{name: settings.pop(name) for name in told},
        **(settings.get("form") or {}),
    }
    client, progress = settings.pop("client", None), settings.pop("progress", silent)
    return {**settings, "form": form, "engine": cluster_engine(client, progress)}


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
    client = default_client(client)
    answers = LLRColumns(calibration, interval)
    if not is_on_cluster(trials):
        if out is None:
            raise OptionError("give a folder for the LLRs of files (out)")
        request = ReadOptions(columns={"score": score}).request("scores")
        apply_to_files(answers, request, trials, out, cluster_engine(client), force=force)
        return None
    frame = dask_frame(trials)
    check_frame_columns(frame, [score])
    llrs = frame_of_llrs(frame, answers, score)
    if out is None:
        return llrs
    if is_on_cluster(out):
        with naming(fspath(out)):
            system, place = url_to_fs(fspath(out))
            if system.find(place, maxdepth=1, withdirs=True):
                raise OptionError(f"{out} exists already; choose another folder")
        llrs.to_parquet(fspath(out), write_index=False)
        return None
    with atomic_folder(out, force=force) as folder:
        write_partitions(llrs, folder, client)
    return None
