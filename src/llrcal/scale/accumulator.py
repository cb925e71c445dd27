"""Scores as they come, from any stream or engine: gathered, merged, saved, trained on."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NoReturn, Self, get_args

import numpy as np

from llrcal import calibrations
from llrcal.arrays import Array, ArrayLike, Floats
from llrcal.calibrations import Calibration
from llrcal.calibrations.training import Training, check_spread
from llrcal.declaration import is_signed, signed
from llrcal.errors import DegenerateError, OptionError, ScoreError, TrialFileError
from llrcal.evaluation.llrs import LLRs
from llrcal.files.atomic import atomic_file, write_atomically
from llrcal.files.marks import ACCUMULATOR
from llrcal.inputs.scores import as_floats, as_scores
from llrcal.method_table import DEFAULT, MethodName
from llrcal.notes import Note, Severity, warn
from llrcal.onepass.chunks import MergedByFields
from llrcal.onepass.grid import ALL_KEYS, Grid, Sample
from llrcal.onepass.ranks import Distinct
from llrcal.onepass.summary import MOST_IN_64_BITS, Summary
from llrcal.onepass.two_classes import TwoClasses
from llrcal.scale.engine import Threads
from llrcal.scale.piece import spans
from llrcal.scale.spill import SpillFile
from llrcal.scale.trials_in_pieces import TrialsInPieces
from llrcal.trials.npy import read_npz

Keep = Literal["scores", "summaries"]
_FORMAT, _VERSION = "llrcal-accumulator", 2
_EXTRA = b"LL\x12\0llrcal-accumulator"  # of an entry of an archive: a type, the length, its content
_NAMES = {"tar": "target", "non": "non-target"}
_SCORE = np.dtype([("score", np.float64)])


class Accumulator:
    """Target and non-target scores that come in batches, in any order.

    Parameters
    ----------
    keep
        ``"scores"`` keeps every score, the first million of a class in memory and the others in a
        temporary file (8 bytes per score). Whatever is computed from them has the same bits as from
        arrays of all scores. ``"summaries"`` keeps counts in some ten thousand bins and a sample,
        about a megabyte for any number of scores; these suffice for all methods but ``pav`` and for
        all bounds but ``"elub"``. The bins follow from the first batch of each class, which should
        therefore be like the others. If all scores together suggest the same bins, which is usual,
        the models have the same bits, too; otherwise a warning says so, and the last digits differ.
        Both can be sent to another process: summaries are small, and a pickle of scores has all.

    Examples
    --------
    >>> import llrcal
    >>> first = llrcal.Accumulator()
    >>> first.update(tar=[2.1, 3.0], non=[-1.2, 0.1, -2.2])
    >>> other = first.emptied()
    >>> other.update(tar=[1.7, 0.4], non=[0.9])
    >>> first.merge(other)
    >>> first.tar_count, first.non_count
    (4, 4)
    >>> cal = first.fit("logistic")
    """

    def __init__(self, *, keep: Keep = "scores") -> None:
        if keep not in get_args(Keep):
            raise OptionError(f"keep cannot be {keep!r}; choose {' or '.join(get_args(Keep))}")
        self.keep = keep
        kind = _Scores if keep == "scores" else _Summaries
        self._sides: dict[str, Any] = {name: kind() for name in _NAMES}

    def __repr__(self) -> str:
        counts = f"{self.tar_count:,} targets, {self.non_count:,} non-targets"
        return f"<Accumulator of {self.keep}: {counts}>"

    @property
    def tar_count(self) -> int:
        """The number of target scores so far."""
        return int(self._sides["tar"].count)

    @property
    def non_count(self) -> int:
        """The number of non-target scores so far."""
        return int(self._sides["non"].count)

    def update(self, *, tar: ArrayLike = (), non: ArrayLike = ()) -> None:
        """Add a batch of scores, of one class or of both.

        Raises
        ------
        ScoreError
            If a score is not a finite number; nothing of the batch is added then.
        """
        given = {
            name: as_scores(array, _NAMES[name])
            for name, scores in (("tar", tar), ("non", non))
            if (array := as_floats(scores, _NAMES[name])).size
        }
        for name, scores in given.items():
            self._sides[name].add(scores)

    def merge(self, other: Accumulator) -> None:
        """Add all scores of another accumulator, which stays as it is.

        Raises
        ------
        OptionError
            If it keeps something else, or has other bins.
        """
        if not isinstance(other, Accumulator) or other.keep != self.keep:
            raise OptionError(f"only accumulators of {self.keep} can be merged into this one")
        for name, side in self._sides.items():
            side.merge(other._sides[name])

    def emptied(self) -> Accumulator:
        """An accumulator without scores that can be merged into this one: it has the same bins."""
        new = Accumulator(keep=self.keep)
        for name, side in self._sides.items():
            new._sides[name].grid = side.grid
        return new

    @property
    def trials(self) -> Any:
        """What is known of the scores so far, for :func:`llrcal.fit` and its like.

        If it keeps scores, also for :func:`llrcal.evaluate` and :func:`llrcal.compare`.

        Raises
        ------
        ScoreError
            If there are no scores of a class yet.
        """
        for name, side in self._sides.items():
            if not side.count:
                raise ScoreError(f"there are no {_NAMES[name]} scores yet")
        tar, non = self._sides.values()
        if self.keep == "summaries":
            return _SummaryTraining({"target": tar.known, "non-target": non.known})
        pieces = [*tar.file.pieces("the accumulator", 1), *non.file.pieces("the accumulator", 0)]
        return TrialsInPieces.of(pieces, Threads(), "the accumulator", check_repeated=False)

    def fit(self, method: MethodName = DEFAULT, **settings: Any) -> Calibration:
        """Train a calibration on the scores so far, see :func:`llrcal.fit`."""
        found: Calibration = calibrations.fit(self.trials, method=method, **settings)
        return found

    def fit_all(self, **settings: Any) -> dict[str, Calibration]:
        """Train several calibrations on the scores so far, see :func:`llrcal.fit_all`.

        By default, all of the paper, but without PAV if only summaries are kept.
        """
        if self.keep == "summaries":
            settings.setdefault("methods", [m for m in calibrations.PAPER if m != "pav"])
        return calibrations.fit_all(self.trials, **settings)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the scores as arrays ``tar`` and ``non`` (.npz), or the summaries as JSON.

        An archive of scores is also a file of trials, for :func:`llrcal.read_trials` and the verbs.

        Raises
        ------
        OptionError
            If no file can be written there.
        """
        if self.keep == "summaries":
            classes = {name: _to_json(s.known) for name, s in self._sides.items() if s.known}
            document = signed({"format": _FORMAT, "version": _VERSION, "classes": classes})
            write_atomically(path, json.dumps(document, allow_nan=False).encode(), ACCUMULATOR)
            return
        with atomic_file(path, ACCUMULATOR) as file, zipfile.ZipFile(file, "w") as archive:
            for name, side in self._sides.items():
                entry = zipfile.ZipInfo(f"{name}.npy")
                entry.extra = _EXTRA
                with archive.open(entry, "w", force_zip64=True) as out:
                    header = {"descr": "<f8", "fortran_order": False, "shape": (side.count,)}
                    np.lib.format.write_array_header_1_0(out, header)
                    for scores in side.arrays():
                        out.write(scores.astype("<f8").tobytes())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Accumulator:
        """An accumulator that was saved.

        Raises
        ------
        TrialFileError
            If the file is something else, damaged, or changed since it was saved.
        """
        try:
            content = Path(path).read_bytes() if not zipfile.is_zipfile(path) else b""
        except OSError as problem:
            raise TrialFileError(f"{path}: cannot be read: {problem.strerror}") from problem
        if not content:
            found = read_npz(str(path))
            if not {*_NAMES} <= found.keys():
                raise TrialFileError(f"{path}: is not a saved accumulator: it needs tar and non")
            made = cls()
            made.update(tar=found["tar"], non=found["non"])
            return made
        made = cls(keep="summaries")
        try:
            document = json.loads(content)
            if document["format"] != _FORMAT or document["version"] not in (1, _VERSION):
                raise ValueError("it has another format or version")  # noqa: TRY301
            is_older = document["version"] == 1 and "checksum" not in document
            if not is_older and not is_signed(document):
                raise TrialFileError(
                    f"{path}: was changed since it was saved: restore it from a copy, or gather "
                    "its scores again"
                )
            for name, saved in document["classes"].items():
                side = made._sides[name]
                side.known = _from_json(saved)
                side.grid = side.known.summary.grid
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as problem:
            reason = f"{type(problem).__name__}: {problem}"
            raise TrialFileError(f"{path}: is not a saved accumulator: {reason:.200}") from problem
        return made


