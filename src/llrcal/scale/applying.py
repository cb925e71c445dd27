"""Apply a calibration to files, one after the other or one task for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

from llrcal.arrays import Array, Floats
from llrcal.calibrations.beyond import Beyond
from llrcal.calibrations.calibration import Calibration
from llrcal.errors import OptionError
from llrcal.files.atomic import atomic_folder
from llrcal.files.overwriting import refuse_to_bury, refuse_to_overwrite
from llrcal.scale.engines.engine import Progress
from llrcal.scale.pieces.file_names import Paths, files_of, is_many
from llrcal.trials.request import Request
from llrcal.trials.rewriting import rewrite
from llrcal.trials.text.lines import Answers

Places = list[tuple[str, str]]
"""Files, and where their LLRs go."""


@dataclass(frozen=True)
class Calibrated:
    """The LLRs of scores, as the columns to write."""

    calibration: Calibration
    seen: Beyond | None = None
    """Counts the scores, where all files are rewritten in one process."""
    interval: float | None = None
    """The level of intervals, if their ends are to be written as well."""

    def __call__(self, scores: Floats) -> dict[str, Array]:
        if self.seen:
            self.seen.count(scores)
        llrs = {"llr": self.calibration.quietly(scores)}
        if self.interval is None:
            return llrs
        low, high = self.calibration.interval(scores, level=self.interval)
        return llrs | {"low": low, "high": high}


@dataclass(frozen=True)
class Rewriter:
    """Rewrites one file, with other columns in place of its scores."""

    answers: Answers
    request: Request

    def __call__(self, source: str, out: str) -> None:
        rewrite(source, out, self.answers, self.request)


Each = Callable[[Rewriter, Places], None]
"""A way to rewrite many files."""


def one_by_one(progress: Progress) -> Each:
    """Rewrite files one after the other, and report progress."""

    def each(rewriter: Rewriter, places: Places) -> None:
        for done, (name, place) in enumerate(places):
            progress("applying", done, len(places))
            rewriter(name, place)
        progress("applying", len(places), len(places))

    return each


def _places(paths: Paths, folder: Path) -> Iterator[tuple[str, str]]:
    """Each file, and the file in ``folder`` for its LLRs.

    Raises
    ------
    OptionError
        If two files would be written to the same place.
    """
    files = files_of(paths)
    above = _folder_above(paths)
    taken: dict[Path, str] = {}
    for name in files:
        inside = Path(name).relative_to(above) if above else Path(Path(name).name)
        if inside in taken:
            raise OptionError(f"{name} and {taken[inside]} would both be written to {inside}")
        taken[inside] = name
        place = folder / inside
        place.parent.mkdir(parents=True, exist_ok=True)
        yield name, str(place)


def _folder_above(paths: Paths) -> Path | None:
    """The folder whose structure is kept, if one was given."""
    if isinstance(paths, str | PathLike) and Path(paths).is_dir():
        return Path(fspath(paths))
    return None


def apply_to_files(
    rewriter: Rewriter,
    paths: Paths,
    out: str | PathLike[str],
    each: Each,
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
    if not is_many(paths):
        refuse_to_overwrite(fspath(out), *files)
        rewriter(files[0], fspath(out))
        return 1
    refuse_to_bury(fspath(out), *files)
    with atomic_folder(out, force=force) as folder:
        each(rewriter, list(_places(paths, folder)))
    return len(files)
