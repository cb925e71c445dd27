"""A rising spline through labelled scores, averaged over how stiff it may be.

For a given stiffness, the parameters minimise

    - log-likelihood of the labels + stiffness / 2 * sum (step in log slope)^2 / (step in rank),

a penalised logistic regression at the prior odds of the training set. The logarithms of the slopes
are a random walk along the scale of ranks. As the stiffness grows, the spline becomes a straight
line. Two things keep the answer within what the trials can tell: half a target is spread over the
non-target scores, and half a non-target over the target scores; and the mean log slope has a wide
Gaussian prior, centred where the spline rises as fast as the scale of ranks does.

Nobody knows the stiffness. So splines of several are averaged, each weighted by its evidence: the
probability of the labels, integrated over the parameters by Laplace's method. A priori, the line is
straight with probability 1/4; otherwise the decimal logarithm of the stiffness is Gaussian.

Three things are uncertain about the spline of one stiffness:

- its mean log slope, which is Gaussian a posteriori: values further out are more uncertain, and
  more so outwards than inwards. What the spread trials hold back counts outwards, too: they keep
  slopes finite, but nobody observed them;
- the rest of it, whose variance follows from the posterior. A straight line needs less, since the
  numbers of targets and non-targets are given and not drawn (Prentice and Pyke, *Biometrika* 66,
  1979). The more pliable a spline, the more of that is left, for what it gets wrong of the shape;
- beyond the outermost knots, the random walk of the log slope, which goes on.

An average of estimates that vary together deviates as the mean of their deviations, each of which
includes its distance from the average (Buckland, Burnham and Augustin, *Biometrics* 53, 1997).
Constants were chosen on simulated scores, of which docs/smooth.md tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from llrcal.arrays import Floats
from llrcal.densities.density import Evaluated
from llrcal.fitting.optimizer import Solution, minimise
from llrcal.fitting.rising_spline import Knots, Rises
from llrcal.onepass.rank_scale import LabelledCells
from llrcal.scoring_rule import logistic_terms

_STRAIGHT = 6.0  # decimal logarithm of a stiffness at which no bend is left
_STIFFNESS = np.array([_STRAIGHT, 3.0, 2.0, 1.0, 0.0])
_BENT = np.exp(-0.5 * ((_STIFFNESS[1:] - 1.5) / 0.7) ** 2)
_LOG_PRIOR = np.log([0.25, *(0.75 * _BENT / _BENT.sum())])
_SPREAD_TRIALS = 0.5  # of either class, spread over the scores of the other
_LEVEL_DEVIATION = 3.0  # of the mean log slope, a priori
# A slope of 1e-6 promises a decrease of 5e-13 nats; steps beyond it are for the last digits only.
_SLOPE = 1e-6
_STEPS = 2000  # of 10^12 trials, whose valley is long and narrow, some hundred are needed
# Of intervals, chosen on simulated scores:
_HELD_BACK = 2.0  # times what the spread trials do to first order
_SHARPER = 3.0  # power of the weights, else intervals of straight lines are too wide
_HALF_STRAIGHT = 100.0  # the stiffness at which a spline counts as half a line, half a curve
_WIDTHS = (0.95, 0.9)  # factors of the distances, of a curve and of a line
_MOST = 20.0  # steps of a logarithm: more than any trials can tell


@dataclass(frozen=True)
class Averaged:
    """The average spline: its value at the first knot, and its slopes at all knots."""

    knots: Knots
    first: float
    slopes: Floats
    parts: tuple[Part, ...]
    cost: float
    """Mean cost of the labels per trial, in nats."""

    odds_variance: float
    """Of the log-odds of the labels: log-likelihood-ratios are given the number of either class."""

    def covariance(self, scores: Floats) -> Floats:
        """Of the log-odds at some scores, a posteriori."""
        basis = self.knots.basis(scores)
        weights = np.array([part.weight for part in self.parts])
        means = np.array([part.values(basis) for part in self.parts])
        within = [_between(part.jacobian(basis).T, part.covariance) for part in self.parts]
        away = means - (weights[:, None] * means).sum(axis=0)
        between = np.einsum("pk,pl->kl", weights[:, None] * away, away)
        return np.asarray((weights[:, None, None] * within).sum(axis=0) + between)


@dataclass(frozen=True)
class Part:
    """The spline of one stiffness, and its share of the average."""

    stiffness: float
    weight: float
    solution: Solution
    first: float
    slopes: Floats
    covariance: Floats
    """Of the first value and the logarithms of the slopes, a posteriori, by Laplace's method."""
    level_deviation: float
    """Of the mean of the log slopes, a posteriori."""
    level_effect: Floats
    """By how much the first value and the log slopes are expected to rise if it rises by one."""
    level_pull: float
    """By how much the spread trials lower it, to first order."""

    def values(self, basis: Floats) -> Floats:
        """At some scores."""
        return np.asarray(self.first + (basis * self.slopes).sum(axis=1))

    def jacobian(self, basis: Floats) -> Floats:
        """Derivatives of the values by the first value and the logarithms of the slopes."""
        return np.column_stack([np.ones(len(basis)), basis * self.slopes])


