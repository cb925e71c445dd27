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
are those that are best at alpha. If there are so many trials of both classes that variances are
found from samples of both, weights are certain at any alpha, and c stays zero.

Intervals of weights are by Huber's sandwich, with trials that share speakers counted together. The
weights are where the pulls of all trials cancel. So their covariance is that of the sum of the
pulls, between two inverses of the curvature. Where the prior is around other weights, these move
with the trials as well, and pull. If trials are independent only where no speaker is in both, the
covariance of the sum is that of :mod:`llrcal.calibrations.dependence`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import comb

import numpy as np
from scipy.special import softmax, stdtrit

from llrcal.arrays import Array, Bools, Floats
from llrcal.densities.density import Evaluated
from llrcal.fitting.logistic import effective_sample_size, log_odds
from llrcal.fitting.optimizer import Function, Solution, minimise
from llrcal.fusion.passes import Both, Pass, Summing, Trials, sums_in_memory
from llrcal.fusion.terms import Terms
from llrcal.inputs.beside_scores import numbered
from llrcal.scoring_rule import logistic_terms

_SIZE = 2.0  # of all weights together, before any trial is seen: the mean of their deviation
_DEVIATIONS = _SIZE / 3 * np.exp(0.6 * np.arange(-7, 5))  # of a weight: those looked at
_LEAST = 1e-6  # variance
_STEEP = 4  # how steeply a variance falls where its weight may well be zero
_DECREASE = 5e-7  # nats that a step may still promise: 1e-3 deviations of the posterior away
_RADIUS = 10.0  # weights of standardised columns are rarely larger
_SLOPE = 1e-6  # where a step promises 5e-13; steps beyond it are for the last digits only
_ROUNDING = 1e-9  # of log-odds
_GRADIENT = 1e-8  # of the mean cost of a trial
_SMALL = 0.25  # share of the gradient that may bend on the way
LEVEL = 0.95
THE_SAME = 0.99999
"""The correlation of columns that share one weight."""
_MOST = 0.5  # of the curvature that the trials of one speaker may have to themselves


@dataclass(frozen=True)
class Cost:
    """The criterion, over trials wherever they are: each call is a pass."""

    terms: Terms
    sums: Summing
    sample: Both
    counts: tuple[int, int]
    """How many targets and non-targets there are."""
    alpha: float
    prior: Prior | None = None

    @classmethod
    def of(cls, trials: Trials, systems: int, alpha: float, terms: Terms | None = None) -> Cost:
        """The criterion of trials with scores of so many systems; their terms may be known."""
        tar, non = trials.looks
        some, counts = (tar.sample(), non.sample()), (tar.count, non.count)
        if terms is None:
            low, high = np.minimum(tar.lowest, non.lowest), np.maximum(tar.highest, non.highest)
            terms = Terms.of(some, low, high, max(counts), systems)
        return cls(terms, trials.sums, some, counts, alpha)

    def on(self, trials: Both) -> Cost:
        """The same criterion on some trials, such as the sample."""
        counts = len(trials[0]), len(trials[1])
        return replace(self, sums=partial(sums_in_memory, trials), counts=counts)

    @property
    def effective_sample_size(self) -> float:
        """How many trials those of both classes are worth together."""
        return float(effective_sample_size(self.alpha, *self.counts))

    @property
    def share(self) -> float:
        """The share of the targets among the trials."""
        return self.counts[0] / sum(self.counts)

    def __call__(self, weights: Floats) -> Evaluated:
        """Value, gradient and Hessian, to the same bits for trials in any order and division."""
        works = self._passes(weights)
        of_tar, of_non = map(Pass.derivatives, works, self.sums(*works))
        size = self.effective_sample_size
        in_tar, in_non = size * self.alpha, size * (1 - self.alpha)
        found = Evaluated(
            in_tar * of_tar.value + in_non * of_non.value,
            in_non * of_non.gradient - in_tar * of_tar.gradient,
            in_tar * of_tar.hessian + in_non * of_non.hessian,
        )
        return found if self.prior is None else self.prior.added_to(found, weights)

    def is_separable(self, weights: Floats) -> bool:
        """Whether every target has a higher LLR than every non-target."""
        for sums in (self.on(self.sample).sums, self.sums):  # most sets overlap in any sample
            tar, non = sums(*self._passes(weights))
            if non.greatest >= -tar.greatest:
                return False
        return True

    def pulls(self, weights: Floats, trials: Both) -> Iterator[Floats]:
        """What each of some trials adds to the gradient, less the mean of its class.

        There is one column for each trial, and one array for each class.
        """
        signed = -self.alpha, 1 - self.alpha
        for side, work, share in zip(trials, self._passes(weights), signed, strict=True):
            rows = self.terms.rows(side)
            slope = logistic_terms(work.weights @ rows)[1]
            scale = self.effective_sample_size * share / len(side)
            pull = scale * self.terms.bounds[:, None] * rows * slope
            yield pull - pull.mean(axis=1, keepdims=True)

    def _passes(self, weights: Floats) -> tuple[Pass, Pass]:
        """What to add up for targets, whose log-odds are negated, and for non-targets."""
        weights = weights.copy()
        weights[-1] += log_odds(self.alpha)
        weights *= self.terms.bounds
        return Pass(self.terms, -weights), Pass(self.terms, weights)


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


