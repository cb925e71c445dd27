"""Counting all pairs beside the float64 products alone, and how time and memory grow.

    python -m studies.pairs_speed [--sizes 10000 20000 40000] [--dimensions 256]

The least wall time of some runs, in turn with the products, and the peak memory of a process for
each size. Products are those of the same blocks, half of the matrix; BLAS has all of its threads.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

import llrcal
from llrcal.arrays import Array
from llrcal.pairing.fixed_point import fixed_point
from studies.measure import peak


def products_alone(rows: Array, block: int = 1024) -> None:
    """Half of the products, by blocks, of which nothing is kept."""
    doubles = rows.astype(np.float64)
    out = np.empty((block, 2 * block))
    for i in range(0, len(doubles), block):
        some = doubles[i : i + block]
        for j in range(i, len(doubles), 2 * block):
            other = doubles[j : j + 2 * block]
            np.matmul(some, other.T, out=out[: len(some), : len(other)])


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def one_size(count: int, dimensions: int) -> dict[str, float]:
    """Seconds of both, and the peak memory of this process."""
    rng = np.random.default_rng(0)
    speakers = np.arange(count) // 40
    centre = rng.normal(size=(speakers[-1] + 1, dimensions)).astype("f4")
    vectors = centre[speakers] + 1.6 * rng.standard_normal((count, dimensions), dtype="f4")
    rows = fixed_point(vectors, "cosine").rows
    alone, whole = [], []
    for _ in range(5 if count <= 20_000 else 2):
        alone.append(seconds(lambda: products_alone(rows)))
        whole.append(seconds(lambda: llrcal.pairs(vectors, speakers)))
    return {"alone": min(alone), "whole": min(whole), "megabytes": peak()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 20_000, 40_000])
    parser.add_argument("--dimensions", type=int, default=256)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(one_size(given.one, given.dimensions)))
        return
    print("| embeddings | pairs | s | products alone, s | times | million pairs/s | peak GB |")
    print("|---" * 7 + "|")
    for count in given.sizes:
        command = [sys.executable, "-m", "studies.pairs_speed", "--one", str(count)]
        command += ["--dimensions", str(given.dimensions)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        found = json.loads(done.stdout)
        pairs, alone, whole = count * (count - 1) // 2, found["alone"], found["whole"]
        cells = (
            f"{count:,} x {given.dimensions}",
            f"{pairs:,}",
            f"{whole:.2f}",
            f"{alone:.2f}",
            f"{whole / alone:.2f}",
            f"{pairs / whole / 1e6:.0f}",
            f"{found['megabytes'] / 1000:.2f}",
        )
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
