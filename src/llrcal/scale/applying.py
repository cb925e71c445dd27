"""Files of scores into files of LLRs, one after the other or each by its own task."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

from llrcal.arrays import Array, Floats
from llrcal.calibrations.calibration import Calibration
from llrcal.errors import OptionError
from llrcal.scale.names import Paths, files_of, is_many
from llrcal.trials.rewriting import rewrite
from llrcal.trials.wish import Wish


@dataclass(frozen=True)
class Rewriter:
    """Writes one file again, with LLRs in place of its scores."""

    calibration: Calibration
    wish: Wish

    def __call__(self, source: str, out: str) -> None:
        rewrite(source, out, self._answers, self.wish)

    def _answers(self, scores: Floats) -> dict[str, Array]:
        return {"llr": self.calibration(scores)}


def places(paths: Paths, folder: Path) -> Iterator[tuple[str, str]]:
    """Each file, and the file in a folder that its LLRs go to.

    Raises
    ------
    OptionError
        If two files would go to the same place.
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
    """The folder whose parts are kept, where one was given."""
    if isinstance(paths, str | PathLike) and Path(paths).is_dir():
        return Path(fspath(paths))
    return None


def apply_to_files(
    rewriter: Rewriter,
    paths: Paths,
    out: str | PathLike[str],
    each: Callable[[Rewriter, list[tuple[str, str]]], None],
    *,
    force: bool = False,
) -> None:
    """Rewrite one file, or many into a folder, which appears when all of them are there."""
    from llrcal.files import atomic_folder

    if not is_many(paths):
        rewriter(files_of(paths)[0], fspath(out))
        return
    with atomic_folder(out, force=force) as folder:
        each(rewriter, list(places(paths, folder)))
