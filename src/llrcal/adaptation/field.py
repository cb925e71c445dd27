"""What is known of the field: masses of both classes, drawn from their posterior.

The calibration of least expected cost follows from that without another choice. Over all functions
of the score, the expected Cllr is least for the log-ratio of the posterior mean densities, made to
rise. Where nothing has moved, the classes have the LLRs of the calibration as it was, which knows
more than its portrait; nowhere else do these LLRs hold.

However well moves explain unlabelled scores, these may still be something else, and nothing in the
scores can tell. So the classes as they were always have a small part in the mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from scipy.special import expit

from llrcal.adaptation.classes import TrainedClasses
from llrcal.adaptation.evidence import SPEAKERS_SHARE, Evidence
from llrcal.adaptation.given import Given
from llrcal.adaptation.hypotheses import Hypothesis, Kind, Share, hypotheses, split, weights_of
from llrcal.arrays import LARGEST, Floats
from llrcal.calibrations.adapted import Estimate
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.portrait import likeliest_share
from llrcal.onepass.cells import Cells, even_ranks

# The probability that unlabelled scores do not tell where the classes lie, however well moves
# explain them. Chosen on SRE 2008 and shared/shifts.
_DOUBT = 0.05
# Of a mixture of classes whose order alone is known, the part of the classes as they were, so that
# both have some mass everywhere. Not tuned.
_EVERYWHERE = 0.01

_DRAWS, _NODES, _FURTHEST_RANK, _UNLIKELY, _TINY = 256, 120, 1e-9, 1e-4, 1e-300

_BITS = 2 * math.log(2)  # nats of both classes in a bit of Cllr

Masses = tuple[Floats, Floats]
"""Of targets and of non-targets."""


@dataclass(frozen=True)
class Field:
    """Draws of both classes in the field, at nodes along the scores in units of the classes."""

    classes: TrainedClasses
    data: Evidence
    hypotheses: tuple[Hypothesis, ...]
    weights: Floats
    draws: Floats
    """Moves, one row each, with the log odds of a target."""
    importance: Floats
    """Weights of the draws, which add up to one."""
    neutral: Floats
    """The same where nothing is favoured, for intervals: favour makes better decisions, but what
    it makes less likely than it is must not be left out of an interval."""
    nodes: Floats
    old_llrs: Floats
    """Of the calibration as it was, at the nodes."""
    tar: Floats
    non: Floats
    """Masses at the nodes, one row a draw."""
    unmoved: Masses
    """The masses of the classes as they were."""

    @classmethod
    def of(
        cls,
        cal: Calibration,
        classes: TrainedClasses,
        given: Given,
        p_target: float | None,
        factor: float,
        speakers: float | None = None,
    ) -> Self:
        """What scores from the field say; a share of targets of None is unknown."""

        def old(at: Floats) -> Floats:
            scores = classes.origin + at * classes.unit
            return cal.without_warnings(-scores if cal.lower_is_better else scores)

        data = Evidence.of(classes, given, p_target, speakers)
        told = p_target is not None
        found = hypotheses(data, old(data.bins), factor, told=told)
        weights, neutral = weights_of(found), weights_of(found, favoured=False)
        mixed = 0.5 * weights + 0.5 * neutral
        draws, numbers = _drawn(found, mixed)
        importance, neutral = (
            some[numbers] / mixed[numbers] / (some[numbers] / mixed[numbers]).sum()
            for some in (weights, neutral)
        )
        nodes = _nodes(data, weights @ np.array([each.moves for each in found]))
        llrs, edges = old(nodes), 0.5 * (nodes[1:] + nodes[:-1])
        tar, non = classes.masses(edges, draws)
        both = np.sum(classes.masses(edges, classes.unmoved), axis=0)[0] / 2
        unmoved = tuple(np.maximum(2 * both * expit(sign * llrs), _TINY) for sign in (1, -1))
        seen = _EVERYWHERE * both
        if data.pool.count:
            seen += (1 - _EVERYWHERE) * _masses_of(data.pool, edges)
        for row, number in enumerate(numbers):
            each = found[number]
            if each.kind == "unmoved":
                tar[row], non[row] = unmoved
            elif each.kind == "unknown":
                share = np.clip(expit(draws[row, -1]), 1e-6, 1 - 1e-6)
                tar[row], non[row] = split(seen, each.worth * llrs, float(share))
        return cls(
            classes,
            data,
            found,
            weights,
            draws,
            importance,
            neutral,
            nodes,
            llrs,
            np.maximum(tar, _TINY),
            np.maximum(non, _TINY),
            unmoved,
        )

    @cached_property
    def known(self) -> Masses:
        """The posterior mean masses."""
        return self.importance @ self.tar, self.importance @ self.non

    @cached_property
    def mean(self) -> Masses:
        """The same with some doubt, as much as labelled scores leave."""
        both = list(zip(self.known, self.unmoved, strict=True))
        for_them = sum(
            few @ np.interp(self.data.bins, self.nodes, np.log(still / known))
            for few, (known, still) in zip(self.data.labelled, both, strict=True)
        )
        odds = math.log(_DOUBT / (1 - _DOUBT)) if self.data.pool.count else -math.inf
        doubt = float(expit(odds + for_them))
        tar, non = ((1 - doubt) * known + doubt * still for known, still in both)
        return tar, non

    @cached_property
    def scores(self) -> Floats:
        """The nodes in units of the scores."""
        return self.classes.origin + self.nodes * self.classes.unit

    @cached_property
    def eer_node(self) -> int:
        """Where as many targets lie below as non-targets above."""
        tar, non = (np.cumsum(side) / side.sum() for side in self.mean)
        return min(int(np.searchsorted(tar + non, 1.0)), len(self.nodes) - 1)

    @cached_property
    def llrs(self) -> Floats:
        """LLRs of least expected cost at the nodes; they rise, outward from where classes meet."""
        tar, non = self.mean
        out = np.log(np.maximum(tar, _TINY)) - np.log(np.maximum(non, _TINY))
        middle = self.eer_node
        out[middle:] = np.maximum.accumulate(out[middle:])
        out[: middle + 1] = np.minimum.accumulate(out[middle::-1])[::-1]
        return np.asarray(out)

    @property
    def shares(self) -> Floats:
        """The share of targets among the unlabelled scores, of each draw."""
        return np.asarray(expit(self.draws[:, -1]))

    @cached_property
    def training_share(self) -> float:
        """The share of targets at which a mixture of the training classes fits scores best."""
        tar, non = self.classes.masses(self.data.edges, self.classes.unmoved)
        return likeliest_share(tar[0], non[0], self.data.seen)

    @property
    def unmoved_if_neutral(self) -> float:
        """The probability that nothing has moved, where that is not favoured."""
        weights = weights_of(self.hypotheses, favoured=False)
        return min(float(weights[[each.kind == "unmoved" for each in self.hypotheses]].sum()), 1.0)

    def probability(self, *, kind: Kind | None = None, share: Share | None = None) -> float:
        """Of the hypotheses of a kind, or of those that say so of the share of targets."""
        some = [
            kind in (None, each.kind) and share in (None, each.share) for each in self.hypotheses
        ]
        return min(float(self.weights[some].sum()), 1.0)

    @cached_property
    def costs(self) -> Floats:
        """What a change costs, in bits of Cllr, of each draw.

        That is what LLRs as they were lose against those of the draw, so it is never negative.
        """
        own = np.log(self.tar) - np.log(self.non)
        lost_tar = np.logaddexp(0, -self.old_llrs) - np.logaddexp(0, -own)
        lost_non = np.logaddexp(0, self.old_llrs) - np.logaddexp(0, own)
        tar, non = self._shares
        lost = (tar * lost_tar).sum(axis=1) + (non * lost_non).sum(axis=1)
        return np.asarray(np.maximum(lost / _BITS, 0.0))

    def predicted(self, llrs: Floats, p_target: float) -> tuple[Floats, Floats, Floats]:
        """Cllr, EER and normalised cost of LLRs at the nodes, of each draw."""
        tar, non = self._shares
        order = np.argsort(llrs, kind="stable")
        miss, false_alarm = np.cumsum(tar[:, order], axis=1), 1 - np.cumsum(non[:, order], axis=1)
        at = np.argmax(miss >= false_alarm, axis=1)[:, None]  # the last one that is rejected
        rejected = np.argsort(order, kind="stable") <= at
        accepted = llrs >= math.log1p(-p_target) - math.log(p_target)
        weights = np.array([p_target, 1 - p_target]) / min(p_target, 1 - p_target)
        return (
            self._mean_cost(np.logaddexp(0, -llrs) / _BITS, np.logaddexp(0, llrs) / _BITS),
            np.clip(self._mean_cost(0.5 * rejected, 0.5 * ~rejected), 0, 1),
            np.maximum(self._mean_cost(weights[0] * ~accepted, weights[1] * accepted), 0),
        )

    @cached_property
    def _shares(self) -> Masses:
        """The masses of each class, which add up to one in each draw."""
        tar, non = (side / side.sum(axis=1, keepdims=True) for side in (self.tar, self.non))
        return tar, non

    def _mean_cost(self, tar_costs: Floats, non_costs: Floats) -> Floats:
        """The sum of the mean costs of both classes, of each draw, with the errors of portraits.

        Costs are given at the nodes. No portrait knows of scores that were not seen: among a
        hundred targets there may be none that scores as most non-targets do, but the next may. So
        one trial more of each class is drawn, which scores like any trial of the draw, whatever its
        label; it weighs as much as one of the training scores, as in the Bayesian bootstrap. And
        the people in the field, if they are told, are no more than a sample of people.
        """
        rng, draws = np.random.default_rng(1), np.arange(len(self.draws))
        total, variance = np.zeros((2, len(draws)))
        people = SPEAKERS_SHARE / self.data.speakers if self.data.speakers else 0.0
        any_trial = np.cumsum(0.5 * (self._shares[0] + self._shares[1]), axis=1)[:, :-1]
        counts = (self.classes.tar.count, self.classes.non.count)
        for masses, given, count in zip(self._shares, (tar_costs, non_costs), counts, strict=True):
            costs = np.broadcast_to(given, masses.shape)
            mean = np.sum(masses * costs, axis=1)
            spread = np.maximum(np.sum(masses * costs**2, axis=1) - mean**2, 0)
            variance += spread * (1 / count + people)
            node = np.sum(any_trial < rng.random((len(draws), 1)), axis=1)
            weight = np.minimum(rng.exponential(1 / count, len(draws)), 1.0)
            total += mean + weight * (costs[draws, node] - mean)
        return np.asarray(total + np.sqrt(variance) * rng.standard_normal(len(draws)))

    def estimate(self, values: Floats, *, favoured: bool = True) -> Estimate:
        """The mean of numbers, one a draw; the interval of 95 % favours no hypothesis."""
        values = np.clip(values, -LARGEST, LARGEST)
        mean = float((self.importance if favoured else self.neutral) @ values)
        low, high = np.quantile(
            values, (0.025, 0.975), weights=self.neutral, method="inverted_cdf"
        ).tolist()
        return Estimate(mean, min(low, mean), max(high, mean))


def expected_cllr(masses: Masses, llrs: Floats) -> float:
    """Of LLRs at nodes where both classes have masses, in bits."""
    tar, non = (side / side.sum() for side in masses)
    return float((np.logaddexp(0, -llrs) @ tar + np.logaddexp(0, llrs) @ non) / _BITS)


def _drawn(found: tuple[Hypothesis, ...], weights: Floats) -> tuple[Floats, Floats]:
    """Moves drawn from their posterior, always the same, and the numbers of their hypotheses."""
    rng = np.random.default_rng(0)
    shares = np.where(weights > _UNLIKELY, weights, 0.0)
    up_to = np.floor(np.cumsum(shares) / shares.sum() * _DRAWS + 0.5).astype(int)
    counts = np.diff(up_to, prepend=0)
    rows = [each.draws(int(count), rng) for each, count in zip(found, counts, strict=True)]
    return np.concatenate(rows), np.repeat(np.arange(len(found)), counts)


def _nodes(data: Evidence, moves: Floats) -> Floats:
    """Even in the ranks, and in their log odds, of both classes as they were and after moves."""
    ranks = even_ranks(_FURTHEST_RANK, 1 - _FURTHEST_RANK, _NODES)
    at = [data.pool.values]
    trained = (data.classes.tar, data.classes.non)
    for side, place in zip(trained, data.classes.places(moves[None]), strict=True):
        still = side.quantiles(ranks)
        at += [still, place.location + np.exp(place.log_scale) * (still - side.location)]
    return np.unique(np.concatenate(at))


def _masses_of(pool: Cells, edges: Floats) -> Floats:
    """The masses of unlabelled scores between edges, each spread towards its neighbours."""
    values, counts = pool.values, pool.counts
    places = np.concatenate([2 * values[:1] - values[1:2], values, 2 * values[-1:] - values[-2:-1]])
    up_to = np.concatenate([[0], np.cumsum(counts) - 0.5 * counts, [pool.count]])
    return np.diff(np.interp(edges, places, up_to / pool.count), prepend=0.0, append=1.0)
