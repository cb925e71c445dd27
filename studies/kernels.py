"""Compiled passes beside NumPy's at the paper's size, in units of reading the scores once.

    python -m studies.kernels [--quick] [--repeat 5]

Every piece of work is done by both paths in turn, with one thread and with all, so that the moods
of the machine meet all of them alike; the best of several times counts. They mean something only
if nothing else is running.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import llrcal
from llrcal import kernels
from llrcal.evaluation.costs import cost
from llrcal.onepass.chunks import threads
from llrcal.onepass.grid import Sample
from llrcal.onepass.summary import Summary
from llrcal.onepass.two_classes import InArrays
from studies.paper_scores import TRAIN, Scores, paper_scores

Work = Callable[[], Any]


def passes(scores: Scores) -> dict[str, Work]:
    """What touches every score."""
    pav, smooth = (llrcal.fit(scores.tar, scores.non, method=m) for m in ("pav", "smooth"))
    return {
        "sample": partial(Sample.of, scores.non),
        "summary, with its sample": partial(Summary.of, scores.non),
        "counts among the rarer class": lambda: InArrays(scores.tar, scores.non).groups,
        "apply pav": partial(pav.without_warnings, scores.non),
        "apply smooth": partial(smooth.without_warnings, scores.non),
        "costs, added up exactly": partial(cost, scores.non, 1.0),
    }


def fits(scores: Scores) -> dict[str, Work]:
    """Whole fits."""
    one = {
        f"fit {method}": partial(llrcal.fit, scores.tar, scores.non, method=method)
        for method in ("pav", "smooth", "nig")
    }
    return {**one, "fit_all: the paper's ten": partial(llrcal.fit_all, scores.tar, scores.non)}


@contextmanager
def setting(*, compiled: bool, count: int) -> Iterator[None]:
    """One of both paths, on so many threads."""
    loaded, before = kernels.compiled, os.environ.get("LLRCAL_THREADS")
    kernels.compiled = loaded if compiled else None
    os.environ["LLRCAL_THREADS"] = str(count)
    try:
        yield
    finally:
        kernels.compiled = loaded
        del os.environ["LLRCAL_THREADS"]
        if before is not None:
            os.environ["LLRCAL_THREADS"] = before


def measured(work: Work, settings: list[tuple[bool, int]], repeat: int) -> list[float]:
    """The least seconds of some work in each setting, in turn."""
    best = [math.inf] * len(settings)
    for _ in range(repeat):
        for place, (compiled, count) in enumerate(settings):
            with setting(compiled=compiled, count=count):
                start = time.perf_counter()
                work()
                best[place] = min(best[place], time.perf_counter() - start)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the scores")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    scores = paper_scores((TRAIN[0], TRAIN[1] // 10) if options.quick else TRAIN, 1)
    count = threads()
    (once,) = measured(scores.non.sum, [(True, 1)], 4 * options.repeat)
    print(f"numpy.sum of {len(scores.non):,} scores: {once:.4f} s; {kernels.in_use()}\n")
    print(
        f"| | compiled, 1 thread, s | {count} threads, s | efficiency | x numpy.sum "
        f"| NumPy, {count} threads, s | NumPy / compiled |"
    )
    print("|---" * 7 + "|")
    for name, work in (passes(scores) | fits(scores)).items():
        settings = [(True, 1), (True, count), (False, count)]
        one, many, pure = measured(work, settings, options.repeat)
        print(
            f"| {name} | {one:.3f} | {many:.3f} | {one / many / count:.2f} "
            f"| {many / once:.1f} | {pure:.3f} | {pure / many:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
