"""Posteriors of NIG parameters against long Markov chains, with scipy's density.

    python -m studies.nig_chain [--steps 4000]

Nothing is shared but the scores and the prior: walkers go by the stretch move (Goodman and Weare,
2010), and the density is ``scipy.stats.norminvgauss``. The table gives the difference of means, in
posterior standard deviations, and the ratio of standard deviations, for each coordinate; how
uncertain means of the chains are, which differ between independent flocks of walkers; and the
greatest difference of log predictive densities over the range of scores.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.special import logsumexp
from scipy.stats import norminvgauss

from llrcal.arrays import Floats
from llrcal.calibrations.training import Training
from llrcal.densities.nig import NIG
from llrcal.fitting.posterior import Draws, posterior_draws

FLOCKS, WALKERS = 8, 16
_STRETCH = 2.0
_RNG = np.random.default_rng(15)
SETS = {
    "12 Gaussian scores": _RNG.normal(2, 1, 12),
    "40 skew scores": _RNG.gumbel(0, 1, 40),
    "100 T scores with 3 dof": _RNG.standard_t(3, 100),
    "200 Gaussian scores": _RNG.normal(0, 1, 200),
}
OTHERS = np.array([-4.0, 6.0])  # the ends of the range


def log_densities(rows: Floats, scores: Floats) -> Floats:
    """By scipy, from (l, log w, v, root of k) by way of the moments; [row, score]."""
    location, log_scale, v, root = rows.T[:, :, None]
    w, k = np.exp(log_scale), np.maximum(root * root, 1e-9)
    mean, sd = location + w * np.tanh(v), w * np.exp(k / 2) * np.cosh(v)
    eta, kappa = np.exp(k / 2) * np.sinh(v), np.expm1(k)
    zeta = 1 / (kappa + eta * eta)  # delta gamma
    rest = kappa * zeta  # 1 - beta^2 / alpha^2
    alpha = np.sqrt(zeta) / (sd * rest)
    beta = alpha * eta * np.sqrt(zeta)
    gamma = alpha * np.sqrt(rest)
    delta = zeta / gamma
    with np.errstate(all="ignore"):
        logs = norminvgauss.logpdf(
            scores, alpha * delta, beta * delta, loc=mean - delta * beta / gamma, scale=delta
        )
    return np.asarray(np.where(np.isfinite(logs), logs, -1e4))


def log_posteriors(rows: Floats, scores: Floats) -> Floats:
    """With the stated prior: v Gaussian, k Gamma(1/2), whose root is half of a Gaussian."""
    prior = -0.5 * (rows[:, 2] / 0.25) ** 2 - 0.5 * rows[:, 3] ** 2 / 0.2
    return np.asarray(log_densities(rows, scores).sum(axis=1) + prior)


def chain(draws: Draws, scores: Floats, steps: int) -> Floats:
    """Where every walker was, without the first fifth of the steps: [flock, place, coordinate]."""
    rng = np.random.default_rng(1)
    best = draws.rows[np.argsort(-draws.weights)[: FLOCKS * WALKERS]]
    walkers = rng.permutation(np.resize(best, (FLOCKS * WALKERS, best.shape[1])))
    walkers = walkers.reshape(FLOCKS, 2, WALKERS // 2, -1)
    heights = _heights(walkers, scores)
    kept = []
    for step in range(steps):
        for half in (0, 1):
            moved = walkers[:, half]
            chosen = rng.integers(0, WALKERS // 2, moved.shape[:2])
            others = np.take_along_axis(walkers[:, 1 - half], chosen[:, :, None], axis=1)
            factor = _stretches(rng, chosen.shape)
            tried = others + factor[:, :, None] * (moved - others)
            there = _heights(tried, scores)
            odds = (moved.shape[2] - 1) * np.log(factor) + there - heights[:, half]
            better = np.log(rng.random(odds.shape)) < odds
            walkers[:, half] = np.where(better[:, :, None], tried, moved)
            heights[:, half] = np.where(better, there, heights[:, half])
        if step >= steps // 5:
            kept.append(walkers.reshape(FLOCKS, WALKERS, -1).copy())
    rows = np.concatenate(kept, axis=1)
    rows[:, :, 3] = np.abs(rows[:, :, 3])
    return rows


def _stretches(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Drawn from a density like 1 / sqrt(z) between 1 / a and a."""
    return np.asarray(((_STRETCH - 1) * rng.random(shape) + 1) ** 2 / _STRETCH)


def _heights(rows: Floats, scores: Floats) -> Floats:
    flat = log_posteriors(rows.reshape(-1, rows.shape[-1]), scores)
    return flat.reshape(rows.shape[:-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=4_000)
    options = parser.parse_args()
    print("| scores | coordinate | means differ by | chain uncertain by | ratio of deviations |")
    print("|---|---|---|---|---|")
    for name, scores in SETS.items():
        data = Training.of(scores, OTHERS)
        draws = posterior_draws(NIG, data.tar, data.score_range)
        grid = data.tar.grid
        standard = draws.target.standard((scores - grid.origin) / grid.unit)
        flocks = chain(draws, standard, options.steps)
        rows = flocks.reshape(-1, flocks.shape[2])
        mean, weights = rows.mean(axis=0), draws.weights[:, None]
        own = (draws.rows * weights).sum(axis=0)
        deviation = np.sqrt((draws.rows**2 * weights).sum(axis=0) - own**2)
        uncertain = flocks.mean(axis=1).std(axis=0, ddof=1) / FLOCKS**0.5 / rows.std(axis=0)
        for place, coordinate in enumerate(NIG.names):
            apart = (own[place] - mean[place]) / rows[:, place].std()
            ratio = deviation[place] / rows[:, place].std()
            print(
                f"| {name} | {coordinate} | {apart:+.3f} | {uncertain[place]:.3f} | {ratio:.3f} |"
            )
        at = np.linspace(draws.ends[0], draws.ends[1], 25)
        some = rows[:: max(1, len(rows) // 100_000)]
        theirs = logsumexp(log_densities(some, at), axis=0) - np.log(len(some))
        ours = logsumexp(NIG.logpdfs(draws.rows, at), b=weights, axis=0)
        furthest = np.abs(ours - theirs).max()
        print(f"| {name} | log predictive density, at most | {furthest:.3f} | | |", flush=True)


if __name__ == "__main__":
    main()
