"""Bands: how much the curves of an evaluation could vary with the choice of the test set.

At each threshold or prior, a band is the interval that the bootstrap gives there. So each place of
a curve has its own share of drawn sets outside; a whole curve is outside somewhere more often.
Bands of rates and errors also reach as far as what nobody has seen could:
see :func:`llrcal.evaluation.error_rates.possible_rate`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from llrcal.arrays import ArrayLike, Floats
from llrcal.evaluation.bootstrap import Bootstrap, Progress, Replicates, unheard
from llrcal.evaluation.intervals import Intervals, band
from llrcal.evaluation.jackknife import GROUPS, left_out
from llrcal.evaluation.measures import (
    CROSS_ENTROPY,
    FALSE_ALARM_RATE,
    MISS_RATE,
    Asked,
    Band,
    Measure,
    measure_named,
)
from llrcal.evaluation.operating_points import as_prior_log_odds
from llrcal.evaluation.statistics import (
    Numbers,
    SetInCells,
    Sides,
    Statistic,
    entropy_statistic,
    rate_statistic,
    statistics_for,
)

_Ask = Callable[[Sides], Statistic]


@dataclass(frozen=True)
class Bands:
    """Bands of the curves of an evaluation; see :meth:`llrcal.Evaluation.bands`."""

    llrs: Sides
    """In rising order."""
    bootstrap: Bootstrap
    level: float
    progress: Progress = unheard

    @property
    def by(self) -> str:
        """What is drawn, "trial" or "speaker", or left out: "group of speakers"."""
        return GROUPS if self.llrs.without else self.bootstrap.by

    def rates(self, thresholds: ArrayLike) -> tuple[Band, Band]:
        """Bands of the miss rate and of the false-alarm rate at thresholds."""
        at, both = np.asarray(thresholds, np.float64), (MISS_RATE, FALSE_ALARM_RATE)
        found = self._drawn(_taken(both, at, at))
        misses, alarms = (band(found, rate, self.level, at) for rate in both)
        return misses, alarms

    def bayes_error(self, prior_log_odds: ArrayLike) -> Band:
        """A band of the normalised error-rate of Bayes decisions at prior log-odds."""
        x, error = as_prior_log_odds(prior_log_odds), measure_named("act_dcf")
        found = self._drawn(_taken((error,), x, -x))
        return band(found, error, self.level, x)

    def cross_entropy(self, prior_log_odds: ArrayLike) -> Band:
        """A band of the empirical cross-entropy at prior log-odds, in bits."""
        x = as_prior_log_odds(prior_log_odds)
        found = self._drawn(partial(entropy_statistic, prior_log_odds=x))
        return band(found, CROSS_ENTROPY, self.level)

    def intervals(self, asked: Asked) -> Intervals:
        """Intervals of all measures that are asked for."""
        return Intervals.of(map(self._drawn, statistics_for(asked)), asked, self.level)

    def _drawn(self, statistic: _Ask) -> Replicates:
        """A statistic of the LLRs in drawn sets, or in those without each group of speakers."""
        one = statistic(self.llrs)
        if self.llrs.without:
            groups = [partial(statistic, group) for group in self.llrs.without]
            return left_out(one, groups, self.progress)
        (found,) = self.bootstrap.replicates([one], self.progress)
        return found


def _taken(measures: Iterable[Measure], at: Floats, thresholds: Floats) -> _Ask:
    """A statistic of measures that follow from error-rates at thresholds."""

    def ask(trials: SetInCells) -> Numbers:
        return {one.name: np.asarray(one.value(trials, at)) for one in measures}

    return partial(rate_statistic, thresholds=thresholds, ask=ask)
