"""Scores as they come, from any stream or engine: gathered, merged, saved, trained on."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NoReturn, Self, get_args

import numpy as np

from llrcal import calibrations
from llrcal.arrays import Array, ArrayLike, Floats
from llrcal.calibrations import Calibration
from llrcal.calibrations.training import Training, check_spread
from llrcal.errors import DegenerateError, OptionError, ScoreError, TrialFileError
from llrcal.evaluation.llrs import LLRs
from llrcal.files.atomic import atomic_file
from llrcal.inputs.scores import as_floats, as_scores
from llrcal.method_table import DEFAULT
from llrcal.notes import Note, Severity, warn
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
_FORMAT = "llrcal-accumulator"
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
        Only summaries can be sent to another process as they are; scores can be saved and loaded.

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
            return _SummaryTraining(tar, non)
        pieces = [*tar.file.pieces("the accumulator", 1), *non.file.pieces("the accumulator", 0)]
        return TrialsInPieces.of(pieces, Threads(), "the accumulator", check_repeated=False)

    def fit(self, method: str = DEFAULT, **settings: Any) -> Calibration:
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
        """
        if self.keep == "summaries":
            classes = {name: s.to_json() for name, s in self._sides.items() if s.count}
            document = {"format": _FORMAT, "version": 1, "classes": classes}
            with atomic_file(path) as file:
                file.write(json.dumps(document, allow_nan=False).encode())
            return
        with atomic_file(path) as file, zipfile.ZipFile(file, "w") as archive:
            for name, side in self._sides.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as out:
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
            If the file is something else, or damaged.
        """
        try:
            content = Path(path).read_bytes() if not zipfile.is_zipfile(path) else b""
        except OSError as problem:
            raise TrialFileError(f"{path}: cannot be read: {problem.strerror}") from problem
        if not content:
            found = read_npz(str(path))
            made = cls()
            made.update(tar=found.get("tar", ()), non=found.get("non", ()))
            return made
        made = cls(keep="summaries")
        try:
            document = json.loads(content)
            if (document["format"], document["version"]) != (_FORMAT, 1):
                raise ValueError("it has another format or version")  # noqa: TRY301
            for name, side in document["classes"].items():
                if name not in _NAMES:
                    raise ValueError(f"there is no class {name!r}")  # noqa: TRY301
                made._sides[name] = _Summaries.from_json(side)
        except (ValueError, KeyError, TypeError, OverflowError) as problem:
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


class _Summaries:
    """The summary of a class in bins that follow from its first scores, and a sample of all."""

    def __init__(self, grid: Grid | None = None) -> None:
        self.grid = grid
        self._known: list[tuple[Summary, Sample]] = []
        """Empty until there are scores; then one."""

    @property
    def count(self) -> int:
        return sum(summary.count for summary, _ in self._known)

    def add(self, scores: Array) -> None:
        if self.grid is None:
            self.grid = Grid.of(scores)
        with _within_bins():
            self._take(Summary.of(scores, self.grid), Sample.below(ALL_KEYS, scores))

    def merge(self, other: Self) -> None:
        for summary, sample in other._known:
            if self.grid not in (None, summary.grid):
                raise OptionError(
                    "these accumulators have different bins, so they cannot be merged; make one "
                    "from the other before it sees scores: first.emptied()"
                )
            self.grid = summary.grid
            with _within_bins():
                self._take(summary, sample)

    def _take(self, summary: Summary, sample: Sample) -> None:
        for known, other in self._known:
            summary, sample = known.merge(summary), other.merge(sample)
        self._known = [(summary, sample)]

    @property
    def summary(self) -> Summary:
        """In the bins that suit all scores, as long as they are few."""
        exact = self._known[0][0].exact
        return self._known[0][0] if exact is None else Summary.of(exact, self.best_grid)

    @property
    def best_grid(self) -> Grid:
        """The bins that suit all scores."""
        return Grid.of_sample(self._known[0][1])

    def to_json(self) -> dict[str, Any]:
        summary, sample = self._known[0]
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

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Self:
        """What was saved.

        Raises
        ------
        ValueError, KeyError, TypeError, OverflowError
            If it is something else.
        """
        origin, unit, *sizes = found["grid"]
        grid = Grid(float(origin), float(unit))
        if sizes != [grid.bin_bits, grid.octaves] or not 0 < grid.unit < np.inf:
            raise ValueError("its bins are unknown")
        count, exact = int(found["count"]), found["exact"]
        number = np.array(found["number"], np.int64)
        kind = np.int64 if count < MOST_IN_64_BITS else object
        bins = np.array(found["bins"], kind).reshape(3, len(number))
        if (len(exact) if exact is not None else bins[0].sum()) != count or not count:
            raise ValueError("it holds another number of scores than it claims")
        if len(number) and not (number[0] >= 0 and number[-1] < grid.size and _rises(number)):
            raise ValueError("its bins are not in order")
        keys, counts = np.array(found["keys"], np.uint64), np.array(found["counts"], np.int64)
        if len(keys) != len(counts) or not len(keys) or not _rises(keys):
            raise ValueError("its sample is not in order")
        least, greatest = map(float, found["range"])
        scores = None if exact is None else np.array(exact, np.float64)
        made = cls(grid)
        summary = Summary(grid, count, least, greatest, scores, number, bins)
        made._known = [(summary, Sample(keys, counts, int(found["ceiling"])))]
        return made


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


def _rises(values: Array) -> bool:
    return bool((values[1:] > values[:-1]).all())


class _SummaryTraining(Training):
    """What methods ask of training scores, as far as summaries can tell."""

    def __init__(self, tar: _Summaries, non: _Summaries) -> None:
        self.tar_count, self.non_count = tar.count, non.count
        self._sides = {"target": tar, "non-target": non}

    def training(self, *, summarised: bool, ranked: bool, lower_is_better: bool) -> Training:
        """As that of a set of trials."""
        if lower_is_better:
            raise OptionError("summaries cannot be reversed; add the negated distances instead")
        for name, side in self._sides.items():
            if side.summary.grid != side.best_grid:
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
        summary = self._sides[name].summary
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