def averaged_spline(
    cells: LabelledCells, knots: Floats, ranks: Floats, expected: Floats | None = None
) -> Averaged:
    """The average over stiffnesses of splines with given knots, which have given ranks.

    Beside the trials of the cells, some may be expected there: so many targets and non-targets.
    """
    problem = _Problem(cells, Knots(knots), ranks, expected)
    solutions, point = [], problem.start
    for stiffness in 10**_STIFFNESS:  # from the straight line to the most pliable spline
        function = partial(problem.penalised, stiffness=stiffness)
        solutions.append(minimise(function, point, tolerance=_SLOPE, max_iterations=_STEPS))
        point = solutions[-1].point
    evidence = _LOG_PRIOR + list(map(_log_evidence, _STIFFNESS, solutions))
    weights = np.exp(evidence - evidence.max())
    weights /= weights.sum()
    parts = tuple(map(problem.part, 10**_STIFFNESS, weights.tolist(), solutions))
    first = sum(part.weight * part.first for part in parts)
    slopes = np.asarray(sum(part.weight * part.slopes for part in parts))
    cost = problem.mean_cost(first, slopes)
    return Averaged(problem.knots, float(first), slopes, parts, cost, problem.odds_variance)


def _log_evidence(log_stiffness: float, solution: Solution) -> float:
    """Log probability of the labels, up to a constant, by Laplace's method.

    Nothing speaks for a spline whose search did not end in a minimum.
    """
    if not solution.positive_definite:
        return -np.inf
    steps, volume = len(solution.point) - 2, np.linalg.slogdet(solution.hessian)[1]
    return float(0.5 * (steps * np.log(10) * log_stiffness - volume) - solution.value)


class _Problem:
    """The penalised regression at any stiffness.

    Its coordinates are the value at the first knot, the mean log slope, and the steps of log slope,
    each over the root of the step in rank: in these, both penalties are sums of squares.
    """

    def __init__(
        self, cells: LabelledCells, knots: Knots, ranks: Floats, expected: Floats | None
    ) -> None:
        self.knots = knots
        self._rises = Rises(knots, np.concatenate([cells.tar_scores, cells.non_scores]))
        # Of each score, how many targets and how many non-targets there are.
        tar, non = cells.tar_counts, cells.non_counts
        counts = np.array([np.append(tar, 0 * non), np.append(0 * tar, non)])[:, self._rises.order]
        totals = counts.sum(axis=1)
        self._prior_log_odds = float(np.log(totals[0]) - np.log(totals[1]))
        self.odds_variance = float((1 / (totals + _SPREAD_TRIALS)).sum())
        self._spread = counts[::-1] * (_SPREAD_TRIALS / totals[::-1, None])
        self._seen = self._trials = counts + self._spread
        if expected is not None:
            self._trials = self._seen + expected[:, self._rises.order]
        self._turned = _from_steps(np.diff(ranks))
        self._level = float(np.log(ranks[-1] - ranks[0]) - np.log(knots.range))
        self.start = np.zeros(len(ranks) + 1)  # a line that rises as the ranks do
        self.start[0] = ranks[0]

    def part(self, stiffness: float, weight: float, solution: Solution) -> Part:
        parameters = self._first_and_log_slopes(solution.point)
        inverse = np.asarray(np.linalg.inv(solution.hessian))
        with_level = (self._turned * inverse[1]).sum(axis=1)
        pull = self._cost(parameters, self._spread).gradient
        return Part(
            float(stiffness),
            weight,
            solution,
            first=float(parameters[0]),
            slopes=np.exp(parameters[1:]),
            covariance=_between(self._turned.T, inverse),
            level_deviation=float(np.sqrt(inverse[1, 1])),
            level_effect=with_level / inverse[1, 1],
            level_pull=float((with_level * pull).sum()),
        )

    def penalised(self, point: Floats, stiffness: float) -> Evaluated:
        """Cost of the labels and of the penalties, in the coordinates of the problem."""
        value, gradient, hessian = self._cost(self._first_and_log_slopes(point), self._trials)
        weights = np.full(len(point), stiffness)
        weights[:2] = 0.0, _LEVEL_DEVIATION**-2
        return Evaluated(
            value + 0.5 * float((weights * point * point).sum()),
            (self._turned * gradient[:, None]).sum(axis=0) + weights * point,
            _between(self._turned, hessian) + np.diag(weights),
        )

    def _first_and_log_slopes(self, point: Floats) -> Floats:
        out = (self._turned * point).sum(axis=1)
        out[1:] += self._level
        return np.asarray(out)

    def _cost(self, point: Floats, trials: Floats) -> Evaluated:
        """Cost of the labels of trials as a function of the first value and the log slopes."""
        slopes = np.exp(point[1:]) * self._rises.unit
        x = self._rises.values(point[0], slopes) + self._prior_log_odds
        log, p, bend = logistic_terms(x)
        tar, non = trials
        both = tar + non
        value = (tar * np.maximum(-x, 0) + non * np.maximum(x, 0) + both * log).sum()
        unit = np.concatenate([[1.0], slopes])
        gradient = unit * self._rises.sum(both * p - tar)
        hessian = unit[:, None] * self._rises.squares(both * bend) * unit
        np.einsum("ii->i", hessian)[1:] += gradient[1:]  # e^g is its own second derivative
        return Evaluated(float(value), gradient, hessian)

    def mean_cost(self, first: float, slopes: Floats) -> float:
        """Cost of the labels per trial."""
        point = np.concatenate([[first], np.log(slopes)])
        return self._cost(point, self._seen).value / float(self._seen.sum())


