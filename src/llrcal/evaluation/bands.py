"""Bands: how much the curves of an evaluation could vary with the choice of the test set.

At each threshold or prior, a band is the interval that the bootstrap gives there. So each place of
a curve has its own share of drawn sets outside; a whole curve is outside somewhere more often.
Bands of rates and errors also reach as far as what nobody has seen could:
see :func:`llrcal.evaluation.error_rates.possible_rate`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from llrcal.arrays import ArrayLike, Floats
from llrcal.evaluation.bootstrap import Bootstrap, Progress, Replicates, unheard
from llrcal.evaluation.forensic import STRENGTHS, misleading_thresholds
from llrcal.evaluation.intervals import (
    Band,
    ForensicIntervals,
    Intervals,
    Resampled,
    band,
    error_band,
    pairs,
)
from llrcal.evaluation.jackknife import GROUPS, left_out
from llrcal.evaluation.operating_points import as_prior_log_odds
from llrcal.evaluation.statistics import (
    Statistic,
    entropy_statistic,
    evaluation_statistic,
    forensic_statistic,
    rates_statistic,
)
from llrcal.scoring_rule import Rule


@dataclass(frozen=True)
class Bands:
    """Bands of the curves of an evaluation; see :meth:`llrcal.Evaluation.bands`."""

    llrs: Resampled
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
        found = self._drawn(rates_statistic, np.asarray(thresholds, np.float64))
        return band(found, "pmiss", self.level), band(found, "pfa", self.level)

    def bayes_error(self, prior_log_odds: ArrayLike) -> Band:
        """A band of the normalised error-rate of Bayes decisions at prior log-odds."""
        x = as_prior_log_odds(prior_log_odds)
        return error_band(self._drawn(rates_statistic, -x), x, self.level)

    def cross_entropy(self, prior_log_odds: ArrayLike) -> Band:
        """A band of the empirical cross-entropy at prior log-odds, in bits."""
        found = self._drawn(entropy_statistic, as_prior_log_odds(prior_log_odds))
        return band(found, "cross_entropy", self.level)

    def intervals(
        self, prior_log_odds: Floats, rules: Sequence[Rule], *, forensic: bool
    ) -> Intervals:
        """Intervals of the numbers at operating points, by rules, and those of forensics."""
        drawn = self._drawn(partial(evaluation_statistic, rules=rules), prior_log_odds)
        found = Intervals.of(drawn, prior_log_odds, rules, self.level)
        if not forensic:
            return found
        tar, non = map(pairs, self.rates(misleading_thresholds(STRENGTHS)))
        middle = len(STRENGTHS)
        drawn = self._drawn(forensic_statistic)
        others = {name: pairs(band(drawn, name, self.level))[0] for name in drawn.actual}
        return replace(
            found,
            misleading=tuple(zip(tar[:middle], non[middle:], strict=True)),
            forensic=ForensicIntervals(**others),
        )

    def _drawn(self, statistic: Callable[..., Statistic], *asked: Floats) -> Replicates:
        """A statistic of the LLRs in drawn sets, or in those without each group of speakers."""
        one = statistic(*self.llrs.runs, *asked)
        if self.llrs.without:
            groups = [partial(statistic, *group.runs, *asked) for group in self.llrs.without]
            return left_out(one, groups, self.progress)
        (found,) = self.bootstrap.replicates([one], self.progress)
        return found
