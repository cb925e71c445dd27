"""Random sets of scores to fit densities to: ordinary ones, and two in five that are nasty.

A number and a seed give a problem's kind, size, place and scale. Sizes are spread evenly on a
logarithmic axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from tests.score_sets import KINDS as ORDINARY

from llrcal.arrays import Floats

STUDY = 7_041_776  # the seed of the study; those of the tests are small
LEAST, MOST = 20, 20_000  # scores
_TINY = (6, LEAST)
_MOST_TIED = 0.6  # of the clipped scores; beyond half of them no likelihood has a maximum


def _ordinary(rng: Generator, n: int) -> Floats:
    """Scores of an ordinary kind, standardised."""
    scores = ORDINARY[rng.choice(sorted(ORDINARY))](rng, n)
    return np.asarray((scores - scores.mean()) / (scores.std() or 1.0))


def _tied(rng: Generator, n: int) -> Floats:
    """Draws with replacement from fewer scores."""
    return rng.choice(_ordinary(rng, max(5, int(n / rng.uniform(1.5, 20)))), n)


def _quantised(rng: Generator, n: int) -> Floats:
    """One step to 32 steps a standard deviation."""
    return np.round(_ordinary(rng, n) * 2.0 ** rng.integers(0, 6))


def _cut_off(rng: Generator, n: int) -> Floats:
    """Clipped on one side, so that many scores are equal."""
    scores = rng.choice([-1, 1]) * _ordinary(rng, n)
    return np.asarray(np.maximum(scores, np.quantile(scores, rng.uniform(0.02, _MOST_TIED))))


def _one_far_outlier(rng: Generator, n: int) -> Floats:
    scores = _ordinary(rng, n)
    scores[rng.integers(n)] = rng.choice([-1, 1]) * 10 ** rng.uniform(1, 9)
    return scores


def _two_scales(rng: Generator, n: int) -> Floats:
    wide = rng.random(n) < rng.uniform(0.02, 0.9)
    return np.asarray(rng.normal(size=n) * np.where(wide, 10 ** rng.uniform(1, 5), 1))


def _almost_gaussian(rng: Generator, n: int) -> Floats:
    heavy = rng.standard_t(10 ** rng.uniform(1.3, 4), n)
    return np.asarray(heavy + 10 ** rng.uniform(-3, -0.5) * rng.exponential(size=n))


def _one_sided(rng: Generator, n: int) -> Floats:
    """Exponential, lognormal, Pareto, half Cauchy or Levy."""
    shapes: list[Callable[[], Floats]] = [
        lambda: rng.exponential(size=n),
        lambda: rng.lognormal(0, rng.uniform(0.3, 3), n),
        lambda: rng.pareto(rng.uniform(0.5, 4), n),
        lambda: np.abs(rng.standard_cauchy(n)),
        lambda: rng.normal(size=n) ** -2.0,
    ]
    return np.asarray(rng.choice([-1, 1]) * shapes[rng.integers(len(shapes))]())


def _two_heaps(rng: Generator, n: int) -> Floats:
    """Far apart, and of unlike size and width."""
    left = rng.random(n) < rng.uniform(0.02, 0.98)
    apart, width = 10 ** rng.uniform(0.7, 3), 10 ** rng.uniform(-3, 0.5)
    return np.where(left, rng.normal(size=n), apart + width * rng.normal(size=n))


NASTY: dict[str, Callable[[Generator, int], Floats]] = {
    "tied": _tied,
    "quantised": _quantised,
    "cut off": _cut_off,
    "one far outlier": _one_far_outlier,
    "two scales": _two_scales,
    "almost gaussian": _almost_gaussian,
    "one-sided": _one_sided,
    "two heaps": _two_heaps,
    "tiny": lambda rng, _: _ordinary(rng, int(rng.integers(*_TINY))),
    "far off": lambda rng, n: 1e6 + _ordinary(rng, n),
    "huge or minute": lambda rng, n: (
        (_ordinary(rng, n) + rng.normal()) * 10 ** (rng.choice([-1, 1]) * rng.uniform(3, 6))
    ),
}
KINDS = {**ORDINARY, **NASTY}


@dataclass(frozen=True)
class Problem:
    """A set of scores by its name."""

    kind: str
    seed: tuple[int, int]

    @property
    def scores(self) -> Floats:
        """The scores, at a place and a scale of their own."""
        rng = np.random.default_rng([*self.seed, sorted(KINDS).index(self.kind)])
        n = int(np.exp(rng.uniform(np.log(LEAST), np.log(MOST))))
        scores = KINDS[self.kind](rng, n)
        place = 0.0 if self.kind == "far off" else rng.normal() * 10 ** rng.uniform(-3, 3)
        return np.asarray((scores + place) * 10 ** rng.uniform(-3, 3))


def problems(count: int, seed: int = STUDY) -> Iterator[Problem]:
    """So many problems, two in five of a nasty kind, with all kinds of either sort in turn."""
    ordinary, nasty = sorted(ORDINARY), sorted(NASTY)
    for number in range(count):
        turn, at = divmod(number, 5)
        kind = nasty[(2 * turn + at) % len(nasty)] if at < 2 else ordinary[(3 * turn + at - 2) % 15]
        yield Problem(kind, (seed, number))
