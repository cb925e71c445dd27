"""Score sets of many shapes, to fit densities to."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from llrcal.arrays import Floats


def _bimodal(rng: Generator, n: int) -> Floats:
    left = rng.random(n) < rng.uniform(0.1, 0.9)
    return np.where(
        left, rng.normal(0, 1, n), rng.normal(rng.uniform(2, 8), rng.uniform(0.1, 2), n)
    )


def _logit(rng: Generator, n: int) -> Floats:
    p = rng.beta(rng.uniform(0.5, 5), rng.uniform(0.5, 5), n)
    return np.asarray(np.log(p) - np.log1p(-p))


def _mixed_scale(rng: Generator, n: int) -> Floats:
    scale = rng.exponential(size=n) ** rng.uniform(0.3, 2)
    return np.asarray(rng.normal(size=n) * scale + rng.uniform(0, 1) * rng.exponential(size=n))


def _nig(rng: Generator, n: int) -> Floats:
    z = rng.wald(1, rng.uniform(0.1, 5), n)
    return np.asarray(rng.uniform(-2, 2) * z + np.sqrt(z) * rng.normal(size=n))


KINDS: dict[str, Callable[[Generator, int], Floats]] = {
    "skewed": lambda rng, n: rng.choice([-1, 1]) * rng.gamma(rng.uniform(0.5, 5), 1, n),
    "heavy-tailed": lambda rng, n: rng.standard_t(rng.uniform(1, 5), n),
    "cauchy": lambda rng, n: rng.standard_cauchy(n),
    "gaussian": lambda rng, n: rng.normal(size=n),
    "near-gaussian": lambda rng, n: rng.normal(size=n) + 0.05 * rng.exponential(size=n),
    "uniform": lambda rng, n: rng.uniform(size=n),
    "laplace": lambda rng, n: rng.laplace(size=n),
    "bimodal": _bimodal,
    "trimodal": lambda rng, n: (
        rng.choice([-4.0, 0, 6], n) + rng.normal(size=n) * rng.uniform(0.2, 1)
    ),
    "rounded": lambda rng, n: np.round(rng.normal(size=n) * rng.uniform(2, 5), rng.integers(0, 2)),
    "cosine": lambda rng, n: rng.beta(rng.uniform(0.5, 5), rng.uniform(0.5, 5), n),
    "logit": _logit,
    "clipped": lambda rng, n: np.clip(rng.normal(size=n), -1.5, 2),
    "mixed-scale": _mixed_scale,
    "nig": _nig,
}

SIZES = (20, 25, 33, 50, 80, 100, 150, 300, 500, 1_000, 2_000, 5_000, 12_000, 30_000, 100_000)


def score_set(kind: str, n: int, seed: int) -> Floats:
    """A reproducible set of scores, at an arbitrary place and scale."""
    rng = np.random.default_rng([seed, n, sorted(KINDS).index(kind)])
    scores = KINDS[kind](rng, n)
    return np.asarray(scores * 10 ** rng.uniform(-3, 3) + rng.normal() * 10 ** rng.uniform(-3, 3))
