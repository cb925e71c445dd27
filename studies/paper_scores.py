"""Scores in the paper's numbers: heavy tails, skew, rare targets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from llrcal.arrays import Floats

TRAIN = (29_400, 42_000_000)
TEST = (9_000, 9_000_000)


@dataclass(frozen=True)
class Scores:
    """Target and non-target scores of one set."""

    tar: Floats
    non: Floats


def paper_scores(size: tuple[int, int], seed: int) -> Scores:
    """A set of (targets, non-targets), made in chunks."""
    rng = np.random.default_rng(seed)
    return Scores(*(_filled(rng, mean, n) for mean, n in zip((3.5, -1.0), size, strict=True)))


def _filled(rng: Generator, mean: float, count: int) -> Floats:
    """Scores whose mean and spread depend on the quality of each trial's recordings."""
    out = np.empty(count)
    for start in range(0, count, 2**20):
        part = out[start : start + 2**20]
        quality = rng.gamma(4, 0.25, len(part))
        part[:] = mean * np.sqrt(quality) + rng.normal(size=len(part)) * (0.6 + 0.4 * quality)
    return out
