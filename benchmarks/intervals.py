"""How often the intervals of ``smooth`` hold the true LLR, where that is known.

    python -m benchmarks.intervals [--repetitions 100]

Scores are Gaussian, of equal variance in both classes, so that the LLR is a straight line; or they
are bent by a rising function afterwards, which leaves each its LLR. There are ten times as many
non-targets as targets. Asked are new trials, as many of either class, whose true LLR lies within
what the counts support. The table in docs/smooth.md is the output of this program.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.bounds import supported_llrs

FAMILIES: dict[str, Callable[[Floats], Floats]] = {
    "Gaussian": lambda scores: scores,
    "Gaussian, sinh": lambda scores: np.asarray(np.sinh(scores)),
    "Gaussian, atan": lambda scores: np.asarray(np.arctan(scores)),
}
DISTANCES = (2.0, 4.0)  # between the means, in standard deviations
SIZES = (50, 500, 5_000)  # targets
NON_PER_TAR = 10
_ASKED = 200  # new trials of either class


@dataclass(frozen=True)
class Truth:
    """Scores of both classes, and new ones of which the LLR is known."""

    tar: Floats
    non: Floats
    asked: Floats
    llrs: Floats

    @classmethod
    def drawn(
        cls, bent: Callable[[Floats], Floats], distance: float, size: int, rng: Generator
    ) -> Truth:
        tar, non = (
            rng.normal(mean, 1, count)
            for mean, count in ((distance / 2, size), (-distance / 2, NON_PER_TAR * size))
        )
        new = rng.normal([[distance / 2], [-distance / 2]], 1, (2, _ASKED)).ravel()
        llrs = distance * new
        least, greatest = supported_llrs(len(tar), len(non))
        supported = (least <= llrs) & (llrs <= greatest)
        return cls(bent(tar), bent(non), bent(new[supported]), llrs[supported])


def truths(family: str, size: int, repetitions: int) -> Iterator[Truth]:
    """Draws of a family, in turn for each distance; always the same ones."""
    for repetition in range(repetitions):
        rng = np.random.default_rng([sorted(FAMILIES).index(family), size, repetition])
        distance = DISTANCES[repetition % len(DISTANCES)]
        yield Truth.drawn(FAMILIES[family], distance, size, rng)


def coverage(
    family: str, size: int, repetitions: int, *, level: float = 0.95
) -> tuple[float, float]:
    """Mean share of new trials whose interval holds the true LLR, and the mean half width."""
    shares, widths = [], []
    for truth in truths(family, size, repetitions):
        calibration = llrcal.fit(truth.tar, truth.non, method="smooth")
        low, high = calibration.interval(truth.asked, level=level)
        shares.append(np.mean((low <= truth.llrs) & (truth.llrs <= high)))
        widths.append(np.mean(high - low) / 2)
    return float(np.mean(shares)), float(np.mean(widths))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| T | scores | 80 % intervals hold | 95 % intervals hold | 95 %: ± nats |")
    print("|---|---|---|---|---|")
    for size in options.sizes:
        total = []
        for family in FAMILIES:
            less, _ = coverage(family, size, options.repetitions, level=0.8)
            share, width = coverage(family, size, options.repetitions)
            total.append(share)
            cells = f"{less:.3f} | {share:.3f} | {width:.2f}"
            print(f"| {size:,} | {family} | {cells} |", flush=True)
        print(f"(T = {size:,}: mean {math.fsum(total) / len(total):.3f})", flush=True)


if __name__ == "__main__":
    main()
