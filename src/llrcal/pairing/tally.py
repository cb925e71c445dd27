"""Counting pairs: products of integers, each rounded to a place, on processors of this machine."""

from __future__ import annotations

import math
import threading
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import reduce
from importlib.util import find_spec
from typing import Protocol

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.kernels import kernels_for_doubles
from llrcal.onepass.chunks import MergedByFields, each_on_threads, merged
from llrcal.pairing.fixed_point import COARSE, PER_STEP, PLACES, ZERO
from llrcal.pairing.regions import Groups, Plan, Region, Share

Done = Callable[[int], None]
"""Called with the number of pairs that were counted."""

MOST = 2**32 - 1  # a 32-bit count holds so many
_SHARE = 2**21  # pairs that a thread counts at a time: some 20 ms
_KEPT = 2**28  # bytes of rows as doubles, up to which they are made once


@dataclass(frozen=True)
class Tally(MergedByFields):
    """How many pairs have each score."""

    at: Counts
    """By place."""
    touching: Counts
    """For each group of speakers, the pairs in which somebody of it takes part, by coarse place."""

    def minus(self, other: Tally) -> Tally:
        """What is left without some of the pairs."""
        return Tally(self.at - other.at, self.touching - other.touching)


class Engine(Protocol):
    """Counts the pairs of a plan: the same counts, wherever it works."""

    def tally(self, enrol: Array, test: Array, plan: Plan, groups: int, done: Done) -> Tally:
        """Counts of the products of rows of integers; by group as well, if there are several."""


class Table(Protocol):
    """Counts that grow, in 32 bits."""

    def add(self, block: Region) -> None:
        """Count the pairs of a block."""

    def coarse(self) -> Array:
        """Counts by coarse place, as unsigned 32-bit integers, which start again from zero."""

    def take(self) -> Counts:
        """Counts by place; from now on there are none."""


class Counter:
    """Adds up the counts of shares; by groups of speakers as well, if there are several."""

    def __init__(self, table: Table, groups: int) -> None:
        self._table = table
        self._at = np.zeros(PLACES, np.int64)
        self._touching = np.zeros((groups, PLACES // COARSE), np.int64)
        self._latest: Groups = (0, 0)
        self._start_again()

    def _start_again(self) -> None:
        self._held, self._before = 0, np.zeros(PLACES // COARSE, np.uint32)

    def add(self, share: Share) -> int:
        """Count a share, and say how many pairs it has."""
        for at, block in share:
            if at != self._latest:
                self._settle()
                self._latest = at
            if self._held + block.pairs > MOST:
                self._take()
            self._table.add(block)
            self._held += block.pairs
        return sum(block.pairs for _, block in share)

    def value(self) -> Tally:
        """The counts of all shares."""
        self._take()
        return Tally(self._at, self._touching)

    def _settle(self) -> None:
        """What belongs to two groups is the difference of the coarse counts before and after."""
        if len(self._touching):
            now = self._table.coarse()
            for group in {*self._latest}:
                self._touching[group] += now - self._before
            self._before = now

    def _take(self) -> None:
        self._settle()
        self._at += self._table.take()
        self._start_again()


@dataclass(frozen=True)
class Processor:
    """Threads that compute the products of a block, and count them while they are in the cache."""

    rows: int = 512
    """The most rows of a block; there are twice as many columns."""

    def tally(self, enrol: Array, test: Array, plan: Plan, groups: int, done: Done) -> Tally:
        rows = _Doubles(enrol, plan.rows)
        same = enrol is test and plan.rows is plan.cols
        cols = rows if same else _Doubles(test, plan.cols)
        counters = defaultdict[int, Counter](lambda: Counter(_Table(rows, cols), groups))

        def count(share: Share) -> int:
            return counters[threading.get_ident()].add(share)

        with _one_blas_thread:
            for _, pairs in each_on_threads(count, plan.shares(_SHARE, self.rows, 2 * self.rows)):
                done(pairs)
        if not counters:
            return Counter(_Table(rows, cols), groups).value()
        found: Tally = reduce(merged, (one.value() for one in counters.values()))
        return found


class _OneBlasThread:
    """While anybody counts, BLAS has one thread for each thread of ours.

    Its own would wait for each other in loops while ours count. Without threadpoolctl, which comes
    with scikit-learn, they do.
    """

    def __init__(self) -> None:
        self._lock, self._users, self._limits = threading.Lock(), 0, ExitStack()

    def __enter__(self) -> None:
        with self._lock:
            if not self._users and find_spec("threadpoolctl"):
                from threadpoolctl import threadpool_limits

                self._limits.enter_context(threadpool_limits(1, "blas"))
            self._users += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                self._limits.close()


_one_blas_thread = _OneBlasThread()


class _Doubles:
    """Rows of integers as doubles, in the order of a plan."""

    def __init__(self, rows: Array, order: Array) -> None:
        self._rows, self._order = rows, order
        self._kept: Floats | None = None
        if 8 * len(order) * rows.shape[1] <= _KEPT:
            self._kept = rows[order].astype(np.float64)

    def some(self, start: int, count: int) -> Floats:
        """So many rows."""
        if self._kept is not None:
            return self._kept[start : start + count]
        return self._rows[self._order[start : start + count]].astype(np.float64)


class _Table:
    """The counts of one thread."""

    def __init__(self, rows: _Doubles, cols: _Doubles) -> None:
        self._rows, self._cols = rows, cols
        self._table = np.zeros(PLACES, np.uint32)
        self._room = np.empty(0)

    def add(self, block: Region) -> None:
        rows = cols = self._rows.some(block.row, block.count * block.rows)
        if not block.upper:
            cols = self._cols.some(block.col, block.count * block.cols)
        shape = (block.count, block.rows, block.cols)
        if len(self._room) < math.prod(shape):
            self._room = np.empty(math.prod(shape))
        products = self._room[: math.prod(shape)].reshape(shape)
        one, other = (side.reshape(block.count, -1, side.shape[1]) for side in (rows, cols))
        np.matmul(one, other.transpose(0, 2, 1), out=products)
        tally_products(products, 0 if block.upper else -1, self._table)

    def coarse(self) -> Array:
        return np.asarray(self._table.reshape(-1, COARSE).sum(axis=1, dtype=np.uint32))

    def take(self) -> Counts:
        found = self._table.astype(np.int64)
        self._table[:] = 0
        return found


def tally_products(products: Floats, upper: int, table: Array) -> None:
    """Count matrices of products, or some rows of one, by place.

    ``upper`` is the number of the first row if only what is above the diagonal counts, else -1.
    """
    rows, cols = products.shape[-2:]
    if kernels := kernels_for_doubles():
        kernels.count_products(products, rows, cols, upper, PER_STEP, ZERO, table)
        return
    if upper >= 0:
        products = products[..., np.arange(cols) > np.arange(upper, upper + rows)[:, None]]
    np.add.at(table, np.rint(products * PER_STEP).astype(np.int64) + ZERO, np.uint32(1))
