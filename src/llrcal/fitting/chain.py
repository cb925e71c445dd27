"""A Markov chain, for posteriors of which draws from proposals are worth too little.

Many walkers move at once, by the stretch moves of Goodman and Weare (2010): each of one half of
them along the line through one of the other half, so that no affine map of the coordinates changes
anything. The random numbers are the same every time.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from llrcal.arrays import Floats

WALKERS = 64
STEPS = 1200  # of which the first third is not kept
_EVERY = 12  # steps a row is kept
_ROUNDS, _SETTLED = 1000, 1e-9


def walked(log_density: Callable[[Floats], Floats], starts: Floats) -> Floats:
    """The way of every walker after the first steps, as [step, walker, coordinate]."""
    rng = np.random.default_rng(0)
    here, logs, size = starts.copy(), log_density(starts), starts.shape[1]
    halves = np.array_split(np.arange(len(here)), 2)
    way = np.empty((STEPS, *here.shape))
    for step in range(STEPS):
        for movers, others in (halves, halves[::-1]):
            stretch = 0.5 * (1 + rng.random(len(movers))) ** 2
            through = here[rng.choice(others, len(movers))]
            proposed = through + stretch[:, None] * (here[movers] - through)
            new = log_density(proposed)
            gain = (size - 1) * np.log(stretch) + new - logs[movers]
            moved = np.log(rng.random(len(movers))) < gain
            here[movers[moved]], logs[movers[moved]] = proposed[moved], new[moved]
        way[step] = here
    return way[STEPS // 3 :]


def effective_steps(way: Floats) -> float:
    """As how many independent draws the way is worth, by how much the means of walkers differ."""
    differ = way.mean(axis=0).var(axis=0, ddof=1)
    whole = way.var(axis=(0, 1))
    return float((way.shape[1] * whole / np.maximum(differ, np.finfo(float).tiny)).min())


def rows_of(way: Floats) -> Floats:
    """Some steps of every walker, as rows of coordinates."""
    return way[::_EVERY].reshape(-1, way.shape[2])


def pooled_weights(tilts: Floats, counts: Floats) -> Floats:
    """Weights of the draws of several chains for each of their densities.

    The densities differ by factors whose logs are known at all draws [density, draw]. Their unknown
    integrals are those that all draws agree on (Geyer 1994; Shirts and Chodera 2008).
    """
    # Of each row, the greatest is one, so that nothing overflows, and only what is zero is lost.
    factors = np.exp(tilts - tilts.max(axis=1, keepdims=True))
    integrals = factors.mean(axis=1)
    for _ in range(_ROUNDS):
        weights = factors / (counts / integrals * factors.T).sum(axis=1)
        before, integrals = integrals, weights.sum(axis=1)
        if np.abs(integrals / before - 1).max() < _SETTLED:
            break
    return np.asarray(weights / integrals[:, None])
