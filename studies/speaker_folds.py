"""What cross-validation says of new speakers, beside the truth: by speaker, and by trial.

    python -m studies.speaker_folds [--repetitions 100] [--methods logistic smooth]

Each of 20, 40 or 80 speakers has ten target trials, and each pair of them two non-target trials.
Scores depend on who is speaking: anyone is a goat, with low target scores, in 15 % of cases. The
truth is what the calibration of all trials has on trials of 4,000 new speakers. Beside it: folds
crossed, as they are; their parts within groups alone; two speakers left out at a time; and folds by
trial.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.random import Generator

import llrcal
from llrcal.arrays import Floats
from llrcal.comparison import Folds
from llrcal.comparison.folds import subset_of
from llrcal.comparison.learning_curve import fit_by
from llrcal.evaluation.evaluate import evaluate_quietly

SPEAKERS = (20, 40, 80)
GOATS = 0.15
EACH, PAIRS = 10, 2  # target trials of a speaker, non-target trials of a pair
LEFT_OUT = ("logistic", 20)  # two of so many speakers at a time: 210 calibrations of each set
NEW = 4_000
FMR = 0.01


def drawn(rng: Generator, speakers: int, *, pairs: int | None = None) -> llrcal.Trials:
    """Trials of new speakers; of all their pairs, or of so many."""
    goat = rng.random(speakers) < GOATS
    home = np.where(goat, rng.normal(0.5, 0.7, speakers), rng.normal(3, 0.7, speakers))
    voice = rng.normal(-0.75, 0.5, speakers)
    same = np.repeat(np.arange(speakers), EACH)
    if pairs is None:
        two = np.repeat(np.column_stack(np.triu_indices(speakers, 1)), PAIRS, axis=0)
    else:
        first = rng.integers(0, speakers, pairs)
        two = np.column_stack([first, (first + rng.integers(1, speakers, pairs)) % speakers])
    tar = home[same] + rng.normal(size=len(same))
    non = voice[two].sum(axis=1) + rng.normal(size=len(two))
    return llrcal.Trials(tar, non, f"{speakers} speakers", np.column_stack([same, same]), two)


def numbers(llrs: llrcal.Trials) -> list[float]:
    """Cllr, and the miss rate at a false-alarm rate of 1 % at most."""
    allowed = int(FMR * len(llrs.non))
    threshold = np.sort(llrs.non)[-1 - allowed]
    return [evaluate_quietly(llrs).cllr, float((llrs.tar <= threshold).mean())]


def ways(trials: llrcal.Trials, method: str, speakers: int) -> Iterator[tuple[str, llrcal.Trials]]:
    """The trials with LLRs of each cross-validation."""
    train = fit_by([method])

    def crossed(folds: Folds) -> llrcal.Trials:
        (llrs,) = folds.llrs(train).values()
        return llrs

    for count in (5, 10):
        folds = Folds.of(trials, count)
        llrs = crossed(folds)
        yield f"{count} folds, crossed", llrs
        within = (side[:, 0] == side[:, 1] for side in (folds.tar, folds.non))
        yield f"{count} folds, within groups only", subset_of(llrs, *within)
    if (method, speakers) == LEFT_OUT:
        yield "two speakers left out", crossed(Folds.of(trials, "all"))
    unknown = replace(trials, tar_speakers=None, non_speakers=None)
    yield "5 folds by trial", crossed(Folds.of(unknown, 5))


def table(method: str, speakers: int, repetitions: int, population: llrcal.Trials) -> Iterator[str]:
    """Rows of one method and number of speakers."""
    found: dict[str, list[list[float]]] = {}
    counts: dict[str, float] = {}
    truth = []
    for repetition in range(repetitions):
        trials = drawn(np.random.default_rng([speakers, repetition]), speakers)
        (cal,) = fit_by([method])(trials).values()
        truth.append(numbers(population.mapped(cal.without_warnings)))
        for name, llrs in ways(trials, method, speakers):
            found.setdefault(name, []).append(numbers(llrs))
            counts[name] = counts.get(name, 0.0) + len(llrs.non) / repetitions
    true = np.array(truth)
    for name, values in found.items():
        off = np.array(values) - true
        cells = " | ".join(_cell(off[:, i]) for i in range(2))
        yield f"| {method} | {speakers} | {name} | {counts[name]:,.0f} | {cells} |"
    cells = " | ".join(f"*{mean:.3f}* | " for mean in true.mean(axis=0))
    yield f"| {method} | {speakers} | *new speakers* | | {cells} |"


def _cell(off: Floats) -> str:
    """Bias with its standard error, and spread."""
    spread = off.std(ddof=1)
    return f"{off.mean():+.3f} ± {spread / len(off) ** 0.5:.3f} | {spread:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--methods", nargs="+", default=["logistic", "smooth"])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    population = drawn(np.random.default_rng(0), NEW, pairs=200_000)
    heads = (
        "method | speakers | tested by | non-targets | Cllr: bias | spread | FNMR: bias | spread"
    )
    print(f"| {heads} |")
    print("|---|---|---|---|---|---|---|---|")
    for method in options.methods:
        for speakers in SPEAKERS:
            for line in table(method, speakers, options.repetitions, population):
                print(line, flush=True)


if __name__ == "__main__":
    main()
