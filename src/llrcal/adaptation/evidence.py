"""Scores from the field, and how likely they are after some moves.

    n sum_k q_k log(p T_k + (1 - p) N_k) + labelled - 1/2 sum_j (move_j / deviation_j)^2

over bins k, which hold a share q_k of the unlabelled scores; T_k and N_k are the masses of both
classes after the moves, and p is the share of targets. Any score may be an outlier, with a small
probability. Bins have edges between neighbouring scores, so that levels and heaps need no density.

Unlabelled scores are many, and no density fits them exactly; and they are of a few people. So all
of them together weigh as much as ``n`` independent ones, which is limited by their number, by that
of the people, by what is known of the classes, and by how well such models can be trusted at all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from scipy.special import expit

from llrcal.adaptation.classes import OUTLIER_SCALE, OUTLIERS, TrainedClasses
from llrcal.adaptation.given import Given
from llrcal.arrays import Floats
from llrcal.errors import DegenerateError
from llrcal.onepass.cells import Cells

# All unlabelled scores weigh as much as so many independent ones at most: real classes differ from
# any model by more than chance then. Chosen on SRE 2008.
_TRUST = 2000.0
# Where targets, or non-targets, are rarer than this, as more, by the square root of it, up to
# another limit: or too few of them would be seen. Chosen on noisy Speech Commands.
_RARE, _MOST_TRUST = 0.05, 10_000.0
# Without ``speakers``, a score is taken for so much of an independent one.
_EACH = 1 / 3
# With them: the share of the variance of scores that is a speaker's. Typical of VoxCeleb.
SPEAKERS_SHARE = 0.3
# A share of targets that nobody has told: around this.
UNKNOWN_SHARE = 0.1

_FURTHEST = 1e50  # deviations of the non-targets; the squares of more would overflow
_TINY = 1e-300


@dataclass(frozen=True)
class Evidence:
    """Scores from the field, in units of the classes in training."""

    classes: TrainedClasses
    pool: Cells
    """The unlabelled scores."""
    edges: Floats
    """Of bins."""
    seen: Floats
    """The share of the unlabelled scores in each bin."""
    labelled: tuple[Floats, Floats]
    """How many labelled targets and non-targets there are in each bin."""
    effective: float
    """As how many independent scores the unlabelled ones weigh."""
    log_odds: float
    """Of a target among the unlabelled scores, as the user said."""
    speakers: float | None
    """Of how many people the unlabelled scores are, if that is known."""

    @classmethod
    def of(
        cls,
        classes: TrainedClasses,
        given: Given,
        p_target: float | None,
        speakers: float | None = None,
    ) -> Self:
        """What was given, with the share of targets, and the number of people if it is known."""
        pool, tar, non = (
            side.seen_from(classes.origin, classes.unit)
            for side in (given.pool, given.tar, given.non)
        )
        furthest = max(float(np.abs(side.values).max(initial=0.0)) for side in (pool, tar, non))
        if not furthest < _FURTHEST:
            raise DegenerateError(
                f"a score lies {furthest:.3g} deviations of the training scores from these: are "
                "they in the same units?"
            )
        known = pool.values if pool.count else np.union1d(tar.values, non.values)
        if len(known) < 2:
            known = np.array([known[0] - 1, known[0], known[0] + 1])
        edges = 0.5 * (known[1:] + known[:-1])
        seen, few_tar, few_non = (_counted(side, edges) for side in (pool, tar, non))
        share = UNKNOWN_SHARE if p_target is None else p_target
        log_odds = math.log(share) - math.log1p(-share)
        effective = 0.0
        if pool.count:
            most = effective_count(pool.count, speakers)
            portrait = share / classes.tar.count + (1 - share) / classes.non.count
            rarer = min(share, 1 - share, _RARE)
            trust = min(_TRUST * math.sqrt(_RARE / rarer), _MOST_TRUST)
            effective = 1 / (1 / min(most, trust) + portrait)
            seen = seen / pool.count
        return cls(classes, pool, edges, seen, (few_tar, few_non), effective, log_odds, speakers)

    @property
    def bins(self) -> Floats:
        """A score of each bin."""
        inner = 0.5 * (self.edges[1:] + self.edges[:-1])
        return np.concatenate([self.edges[:1], inner, self.edges[-1:]])

    @cached_property
    def outliers(self) -> Floats:
        """The mass of outliers in each bin."""
        middle = self.pool.quantile(0.5) if self.pool.count else self.classes.non.location
        below = np.arctan((self.edges - middle) / OUTLIER_SCALE) / np.pi + 0.5
        return np.diff(below, prepend=0.0, append=1.0)

    def __call__(
        self, moves: Floats, deviations: Floats, log_odds: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Minus the log of prior times likelihood, one row for each row of moves.

        With its gradient and Fisher's information. Moves are counted in their prior deviations; a
        deviation of zero is no move.
        """
        x = deviations * moves
        masses, slopes = (of(self.edges, x) for of in (self.classes.masses, self.classes.slopes))
        share = expit(log_odds + x[:, -1])[:, None]
        both = np.array([share, 1 - share])
        by = (both[..., None] * slopes).sum(axis=0)
        by[:, -1] = share * (1 - share) * (masses[0] - masses[1])
        parts = [(self.effective * self.seen, (both * masses).sum(axis=0), by)]
        parts += zip(self.labelled, masses, slopes, strict=True)
        value = 0.5 * (moves * moves).sum(axis=1)
        gradient, information = moves.copy(), np.tile(np.eye(x.shape[1]), (len(x), 1, 1))
        for counts, expected, by in parts:
            if counts.any():
                seen = (1 - OUTLIERS) * expected + OUTLIERS * self.outliers + _TINY
                slopes = (1 - OUTLIERS) * by * deviations[:, :, None]
                value -= np.log(seen) @ counts
                gradient -= np.einsum("rjk,rk->rj", slopes, counts / seen)
                information += counts.sum() * (slopes / seen[:, None]) @ slopes.transpose(0, 2, 1)
        return value, gradient, information

    def labelled_loglik(self, tar: Floats, non: Floats) -> float:
        """The log-likelihood of the labelled scores, given masses of both classes in the bins."""
        both = zip(self.labelled, (tar, non), strict=True)
        outliers = OUTLIERS * self.outliers + _TINY
        return float(sum(few @ np.log((1 - OUTLIERS) * side + outliers) for few, side in both))


def effective_count(count: float, speakers: float | None) -> float:
    """How many independent scores tell as much as those of so many people."""
    if speakers is None:
        return _EACH * count
    return 1 / (SPEAKERS_SHARE / speakers + (1 - SPEAKERS_SHARE) / count)


def _counted(scores: Cells, edges: Floats) -> Floats:
    places = np.searchsorted(edges, scores.values)
    return np.asarray(np.bincount(places, scores.counts, len(edges) + 1), float)
