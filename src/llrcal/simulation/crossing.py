"""Every enrolment session with every test session: how many of them, and which trials are kept."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from llrcal.arrays import Bools, Counts

Singles = NDArray[np.float32]
Ids = NDArray[np.int32]

_FEWEST_SPEAKERS = 200  # unless there are fewer targets than that
_GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True)
class Layout:
    """The number of speakers, and of enrolment and test sessions of each."""

    speakers: int
    enrolments: int
    tests: int

    @classmethod
    def of(cls, targets: int, nontargets: int) -> Layout:
        """A layout with at least the requested number of trials of each class, and few more.

        S speakers with p pairs of sessions each make S p targets and S (S - 1) p non-targets, so
        that p is about targets^2 / nontargets.
        """
        most = max(1, targets // _FEWEST_SPEAKERS)
        pairs = min(max(1, round(targets**2 / nontargets)), most)
        enrolments = isqrt(pairs)
        tests = round(pairs / enrolments)
        pairs = enrolments * tests
        fewest = max(2, min(targets, _FEWEST_SPEAKERS))
        speakers = max(fewest, -(-targets // pairs), isqrt(nontargets // pairs))
        while speakers * (speakers - 1) * pairs < nontargets:
            speakers += 1
        return cls(speakers, enrolments, tests)

    @property
    def targets(self) -> int:
        """All pairs of sessions of one speaker."""
        return self.speakers * self.enrolments * self.tests

    @property
    def nontargets(self) -> int:
        """All pairs of sessions of two speakers."""
        return (self.speakers - 1) * self.targets


@dataclass
class Collector:
    """Trials of one class, taken evenly from all blocks."""

    scores: Singles
    speakers: Ids
    found_in_all: int
    found: int = 0
    done: int = 0

    @classmethod
    def of(cls, wanted: int, *, found_in_all: int) -> Collector:
        return cls(np.empty(wanted, np.float32), np.empty((wanted, 2), np.int32), found_in_all)

    def take(self, scores: Singles, of_class: Bools, row_ids: Ids, column_ids: Ids) -> None:
        """Take this block's share of the trials."""
        places = np.flatnonzero(of_class)
        chosen = places[self._chosen(self.found, self.found + len(places)) - self.found]
        row, column = np.divmod(chosen, scores.shape[1])
        end = self.done + len(chosen)
        self.scores[self.done : end] = scores.ravel()[chosen]
        self.speakers[self.done : end, 0] = row_ids[row]
        self.speakers[self.done : end, 1] = column_ids[column]
        self.found += len(places)
        self.done = end

    def _chosen(self, start: int, end: int) -> Counts:
        """Which of the trials found from ``start`` to ``end`` are kept.

        One trial is kept of each stretch of found_in_all / wanted. Its place in the stretch moves
        by the golden ratio: a fixed place would meet the same few test sessions in every row.
        """
        wanted = len(self.scores)
        first, last = start * wanted // self.found_in_all, -(-end * wanted // self.found_in_all)
        stretch = np.arange(first, min(last, wanted) + 1, dtype=np.int64)
        edges = stretch * self.found_in_all // wanted
        jitter = np.modf(stretch[:-1] * _GOLDEN)[0]
        kept = edges[:-1] + (jitter * np.diff(edges)).astype(np.int64)
        return np.asarray(kept[(kept >= start) & (kept < end)])
