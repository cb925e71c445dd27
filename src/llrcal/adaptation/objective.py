"""What an adaptation minimises: minus the log of prior times likelihood, as a function of moves.

    -trust sum_i m_i log(p f_tar(x_i) + (1 - p) f_non(x_i)) - labels + 1/2 sum_j (move_j / sd_j)^2

over the points x_i of the unlabelled scores, whose shares m_i add up to one. Unlabelled scores are
many and no family fits them exactly, so all of them together weigh as much as ``trust``
independent ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from llrcal.adaptation.move import Moved, Place
from llrcal.arrays import Floats
from llrcal.densities.density import Evaluated
from llrcal.onepass.cells import Cells


@dataclass(frozen=True)
class Evidence:
    """Scores of the new place, in units of the old one, and how much they weigh."""

    place: Place
    pool: Cells
    tar: Cells
    non: Cells
    trust: float
    label_weight: float
    log_odds: float
    """Of a target among the unlabelled scores, as the user said."""

    @property
    def few(self) -> float:
        """How many labelled scores there are of the class that has fewer."""
        return min(self.tar.count, self.non.count)

    def rest_of_labelled(self, moves: Floats) -> float:
        """What labelled scores say beside unlabelled ones, beyond their weight in the objective."""
        if not self.pool.count or not self.few:
            return 0.0
        sides = zip((self.tar, self.non), self.place.moved(moves), strict=True)
        logs = (
            each.counts @ self.place.family.at_each(side.theta, each.values)[0]
            for each, side in sides
        )
        return (1 - self.label_weight) * float(sum(logs))


@dataclass(frozen=True)
class Objective:
    """The function of the moves, with prior deviations of all of them."""

    evidence: Evidence
    deviations: Floats

    def __call__(self, moves: Floats) -> Evaluated:
        """Value, gradient and Hessian; not finite where doubles overflow."""
        data = self.evidence
        tar, non = data.place.moved(moves)
        precision = self.deviations**-2.0
        parts = [
            Evaluated(0.5 * float(precision @ moves**2), precision * moves, np.diag(precision))
        ]
        if data.pool.count:
            parts.append(self._mixture(tar, non, data.log_odds + moves[-1]))
        for few, side in ((data.tar, tar), (data.non, non)):
            if few.count:
                weights = few.counts * data.label_weight
                parts.append(-_class_part(data.place, side, few, weights))
        return Evaluated(
            sum(part.value for part in parts),
            np.sum([part.gradient for part in parts], axis=0),
            np.sum([part.hessian for part in parts], axis=0),
        )

    def _mixture(self, tar: Moved, non: Moved, log_odds: float) -> Evaluated:
        """The part of the unlabelled scores."""
        data = self.evidence
        weights = data.pool.counts * (data.trust / data.pool.count)
        sides = [data.place.family.at_each(side.theta, data.pool.values) for side in (tar, non)]
        joint = [
            sides[0][0] - np.logaddexp(0, -log_odds),
            sides[1][0] - np.logaddexp(0, log_odds),
        ]
        mixed = np.logaddexp(*joint)
        posterior = np.exp(joint[0] - mixed)
        shares = weights * posterior, weights * (1 - posterior)
        p = float(expit(log_odds))
        # How each move changes the log ratio of the two terms, at each point.
        ratio = tar.by.T @ sides[0][1] - non.by.T @ sides[1][1]
        ratio[-1] += 1
        classes = [
            _class_part(data.place, side, data.pool, share)
            for side, share in zip((tar, non), shares, strict=True)
        ]
        gradient = classes[0].gradient + classes[1].gradient
        gradient[-1] += float(shares[0].sum()) - p * data.trust
        hessian = classes[0].hessian + classes[1].hessian
        hessian += (ratio * (weights * posterior * (1 - posterior))) @ ratio.T
        hessian[-1, -1] -= p * (1 - p) * data.trust
        return -Evaluated(float(weights @ mixed), gradient, hessian)


def _class_part(place: Place, side: Moved, scores: Cells, weights: Floats) -> Evaluated:
    """A weighted sum of log densities of one class, with derivatives by the moves."""
    value, slope, curvature = place.family.mean_loglik(side.theta, scores.values, weights)
    hessian = side.by.T @ curvature @ side.by + np.diag(slope @ side.bend)
    return Evaluated(value, side.by.T @ slope, hessian)
