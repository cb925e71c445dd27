"""How much the numbers of an evaluation could vary with the choice of the test set.

Percentile intervals of the bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap,
1993, chapters 10 and 13): the test set is resampled many times with replacement, the bias of the
resampling is subtracted, and equal numbers of the smallest and of the largest results are left out.
Speakers are resampled if they are known, and trials otherwise: the trials of a speaker are not
independent, so that resampling trials gives intervals that are too narrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from llrcal.arrays import ArrayLike, Floats, is_number
from llrcal.errors import OptionError
from llrcal.evaluation.bayes_error import as_prior_log_odds
from llrcal.evaluation.cells import Cells
from llrcal.evaluation.speaker_draws import SpeakerDraws, as_speakers
from llrcal.evaluation.trial_draws import Joint, drawn_numbers
from llrcal.inputs.scores import as_scores

Interval = tuple[float, float]


@dataclass(frozen=True)
class Intervals:
    """Bootstrap intervals, each from its lower to its upper end."""

    cllr: Interval
    min_cllr: Interval
    calibration_loss: Interval
    eer: Interval
    act_dcf: tuple[Interval, ...]
    """One for each operating point, normalised."""
    min_dcf: tuple[Interval, ...]
    by: str
    """What was resampled: "trial" or "speaker"."""
    replicates: int
    mean_error: Interval | None = None
    """Of the mean Bayes error, where a curve to take it over was given."""


@dataclass(frozen=True)
class Replicates:
    """The numbers of an evaluation in every drawn set."""

    numbers: Floats
    """A row a draw, with the columns of :meth:`llrcal.evaluation.cells.Cells.metrics`."""
    actual: Floats
    """The same of the set itself."""
    points: int
    """How many operating points there are."""
    by: str
    """What was drawn: "trial" or "speaker"."""

    @classmethod
    def of(cls, cells: Cells, numbers: Floats, *, by: str) -> Replicates:
        """Drawn numbers of the trials in some cells."""
        actual = cells.metrics(cells.tar.counts, cells.non.counts)
        return cls(numbers, actual, len(cells.prior_log_odds), by)

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
        return self.numbers[:, 4 : 4 + self.points]

    @property
    def min_dcf(self) -> Floats:
        return self.numbers[:, 4 + self.points : 4 + 2 * self.points]

    @property
    def mean_error(self) -> Floats:
        """Mean Bayes error over the curve."""
        return self.numbers[:, 4 + 2 * self.points]

    @property
    def least_mean_error(self) -> Floats:
        """The same at the best thresholds."""
        return self.numbers[:, 5 + 2 * self.points]

    def intervals(self, level: float = 0.95) -> Intervals:
        """Percentile intervals of every number."""
        # A minimum cannot be worse than the default, nor the hull's EER than a coin.
        anything, points = np.inf, self.points
        most = [anything, 1.0, anything, 0.5, *[anything] * points, *[1.0] * points, anything, 1.0]
        drawn = np.minimum(centred(self.numbers, self.actual), most[: len(self.actual)])
        cllr, min_cllr, loss, eer, *others = interval(drawn, level)
        act_dcf, min_dcf = tuple(others[:points]), tuple(others[points : 2 * points])
        mean_error = others[2 * points] if len(others) > 2 * points else None
        count = len(self)
        return Intervals(cllr, min_cllr, loss, eer, act_dcf, min_dcf, self.by, count, mean_error)


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
    if tar_speakers is None or non_speakers is None:
        cells = Cells.of(tar, non, prior_log_odds=points, curve=over)
        joint = Joint.of_one(cells.tar), Joint.of_one(cells.non)
        (numbers,) = drawn_numbers([cells], *joint, replicates=replicates, seed=seed)
        return Replicates.of(cells, numbers, by="trial").intervals(level)
    draws = SpeakerDraws.of(
        as_speakers(tar_speakers, len(tar), "target"),
        as_speakers(non_speakers, len(non), "non-target"),
        replicates=replicates,
        seed=seed,
    )
    cells = Cells.of(tar, non, prior_log_odds=points, curve=over)
    return Replicates.of(cells, draws.numbers(cells), by="speaker").intervals(level)


def _check_options(points: Floats, replicates: int, seed: int, level: float) -> None:
    if points.ndim != 1:
        raise OptionError(f"prior_log_odds has shape {points.shape}; pass a list of numbers")
    check_replicates(replicates)
    if not _is_whole(seed) or seed < 0:
        raise OptionError(f"seed is {seed!r}; it must be a non-negative integer")
    if not is_number(level) or not 0 < level < 1:
        raise OptionError(f"level is {level!r}; it must lie strictly between 0 and 1")


def check_replicates(replicates: int) -> None:
    """Raise an OptionError where that is no number of drawn sets."""
    if not _is_whole(replicates) or replicates < 1:
        raise OptionError(f"replicates is {replicates!r}; it must be a positive integer")


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def interval(drawn: Floats, level: float = 0.95) -> list[Interval]:
    """From the least to the greatest of what is drawn, but for as many at either end."""
    found = np.sort(drawn, axis=0)
    # Order statistics, not interpolated: between a finite and an infinite Cllr there is nothing.
    rank = max(int((len(drawn) + 1) * (1 - level) / 2 + 1e-9), 1)
    return list(zip(found[rank - 1].tolist(), found[-rank].tolist(), strict=True))


def centred(replicates: Floats, numbers: ArrayLike) -> Floats:
    """Replicates (rows) shifted so that each column's mean is its number; never below zero.

    Columns with an infinite value are not shifted.
    """
    with np.errstate(invalid="ignore"):
        bias = replicates.mean(axis=0) - np.asarray(numbers)
    return np.maximum(replicates - np.where(np.isfinite(bias), bias, 0), 0)