def _foreseeing(cost: Cost, sample: Cost) -> Function:
    """A criterion whose gradient foresees how it bends along a Newton step, as it does on a sample.

    That takes no pass over all trials, and saves one: the error of a step becomes that of its
    square on the sample, rather than the square itself. At the minimum, nothing bends.
    """

    def foreseen(weights: Floats) -> Evaluated:
        here = cost(weights)
        step = -np.linalg.solve(here.hessian, here.gradient)
        now, ahead = sample(weights), sample(weights + step)
        bent = ahead.gradient - now.gradient - now.hessian @ step
        bent *= cost.effective_sample_size / sample.effective_sample_size
        if np.abs(bent).max() > _SMALL * np.abs(here.gradient).max():
            return here  # this is too far away
        return Evaluated(here.value, here.gradient + bent, here.hessian)

    return foreseen


def regression(cost: Cost, centre: Floats | None = None) -> Regression:
    """The weights, and the variances of their prior, which is around zero or around others."""
    thinned, share = cost.on(cost.sample), cost.share
    few = thinned.counts == cost.counts
    usual, at_share = at_share_of_targets(cost, centre)
    prior = at_share
    if abs(log_odds(cost.alpha) - log_odds(share)) <= _ROUNDING:
        start = usual.point
    elif any(some == every for some, every in zip(thinned.counts, cost.counts, strict=True)):
        centre = usual.point if few else _stepped(replace(cost, alpha=share), usual.point, prior)
        found, prior = _by_evidence(thinned, centre, (slice(None),))
        start = found.point
    else:
        start = _minimum(thinned, usual.point, prior).point
    if few:
        solution = _minimum(cost, start, prior, enough=0.0)
    else:
        # Each step takes a pass over all trials, and the first starts from where a sample ended.
        # The curvature of a mean cost is at most a quarter, so that its gradient is below a limit.
        least = min(_DECREASE, 2 * cost.effective_sample_size * _GRADIENT**2)
        function = _foreseeing(replace(cost, prior=prior), thinned)
        solution = minimise(function, start, enough=least, radius=_RADIUS)
    return Regression(solution, at_share, None if prior is at_share else prior)


def at_share_of_targets(cost: Cost, centre: Floats | None = None) -> tuple[Solution, Prior]:
    """Weights for a sample of the trials at the share of the targets, where all count alike.

    The height has a prior only if that is around other weights than zero.
    """
    groups = cost.terms.groups
    if centre is None:
        centre = np.zeros(cost.terms.count)
    else:
        groups = *groups[:-1], slice(groups[-1].start, None)
    return _by_evidence(replace(cost.on(cost.sample), alpha=cost.share), centre, groups)


def _stepped(cost: Cost, point: Floats, prior: Prior) -> Floats:
    """Weights after one step of Newton's, which is enough from where a sample ended."""
    here = replace(cost, prior=prior)(point)
    return np.asarray(point - np.linalg.solve(here.hessian, here.gradient))


def _by_evidence(cost: Cost, centre: Floats, groups: Sequence[slice]) -> tuple[Solution, Prior]:
    """Weights with a prior around others; in each group, as many of them move as the trials show.

    Where all weights move, the likelihood is close to a Gaussian, which answers for all subsets.
    """
    says = cost.terms.per_unit != 0
    precision, found = np.tile(np.where(says, 0.0, 1.0), (2, 1))  # for weights of no group
    sizes = [_SIZE / 2 if any(centre) else _SIZE, _SIZE / 2]  # corrections are smaller
    members = [np.arange(len(centre))[group][says[group]] for group in groups]
    for group, size in zip(members, sizes, strict=False):
        precision[group] = len(group) / size**2
    moving = _minimum(cost, centre, Prior(centre, precision))
    covariance, away = np.linalg.inv(moving.hessian), moving.point - centre
    for group, size in zip(members, sizes, strict=False):
        inverse = np.linalg.inv(covariance[np.ix_(group, group)])
        information = inverse - np.diag(precision[group])
        found[group] = 1 / _variances(information, inverse @ away[group], size)
    prior = Prior(centre, found)
    return _minimum(cost, moving.point, prior, enough=0.0), prior


def _variances(information: Floats, pull: Floats, size: float) -> Floats:
    """Prior variances of weights whose log-likelihood is ``pull @ w - w @ information @ w / 2``.

    Subsets of them are none, each, each pair with the best one, and so on; all others are zero.
    Deviations are averages over subsets by evidence. Averages alone leave noise too much weight,
    so that the variance falls steeply where a weight is likely to be zero. Columns that are the
    same share it.
    """
    each, best = np.eye(len(pull), dtype=bool), np.zeros(len(pull), bool)
    subsets, evidences = [best], [_log_evidence(information, pull, best, size)]
    while not best.all():
        longer = best | each[~best]
        found = [_log_evidence(information, pull, subset, size) for subset in longer]
        best = longer[np.argmax(np.logaddexp.reduce(found, axis=1))]
        subsets.extend(longer)
        evidences.extend(found)
    shares, is_in = softmax(evidences), np.array(subsets)
    share = np.maximum(shares.sum(axis=1) @ is_in, _LEAST)
    deviation = shares @ _DEVIATIONS @ is_in / share
    kept = 1 / (1 + (1 / share - 1) ** _STEEP)
    variances = np.maximum(kept * deviation**2, _LEAST)
    widths = np.sqrt(np.maximum(np.diag(information), _LEAST))
    same = each | (np.abs(information) > THE_SAME * np.outer(widths, widths))
    return np.asarray(same @ variances / same.sum(axis=1))


