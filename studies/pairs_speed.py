"""Counting all pairs beside the float64 products alone, and how time and memory grow.

    python -m studies.pairs_speed [N [DIMENSIONS]]

Prints the least wall time of some runs, in turn with the products, and the peak memory of the
process. Products are those of the same blocks, half of the matrix; BLAS has all of its threads.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable

import numpy as np

import llrcal
from llrcal.arrays import Array
from llrcal.pairing.fixed_point import fixed_point


def products_alone(rows: Array, block: int = 1024) -> None:
    """Half of the products, by blocks, of which nothing is kept."""
    doubles = rows.astype(np.float64)
    out = np.empty((block, 2 * block))
    for i in range(0, len(doubles), block):
        some = doubles[i : i + block]
        for j in range(i, len(doubles), 2 * block):
            other = doubles[j : j + 2 * block]
            np.matmul(some, other.T, out=out[: len(some), : len(other)])


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """Wall time, and that of all processors."""
    wall, processors = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processors


def main() -> None:
    count, dimensions = (*map(int, sys.argv[1:]), *(20_000, 256)[len(sys.argv) - 1 :])
    rng = np.random.default_rng(0)
    speakers = np.arange(count) // 40
    centre = rng.normal(size=(speakers[-1] + 1, dimensions)).astype("f4")
    vectors = centre[speakers] + 1.6 * rng.standard_normal((count, dimensions), dtype="f4")
    rows = fixed_point(vectors, "cosine").rows
    runs = 5 if count <= 20_000 else 1
    alone, whole = [], []
    for _ in range(runs):
        alone.append(seconds(lambda: products_alone(rows)))
        whole.append(seconds(lambda: llrcal.pairs(vectors, speakers)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    for name, place in (("wall", 0), ("processors", 1)):
        one, both = (min(times[place] for times in some) for some in (alone, whole))
        print(
            f"{count:,} x {dimensions}, {name}: products {one:.2f} s, llrcal.pairs {both:.2f} s, "
            f"{both / one:.2f} times; {count * (count - 1) / 2 / both / 1e6:.0f} M pairs/s"
        )
    print(f"peak memory {peak:.2f} GB, of which embeddings are {vectors.nbytes / 2**30:.2f}")


if __name__ == "__main__":
    main()