class _Scores:
    """All scores of a class, some in memory and the others in a temporary file without a name."""

    grid: Grid | None = None

    def __init__(self) -> None:
        self.file = SpillFile(_SCORE)

    @property
    def count(self) -> int:
        return self.file.count

    def add(self, scores: Array) -> None:
        self.file.put(scores.astype(np.float64).view(_SCORE))  # a copy: the array may change

    def merge(self, other: Self) -> None:
        for scores in other.arrays():
            self.add(scores)

    def arrays(self) -> Iterator[Array]:
        """The scores as they are now, some at a time."""
        for start, end in spans(self.count):
            yield self.file.get(start, end - start)["score"]


@dataclass(frozen=True)
class _Known(MergedByFields):
    """What is known of some scores."""

    summary: Summary
    sample: Sample

    @property
    def best_grid(self) -> Grid:
        """The bins that suit all scores."""
        return Grid.of_sample(self.sample)

    @cached_property
    def best_summary(self) -> Summary:
        """In the bins that suit all scores, as long as they are few."""
        exact = self.summary.exact
        return self.summary if exact is None else Summary.of(exact, self.best_grid)


class _Summaries:
    """The summary of a class in bins that follow from its first scores, and a sample of all."""

    def __init__(self) -> None:
        self.grid: Grid | None = None
        self.known: _Known | None = None

    @property
    def count(self) -> int:
        return self.known.summary.count if self.known else 0

    def add(self, scores: Array) -> None:
        self.grid = self.grid or Grid.of(scores)
        with _within_bins():
            new = _Known(Summary.of(scores, self.grid), Sample.below(ALL_KEYS, scores))
            self.known = self.known.merge(new) if self.known else new

    def merge(self, other: Self) -> None:
        if other.known is None:
            return
        if self.grid not in (None, other.grid):
            raise OptionError(
                "these accumulators have different bins, so they cannot be merged; make one "
                "from the other before it sees scores: first.emptied()"
            )
        self.grid = other.grid
        with _within_bins():
            self.known = self.known.merge(other.known) if self.known else other.known


