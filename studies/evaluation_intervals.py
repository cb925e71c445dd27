"""How often the intervals of an evaluation hold the numbers of an endless test set.

    python -m studies.evaluation_intervals [--repetitions 300] [--replicates 399]

LLRs are Gaussian with means m and -m and variance 2 m in both classes, which makes them calibrated,
with an EER of 5 %; so every number of an endless test set is known. There are ten times as many
non-targets as targets. With speakers, a share of the variance is common to the trials of a speaker:
50 speakers with four target trials each, and one non-target trial of each pair of them. The tables
in docs/evaluating.md are the output of this program.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.special import ndtr, ndtri

import llrcal
from llrcal.arrays import Floats
from llrcal.evaluation.intervals import Intervals

EER = 0.05
MEAN = 2 * float(ndtri(EER)) ** 2
DEVIATION = math.sqrt(2 * MEAN)
SIZES = (20, 100, 1_000)  # targets
POINTS = [llrcal.OperatingPoint(p) for p in (0.5, 0.1, 0.01)]
SPEAKERS, EACH = 50, 4
SHARE = 0.3  # of the variance, that of the speakers
NAMES = ("Cllr", "minCllr", "EER", *(f"DCF {p.p_target:g}" for p in POINTS), "minDCF 0.1")


def truth() -> list[float]:
    """The numbers of an endless test set; minima are actual ones, as the LLRs are calibrated."""
    z = np.linspace(-12, 12, 200_001)
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) * (z[1] - z[0])
    cllr = float((np.logaddexp(0, -(MEAN + DEVIATION * z)) * density).sum()) / math.log(2)
    costs = []
    for point in POINTS:
        x = point.prior_log_odds
        pmiss, pfa = float(ndtr((-x - MEAN) / DEVIATION)), float(ndtr((x - MEAN) / DEVIATION))
        costs.append(pmiss * math.exp(max(x, 0)) + pfa * math.exp(max(-x, 0)))
    return [cllr, cllr, EER, *costs, costs[1]]


@dataclass(frozen=True)
class Setting:
    """Test sets of one kind."""

    name: str
    targets: int
    speakers: bool = False
    told: bool = False
    """Whether the intervals are told of the speakers."""

    def drawn(self, rng: Generator) -> llrcal.Trials:
        if self.speakers:
            return self._of_speakers(rng)
        tar = rng.normal(MEAN, DEVIATION, self.targets)
        return llrcal.Trials(tar, rng.normal(-MEAN, DEVIATION, 10 * self.targets))

    def _of_speakers(self, rng: Generator) -> llrcal.Trials:
        own, other = math.sqrt(1 - SHARE), math.sqrt(SHARE)
        same = np.repeat(np.arange(SPEAKERS), EACH)
        pairs = np.column_stack(np.triu_indices(SPEAKERS, 1))
        tar = own * rng.normal(size=len(same)) + other * rng.normal(size=SPEAKERS)[same]
        effect = rng.normal(size=SPEAKERS) / math.sqrt(2)
        non = own * rng.normal(size=len(pairs)) + other * effect[pairs].sum(axis=1)
        known = (np.column_stack([same, same]), pairs) if self.told else (None, None)
        return llrcal.Trials(MEAN + DEVIATION * tar, DEVIATION * non - MEAN, "drawn", *known)


SETTINGS = (
    *(Setting(f"{size:,} targets", size) for size in SIZES),
    Setting(f"{SPEAKERS} speakers, told", SPEAKERS * EACH, speakers=True, told=True),
    Setting(f"{SPEAKERS} speakers, not told", SPEAKERS * EACH, speakers=True),
)


def ends(found: Intervals) -> Floats:
    names = ["cllr", "min_cllr", "eer", *(f"act_dcf_{point.name}" for point in POINTS)]
    return np.array([found[name] for name in (*names, f"min_dcf_{POINTS[1].name}")])


def held(setting: Setting, repetitions: int, replicates: int) -> Iterator[Floats]:
    """Whether each number was held, in one test set after the other."""
    true = np.array(truth())
    for repetition in range(repetitions):
        rng = np.random.default_rng([setting.targets, setting.speakers, repetition])
        evaluation = llrcal.evaluate(setting.drawn(rng))
        low, high = ends(evaluation.intervals(POINTS, replicates=replicates)).T
        yield (low <= true) & (true <= high)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=300)
    parser.add_argument("--replicates", type=int, default=399)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"| test set | {' | '.join(NAMES)} |")
    print(f"|---|{'---|' * len(NAMES)}")
    for setting in SETTINGS:
        found = np.mean(list(held(setting, options.repetitions, options.replicates)), axis=0)
        print(f"| {setting.name} | {' | '.join(f'{x:.3f}' for x in found)} |", flush=True)


if __name__ == "__main__":
    main()
