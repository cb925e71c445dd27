"""Going through long arrays in chunks that fit into the processor's cache, on several threads.

NumPy releases the interpreter lock inside its loops, so the threads run in parallel.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from functools import reduce
from itertools import chain
from typing import Protocol, Self, TypeVar

import numpy as np

from llrcal.arrays import Array, Floats

CHUNK = 2**17  # scores in a chunk: 1 MB of doubles
_WORTH_A_THREAD = 4 * CHUNK  # scores; starting a thread takes as long as a pass over some of them

_Result = TypeVar("_Result")


class Mergeable(Protocol):
    """What is known of some scores."""

    def merge(self, other: Self, /) -> Self:
        """What is known of both sets together; associative and commutative to the last bit."""


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


def chunks(array: Array, size: int = CHUNK) -> Iterator[Array]:
    """Consecutive pieces of an array, as views."""
    for start in range(0, len(array), size):
        yield array[start : start + size]


_here = threading.local()


def use_one_thread() -> None:
    """Keep this thread from starting others: the threads beside it have work of their own."""
    _here.uses_one_thread = True


def threads() -> int:
    """How many threads to use: LLRCAL_THREADS, or the number of cores this process may use."""
    if getattr(_here, "uses_one_thread", False):
        return 1
    request = os.environ.get("LLRCAL_THREADS", "")
    if request.isdigit() and int(request) > 0:
        return int(request)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def fold_array(new: Callable[[], Fold[_Value]], array: Array) -> _Value:
    """The value of an array: a new fold for each thread, and their values merged."""

    def value(parts: Iterator[slice]) -> _Value:
        fold = new()
        for part in parts:
            fold.add(array[part])
        return fold.value

    return reduce(lambda one, other: one.merge(other), _share(value, *_parts(len(array))))


def map_parts(work: Callable[[Array], _Result], array: Array) -> list[_Result]:
    """Apply ``work`` to contiguous parts of an array, one per thread; results in order."""
    return on_threads(lambda start, end: work(array[start:end]), len(array))


def map_into(work: Callable[[Array], Floats], array: Array) -> Floats:
    """Apply an elementwise ``work`` chunk by chunk; the result has the shape of the array."""
    flat = array.reshape(-1)
    out = np.empty(flat.shape)

    def fill(parts: Iterator[slice]) -> None:
        for part in parts:
            for scores, place in zip(chunks(flat[part]), chunks(out[part]), strict=True):
                place[:] = work(scores)

    _share(fill, *_parts(len(flat)))
    return out.reshape(array.shape)


def on_threads(work: Callable[[int, int], _Result], length: int) -> list[_Result]:
    """Call ``work(start, end)`` on even ranges, as many as there are threads worth starting."""
    count = _worth_starting(length)
    edges = [length * i // count for i in range(count + 1)]

    def results(parts: Iterator[slice]) -> list[tuple[int, _Result]]:
        return [(part.start, work(part.start, part.stop)) for part in parts]

    found = dict(chain(*_share(results, list(map(slice, edges[:-1], edges[1:])), count)))
    return [found[start] for start in edges[:-1]]


def _worth_starting(length: int) -> int:
    return min(threads(), length // _WORTH_A_THREAD + 1)


def _parts(length: int) -> tuple[list[slice], int]:
    """Parts of whole chunks, and for how many threads.

    Large ones come first, and small ones at the end let threads come to it together.
    """
    count = _worth_starting(length)
    if count == 1:
        return [slice(0, length)], 1
    parts, start = [], 0
    while start < length:
        size = max((length - start) // (2 * count) // CHUNK, 1) * CHUNK
        parts.append(slice(start, min(start + size, length)))
        start += size
    return parts, count


def _share(
    work: Callable[[Iterator[slice]], _Result], parts: list[slice], count: int
) -> list[_Result]:
    """What each thread makes of the parts that it takes in turn, so that none waits for another.

    Of errors, that in the first part is raised, whoever came to it first.
    """
    left = iter(parts)
    found: list[_Result] = []
    errors: dict[int, BaseException] = {}

    def run() -> None:
        at = -1

        def taken() -> Iterator[slice]:
            nonlocal at
            for part in left:
                at = part.start
                yield part
                if errors:
                    return

        try:
            found.append(work(taken()))
        except BaseException as error:
            errors[at] = error

    others = [threading.Thread(target=run) for _ in range(count - 1)]
    for thread in others:
        thread.start()
    run()
    for thread in others:
        thread.join()
    if errors:
        raise errors[min(errors)]
    return found
