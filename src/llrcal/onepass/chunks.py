"""Going through long arrays in chunks that fit into the processor's cache, on several threads.

NumPy releases the interpreter lock inside its loops, so the threads run in parallel.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Protocol, Self, TypeVar

import numpy as np

from llrcal.arrays import Array, Floats

CHUNK = 2**17  # scores in a chunk: 1 MB of doubles
_WORTH_A_THREAD = 4 * CHUNK

_Result = TypeVar("_Result")


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


def map_parts(work: Callable[[Array], _Result], array: Array) -> list[_Result]:
    """Apply ``work`` to contiguous parts of an array, one per thread; results in order."""
    return on_threads(lambda start, end: work(array[start:end]), len(array))


def map_into(work: Callable[[Array], Floats], array: Array, size: int = CHUNK) -> Floats:
    """Apply an elementwise ``work`` chunk by chunk; the result has the shape of the array."""
    flat = array.reshape(-1)
    out = np.empty(flat.shape)

    def fill(parts: Iterator[slice]) -> None:
        for part in parts:
            for low in range(part.start, part.stop, size):
                here = slice(low, min(low + size, part.stop))
                out[here] = work(flat[here])

    _share(fill, *_parts(len(flat)))
    return out.reshape(array.shape)


def on_threads(work: Callable[[int, int], _Result], length: int) -> list[_Result]:
    """Call ``work(start, end)`` on even ranges, as many as there are threads worth starting."""
    found: dict[int, _Result] = {}

    def fill(parts: Iterator[slice]) -> None:
        for part in parts:
            found[part.start] = work(part.start, part.stop)

    count = _worth_starting(length)
    edges = [length * i // count for i in range(count + 1)]
    _share(fill, list(map(slice, edges[:-1], edges[1:])), count)
    return [found[start] for start in edges[:-1]]


class Growing(Protocol):
    """A value that arrays are added to, in any order."""

    def add(self, part: Array, /) -> None:
        """Add some numbers."""

    def merge(self, other: Self, /) -> Self:
        """Both together; neither of them is used any more."""


_Growing = TypeVar("_Growing", bound=Growing)


def gathered(new: Callable[[], _Growing], array: Array) -> _Growing:
    """Add an array to new values, one for each thread, which merge them as they come to an end."""
    done: list[_Growing] = []

    def add(parts: Iterator[slice]) -> None:
        value = new()
        for part in parts:
            value.add(array[part])
        while done:
            try:
                value = value.merge(done.pop())
            except IndexError:  # another thread has taken it
                break
        done.append(value)

    _share(add, *_parts(len(array)))
    first, *others = done
    return reduce(lambda one, other: one.merge(other), others, first)


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


def _share(work: Callable[[Iterator[slice]], None], parts: list[slice], count: int) -> None:
    """Let threads take parts in turn, so that none waits for one that is held up.

    Of errors, that in the first part is raised, whoever came to it first.
    """
    left = iter(parts)
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
            work(taken())
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
