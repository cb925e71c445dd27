"""What an accumulator keeps of one class: its scores, or a summary of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from llrcal.arrays import Array
from llrcal.errors import DegenerateError, OptionError, ScoreError
from llrcal.onepass.grid import Grid
from llrcal.onepass.sample import ALL_KEYS, Sample
from llrcal.onepass.summary import MOST_IN_64_BITS, Summary, Survey
from llrcal.scale.pieces.piece import Piece, spans
from llrcal.scale.spill import SpillFile

_SCORE = np.dtype([("score", np.float64)])


class Scores:
    """All scores, some in memory and the others in a temporary file without a name."""

    def __init__(self) -> None:
        self._file = SpillFile(_SCORE)

    @property
    def count(self) -> int:
        return self._file.count

    def add(self, scores: Array) -> None:
        self._file.put(scores.astype(np.float64).view(_SCORE))  # a copy: the array may change

    def merge(self, other: Scores) -> None:
        for scores in other.arrays():
            self.add(scores)

    def arrays(self) -> Iterator[Array]:
        """The scores as they are now, some at a time."""
        for start, end in spans(self.count):
            yield self._file.get(start, end - start)["score"]

    def pieces(self, *, is_tar: bool) -> list[Piece]:
        """The scores as they are now, as trials."""
        return self._file.pieces("the accumulator", int(is_tar))


class Summarised:
    """A summary in bins that follow from the first scores, and a sample of all of them."""

    def __init__(self, grid: Grid | None = None) -> None:
        self.grid = grid
        self.known: list[Known] = []
        """Empty until there are scores; then one."""

    @property
    def count(self) -> int:
        return self.known[0].summary.count if self.known else 0

    def add(self, scores: Array) -> None:
        if self.grid is None:
            self.grid = Survey(Sample.of(scores)).grid
        with _within_bins():
            self._take(Known.of(scores, self.grid))

    def merge(self, other: Summarised) -> None:
        for known in other.known:
            if self.grid not in (None, known.summary.grid):
                raise OptionError(
                    "these accumulators have different bins, so they cannot be merged; make one "
                    "from the other before it sees scores: first.emptied()"
                )
            self.grid = known.summary.grid
            with _within_bins():
                self._take(known)

    def _take(self, new: Known) -> None:
        self.known = [self.known[0].merge(new) if self.known else new]


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


@dataclass(frozen=True)
class Known:
    """What is known of some scores."""

    summary: Summary
    sample: Sample

    @classmethod
    def of(cls, scores: Array, grid: Grid) -> Known:
        return cls(Summary.of(scores, grid), Sample.below(ALL_KEYS, scores))

    def merge(self, other: Known) -> Known:
        return Known(self.summary.merge(other.summary), self.sample.merge(other.sample))

    @property
    def best_grid(self) -> Grid:
        """The bins that :func:`llrcal.fit` would choose for all of the scores."""
        return Survey(self.sample).grid

    @property
    def best_summary(self) -> Summary:
        """The summary, in the best bins as long as the scores are few."""
        exact = self.summary.exact
        return self.summary if exact is None else Summary.of(exact, self.best_grid)

    def to_json(self) -> dict[str, Any]:
        summary, sample = self.summary, self.sample
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
    def from_json(cls, found: dict[str, Any]) -> Known:
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
        least, greatest = found["range"]
        scores = None if exact is None else np.array(exact, np.float64)
        summary = Summary(grid, count, float(least), float(greatest), scores, number, bins)
        return cls(summary, Sample(keys, counts, int(found["ceiling"])))


def _rises(values: Array) -> bool:
    return bool((values[1:] > values[:-1]).all())
