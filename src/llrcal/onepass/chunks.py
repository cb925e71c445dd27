"""Going through long arrays in chunks that fit into the processor's cache, on several threads.

NumPy releases the interpreter lock inside its loops, so the threads run in parallel.
"""

from __future__ import annotations

import os
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import reduce
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.environment import number_of

CHUNK = 2**17  # scores in a chunk: 1 MB of doubles
_WORTH_A_THREAD = 4 * CHUNK  # scores; starting a thread takes as long as a pass over some of them

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Mergeable(Protocol):
    """What is known of some scores."""

    def merge(self, other: Self, /) -> Self:
        """What is known of both sets together; associative and commutative to the last bit."""


def merged(first: Any, other: Any) -> Any:
    """Two values as one: by their own method, or else added."""
    return first.merge(other) if hasattr(first, "merge") else first + other


@dataclass(frozen=True)
class MergedByFields:
    """Values whose fields are merged one by one."""

    def merge(self, other: Self) -> Self:
        """What is known of both sets together; associative and commutative, as the fields are."""
        names = [field.name for field in fields(self)]
        return type(self)(*(merged(getattr(self, name), getattr(other, name)) for name in names))


_Value = TypeVar("_Value", bound=Mergeable)
_Value_co = TypeVar("_Value_co", bound=Mergeable, covariant=True)


class Fold(Protocol[_Value_co]):
    """Takes arrays of scores one after the other; values of parts merge into that of the whole.

    Arrays, pieces, clusters and accumulators differ in who calls ``add``, and in nothing else.
    """

    def add(self, scores: Array, /) -> None:
        """Take some scores."""

    @property
    def value(self) -> _Value_co:
        """What is known of the scores so far."""


class CountedFold(Fold[_Value_co], Protocol[_Value_co]):
    """A fold that also takes distinct scores with how often each occurs.

    Its value is the same as if each score had been added so many times.
    """

    def add(self, scores: Array, counts: Counts | None = None, /) -> None:
        """Take some scores, each once or as often as it was counted."""


New = Callable[[], Fold[_Value]]
"""Makes a new fold."""
NewCounted = Callable[[], CountedFold[_Value]]


def chunks(array: Array, size: int = CHUNK) -> Iterator[Array]:
    """Consecutive pieces of an array, as views."""
    for start in range(0, len(array), size):
        yield array[start : start + size]


def with_counts(
    array: Array, counts: Counts | None, size: int = CHUNK
) -> Iterator[tuple[Array, Counts | None]]:
    """Consecutive pieces of an array with their counts, where there are any."""
    for start in range(0, len(array), size):
        part = slice(start, start + size)
        yield array[part], None if counts is None else counts[part]


_here = threading.local()


def use_one_thread() -> None:
    """Keep this thread from starting others: the threads beside it have work of their own."""
    _here.uses_one_thread = True


def threads() -> int:
    """How many threads to use: LLRCAL_THREADS, or the number of cores this process may use."""
    if getattr(_here, "uses_one_thread", False):
        return 1
    if asked := number_of("LLRCAL_THREADS"):
        return asked
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def fold_array(new: NewCounted[_Value], array: Array, counts: Counts | None = None) -> _Value:
    """The value of an array: a new fold for each thread, and their values merged.

    With counts, each score occurs so many times.
    """
    folds: defaultdict[int, CountedFold[_Value]] = defaultdict(new)

    def add(start: int, end: int) -> None:
        times = () if counts is None else (counts[start:end],)
        folds[threading.get_ident()].add(array[start:end], *times)

    on_threads(add, len(array))
    value: _Value = reduce(merged, (fold.value for fold in folds.values()))
    return value


def map_parts(work: Callable[[Array], _Result], array: Array) -> list[_Result]:
    """Apply ``work`` to consecutive parts of an array; results in order."""
    return on_threads(lambda start, end: work(array[start:end]), len(array))


def map_into(work: Callable[[Array], Floats], array: Array) -> Floats:
    """Apply an elementwise ``work`` chunk by chunk; the result has the shape of the array."""
    flat = array.reshape(-1)
    out = np.empty(flat.shape)

    def fill(start: int, end: int) -> None:
        for scores, place in zip(chunks(flat[start:end]), chunks(out[start:end]), strict=True):
            place[:] = work(scores)

    on_threads(fill, len(flat))
    return out.reshape(array.shape)


def on_threads(work: Callable[[int, int], _Result], length: int) -> list[_Result]:
    """Call ``work(start, end)`` on parts that threads take in turn; results in order.

    Large parts of whole chunks come first, and small ones at the end let threads come to it
    together. Of errors, that in the first part is raised, whoever came to it first.
    """
    count = min(threads(), length // _WORTH_A_THREAD + 1)
    if count == 1:
        return [work(0, length)]
    edges = [0]
    while edges[-1] < length:
        size = max((length - edges[-1]) // (2 * count) // CHUNK, 1) * CHUNK
        edges.append(min(edges[-1] + size, length))
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, edges[:-1], edges[1:]))


def each_on_threads(
    work: Callable[[_Item], _Result], items: Iterable[_Item]
) -> Iterator[tuple[_Item, _Result]]:
    """Items in order, and what threads make of them; only a few are in progress at a time."""
    under_way: deque[tuple[_Item, Future[_Result]]] = deque()
    with ThreadPoolExecutor(threads(), initializer=use_one_thread) as pool:
        try:
            for item in items:
                under_way.append((item, pool.submit(work, item)))
                if len(under_way) > 2 * threads():
                    first, future = under_way.popleft()
                    yield first, future.result()
            for first, future in under_way:
                yield first, future.result()
        finally:
            pool.shutdown(cancel_futures=True)
