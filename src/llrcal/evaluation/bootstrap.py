"""How much the numbers of an evaluation could vary with the choice of the test set.

Percentile intervals of the bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap,
1993, chapters 10 and 13): the test set is resampled many times with replacement, the bias of the
resampling is subtracted, and equal numbers of the smallest and of the largest results are left out.
Speakers are resampled if they are known, and trials otherwise: the trials of a speaker are not
independent, so that resampling trials gives intervals that are too narrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from llrcal.arrays import ArrayLike, Counts, Floats, is_number
from llrcal.errors import OptionError
from llrcal.evaluation.bayes_error import as_prior_log_odds
from llrcal.evaluation.cells import Cells
from llrcal.evaluation.speaker_draws import SpeakerDraws, as_speakers
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


def bootstrap_intervals(
    tar: ArrayLike,
    non: ArrayLike,
    *,
    prior_log_odds: Sequence[float],
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
    points = as_prior_log_odds(prior_log_odds)
    _check_options(points, replicates, seed, level)
    if (tar_speakers is None) != (non_speakers is None):
        raise OptionError("pass the speakers of both classes, or of neither")
    if tar_speakers is None or non_speakers is None:
        cells = Cells.of(tar, non, prior_log_odds=points)
        return _intervals(cells, _drawn_trials(cells, replicates, seed), level, by="trial")
    draws = SpeakerDraws.of(
        as_speakers(tar_speakers, len(tar), "target"),
        as_speakers(non_speakers, len(non), "non-target"),
        replicates=replicates,
        seed=seed,
    )
    cells = Cells.of(tar, non, prior_log_odds=points)
    return _intervals(cells, draws.counts(cells), level, by="speaker")


def _check_options(points: Floats, replicates: int, seed: int, level: float) -> None:
    if points.ndim != 1:
        raise OptionError(f"prior_log_odds has shape {points.shape}; pass a list of numbers")
    if not _is_whole(replicates) or replicates < 1:
        raise OptionError(f"replicates is {replicates!r}; it must be a positive integer")
    if not _is_whole(seed) or seed < 0:
        raise OptionError(f"seed is {seed!r}; it must be a non-negative integer")
    if not is_number(level) or not 0 < level < 1:
        raise OptionError(f"level is {level!r}; it must lie strictly between 0 and 1")


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _drawn_trials(cells: Cells, replicates: int, seed: int) -> Iterator[tuple[Counts, Counts]]:
    """Counts of resampled target and non-target trials in each cell, for each replicate."""
    rng = np.random.default_rng(seed)
    for _ in range(replicates):
        yield _drawn(cells.tar.counts, rng), _drawn(cells.non.counts, rng)


def _drawn(counts: Counts, rng: np.random.Generator) -> Counts:
    """The same number of trials, resampled with replacement from those in the cells."""
    total = counts.sum()
    # Without empty cells: the last cell gets the remainder of rounding.
    used = np.flatnonzero(counts)
    drawn = np.zeros_like(counts)
    drawn[used] = rng.multinomial(total, counts[used] / total)
    return drawn


def _intervals(
    cells: Cells, drawn: Iterable[tuple[Counts, Counts]], level: float, *, by: str
) -> Intervals:
    """Percentile intervals from the counts of each replicate."""
    numbers = np.array([cells.metrics(tar, non) for tar, non in drawn])
    replicates, points = len(numbers), len(cells.prior_log_odds)
    point = cells.metrics(cells.tar.counts, cells.non.counts)
    # A minimum cost cannot exceed one, nor the EER of the hull one half.
    most = [np.inf, 1.0, np.inf, 0.5, *[np.inf] * points, *[1.0] * points]
    found = np.sort(np.minimum(centred(numbers, point), most), axis=0)
    # Order statistics without interpolation, since Cllr may be infinite.
    rank = max(int((replicates + 1) * (1 - level) / 2 + 1e-9), 1)
    low, high = found[rank - 1].tolist(), found[-rank].tolist()
    cllr, min_cllr, loss, eer, *dcf = zip(low, high, strict=True)
    act_dcf, min_dcf = tuple(dcf[:points]), tuple(dcf[points:])
    return Intervals(cllr, min_cllr, loss, eer, act_dcf, min_dcf, by, replicates)


def centred(replicates: Floats, numbers: ArrayLike) -> Floats:
    """Replicates (rows) shifted so that each column's mean is its number; never below zero.

    Columns with an infinite value are not shifted.
    """
    with np.errstate(invalid="ignore"):
        bias = replicates.mean(axis=0) - np.asarray(numbers)
    return np.maximum(replicates - np.where(np.isfinite(bias), bias, 0), 0)
