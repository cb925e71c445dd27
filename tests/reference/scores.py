"""The synthetic scores that other programs were run on, drawn again from their seeds."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from llrcal.arrays import Floats

Scores = tuple[Floats, Floats]
"""Scores of targets, and scores of non-targets."""

SEED = 20140616


def _big() -> Scores:
    rng = np.random.default_rng(SEED)
    return rng.normal(2, 1, 10_000), rng.normal(-2, 1.2, 1_000_000)


def _small() -> Scores:
    tar, non = scores("big")
    return tar[:500], non[:5_000]


def _ties() -> Scores:
    tar, non = scores("small")
    return np.round(tar, 1), np.round(non, 1)


def _separable() -> Scores:
    rng = np.random.default_rng(SEED)
    rng.standard_normal(2_020_000)  # those of the big set, and as many again
    return 10 + np.abs(rng.standard_normal(200)), -10 - np.abs(rng.standard_normal(2_000))


def _nig_variates(seed: int, a: float, b: float, loc: float, scale: float, n: int) -> Floats:
    """What scipy.stats.norminvgauss(a, b, loc, scale).rvs(n, random_state=seed) draws."""
    rng = np.random.RandomState(seed)
    z = rng.wald(1 / np.sqrt(a * a - b * b), 1, n)
    return np.asarray(loc + scale * (b * z + np.sqrt(z) * rng.standard_normal(n)))


def _nig() -> Scores:
    tar = _nig_variates(1, a=1.5, b=-0.8, loc=4, scale=1.5, n=20_000)
    non = _nig_variates(2, a=1.2, b=0.6, loc=-3, scale=1.2, n=200_000)
    return tar, non


def _synth() -> Scores:
    rng = np.random.default_rng(SEED)
    tar = rng.normal(3, 2, 300)
    non = rng.normal(-4, 2.5, 200_000) + rng.exponential(0.8, 200_000)
    return np.round(tar, 3), np.round(non, 3)


def _tiny_ties() -> Scores:
    return np.array([1.0, 2, 2, 3, 5, 5, 8]), np.array([-3.0, -1, 0, 1, 1, 2, 2, 2, 3, 4])


SETS: dict[str, Callable[[], Scores]] = {
    "small": _small,
    "ties": _ties,
    "big": _big,
    "nig": _nig,
    "separable": _separable,
    "synth": _synth,
    "tiny_ties": _tiny_ties,
}


@cache
def scores(name: str) -> Scores:
    """A set by its name in README.md."""
    return SETS[name]()
