"""Smooth beside PAV at the paper's size: seconds to fit and to apply, the best of several runs.

    python -m benchmarks.smooth_speed [--repeat 5]

Both are measured in turn, so that the moods of the machine meet both alike.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from functools import partial
from typing import Any

import llrcal
from benchmarks.measure import machine, measure
from benchmarks.paper_scores import TRAIN, paper_scores

METHODS = ("pav", "smooth")


def fastest(work: dict[str, Callable[[], Any]], repeat: int) -> dict[str, float]:
    """The least seconds of each piece of work."""
    rounds = [{name: measure(one).seconds for name, one in work.items()} for _ in range(repeat)]
    return {name: min(each[name] for each in rounds) for name in work}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    scores = paper_scores(TRAIN, 1)
    trained = {m: llrcal.fit(scores.tar, scores.non, method=m) for m in METHODS}
    steps: dict[str, dict[str, Callable[[], Any]]] = {
        "fit": {m: partial(llrcal.fit, scores.tar, scores.non, method=m) for m in METHODS},
        "apply": {m: partial(trained[m], scores.non) for m in METHODS},
    }
    print(f"{machine()}, load {os.getloadavg()[0]:.2f}")
    print("| step | pav, s | smooth, s | ratio |\n|---|---|---|---|")
    for name, work in steps.items():
        pav, smooth = fastest(work, options.repeat).values()
        print(f"| {name} | {pav:.3f} | {smooth:.3f} | {smooth / pav:.2f} |", flush=True)


if __name__ == "__main__":
    main()
