"""Counting pairs: products of integers, each rounded to a place, on processors of this machine."""

from __future__ import annotations

import math
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.kernels import kernels_for_doubles
from llrcal.onepass.chunks import MergedByFields, threads
from llrcal.pairing.fixed_point import COARSE, PER_STEP, PLACES, ZERO
from llrcal.pairing.regions import Groups, Plan, Region

Done = Callable[[int], None]
"""Called with the number of pairs that were counted."""

MOST = 2**32 - 1  # a 32-bit count holds so many
_WORTH_A_THREAD = 2**15  # products
_KEPT = 2**27  # bytes of rows as doubles, up to which they are made once


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


def tallied(table: Table, plan: Plan, groups: int, done: Done, *, rows: int, cols: int) -> Tally:
    """Count a plan in blocks of so many rows and columns.

    What belongs to two groups is the difference of the coarse counts before and after.
    """
    taken: list[Counts] = []
    touching = np.zeros((groups, PLACES // COARSE), np.int64)
    held, before = 0, np.zeros(PLACES // COARSE, np.uint32)

    def settle(at: Groups) -> None:
        nonlocal before
        if groups:
            now = table.coarse()
            for group in {*at}:
                touching[group] += now - before
            before = now

    def take() -> None:
        taken[:] = [sum(taken, table.take())]

    for at, regions in plan.regions.items():
        for block in (block for region in regions for block in region.blocks(rows, cols)):
            if held + block.pairs > MOST:
                settle(at)
                take()
                held, before = 0, np.zeros_like(before)
            table.add(block)
            held += block.pairs
            done(block.pairs)
        settle(at)
    take()
    return Tally(taken[0], touching)


@dataclass(frozen=True)
class Processor:
    """Products by BLAS, with as many threads as it takes; counted by threads of ours."""

    rows: int = 1024
    """The most rows of a block, which must stay in the cache until it is counted."""

    def tally(self, enrol: Array, test: Array, plan: Plan, groups: int, done: Done) -> Tally:
        with _tables(enrol, test, plan) as table:
            return tallied(table, plan, groups, done, rows=self.rows, cols=2 * self.rows)


@contextmanager
def _tables(enrol: Array, test: Array, plan: Plan) -> Iterator[_Tables]:
    with ThreadPoolExecutor(threads()) as pool:
        yield _Tables(pool, threads(), enrol, test, plan)


class _Doubles:
    """Rows of integers as doubles, in the order of a plan: all at once, or the latest of them."""

    def __init__(self, rows: Array, order: Array) -> None:
        self._rows, self._order = rows, order
        self._held: tuple[int, Floats] = (0, np.empty((0, rows.shape[1])))
        if 8 * len(order) * rows.shape[1] <= _KEPT:
            self._held = (0, rows[order].astype(np.float64))

    @property
    def are_kept(self) -> bool:
        return len(self._held[1]) == len(self._order)

    def some(self, start: int, count: int) -> Floats:
        """So many rows."""
        first, held = self._held
        if not (first <= start and start + count <= first + len(held)):
            first, held = start, self._rows[self._order[start : start + count]].astype(np.float64)
            self._held = first, held
        return held[start - first : start - first + count]


class _Tables:
    """A table for each thread, which counts products of one block while BLAS makes the next."""

    def __init__(
        self, pool: ThreadPoolExecutor, count: int, enrol: Array, test: Array, plan: Plan
    ) -> None:
        self._pool, self._parts = pool, count
        self._tables: defaultdict[int, Array] = defaultdict(lambda: np.zeros(PLACES, np.uint32))
        self._enrol = _Doubles(enrol, plan.rows)
        same = enrol is test and plan.rows is plan.cols and self._enrol.are_kept
        self._test = self._enrol if same else _Doubles(test, plan.cols)
        self._rooms = [np.empty(0), np.empty(0)]
        self._counting: list[list[Future[None]]] = [[], []]

    def add(self, block: Region) -> None:
        rows = cols = self._enrol.some(block.row, block.count * block.rows)
        if not block.upper:
            cols = self._test.some(block.col, block.count * block.cols)
        shape = (block.count, block.rows, block.cols)
        products = self._room_for(math.prod(shape)).reshape(shape)
        factors = (side.reshape(block.count, -1, side.shape[1]) for side in (rows, cols))
        np.matmul(next(factors), next(factors).transpose(0, 2, 1), out=products)
        alone = block.count == 1
        given, length = (products[0], block.rows) if alone else (products, block.count)
        count = min(self._parts, length, products.size // _WORTH_A_THREAD + 1)
        edges = [length * number // count for number in range(count + 1)]

        def work(start: int, end: int) -> None:
            upper = (start if alone else 0) if block.upper else -1
            tally_products(given[start:end], upper, self._tables[threading.get_ident()])

        self._counting[0] = [self._pool.submit(work, *ends) for ends in pairwise(edges)]

    def _room_for(self, count: int) -> Floats:
        """Memory that every other block uses, once what was there is counted."""
        self._rooms.reverse()
        self._counting.reverse()
        self._wait(0)
        if len(self._rooms[0]) < count:
            self._rooms[0] = np.empty(count)
        return self._rooms[0][:count]

    def _wait(self, *rooms: int) -> None:
        for room in rooms:
            for one in self._counting[room]:
                one.result()
            self._counting[room] = []

    def coarse(self) -> Array:
        self._wait(0, 1)

        def coarse(table: Array) -> Any:
            return table.reshape(-1, COARSE).sum(axis=1, dtype=np.uint32)

        found = sum(self._pool.map(coarse, list(self._tables.values())))
        return np.asarray(np.broadcast_to(found, PLACES // COARSE), np.uint32)

    def take(self) -> Counts:
        self._wait(0, 1)
        found = np.zeros(PLACES, np.int64)
        for table in self._tables.values():
            found += table
            table[:] = 0
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
