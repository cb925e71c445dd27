"""Apply a calibration to files, one after the other or one task for each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.calibrations.bounds import OutOfRangeCounter
from llrcal.calibrations.calibration import Calibration
from llrcal.errors import OptionError
from llrcal.files.atomic import atomic_folder
from llrcal.files.names import Paths, files_of, is_many
from llrcal.files.overwriting import refuse_to_overwrite
from llrcal.notes import Note, warn
from llrcal.scale.engine import Engine, Progress, Threads, silent
from llrcal.scale.files import hold_counts
from llrcal.scale.opening import engine_for
from llrcal.trials.request import ReadKeywords, ReadOptions, Request
from llrcal.trials.rewriting import rewrite
from llrcal.trials.text.lines import Answers


class FieldCounter:
    """Counts the scores that a calibration is applied to, in the ranges of its portrait.

    Several threads may count at the same time.
    """

    def __init__(self, calibration: Calibration) -> None:
        self._portrait, self._sign = calibration.portrait, 1 - 2 * calibration.lower_is_better
        self._counts = np.zeros(1, np.int64)
        self._lock = threading.Lock()

    def count(self, scores: Floats) -> None:
        if self._portrait:
            counts = self._portrait.counted(self._sign * scores)
            with self._lock:
                self._counts = self._counts + counts

    @property
    def notes(self) -> tuple[Note, ...]:
        """A warning, if they do not look like a mixture of the training classes at any share."""
        if self._portrait is None or self._portrait.looks_like(self._counts):
            return ()
        note = Note.warning(
            "field moved",
            f"these {self._counts.sum():,} scores do not look like those of training, at any share "
            "of targets: llrcal.watch(cal, scores), or `llrcal watch MODEL SCORES`, tells what "
            "that costs",
        )
        return (note,)


@dataclass(frozen=True)
class LLRColumns:
    """The LLRs of scores, as the columns to write."""

    calibration: Calibration
    interval: float | None = None
    """The level of intervals, if their ends are to be written as well."""
    seen: OutOfRangeCounter | None = None
    """Counts the scores, where all files are rewritten in one process."""
    field: FieldCounter | None = None
    """Counts them by range, likewise."""
    nats: float = 1.0
    """The number of nats in a unit of the LLRs to write."""
    more: Callable[[Floats], Mapping[str, Array]] | None = None
    """Gives further columns of LLRs."""

    def __call__(self, scores: Floats) -> dict[str, Array]:
        if self.seen:
            self.seen.count(scores)
        if self.field:
            self.field.count(scores)
        llrs = self.calibration.without_warnings(scores)
        columns: dict[str, Array] = {"llr": llrs / self.nats}
        if self.interval is not None:
            low, high = self.calibration.interval(scores, level=self.interval)
            columns |= {"low": low / self.nats, "high": high / self.nats}
        return columns | dict(self.more(llrs)) if self.more else columns


def apply_files(
    calibration: Calibration,
    paths: Paths,
    out: str | PathLike[str],
    *,
    interval: float | None = None,
    client: Any | None = None,
    progress: Progress = silent,
    force: bool = False,
    **options: Unpack[ReadKeywords],
) -> None:
    """Write files again, with LLRs in place of their scores.

    Parameters
    ----------
    calibration
        The calibration that turns scores into LLRs.
    paths
        A file, a folder, a pattern such as ``"night/*.parquet"``, or a list of these.
    out
        The new file; for several files, a folder with one new file for each.
    interval
        A level such as 0.95, to add columns ``low`` and ``high``: the ends of the interval of each
        LLR.
    client
        A client of Dask: its workers rewrite a file each.
    progress
        Called with what is being done, the number of files done, and the total.
    force
        Whether to replace the folder if it exists.
    **options
        As in :func:`llrcal.read_trials`; labels are not needed.

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
        like those of training: see :func:`llrcal.watch`. Workers of a cluster do not look.
    """
    request = ReadOptions(**options).request("scores")
    if client is not None:
        engine = engine_for(paths, client, progress)
        columns = LLRColumns(calibration, interval)
        apply_to_files(columns, request, paths, out, engine, force=force)
        return
    seen, field = OutOfRangeCounter(*calibration.training_range), FieldCounter(calibration)
    columns = LLRColumns(calibration, interval, seen, field)
    apply_to_files(columns, request, paths, out, Threads(progress), force=force)
    if not hold_counts(paths):  # distinct scores look like no field
        warn(seen.notes)
        warn(field.notes)


def apply_to_files(
    answers: Answers,
    request: Request,
    paths: Paths,
    out: str | PathLike[str],
    engine: Engine,
    *,
    force: bool = False,
) -> int:
    """Rewrite one file, or many into a folder, which appears once it is complete.

    Returns the number of files.

    Raises
    ------
    OptionError
        If an input file would be overwritten.
    """
    files = files_of(paths)
    work = partial(rewrite, answers=answers, request=request)
    refuse_to_overwrite(out, *files)
    if not is_many(paths):
        work(files[0], fspath(out))
        return 1
    above = paths if isinstance(paths, str | PathLike) and Path(paths).is_dir() else None
    with atomic_folder(out, force=force) as folder:
        engine.each(work, list(_places(files, above, folder)))
    return len(files)


def _places(
    files: list[str], above: str | PathLike[str] | None, folder: Path
) -> Iterator[tuple[str, str]]:
    """Each file, and the file in ``folder`` for its LLRs; the structure of a folder is kept.

    Raises
    ------
    OptionError
        If two files would be written to the same place.
    """
    taken: dict[Path, str] = {}
    for name in files:
        inside = Path(name).relative_to(above) if above else Path(Path(name).name)
        if inside in taken:
            raise OptionError(f"{name} and {taken[inside]} would both be written to {inside}")
        taken[inside] = name
        place = folder / inside
        place.parent.mkdir(parents=True, exist_ok=True)
        yield name, str(place)
