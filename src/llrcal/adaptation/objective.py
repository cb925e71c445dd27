"""What an adaptation minimises: minus the log of prior times likelihood, as a function of moves.

    -trust sum_i m_i log(p f_tar(x_i) + (1 - p) f_non(x_i)) - labels + 1/2 sum_j (move_j / sd_j)^2

over the points x_i of the unlabelled scores, whose shares m_i add up to one. Unlabelled scores are
many and no density fits them exactly, so all of them together weigh as much as ``trust``
independent ones. Any score may be a wild one, with a small probability, such as a code for a
failure: then it says nothing of its class.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import expit

from llrcal.adaptation.source import WILD, Moved, SourceClass, SourceModel, with_wild
from llrcal.arrays import Floats
from llrcal.densities.density import Evaluated
from llrcal.onepass.cells import Cells

_WILD_LABELLED = 0.01  # the probability that a labelled score is a wild one


@dataclass(frozen=True)
class Evidence:
    """Scores from the field, in units of the source, and how much they weigh."""

    source: SourceModel
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

    @property
    def alone(self) -> tuple[Evidence, ...]:
        """The unlabelled scores alone, and the labelled ones; nothing unless both are given."""
        if not self.pool.count or not self.few:
            return ()
        none = Cells.empty()
        return replace(self, tar=none, non=none), replace(self, pool=none)

    def rest_of_labelled(self, moves: Floats) -> float:
        """What labelled scores say beside unlabelled ones, beyond their weight in the objective."""
        if not self.pool.count or not self.few:
            return 0.0
        return (1 - self.label_weight) * self.labelled_loglik(moves)

    def labelled_loglik(self, moves: Floats) -> float:
        """The log-likelihood of the labelled scores after some moves."""
        sides = zip(self.labelled, self.source.moved(moves), strict=True)
        logs = (self.labelled_logs(*one, side.theta)[0] @ one[1].counts for one, side in sides)
        return float(sum(logs))

    @property
    def labelled(self) -> tuple[tuple[SourceClass, Cells], tuple[SourceClass, Cells]]:
        """The labelled scores of each class, with its density in training."""
        return (self.source.tar, self.tar), (self.source.non, self.non)

    def labelled_logs(
        self, density: SourceClass, scores: Cells, theta: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Log densities of labelled scores, their gradients, and how likely none is wild."""
        logs, gradients = density.at_each(theta, scores.values)
        every, own = self.with_wild(logs, scores.values, _WILD_LABELLED)
        return every, gradients, own

    def with_wild(self, logs: Floats, values: Floats, wild: float = WILD) -> tuple[Floats, Floats]:
        """Log densities of scores that may be wild ones, and how likely each is not."""
        return with_wild(logs, values, self._middle, wild)

    @cached_property
    def _middle(self) -> float:
        return self.pool.quantile(0.5) if self.pool.count else float(self.source.non.theta[0])


@dataclass(frozen=True)
class Objective:
    """The function of the moves, with prior deviations of all of them."""

    evidence: Evidence
    deviations: Floats

    def __call__(self, moves: Floats) -> Evaluated:
        """Value, gradient and Hessian; not finite where doubles overflow."""
        data = self.evidence
        sides = data.source.moved(moves)
        precision = self.deviations**-2.0
        parts = [
            Evaluated(0.5 * float(precision @ moves**2), precision * moves, np.diag(precision))
        ]
        if data.pool.count:
            parts.append(self._mixture(*sides, data.log_odds + moves[-1]))
        for (density, scores), side in zip(data.labelled, sides, strict=True):
            if scores.count:
                parts.append(self._labelled(density, scores, side))
        return Evaluated(
            sum(part.value for part in parts),
            np.sum([part.gradient for part in parts], axis=0),
            np.sum([part.hessian for part in parts], axis=0),
        )

    def _labelled(self, density: SourceClass, scores: Cells, side: Moved) -> Evaluated:
        """The part of the labelled scores of one class."""
        data = self.evidence
        logs, gradients, own = data.labelled_logs(density, scores, side.theta)
        weights = scores.counts * data.label_weight
        part = _class_part(density, side, scores.values, weights * own)
        by = side.by.T @ gradients
        doubt = (by * (weights * own * (1 - own))) @ by.T
        return -Evaluated(float(weights @ logs), part.gradient, part.hessian + doubt)

    def _mixture(self, tar: Moved, non: Moved, log_odds: float) -> Evaluated:
        """The part of the unlabelled scores."""
        data = self.evidence
        values, weights = data.pool.values, data.pool.counts * (data.trust / data.pool.count)
        both = (data.source.tar, tar), (data.source.non, non)
        (tar_logs, tar_by), (non_logs, non_by) = (
            density.at_each(side.theta, values) for density, side in both
        )
        joint = tar_logs - np.logaddexp(0, -log_odds), non_logs - np.logaddexp(0, log_odds)
        classes_alone = np.logaddexp(*joint)
        posterior = np.exp(joint[0] - classes_alone)
        mixed, own = data.with_wild(classes_alone, values)
        p, tame = float(expit(log_odds)), weights * own
        shares = tame * posterior, tame * (1 - posterior)
        # How each move changes the two terms, and the log ratio of them, at each point.
        by_tar, by_non = tar.by.T @ tar_by, non.by.T @ non_by
        by_tar[-1], by_non[-1] = 1 - p, -p
        ratio = by_tar - by_non
        by = by_non + posterior * ratio
        classes = [
            _class_part(density, side, values, share)
            for (density, side), share in zip(both, shares, strict=True)
        ]
        gradient = classes[0].gradient + classes[1].gradient
        gradient[-1] += float(shares[0].sum()) - p * float(tame.sum())
        hessian = classes[0].hessian + classes[1].hessian
        hessian += (ratio * (tame * posterior * (1 - posterior))) @ ratio.T
        hessian += (by * (tame * (1 - own))) @ by.T
        hessian[-1, -1] -= p * (1 - p) * float(tame.sum())
        return -Evaluated(float(weights @ mixed), gradient, hessian)


def _class_part(density: SourceClass, side: Moved, values: Floats, weights: Floats) -> Evaluated:
    """A weighted sum of log densities of one class, with derivatives by the moves."""
    value, slope, curvature = density.mean_loglik(side.theta, values, weights)
    hessian = side.by.T @ curvature @ side.by + np.diag(slope @ side.bend)
    return Evaluated(value, side.by.T @ slope, hessian)
