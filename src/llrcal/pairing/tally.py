"""Counting pairs: products of integers, each rounded to a place, on processors of this machine."""

from __future__ import annotations

import math
import threading
from collections import defaultdict
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.kernels import kernels_for_doubles
from llrcal.onepass.chunks import each_on_threads, threads
from llrcal.pairing.fixed_point import COARSE, PER_STEP, PLACES, ZERO
from llrcal.pairing.regions import Groups, Plan, Region, Share

Done = Callable[[int], None]
"""Called with the number of pairs that were counted."""

MOST = 2**32 - 1  # a 32-bit count holds so many
_SHARE = 2**21  # pairs that a thread counts at a time: some 20 ms


def size_of(groups: int) -> int:
    """The length of the counts, with so many groups of speakers."""
    return PLACES + groups * (PLACES // COARSE)


class Engine(Protocol):
    """Counts the pairs of a plan: the same counts, wherever it works.

    They are one array: how many pairs have each place; then, for each group of speakers, how many
    pairs in which somebody of it takes part have each coarse place.
    """

    def tally(self, enrol: Array, test: Array, plan: Plan, groups: int, done: Done) -> Counts:
        """Counts of the products of rows of integers."""


class Counter:
    """Adds up the counts of shares; engines know how to count a block, in a table of 32 bits."""

    def __init__(self, groups: int) -> None:
        self._at = np.zeros(PLACES, np.int64)
        self._touching = np.zeros((groups, PLACES // COARSE), np.int64)
        self._latest: Groups = (0, 0)
        self._start_again()

    def _start_again(self) -> None:
        self._held, self._before = 0, np.zeros(PLACES // COARSE, np.uint32)

    def count(self, block: Region) -> None:
        """Count the pairs of a block."""
        raise NotImplementedError

    def coarse(self) -> Array:
        """Counts by coarse place, as unsigned 32-bit integers, which start again from zero."""
        raise NotImplementedError

    def take(self) -> Counts:
        """Counts by place; from now on there are none."""
        raise NotImplementedError

    def add(self, share: Share) -> int:
        """Count a share, and say how many pairs it has."""
        for at, block in share:
            if at != self._latest:
                self._settle()
                self._latest = at
            if self._held + block.pairs > MOST:
                self._take()
            self.count(block)
            self._held += block.pairs
        return sum(block.pairs for _, block in share)

    @property
    def value(self) -> Counts:
        """The counts of all shares."""
        self._take()
        return np.concatenate([self._at, self._touching.ravel()])

    def _settle(self) -> None:
        """What belongs to two groups is the difference of the coarse counts before and after."""
        if len(self._touching):
            now = self.coarse()
            for group in {*self._latest}:
                self._touching[group] += now - self._before
            self._before = now

    def _take(self) -> None:
        self._settle()
        self._at += self.take()
        self._start_again()


@dataclass(frozen=True)
class Processor:
    """Threads that compute the products of a block, and count them while they are in the cache."""

    rows: int = 512
    """The most rows of a block; there are twice as many columns."""

    def tally(self, enrol: Array, test: Array, plan: Plan, groups: int, done: Done) -> Counts:
        counters = defaultdict[int, _InTable](lambda: _InTable(enrol, test, plan, groups))

        def count(share: Share) -> int:
            return counters[threading.get_ident()].add(share)

        shares = plan.shares(_SHARE, self.rows, 2 * self.rows)
        with _one_blas_thread():
            for _, pairs in each_on_threads(count, shares):
                done(pairs)
        found = np.zeros(size_of(groups), np.int64)
        for counter in counters.values():
            found += counter.value
        return found


def _one_blas_thread() -> Any:
    """While pairs are counted, BLAS has one thread for each thread of ours.

    Its own would wait for each other in loops while ours count. Without threadpoolctl, which comes
    with scikit-learn, they do. Where only one thread counts, others may count beside it.
    """
    if threads() == 1 or not find_spec("threadpoolctl"):
        return nullcontext()
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1, "blas")


class _InTable(Counter):
    """The counts of one thread."""

    def __init__(self, enrol: Array, test: Array, plan: Plan, groups: int) -> None:
        super().__init__(groups)
        self._sides = (enrol, plan.rows), (test, plan.cols)
        self._table = np.zeros(PLACES, np.uint32)
        self._room = np.empty(0)

    def count(self, block: Region) -> None:
        (enrol, rows), (test, cols) = self._sides
        first = enrol[rows[block.row : block.row + block.count * block.rows]].astype(np.float64)
        second = first
        if not block.upper:
            columns = cols[block.col : block.col + block.count * block.cols]
            second = test[columns].astype(np.float64)
        shape = (block.count, block.rows, block.cols)
        if len(self._room) < math.prod(shape):
            self._room = np.empty(math.prod(shape))
        products = self._room[: math.prod(shape)].reshape(shape)
        left, right = (side.reshape(block.count, -1, side.shape[1]) for side in (first, second))
        np.matmul(left, right.transpose(0, 2, 1), out=products)
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
