"""Which pairs there are: those that agree in labels, as rectangles of a matrix of products.

Embeddings are brought into an order in which those with the same label, and of these the ones in
the same group of speakers, are neighbours. Pairs that agree are then blocks along the diagonal,
and a block for each pair of groups.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, product

import numpy as np

from llrcal.arrays import Array


@dataclass(frozen=True)
class Region:
    """Rows times columns; ``count`` such blocks, one below and beside the other."""

    row: int
    rows: int
    col: int
    cols: int
    upper: bool = False
    """Whether rows and columns are the same, of which each pair counts once."""
    count: int = 1

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        each = self.rows * (self.rows - 1) // 2 if self.upper else self.rows * self.cols
        return self.count * each

    def blocks(self, rows: int, cols: int) -> Iterator[Region]:
        """The same pairs in blocks of at most so many rows and columns, or several small ones."""
        if self.rows <= rows and self.cols <= (rows if self.upper else cols):
            most = max(rows * cols // (self.rows * self.cols), 1)
            for first in range(0, self.count, most):
                yield replace(self._moved(first), count=min(most, self.count - first))
            return
        for number in range(self.count):
            yield from self._moved(number)._cut(rows, cols)

    def _moved(self, blocks: int) -> Region:
        row, col = self.row + blocks * self.rows, self.col + blocks * self.cols
        return replace(self, row=row, col=col, count=1)

    def _cut(self, rows: int, cols: int) -> Iterator[Region]:
        for i in range(0, self.rows, rows):
            height = min(rows, self.rows - i)
            if self.upper:
                yield Region(self.row + i, height, self.col + i, height, upper=True)
            for j in range(i + height if self.upper else 0, self.cols, cols):
                yield Region(self.row + i, height, self.col + j, min(cols, self.cols - j))


Groups = tuple[int, int]
"""The groups of speakers that both sides of some pairs belong to."""
Share = list[tuple[Groups, Region]]
"""Blocks that are counted one after the other."""


@dataclass(frozen=True)
class Plan:
    """Pairs to be counted."""

    rows: Array
    """Numbers of embeddings, in the order of rows."""
    cols: Array
    """Those of the columns, of the same set or of another."""
    regions: Share
    """Those of the same groups of speakers follow each other."""

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return sum(region.pairs for _, region in self.regions)

    def shares(self, least: int, rows: int, cols: int) -> Iterator[Share]:
        """Blocks of at most so many rows and columns, in shares of at least so many pairs."""
        share: Share = []
        held = 0
        for at, region in self.regions:
            for block in region.blocks(rows, cols):
                share.append((at, block))
                held += block.pairs
                if held >= least:
                    yield share
                    share, held = [], 0
        if share:
            yield share


@dataclass(frozen=True)
class Labelled:
    """One side: numbers of embeddings, each with a label and a group.

    An embedding may be there more than once, with several labels.
    """

    number: Array
    label: Array
    group: Array

    def sorted(self) -> Labelled:
        """Those with the same label and group together; labels of the same size follow each other.

        So blocks of the same shape are neighbours.
        """
        _, place = np.unique(self.label, return_inverse=True)
        size = np.bincount(place)[place]
        first = np.full(int(place.max()) + 1, np.iinfo(np.int64).max)
        np.minimum.at(first, place, self.group)
        order = np.lexsort((self.group, self.label, size, first[place]))
        return Labelled(self.number[order], self.label[order], self.group[order])

    def runs(self) -> list[tuple[int, int, int, int]]:
        """Label and group of neighbours that share both, where they begin, and how many."""
        new = (np.diff(self.label) != 0) | (np.diff(self.group) != 0)
        start = np.flatnonzero(np.append(True, new))
        count = np.diff(np.append(start, len(self.label)))
        columns = (self.label[start], self.group[start], start, count)
        return list(zip(*(column.tolist() for column in columns), strict=True))


def pairs_within(given: Labelled) -> Plan:
    """All pairs within one set that have the same label."""
    ordered = given.sorted()
    by_label = _by_label(ordered)
    found: defaultdict[Groups, list[Region]] = defaultdict(list)
    for runs in by_label.values():
        for (one, row, rows), (other, col, cols) in combinations_with_replacement(runs, 2):
            upper = row == col
            if upper and rows == 1:
                continue
            regions = found[min(one, other), max(one, other)]
            region = Region(row, rows, col, cols, upper)
            if upper and regions and _continues(regions[-1], region):
                regions[-1] = replace(regions[-1], count=regions[-1].count + 1)
            else:
                regions.append(region)
    return _plan(ordered, ordered, found)


def pairs_between(enrol: Labelled, test: Labelled) -> Plan:
    """All pairs of two sets that have the same label."""
    enrol, test = enrol.sorted(), test.sorted()
    rows_of, cols_of = _by_label(enrol), _by_label(test)
    found: defaultdict[Groups, list[Region]] = defaultdict(list)
    for label in rows_of.keys() & cols_of.keys():
        for (one, row, rows), (other, col, cols) in product(rows_of[label], cols_of[label]):
            found[min(one, other), max(one, other)].append(Region(row, rows, col, cols))
    return _plan(enrol, test, found)


def _by_label(side: Labelled) -> dict[int, list[tuple[int, int, int]]]:
    """For each label: group, place and length of its runs."""
    found = defaultdict(list)
    for label, *run in side.runs() if len(side.label) else ():
        found[label].append((run[0], run[1], run[2]))
    return found


def _continues(last: Region, region: Region) -> bool:
    """Whether a block is the next of some of its shape."""
    follows = last.row + last.count * last.rows == region.row
    return last.upper and last.rows == region.rows and follows


def _plan(rows: Labelled, cols: Labelled, found: Mapping[Groups, list[Region]]) -> Plan:
    regions = [(at, region) for at in sorted(found) for region in found[at]]
    return Plan(rows.number, cols.number, regions)
