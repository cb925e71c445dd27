"""How much the numbers of an evaluation could vary with the choice of the test set.

Percentile intervals of the bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap,
1993, chapters 10 and 13): the test set is resampled many times with replacement, the bias of the
resampling is corrected for, and equal numbers of the smallest and of the largest are left out.
Speakers are resampled if they are known, and trials otherwise: the trials of a speaker are not
independent, so that resampling trials gives intervals that are too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from llrcal.arrays import ArrayLike, Floats
from llrcal.errors import OptionError
from llrcal.evaluation.bayes_error import as_prior_log_odds
from llrcal.evaluation.cells import Cells
from llrcal.evaluation.intervals import Intervals, RuleIntervals
from llrcal.evaluation.percentiles import bias_corrected, centred, interval
from llrcal.evaluation.resampling import Resampling
from llrcal.inputs.level import check_level
from llrcal.inputs.scores import as_scores
from llrcal.inputs.speakers import both_speakers
from llrcal.messages import Setting

AT_A_VERTEX = ("eer", "min_dcf")
"""Numbers at one place of the hull, whose bias in drawn sets is small enough to be corrected."""


@dataclass(frozen=True)
class Replicates:
    """The numbers of an evaluation in every drawn set."""

    numbers: Floats
    """A row a draw, with the columns of :meth:`llrcal.evaluation.cells.Cells.metrics`."""
    actual: Floats
    """The same of the set itself."""
    cells: Cells
    """The trials of the set itself, as far as they are counted."""
    by: str
    """What was drawn: "trial" or "speaker"."""

    @classmethod
    def of(cls, cells: Cells, numbers: Floats, *, by: str) -> Replicates:
        """Drawn numbers of the trials in some cells."""
        actual = cells.metrics(cells.tar.counts, cells.non.counts)
        return cls(numbers, actual, cells.counted, by)

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def cllr(self) -> Floats:
        return self.numbers[:, 0]

    @property
    def min_cllr(self) -> Floats:
        return self.numbers[:, 1]

    @property
    def act_dcf(self) -> Floats:
        """A column for each operating point."""
        return self.numbers[:, self.cells.columns["act_dcf"]]

    @property
    def min_dcf(self) -> Floats:
        return self.numbers[:, self.cells.columns["min_dcf"]]

    @property
    def mean_error(self) -> Floats:
        """Mean Bayes error over the curve."""
        return self.numbers[:, self.cells.columns["mean_error"].start]

    @property
    def least_mean_error(self) -> Floats:
        """The same at the best thresholds."""
        return self.numbers[:, self.cells.columns["least_mean_error"].start]

    def intervals(self, level: float = 0.95) -> Intervals:
        """Percentile intervals of every number."""
        most = np.full(len(self.actual), np.inf)
        for name in ("min_cllr", "min_rule_cost"):  # cannot be worse than the default
            most[self.cells.columns[name]] = 1.0
        found = interval(np.minimum(centred(self.numbers, self.actual), most), level)
        for name in AT_A_VERTEX:
            where = self.cells.columns[name]
            found[where] = bias_corrected(self.numbers[:, where], self.actual[where], level)
        at_points = self.cells.columns["act_dcf"]
        found[at_points] = [
            (low, max(high, least))
            for (low, high), least in zip(
                found[at_points], self.cells.possible_costs(level).tolist(), strict=True
            )
        ]
        named = {name: tuple(found[where]) for name, where in self.cells.columns.items()}
        by_rule = zip(named["rule_cost"], named["min_rule_cost"], named["rule_loss"], strict=True)
        rules = zip((rule.name for rule in self.cells.rules[1:]), by_rule, strict=True)
        cllr, min_cllr, loss, eer = found[:4]
        return Intervals(
            cllr,
            min_cllr,
            loss,
            eer,
            named["act_dcf"],
            named["min_dcf"],
            self.by,
            len(self),
            mean_error=named["mean_error"][0] if named["mean_error"] else None,
            level=level,
            rules={name: RuleIntervals(*ends) for name, ends in rules},
        )


def bootstrap_intervals(
    tar: ArrayLike,
    non: ArrayLike,
    *,
    prior_log_odds: Sequence[float],
    curve: Sequence[float] = (),
    tar_speakers: ArrayLike | None = None,
    non_speakers: ArrayLike | None = None,
    replicates: int = 200,
    seed: int = 0,
    level: float = 0.95,
) -> Intervals:
    """Bootstrap intervals of the numbers that ``evaluate`` gives.

    By trial, targets and non-targets are resampled separately, as many as there are. By speaker,
    speakers are resampled; :mod:`llrcal.evaluation.speaker_draws` explains how trials then count.

    A resampled set repeats trials, so PAV overfits it more than the original set: its minCllr, EER
    and minimum costs are too low, and its calibration loss is too high. So the replicates of each
    number are shifted until their mean is the number itself, and negative values are set to zero.
    EER and minimum detection costs are corrected otherwise: see
    :func:`llrcal.evaluation.percentiles.bias_corrected`.
    Intervals of actual costs reach at least as far as errors that nobody made could:
    :mod:`llrcal.evaluation.unseen`.

    Parameters
    ----------
    tar, non
        LLRs of target and non-target trials; they may be infinite.
    prior_log_odds
        Operating points, as effective prior log-odds: logit p + log(c_miss / c_fa).
    curve
        Prior log-odds over which the mean Bayes error is taken, if that is wanted.
    tar_speakers, non_speakers
        Integers of shape (trials, 2): the enrolment and the test speaker of each trial.
    replicates
        The number of resampled sets.
    seed
        The same seed gives the same intervals, and the same resampled speakers for other LLRs of
        the same trials.
    level
        Share of the replicates that an interval covers.

    Raises
    ------
    ScoreError
        If LLRs or speakers cannot be used.
    OptionError
        If an option is out of range, or speakers are given for only one class.

    Examples
    --------
    >>> from llrcal.evaluation.bootstrap import bootstrap_intervals
    >>> found = bootstrap_intervals([2.0, 3.0, -1.0], [-2.0, -3.0, 0.5, -1.5], prior_log_odds=[0])
    >>> found.by, found.replicates, found.eer[0] < 1 / 7 < found.eer[1]
    ('trial', 200, True)
    """
    tar = as_scores(tar, "target", allow_infinite=True)
    non = as_scores(non, "non-target", allow_infinite=True)
    points, over = as_prior_log_odds(prior_log_odds), as_prior_log_odds(curve)
    _check_options(points, replicates, seed, level)
    if (tar_speakers is None) != (non_speakers is None):
        raise OptionError("pass the speakers of both classes, or of neither")
    speakers = None
    if tar_speakers is not None and non_speakers is not None:
        speakers = both_speakers((tar_speakers, non_speakers), len(tar), len(non))
    draws = Resampling.of(speakers, replicates=replicates, seed=seed)
    cells = Cells.of(tar, non, prior_log_odds=points, curve=over)
    return Replicates.of(cells, draws.numbers(cells), by=draws.by).intervals(level)


def _check_options(points: Floats, replicates: int, seed: int, level: float) -> None:
    if points.ndim != 1:
        raise OptionError(f"prior_log_odds has shape {points.shape}; pass a list of numbers")
    _check(level, replicates, seed)


def check_draws(*, level: float, replicates: int, seed: int = 0) -> None:
    """Raise an OptionError where no such intervals can be drawn."""
    _check(level, replicates, seed)
    if replicates < enough_for(level):
        raise OptionError(
            f"level is {level!r}, which {replicates:,} replicates cannot show: give at least ",
            Setting("replicates", enough_for(level)),
        )


def enough_for(level: float) -> int:
    """The least number of drawn sets of which some lie outside at either end."""
    return math.ceil(2 / (1 - level) - 1 - 1e-9)


def _check(level: float, replicates: int, seed: int) -> None:
    check_replicates(replicates)
    if not _is_whole(seed) or seed < 0:
        raise OptionError(f"seed is {seed!r}; it must be a non-negative integer")
    check_level(level)


def check_replicates(replicates: int) -> None:
    """Raise an OptionError where that is no number of drawn sets."""
    if not _is_whole(replicates) or replicates < 1:
        raise OptionError(f"replicates is {replicates!r}; it must be a positive integer")


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
