"""Calibrations in the order of their errors, and how sure that order is.

Who is best is seen from the same numbers, so that comparing each with the best as if it had been
named beforehand would find differences too often: the least of ten equal numbers is always well
below their mean. All pairs are therefore looked at together. With d_ij the difference of two
calibrations, d*_ij the same in a drawn set, and s_ij the deviation of the latter, let q be the 95 %
quantile over the drawn sets of

    max over all pairs of |d*_ij - mean d*_ij| / s_ij.

A calibration is told from the best if it lies more than q sqrt(s_ij^2 + e_ij^2) above it. Here e_ij
is what one trial more of each class may add to the difference: of few trials, those that decide are
often missing, and then no drawn set has them either. However many calibrations are equal, and
whichever is taken for the best, a difference is seen between any two equal ones in at most 5 % of
test sets (Tukey's simultaneous intervals, with the bootstrap for his tables).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from llrcal.arrays import Floats
from llrcal.comparison.candidates import Candidate
from llrcal.errors import OptionError
from llrcal.evaluation import Evaluation, OperatingPoint
from llrcal.evaluation.bootstrap import Replicates
from llrcal.evaluation.evaluation import costs_apart
from llrcal.evaluation.intervals import centred_band, pairs
from llrcal.evaluation.measures import Interval
from llrcal.messages import Setting

CriterionName = Literal["points", "range", "cllr"]
CRITERIA: tuple[CriterionName, ...] = get_args(CriterionName)
CURVE = 501
"""Points over which the mean Bayes error is taken."""
LEAST_DRAWS = 19
"""With fewer drawn sets, none is more extreme than 95 % of them."""
_NARROWEST = 2.0  # range of prior log-odds: the mean over less is hardly more than a single point
# Where 30 errors of each kind are too much to ask: prior log-odds at which one error more adds 1/30
# to the Bayes error, but at least and at most these.
_ONE_ERROR, _NEAREST, _FURTHEST = 1 / 30, 1.0, 5.0
_LEVEL = 0.95
_ROUNDING = 1e-12  # differences that are none
# The drawn numbers that each criterion is the mean of, and those of the least possible.
_DRAWN = {
    "points": ("act_dcf", "min_dcf"),
    "range": ("mean_error", "least_mean_error"),
    "cllr": ("cllr", "min_cllr"),
}


@dataclass(frozen=True)
class Criterion:
    """A number of an evaluation, which is one for decisions by the prior alone. Less is better.

    ``points``
        Mean normalised Bayes error at the operating points.
    ``range``
        The same over a range of prior log-odds, which the test scores can tell something about.
    ``cllr``
        Cllr, in bits.
    """

    name: CriterionName
    points: tuple[OperatingPoint, ...]
    range: tuple[float, float]

    @classmethod
    def over_range(cls, raw: Evaluation) -> Criterion:
        """The range over which calibrations of some scores are judged: by the rule of 30.

        If that leaves too narrow a range, or none, it is as wide as the number of trials allows:
        up to where a single error counts for 1/30, but at least to -1 and 1, at most to -5 and 5.
        """
        low, high = raw.rule_of_30
        if not high - low >= _NARROWEST:  # or NaN
            low, high = -_reach(raw.non_count), _reach(raw.tar_count)
        return cls("range", (), (low, high))

    @property
    def words(self) -> str:
        """What it is, in words."""
        if self.name == "cllr":
            return "Cllr"
        if self.name == "range":
            low, high = self.range
            return f"mean Bayes error over prior log-odds {low:.1f} to {high:.1f}"
        *others, last = (point.name for point in self.points)
        return (
            f"mean Bayes error at {', '.join(others)} and {last}"
            if others
            else (f"Bayes error at {last}")
        )

    @property
    def priors(self) -> Floats:
        """Prior log-odds over which errors are averaged."""
        if self.name == "range":
            return np.linspace(*self.range, CURVE)
        return np.array([point.prior_log_odds for point in self.points])

    def value(self, evaluation: Evaluation) -> float:
        """What LLRs cost as they are."""
        if self.name == "cllr":
            return evaluation.cllr
        return float(np.mean(evaluation.bayes_error(self.priors)))

    def least(self, raw: Evaluation) -> float:
        """What the best rising calibration of some scores would cost."""
        if self.name == "cllr":
            return raw.min_cllr
        return float(np.mean(raw.min_bayes_error(self.priors)))

    def drawn(self, replicates: Replicates, *, least: bool = False) -> Floats:
        """The value, or the least possible value, in every drawn set."""
        return np.asarray(replicates.drawn[_DRAWN[self.name][least]].mean(axis=1))

    def cost_of_one_trial(self, one: Evaluation, other: Evaluation) -> float:
        """What one trial more of each class may add to a difference.

        No drawn set knows of trials that were not seen. For Bayes errors, each trial is an error of
        one of the two. For Cllr, it is like any of the test trials, whatever their labels: among
        twenty targets there may be none that scores as most non-targets do, but the next may.
        """
        if self.name == "cllr":
            target, non_target = costs_apart(one, other)
        else:
            target, non_target = (
                float(np.exp(np.maximum(sign * self.priors, 0)).mean()) for sign in (1, -1)
            )
        return math.hypot(target / one.tar_count, non_target / one.non_count)


def _reach(count: int) -> float:
    """Prior log-odds, of either sign, up to which an error of so many trials counts for little."""
    return min(max(math.log(_ONE_ERROR * count), _NEAREST), _FURTHEST)


def criterion_name(name: str | None, *, asked_for_points: bool) -> CriterionName:
    """The criterion of this name; without one, that which goes with what was asked for."""
    if name is None:
        return "points" if asked_for_points else "range"
    if name == "points" and not asked_for_points:
        raise OptionError(
            "the criterion is the error at operating points, but none was asked for: give some (",
            Setting("points"),
            ")",
        )
    for known in CRITERIA:
        if name == known:
            return known
    raise OptionError(f"criterion is {name!r}; choose one of {', '.join(CRITERIA)}")


def interval_of(drawn: Floats, value: float) -> Interval:
    """The 95 % interval of a number, given that of every drawn set."""
    return pairs(centred_band(drawn[:, None], np.array([value]), _LEVEL))[0]


def with_interval(value: float, interval: Interval | None) -> str:
    """A number in words, with its interval if there is one."""
    if interval is None:
        return f"{value:.4f}"
    return f"{value:.4f} (95 % interval {interval[0]:.4f} to {interval[1]:.4f})"


@dataclass(frozen=True)
class Difference:
    """How much worse one calibration is than the best."""

    value: float
    interval: Interval
    """Simultaneous 95 % interval."""

    @property
    def is_seen(self) -> bool:
        """Whether chance does not explain it."""
        return self.interval[0] > 0


@dataclass(frozen=True)
class Ranking:
    """Candidates by the criterion, the best first, and what their order rests on."""

    criterion: Criterion
    candidates: Mapping[str, Candidate]
    raw: Evaluation
    """The test scores themselves."""
    raw_replicates: Replicates | None

    @cached_property
    def values(self) -> dict[str, float]:
        """The criterion of each candidate, the best first."""
        value = self.criterion.value
        found = {label: value(one.evaluation) for label, one in self.candidates.items()}
        return dict(sorted(found.items(), key=lambda item: item[1]))

    @cached_property
    def replicates(self) -> dict[str, Replicates]:
        """Numbers in drawn sets, where these are enough for an interval; otherwise none."""
        known = {label: one.replicates for label, one in self.candidates.items()}
        enough = {label: one for label, one in known.items() if one and len(one) >= LEAST_DRAWS}
        return enough if len(enough) == len(known) else {}

    @cached_property
    def drawn(self) -> dict[str, Floats]:
        """The criterion in every drawn set."""
        return {label: self.criterion.drawn(one) for label, one in self.replicates.items()}

    @cached_property
    def intervals(self) -> dict[str, Interval]:
        """95 % intervals of the values; none without drawn sets."""
        every = self.values.items() if self.drawn else ()
        return {label: interval_of(self.drawn[label], value) for label, value in every}

    @cached_property
    def others(self) -> dict[str, Difference]:
        """Those that are not the best, where they can be compared with it."""
        if not self.drawn:
            return {}
        best, cost = self.candidates[self.best].evaluation, self.criterion.cost_of_one_trial
        every = self.candidates.items()
        return differences(
            self.values, self.drawn, {label: cost(best, one.evaluation) for label, one in every}
        )

    @property
    def draws(self) -> str:
        """What was drawn, in words; empty where there is nothing to go by."""
        first = next(iter(self.replicates.values()), None)
        return "" if first is None else f"{len(first):,} draws of the test {first.by}s"

    def scores_of(self, label: str) -> tuple[Evaluation, Replicates | None]:
        """The scores that a candidate calibrates, as they are: those of all, or of its system."""
        one = self.candidates[label]
        own = one.evaluation, one.replicates
        return own if one.of_score is None else (self.raw, self.raw_replicates)

    def least(self, label: str) -> float:
        """What the best rising calibration of the same scores would have."""
        return self.criterion.least(self.scores_of(label)[0])

    @property
    def why_this_range(self) -> str:
        """A sentence, if the criterion is not that of the rule of 30."""
        low, high = self.raw.rule_of_30
        if self.criterion.name != "range" or self.criterion.range == (low, high):
            return ""
        where = f"only from {low:.1f} to {high:.1f}" if low < high else "nowhere"
        return f"The range is by the number of trials: {where} are there 30 errors of each kind."

    @property
    def best(self) -> str:
        return next(iter(self.values))

    @property
    def equals(self) -> tuple[str, ...]:
        return tuple(label for label, other in self.others.items() if not other.is_seen)


def differences(
    values: Mapping[str, float], drawn: Mapping[str, Floats], one_trial: Mapping[str, float]
) -> dict[str, Difference]:
    """How much worse each calibration is than the best, which has the least value; the least first.

    The drawn sets are the same for all calibrations. ``one_trial`` is what a trial of each class
    that is in none of them may add to the difference of each from the best.
    """
    best, *others = sorted(values, key=lambda label: values[label])
    finite = [label for label in values if math.isfinite(values[label])]
    wide = _quantile(np.array([drawn[label] for label in finite])) if len(finite) > 1 else 0.0
    out = {}
    for label in others:
        value = values[label] - values[best] if values[label] != values[best] else 0.0
        if math.isinf(value):
            out[label] = Difference(value, (value, value))
            continue
        deviation = _deviation(drawn[label] - drawn[best]) if math.isfinite(values[best]) else 0.0
        half = wide * math.hypot(deviation, one_trial[label])
        value = 0.0 if value <= _ROUNDING * abs(values[best]) else value
        out[label] = Difference(value, (value - half, value + half))
    return out


def _quantile(drawn: Floats) -> float:
    """The quantile q over drawn sets, given a row for each calibration."""
    largest = np.zeros(drawn.shape[1])
    for one, other in combinations(drawn, 2):
        apart = one - other
        deviation = _deviation(apart)
        if deviation:
            largest = np.maximum(largest, np.abs(apart - apart.mean()) / deviation)
    rank = math.ceil(_LEVEL * (len(largest) + 1))
    return float(np.sort(largest)[min(rank, len(largest)) - 1])


def _deviation(apart: Floats) -> float:
    """Standard deviation; zero where there is nothing but rounding."""
    deviation = float(apart.std(ddof=1))
    return deviation if deviation > _ROUNDING * float(np.abs(apart).max(initial=0.0)) else 0.0