def _log_evidence(information: Floats, pull: Floats, subset: Bools, size: float) -> Floats:
    """The log evidence of each deviation of some of the weights, with its prior."""
    bend, axes = np.linalg.eigh(information[np.ix_(subset, subset)])
    squares, count = _DEVIATIONS[:, None] ** 2, int(subset.sum())
    wider = 1 + squares * np.maximum(bend, 0.0)
    twice = (squares * (pull[subset] @ axes) ** 2 / wider - np.log(wider)).sum(axis=1)
    relative = _DEVIATIONS * np.sqrt(count or 1) / size
    return np.asarray(twice / 2 + np.log(relative / comb(len(pull), count)) - relative)


def _minimum(cost: Cost, start: Floats, prior: Prior, *, enough: float = _DECREASE) -> Solution:
    whole = replace(cost, prior=prior)
    return minimise(whole, start, tolerance=_SLOPE, enough=enough, radius=_RADIUS)


def margins(
    cost: Cost, found: Regression, trials: Both | None = None, speakers: Both | None = None
) -> tuple[tuple[float, ...], str]:
    """Half the width of the interval of each weight, and of the height, which is the last.

    Also what was taken to be independent: each ``"trial"``, or each ``"speaker"``, if all trials
    are given with their speakers. Without these, a sample of the trials is enough.
    """
    some, narrow = trials or cost.sample, found.at_share.precision
    wide = np.minimum(narrow, len(narrow))  # however likely a weight is zero, it may not be
    pulls, hessian = list(cost.pulls(found.solution.point, some)), found.solution.hessian
    inverse = sure = np.linalg.inv(hessian if found.prior else hessian + np.diag(wide - narrow))
    if found.prior is not None:
        usual, centre = replace(cost, alpha=cost.share), found.prior.centre
        part = usual.on(some)
        curvature = part(centre).hessian * usual.effective_sample_size / part.effective_sample_size
        sure = np.linalg.inv(curvature + np.diag(wide))
        moved = found.prior.precision[:, None] * sure
        of_centre = usual.pulls(centre, some)
        pulls = [one + moved @ other for one, other in zip(pulls, of_centre, strict=True)]
    alone = np.zeros_like(inverse)
    for away, size in zip(pulls, cost.counts, strict=True):
        # A sample of a class has all of its weight.
        alone += away @ away.T * (away.shape[1] / max(size - 1, 1))
    # Where the prior matters, the sandwich is too thin: it does not know how far off the prior is.
    variances = np.maximum((inverse @ alone @ inverse).diagonal(), sure.diagonal())
    few, by = min(cost.counts), "trial"
    if speakers is not None:
        ids, count = numbered(*speakers)
        if count > 1:
            together = _by_speaker(pulls, ids, count, alone) * (count / (count - 1))
            variances = np.maximum(variances, (inverse @ together @ inverse).diagonal())
            few, by = count, "speaker"
    quantile = -float(stdtrit(max(few - 1, 1), (1 - LEVEL) / 2))
    return tuple((quantile * np.sqrt(np.maximum(variances, 0.0))).tolist()), by


def _by_speaker(classes: list[Floats], speakers: list[Array], count: int, alone: Floats) -> Floats:
    """The covariance of a sum over trials, where those that share a speaker are dependent.

    Weights follow the trials of each speaker, so that pulls look smaller than they are. Without
    the trials of a speaker, the weights would move by their pull over the share of the curvature
    that is left, as in the jackknife.
    """
    size, inverse = len(alone), np.linalg.pinv(alone, hermitian=True) / len(alone)
    sums, pairs = np.zeros((size + 1, count)), np.zeros((size, size))
    for pulls, who in zip(classes, speakers, strict=True):
        low, high = np.sort(who, axis=1).T.astype(np.int64)
        two = low != high
        # The last row is the share of the curvature.
        rows = np.vstack([pulls, (pulls * (inverse @ pulls)).sum(axis=0)])
        sums += _sums(rows, low, count) + _sums(rows[:, two], high[two], count)
        _, pair = np.unique(low[two] * count + high[two], return_inverse=True)
        of_pairs = _sums(pulls[:, two], pair, len(pair))
        pairs += of_pairs @ of_pairs.T
    moved = sums[:-1] / (1 - np.minimum(sums[-1], _MOST))
    return np.asarray(moved @ moved.T - pairs)


def _sums(rows: Floats, group: Array, groups: int) -> Floats:
    """Sums over the columns of each group."""
    return np.array([np.bincount(group, row, groups) for row in rows])
