"""How often intervals of error-rates at a threshold hold the rates of endless trials.

    python -m studies.error_rate_intervals [--repetitions 150] [--families Gaussian]

Simulated speakers, of whom 15 % are goats: their target scores are lower. The miss rate (FNMR) at a
false-alarm rate (FMR), and the FMR at an FNMR of 5 %, are those of speakers without end: four
million trials, each of speakers of its own. Test sets have few speakers, with T target trials and
40 T non-target trials among them (at most 40,000). What llrcal.evaluation.effective_count does was
chosen on other draws, of similar families with other parameters.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from llrcal import Trials
from llrcal.arrays import Floats
from llrcal.evaluation.evaluate import evaluate_quietly

GOATS = 0.15
RATES = (1e-2, 1e-3)
PMISS = 0.05
SIZES = ((100, 20), (1_000, 20), (1_000, 80))
ENDLESS = 4_000_000
SEED = 11


@dataclass(frozen=True)
class Family:
    """Scores of speakers who differ."""

    noise: Callable[[Generator, int], Floats]
    target: float = 4.0
    drop: float = 1.5
    """Of the target scores of goats."""
    own: float = 0.6
    """Deviation between the mean target scores of speakers."""
    lambs: float = 0.25
    """Deviation of what a speaker adds to non-target scores."""
    pairs: float = 0.4
    wolves: float = 0.0
    """Share of speakers who add one more to non-target scores."""
    uneven: bool = False
    """Whether some speakers have far more trials than others."""

    def people(self, rng: Generator, count: int) -> tuple[Floats, Floats]:
        goats = rng.random(count) < GOATS
        own = self.own * rng.standard_normal(count) - self.drop * goats
        lambs = self.lambs * rng.standard_normal(count)
        if self.wolves:
            lambs += rng.random(count) < self.wolves
        return self.target + own, lambs

    def truth(self) -> tuple[list[float], float]:
        """FNMR at each FMR; and the FMR at an FNMR."""
        rng = np.random.default_rng(2026)
        means, first = self.people(rng, ENDLESS)
        _, second = self.people(rng, ENDLESS)
        tar = np.sort(means + self.noise(rng, ENDLESS))
        other = self.pairs * rng.standard_normal(ENDLESS)
        non = np.sort(first + second + other + self.noise(rng, ENDLESS))
        at = np.quantile(non, 1 - np.array(RATES))
        missed = np.searchsorted(tar, at) / ENDLESS
        alarms = 1 - np.searchsorted(non, np.quantile(tar, PMISS)) / ENDLESS
        return missed.tolist(), float(alarms)

    def drawn(self, rng: Generator, targets: int, speakers: int) -> Trials:
        """A test set."""
        means, adds = self.people(rng, speakers)
        weights = rng.lognormal(0, 0.8, speakers) if self.uneven else np.ones(speakers)
        weights /= weights.sum()
        non_count = min(40 * targets, 40_000)
        same = (
            rng.choice(speakers, targets, p=weights)
            if self.uneven
            else np.resize(rng.permutation(speakers), targets)
        )
        pairs = rng.choice(speakers, (2 * non_count, 2), p=weights)
        pairs = pairs[pairs[:, 0] != pairs[:, 1]][:non_count]
        tar = means[same] + self.noise(rng, targets)
        other = self.pairs * rng.standard_normal((speakers, speakers))
        between = other[pairs.min(axis=1), pairs.max(axis=1)]
        non = adds[pairs].sum(axis=1) + between + self.noise(rng, len(pairs))
        return Trials(tar, non, "drawn", np.column_stack([same, same]), pairs)


def normal(rng: Generator, count: int) -> Floats:
    return rng.standard_normal(count)


def heavy(rng: Generator, count: int) -> Floats:
    return rng.standard_t(3, count) / 3**0.5


def skewed(rng: Generator, count: int) -> Floats:
    return np.log(rng.gamma(2.0, size=count)) - 0.42


FAMILIES = {
    "Gaussian": Family(normal),
    "Student-T, 3 dof": Family(heavy, target=5.0),
    "log-gamma": Family(skewed, target=3.0),
    "Gaussian, better scores": Family(normal, target=5.5),
    "Gaussian, more lambs": Family(normal, lambs=0.5, own=0.3),
    "Gaussian, a tenth wolves": Family(normal, wolves=0.1, lambs=0.5),
    "Gaussian, uneven": Family(normal, uneven=True),
    "log-gamma, worse goats": Family(skewed, target=4.0, drop=3.0, own=0.3),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=150)
    parser.add_argument("--families", nargs="+", default=[*FAMILIES])
    options = parser.parse_args()
    heads = [f"FNMR at FMR {rate:g}" for rate in RATES]
    heads += [f"FMR at FNMR {PMISS:g}", f"{heads[0]}, by trial"]
    print(f"| scores | T | speakers | {' | '.join(heads)} |")
    print(f"|---|---|---|{'---|' * len(heads)}")
    for name in options.families:
        family = FAMILIES[name]
        missed, alarms = family.truth()
        for targets, speakers in SIZES:
            rows = [
                held(family, (missed, alarms), (targets, speakers), [SEED, repetition])
                for repetition in range(options.repetitions)
            ]
            found = np.array(rows).mean(axis=0)
            cells = [f"{share:.3f} ± {width / 2:.3f}" for share, width in found[:3]]
            print(
                f"| {name} | {targets:,} | {speakers} | {' | '.join(cells)} | {found[3][0]:.3f} |",
                flush=True,
            )


def held(
    family: Family, truth: tuple[list[float], float], size: tuple[int, int], seed: list[int]
) -> list[tuple[bool, float]]:
    """Whether each interval holds the truth, and its width; the last is by trial."""
    rng = np.random.default_rng([*seed, *size])
    trials = family.drawn(rng, *size)
    known = evaluate_quietly(trials)
    asked = [
        (known.threshold(pfa=rate).pmiss_interval, true)
        for rate, true in zip(RATES, truth[0], strict=True)
    ]
    asked.append((known.threshold(pmiss=PMISS).pfa_interval, truth[1]))
    by_trial = evaluate_quietly(trials.tar, trials.non).threshold(pfa=RATES[0])
    asked.append((by_trial.pmiss_interval, truth[0][0]))
    return [(low <= true <= high, high - low) for (low, high), true in asked]


if __name__ == "__main__":
    main()
