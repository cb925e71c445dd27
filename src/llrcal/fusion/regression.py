"""Weights by prior-weighted logistic regression, with a Gaussian prior found by evidence.

The weights w of the terms, and the height of the LLR where all terms are zero, minimise

    n (alpha/T sum_tar log(1 + e^-x) + (1 - alpha)/N sum_non log(1 + e^x)) + |w - c|²/(2 v),

where x = LLR + logit alpha, and n is the effective number of trials
(:func:`llrcal.fitting.logistic.effective_sample_size`): then the inverse curvature is roughly the
covariance of the weights, if trials are independent. Weights have Gaussian priors, whose variances
v are found by evidence, by Laplace's approximation (MacKay, *Neural Computation* 4, 1992): that of
a system is small unless the trials show that its weight is not zero. Few trials are often separable
by chance, which says no more than that variances are large, so that their roots have a prior
themselves: an exponential. With longer tails, such as Cauchy's, weights of few trials are so large
that LLRs are decisions (docs/studies/fusion.md).

The centre c of the prior is zero where alpha is the share of the targets, T / (T + N): all that the
trials say is then in use. Side information has a variance of its own, and the height none. At any
other alpha most trials of one class hardly count, and weights are less certain than they need to
be. So c are the weights at the share of the targets, the height among them. If one line is right
for all trials, v is found to be small, and these are the weights; if not, it is large, and weights
are those that are best at alpha.

Intervals of weights are by Huber's sandwich, with trials that share speakers counted together. The
weights are where the gradients of all trials cancel. So their covariance is that of the sum of the
gradients, between two inverses of the curvature. Where the prior is around other weights, these
move with the trials as well. If trials are independent only where no speaker is in both, the
covariance of the sum is that of :mod:`llrcal.calibrations.dependence`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb

import numpy as np
from scipy.special import softmax, stdtrit

from llrcal.arrays import Array, Bools, Floats
from llrcal.densities.density import Evaluated
from llrcal.fitting.logistic import effective_sample_size, log_odds
from llrcal.fitting.optimizer import Solution, minimise
from llrcal.fusion.terms import Terms
from llrcal.inputs.beside_scores import numbered
from llrcal.scoring_rule import rule_terms

Both = tuple[Array, Array]
"""Of the targets and of the non-targets."""
_SIZE = 2.0  # of all weights together, before any trial is seen: the mean of their deviation
_DEVIATIONS = _SIZE / 3 * np.exp(0.6 * np.arange(-7, 5))  # of a weight: those looked at
_LEAST = 1e-6  # variance
_STEEP = 4  # how steeply a variance falls where its weight may well be zero
_DECREASE = 5e-7  # nats that a step may still promise: 1e-3 deviations of the posterior away
_RADIUS = 10.0  # weights of standardised columns are rarely larger
_SLOPE = 1e-6  # where a step promises 5e-13; steps beyond it are for the last digits only
_ROUNDING = 1e-9  # of log-odds
LEVEL = 0.95
THE_SAME = 0.99999
"""The correlation of columns that share one weight."""
_MOST = 0.5  # of the curvature that the trials of one speaker may have to themselves


@dataclass(frozen=True)
class Cost:
    """The criterion, over trials of both classes."""

    terms: Terms
    rows: tuple[Floats, Floats]
    """A row for each term, and a column for each trial."""
    alpha: float
    prior: Prior | None = None

    @classmethod
    def of(cls, terms: Terms, trials: Both, alpha: float) -> Cost:
        """The criterion of trials x columns."""
        return cls(terms, (terms.rows(trials[0]), terms.rows(trials[1])), alpha)

    @property
    def counts(self) -> tuple[int, int]:
        """How many targets and non-targets there are."""
        return self.rows[0].shape[1], self.rows[1].shape[1]

    @property
    def effective_sample_size(self) -> float:
        """How many trials those of both classes are worth together."""
        return float(effective_sample_size(self.alpha, *self.counts))

    @property
    def share(self) -> float:
        """The share of the targets among the trials."""
        return self.counts[0] / sum(self.counts)

    def __call__(self, weights: Floats) -> Evaluated:
        """Value, gradient and Hessian."""
        value, gradient = 0.0, np.zeros(len(weights))
        hessian = np.zeros((len(weights), len(weights)))
        for rows, sign, scale in zip(self.rows, (-1, 1), self._scales, strict=True):
            costs, slopes, curvatures = rule_terms(sign * self.log_odds(weights, rows))
            value += scale * float(costs.sum())
            gradient += sign * scale * np.einsum("ij,j->i", rows, slopes)
            hessian += scale * _products(rows, curvatures)
        total = Evaluated(value, gradient, hessian)
        return total if self.prior is None else self.prior.added_to(total, weights)

    def log_odds(self, weights: Floats, rows: Floats) -> Floats:
        """LLRs of trials, plus the logit of alpha."""
        return np.asarray(np.einsum("i,ij->j", weights, rows) + log_odds(self.alpha))

    def is_separable(self, weights: Floats) -> bool:
        """Whether every target has a higher LLR than every non-target."""
        tar, non = (self.log_odds(weights, rows) for rows in self.rows)
        return bool(tar.min() > non.max())

    def gradients(self, weights: Floats, trials: tuple[Floats, Floats]) -> list[Floats]:
        """What each of some trials adds to the gradient, less the mean of its class.

        There is one column for each trial, and one array for each class. Those of a class add up to
        what all of its trials do.
        """
        out = []
        for all_rows, rows, sign, scale in zip(
            self.rows, trials, (-1, 1), self._scales, strict=True
        ):
            slope = rule_terms(sign * self.log_odds(weights, rows))[1]
            gradient = sign * scale * all_rows.shape[1] / rows.shape[1] * rows * slope
            out.append(gradient - gradient.mean(axis=1, keepdims=True))
        return out

    @property
    def _scales(self) -> tuple[float, float]:
        """What a target counts, and a non-target."""
        (tar, non), size = self.counts, self.effective_sample_size
        return size * self.alpha / tar, size * (1 - self.alpha) / non


def _products(rows: Floats, weights: Floats | float = 1.0) -> Floats:
    """Sums of the products of rows; BLAS would leave their order to its threads."""
    lower = np.zeros((len(rows), len(rows)))
    for place, row in enumerate(rows):
        lower[place, : place + 1] = np.einsum("j,kj->k", row * weights, rows[: place + 1])
    return np.asarray(lower + np.tril(lower, -1).T)


@dataclass(frozen=True)
class Prior:
    """Gaussian: where weights are expected, the height the last of them, and how surely."""

    centre: Floats
    precision: Floats
    """Zero for a weight that may be anything."""

    def added_to(self, cost: Evaluated, weights: Floats) -> Evaluated:
        """The whole criterion at some weights."""
        away = weights - self.centre
        return Evaluated(
            cost.value + 0.5 * float((self.precision * away * away).sum()),
            cost.gradient + self.precision * away,
            cost.hessian + np.diag(self.precision),
        )


@dataclass(frozen=True)
class Regression:
    """Weights, the height as the last of them, and how they were found."""

    solution: Solution
    at_share: Prior
    """The prior at the share of the targets."""
    prior: Prior | None
    """The prior around the weights at the share of the targets; None if these are the answer."""


def regression(cost: Cost, centre: Floats | None = None) -> Regression:
    """The weights, and the variances of their prior, which is around zero or around others."""
    usual, at_share = at_share_of_targets(cost, centre)
    if abs(log_odds(cost.alpha) - log_odds(cost.share)) <= _ROUNDING:
        return Regression(usual, at_share, None)
    solution, prior = _by_evidence(cost, usual.point, (slice(None),))
    return Regression(solution, at_share, prior)


def at_share_of_targets(cost: Cost, centre: Floats | None = None) -> tuple[Solution, Prior]:
    """Weights at the share of the targets, where all trials count alike.

    The height has a prior only if that is around other weights than zero.
    """
    groups = cost.terms.groups
    if centre is None:
        centre = np.zeros(cost.terms.count)
    else:
        groups = *groups[:-1], slice(groups[-1].start, None)
    return _by_evidence(replace(cost, alpha=cost.share), centre, groups)


def _by_evidence(cost: Cost, centre: Floats, groups: Sequence[slice]) -> tuple[Solution, Prior]:
    """Weights with a prior around others; in each group, as many of them move as the trials show.

    Where all weights move, the likelihood is close to a Gaussian, which answers for all subsets.
    """
    says = cost.terms.per_unit != 0
    flat, precision = np.tile(np.where(says, 0.0, 1.0), (2, 1))  # for weights of no group
    sizes = [_SIZE / 2 if any(centre) else _SIZE, _SIZE / 2]  # corrections are smaller
    members = [np.arange(len(centre))[group][says[group]] for group in groups]
    for group, size in zip(members, sizes, strict=False):
        flat[group] = len(group) / size**2
    moving = _minimum(cost, centre, Prior(centre, flat))
    covariance, away = np.linalg.inv(moving.hessian), moving.point - centre
    for group, size in zip(members, sizes, strict=False):
        inverse = np.linalg.inv(covariance[np.ix_(group, group)])
        information = inverse - np.diag(flat[group])
        precision[group] = 1 / _variances(information, inverse @ away[group], size)
    prior = Prior(centre, precision)
    return _minimum(cost, moving.point, prior, enough=0.0), prior


def _variances(information: Floats, gradient: Floats, size: float) -> Floats:
    """Prior variances of weights, given gradient and curvature of their log-likelihood at zero.

    Subsets of them are none, each, each pair with the best one, and so on; all others are zero.
    Deviations are averages over subsets by evidence. Averages alone leave noise too much weight,
    so that the variance falls steeply where a weight is likely to be zero. Columns that are the
    same share it.
    """
    each, best = np.eye(len(gradient), dtype=bool), np.zeros(len(gradient), bool)
    subsets, evidences = [best], [_log_evidence(information, gradient, best, size)]
    while not best.all():
        longer = best | each[~best]
        logs = [_log_evidence(information, gradient, subset, size) for subset in longer]
        best = longer[np.argmax(np.logaddexp.reduce(logs, axis=1))]
        subsets.extend(longer)
        evidences.extend(logs)
    shares, is_in = softmax(evidences), np.array(subsets)
    share = np.maximum(shares.sum(axis=1) @ is_in, _LEAST)
    deviation = shares @ _DEVIATIONS @ is_in / share
    kept = 1 / (1 + (1 / share - 1) ** _STEEP)
    variances = np.maximum(kept * deviation**2, _LEAST)
    widths = np.sqrt(np.maximum(np.diag(information), _LEAST))
    same = each | (np.abs(information) > THE_SAME * np.outer(widths, widths))
    return np.asarray(same @ variances / same.sum(axis=1))


def _log_evidence(information: Floats, gradient: Floats, subset: Bools, size: float) -> Floats:
    """The log evidence of each deviation of some of the weights, with its prior."""
    curvature, axes = np.linalg.eigh(information[np.ix_(subset, subset)])
    squares, count = _DEVIATIONS[:, None] ** 2, int(subset.sum())
    wider = 1 + squares * np.maximum(curvature, 0.0)
    twice = (squares * (gradient[subset] @ axes) ** 2 / wider - np.log(wider)).sum(axis=1)
    relative = _DEVIATIONS * np.sqrt(count or 1) / size
    return np.asarray(twice / 2 + np.log(relative / comb(len(gradient), count)) - relative)


def _minimum(cost: Cost, start: Floats, prior: Prior, *, enough: float = _DECREASE) -> Solution:
    whole = replace(cost, prior=prior)
    return minimise(whole, start, tolerance=_SLOPE, enough=enough, radius=_RADIUS)


def margins(
    cost: Cost,
    fit: Regression,
    trials: tuple[Floats, Floats] | None = None,
    speakers: Both | None = None,
) -> tuple[tuple[float, ...], str]:
    """Half the width of the interval of each weight, and of the height, which is the last.

    Also what was taken to be independent: each ``"trial"``, or each ``"speaker"``, if all trials
    are given, as rows, with their speakers.
    """
    some, narrow = trials or cost.rows, fit.at_share.precision
    wide = np.minimum(narrow, len(narrow))  # however likely a weight is zero, it may not be
    gradients, hessian = cost.gradients(fit.solution.point, some), fit.solution.hessian
    inverse = sure = np.linalg.inv(hessian if fit.prior else hessian + np.diag(wide - narrow))
    if fit.prior is not None:
        usual, centre = replace(cost, alpha=cost.share), fit.prior.centre
        sure = np.linalg.inv(usual(centre).hessian + np.diag(wide))
        moved = fit.prior.precision[:, None] * sure
        of_centre = usual.gradients(centre, some)
        gradients = [
            gradient + np.einsum("ij,jk->ik", moved, other)
            for gradient, other in zip(gradients, of_centre, strict=True)
        ]
    alone = np.zeros_like(inverse)
    for away, size in zip(gradients, cost.counts, strict=True):
        # However many there are, the weights were learned from so many.
        alone += _products(away) * (away.shape[1] / max(size - 1, 1))
    # Where the prior matters, the sandwich is too thin: it does not know how far off the prior is.
    variances = np.maximum((inverse @ alone @ inverse).diagonal(), sure.diagonal())
    few, by = min(cost.counts), "trial"
    if speakers is not None:
        ids, count = numbered(*speakers)
        if count > 1:
            together = _by_speaker(gradients, ids, count, alone) * (count / (count - 1))
            variances = np.maximum(variances, (inverse @ together @ inverse).diagonal())
            few, by = count, "speaker"
    quantile = -float(stdtrit(max(few - 1, 1), (1 - LEVEL) / 2))
    return tuple((quantile * np.sqrt(np.maximum(variances, 0.0))).tolist()), by


def _by_speaker(classes: list[Floats], speakers: list[Array], count: int, alone: Floats) -> Floats:
    """The covariance of a sum over trials, where those that share a speaker are dependent.

    Weights follow the trials of each speaker, so that gradients look smaller than they are. Without
    the trials of a speaker, weights would move by their gradient over the share of the curvature
    that is left, as in the jackknife.
    """
    size, inverse = len(alone), np.linalg.pinv(alone, hermitian=True) / len(alone)
    sums, pairs = np.zeros((size + 1, count)), np.zeros((size, size))
    for gradients, who in zip(classes, speakers, strict=True):
        low, high = np.sort(who, axis=1).T.astype(np.int64)
        two = low != high
        # The last row is the share of the curvature.
        shares = gradients * np.einsum("ij,jk->ik", inverse, gradients)
        rows = np.vstack([gradients, shares.sum(axis=0)])
        sums += _sums(rows, low, count) + _sums(rows[:, two], high[two], count)
        _, pair = np.unique(low[two] * count + high[two], return_inverse=True)
        of_pairs = _sums(gradients[:, two], pair, len(pair))
        pairs += _products(of_pairs)
    moved = sums[:-1] / (1 - np.minimum(sums[-1], _MOST))
    return _products(moved) - pairs


def _sums(rows: Floats, group: Array, groups: int) -> Floats:
    """Sums over the columns of each group."""
    return np.array([np.bincount(group, row, groups) for row in rows])