def _from_steps(rank_steps: Floats) -> Floats:
    """The matrix from first value, mean and scaled steps to first value and log slopes."""
    size = len(rank_steps) + 1
    steps = np.tri(size, size - 1, -1) * np.sqrt(rank_steps)
    out = np.zeros((size + 1, size + 1))
    out[0, 0] = 1.0
    out[1:, 1] = 1.0
    out[1:, 2:] = steps - steps.mean(axis=0)
    return out


def _between(turned: Floats, form: Floats) -> Floats:
    """A quadratic form in other coordinates."""
    return np.asarray(np.einsum("ki,kj->ij", turned, np.einsum("kl,lj->kj", form, turned)))


def distances_of_ends(average: Averaged, scores: Floats, *, times: float) -> tuple[Floats, Floats]:
    """How far below and above the values the ends of their intervals lie.

    The intervals are as probable as ``times`` standard deviations around the mean of a Gaussian.
    """
    mean = average.first + (average.knots.basis(scores) * average.slopes).sum(axis=1)
    weights = np.array([part.weight for part in average.parts]) ** _SHARPER
    ends = [_ends(average, part, scores, mean, times) for part in average.parts]
    below, above = (weights[:, None, None] * ends).sum(axis=0) / weights.sum()
    return below, above


def _ends(average: Averaged, part: Part, scores: Floats, mean: Floats, times: float) -> Floats:
    """How far one spline allows the mean to be off, downwards and upwards."""
    at = average.knots.at
    basis = average.knots.basis(scores)
    values, jacobian = part.values(basis), part.jacobian(basis)
    straight = part.stiffness / (part.stiffness + _HALF_STRAIGHT)
    by_level = (jacobian * part.level_effect).sum(axis=1)
    variance = np.einsum("ki,ij,kj->k", jacobian, part.covariance, jacobian)
    variance -= (by_level * part.level_deviation) ** 2 + straight * average.odds_variance
    even = times**2 * (np.maximum(variance, 0) + (values - mean) ** 2)
    level = times * part.level_deviation
    held_back = _HELD_BACK * max(part.level_pull, 0.0)
    of_level = _scaled(by_level, inwards=level, outwards=level + held_back)
    walk = times / np.sqrt(part.stiffness)
    beyond = values - part.values(average.knots.basis(np.clip(scores, at[0], at[-1])))
    of_walk = _scaled(beyond, inwards=walk, outwards=walk)
    width = (1 - straight) * _WIDTHS[0] + straight * _WIDTHS[1]
    return np.asarray(width * np.sqrt(even + of_level**2 + of_walk**2))


def _scaled(rise: Floats, *, inwards: float, outwards: float) -> Floats:
    """How far a rise moves downwards and upwards if its logarithm falls or rises by so much."""
    less = rise * np.expm1(-min(inwards, _MOST))
    more = rise * np.expm1(min(outwards, _MOST))
    return np.array([-np.minimum(less, more), np.maximum(less, more)])
