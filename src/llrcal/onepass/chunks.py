"""Going through long arrays in chunks that fit into the processor's cache, on several threads.

NumPy releases the interpreter lock inside its loops, so the threads run in parallel.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

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

    def fill(start: int, end: int) -> None:
        for low in range(start, end, size):
            high = min(low + size, end)
            out[low:high] = work(flat[low:high])

    on_threads(fill, len(flat))
    return out.reshape(array.shape)


def on_threads(work: Callable[[int, int], _Result], length: int) -> list[_Result]:
    """Call ``work(start, end)`` on even ranges, as many as there are threads worth starting."""
    count = min(threads(), length // _WORTH_A_THREAD + 1)
    if count == 1:
        return [work(0, length)]
    edges = [length * i // count for i in range(count + 1)]
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, edges[:-1], edges[1:]))
