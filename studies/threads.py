"""How the passes over scores scale with the number of threads.

    python -m studies.threads [--scores 42000000] [--repeat 7]

Needs NumPy alone, so that it runs on any machine with a compiler. Numbers of threads take turns,
and the best of several times counts; reading the scores once by ``numpy.sum`` is the unit.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from llrcal import kernels
from llrcal.evaluation.costs import cost
from llrcal.onepass.chunks import threads
from llrcal.onepass.summary import Summary
from llrcal.onepass.two_classes import InArrays


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scores", type=int, default=42_000_000)
    parser.add_argument("--repeat", type=int, default=7)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    non, tar = rng.normal(0, 1, options.scores), rng.normal(3, 1, options.scores // 200)
    cores = threads()
    counts = [2**power for power in range(cores.bit_length()) if 2**power <= cores]
    once = min(seconds(non.sum) for _ in range(2 * options.repeat))
    print(f"{cores} cores, {kernels.in_use()}, numpy.sum of {len(non):,} scores {once:.4f} s\n")
    print("| |" + "".join(f" {count} |" for count in counts))
    print("|---" * (1 + len(counts)) + "|")
    work: dict[str, Callable[[], Any]] = {
        "summary": partial(Summary.of, non),
        "counts among the rarer class": lambda: InArrays(tar, non).groups,
        "costs, added up exactly": partial(cost, non, 1.0),
        "sort": partial(np.sort, non),
    }
    for name, one in work.items():
        best = dict.fromkeys(counts, np.inf)
        for _ in range(options.repeat if name != "sort" else 1):
            for count in counts if name != "sort" else counts[:1]:
                os.environ["LLRCAL_THREADS"] = str(count)
                best[count] = min(best[count], seconds(one))
        shown = (
            f" {best[count]:.3f} s ({best[counts[0]] / best[count] / count:.2f}) |"
            for count in counts
            if best[count] < np.inf
        )
        print(f"| {name} |" + "".join(shown), flush=True)


if __name__ == "__main__":
    main()