def _to_json(known: _Known) -> dict[str, Any]:
    summary, sample = known.summary, known.sample
    return {
        "grid": list(summary.grid.numbers),
        "count": summary.count,
        "range": [summary.least, summary.greatest],
        "exact": None if summary.exact is None else summary.exact.tolist(),
        "number": summary.number.tolist(),
        "bins": summary.bins.tolist(),
        "keys": sample.keys.tolist(),
        "counts": sample.counts.tolist(),
        "ceiling": sample.ceiling,
    }


def _from_json(found: dict[str, Any]) -> _Known:
    """What was saved.

    Raises
    ------
    ValueError, KeyError, TypeError, OverflowError
        If it is something else.
    """
    grid = Grid(*found["grid"])
    number, counts = (np.array(found[name], np.int64) for name in ("number", "counts"))
    keys, count = np.array(found["keys"], np.uint64), int(found["count"])
    kind = np.int64 if count < MOST_IN_64_BITS else object
    bins = np.array(found["bins"], kind).reshape(3, len(number))
    exact = None if found["exact"] is None else np.array(found["exact"], np.float64)
    least, greatest = map(float, found["range"])
    ends = np.array([least, greatest])
    every = ends if exact is None else exact
    if (
        not 0 < count == (bins[0].sum() if exact is None else len(exact))
        or replace(grid, origin=0.0, unit=1.0) != Grid(0.0, 1.0)
        or not 0 < grid.unit < np.inf
        or not np.isfinite([grid.origin, *every]).all()
        or not (every[:-1] <= every[1:]).all()
        or (every[[0, -1]] != ends).any()
        or (bins[0] < 1).any()
        or not 0 < len(keys) == len(counts)
        or not all((values[1:] > values[:-1]).all() for values in (number, keys))
        or np.any((number < 0) | (number >= grid.size))
    ):
        raise ValueError("its numbers contradict each other")
    summary = Summary(grid, count, least, greatest, exact, number, bins)
    return _Known(summary, Sample(keys, counts, int(found["ceiling"])))


@contextmanager
def _within_bins() -> Iterator[None]:
    """Say what to do if scores lie far beyond the bins."""
    try:
        yield
    except DegenerateError as problem:
        raise ScoreError(
            f"{problem}. The middle and the spread are those of the first batch, so begin with one "
            "that is like the others"
        ) from problem


class _SummaryTraining(Training):
    """What methods ask of training scores, as far as summaries can tell."""

    def __init__(self, sides: dict[str, _Known]) -> None:
        self.tar_count, self.non_count = (side.summary.count for side in sides.values())
        self._sides = sides

    def training(self, *, summarised: bool, ranked: bool, lower_is_better: bool) -> Training:
        """As that of a set of trials."""
        if lower_is_better:
            raise OptionError("summaries cannot be reversed; add the negated distances instead")
        for name, side in self._sides.items():
            if side.best_summary.grid != side.best_grid:
                text = (
                    f"the bins of the {name} scores follow from the first batch, and all scores "
                    "suggest others: the last digits differ from those of a fit to the scores"
                )
                warn([Note.of("bins", text, severity=Severity.WARNING)])
        return self

    def llrs(self, thresholds: Floats) -> LLRs:
        """As that of a set of trials."""
        _refuse("an evaluation needs")

    @cached_property
    def tar(self) -> Summary:
        return self._checked("target")

    @cached_property
    def non(self) -> Summary:
        return self._checked("non-target")

    def _checked(self, name: str) -> Summary:
        summary = self._sides[name].best_summary
        check_spread(summary.grid.unit, name)
        return summary

    @cached_property
    def rare(self) -> Distinct:
        _refuse("the method pav needs")

    def kept(self, *, of_tar: bool) -> Distinct | None:
        _refuse("this needs")

    def fold(self, tar: Any, non: Any, what: str) -> Any:
        _refuse("this needs")

    def fold_one(self, new: Any, *, of_tar: bool, what: str) -> Any:
        _refuse("this needs")

    def mapped(self, function: Callable[[Array], Array]) -> TwoClasses:
        _refuse("bounds by ELUB need")


def _refuse(what: str) -> NoReturn:
    raise OptionError(
        f"{what} the scores themselves, and this accumulator keeps summaries only; make one with "
        'Accumulator(keep="scores")'
    )
