"""Draws the DET curve of docs/pairs.md: five billion pairs.

    python docs/figures/pairs.py

Speakers are simulated, and some are siblings, who resemble each other: one pair of speakers in
40,000. Of a list of a hundred thousand trials two or three are of siblings, and nothing is seen of
them.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import matplotlib as mpl
import numpy as np

import llrcal
from llrcal.arrays import Array

SPEAKERS, UTTERANCES, DIMENSIONS = 2_000, 50, 64
PICTURE = Path(__file__).with_name("det-of-all-pairs.png")


def embeddings(seed: int = 1) -> tuple[Array, Array]:
    """Vectors of speakers of whom the first fifty have a sibling, and who speaks."""
    rng = np.random.default_rng(seed)
    centre = rng.normal(size=(SPEAKERS, DIMENSIONS))
    siblings = centre[:50] + rng.normal(size=(50, DIMENSIONS))
    centre[50:100] = siblings * np.sqrt(0.5)
    who = np.repeat(np.arange(SPEAKERS), UTTERANCES)
    return (centre[who] + 0.5 * rng.normal(size=(len(who), DIMENSIONS))).astype("f4"), who


def drawn(counts: llrcal.Counts, tar: int, non: int) -> llrcal.Evaluation:
    """As many trials, drawn at random."""
    rng = np.random.default_rng(2)
    kinds = zip((counts.targets, counts.nontargets), (tar, non), strict=True)
    some = (rng.choice(counts.scores, size, p=kind / kind.sum()) for kind, size in kinds)
    return llrcal.evaluate(*some)


def main() -> None:
    """Draw the picture, and print what the page says of it."""
    mpl.use("agg")
    from matplotlib import pyplot as plt

    warnings.simplefilter("ignore", llrcal.LlrcalWarning)  # scores are no LLRs
    counts = llrcal.pairs(*embeddings())
    sys.stdout.write(f"{counts}\n")
    every = llrcal.evaluate(counts)
    at = every.threshold(pfa=1e-6)
    sys.stdout.write(
        f"FMR 1e-6: {at.value:.4f} ({at.interval[0]:.4f} to {at.interval[1]:.4f}), "
        f"FNMR {at.pmiss:.4f}\n"
    )
    few = drawn(counts, 2_000, 98_000)
    sys.stdout.write(f"EER {every.eer:.2e}; that of 100,000 trials {few.eer:.2e}\n")
    figure, ax = plt.subplots(figsize=(6.4, 4.6), layout="constrained")
    llrcal.figures.det({"all pairs": every}, ax=ax, legend=False)
    figure.savefig(PICTURE, dpi=150)


if __name__ == "__main__":
    main()
