"""Where the true LLR is a straight line: how far ``smooth`` is from it, beside logistic regression.

    python -m studies.linear_truth [--repetitions 100]

Scores are Gaussian, of equal variance in both classes, with ten times as many non-targets as
targets. The error of the LLR is a root mean square over draws and scores: over new trials, as many
of either class, and over evenly spaced LLRs, which weighs the tails more. Only LLRs that the counts
support are asked. The table in docs/studies/few-trials.md is the output of this program.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.bounds import supported_llrs
from studies.interval_coverage import DISTANCES, Truth, gaussians

SIZES = (50, 200, 1_000, 10_000)  # targets
METHODS: dict[str, dict[str, Any]] = {
    "logistic-0.5": {"method": "logistic"},
    "logistic-empirical": {"method": "logistic", "alpha": "empirical"},
    "smooth": {"method": "smooth"},
}
_EVEN = 401


def errors(distance: float, size: int, repetitions: int) -> dict[str, tuple[float, float]]:
    """Root mean square errors of each method: over new trials, and over even LLRs."""
    squares: dict[str, list[tuple[float, float]]] = {label: [] for label in METHODS}
    for repetition in range(repetitions):
        rng = np.random.default_rng([round(10 * distance), size, repetition])
        truth = Truth.drawn(gaussians(distance), lambda scores: scores, size, rng)
        even = np.linspace(*supported_llrs(len(truth.tar), len(truth.non)), _EVEN)
        for label, options in METHODS.items():
            calibration = llrcal.fit(truth.tar, truth.non, **options)
            off = calibration(truth.asked) - truth.llrs, calibration(even / distance) - even
            squares[label].append((_mean_square(off[0]), _mean_square(off[1])))
    return {
        label: tuple(np.sqrt(np.mean(found, axis=0)).tolist()) for label, found in squares.items()
    }


def _mean_square(errors: Floats) -> float:
    return float(np.mean(errors * errors))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"| T | distance | asked | {' | '.join(METHODS)} | smooth / logistic-0.5 | / empirical |")
    print(f"|---|---|---|{'---|' * (len(METHODS) + 2)}")
    for size in options.sizes:
        for distance in DISTANCES:
            found = errors(distance, size, options.repetitions)
            for i, asked in enumerate(("trials", "even LLRs")):
                rms = [found[label][i] for label in METHODS]
                ratios = [rms[-1] / rms[0], rms[-1] / rms[1]]
                cells = " | ".join([*(f"{x:.4f}" for x in rms), *(f"{x:.2f}" for x in ratios)])
                print(f"| {size:,} | {distance:g} | {asked} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
