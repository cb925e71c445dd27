"""Which interval applies when, and how it is made.

=================================================  =================================================
Numbers of an evaluation                           Percentiles of drawn test sets, by speaker where
                                                   speakers are known, else by trial.
EER and minimum costs                              The same, corrected for the bias of draws.
The same of counts without groups of speakers      A jackknife (:mod:`llrcal.evaluation.jackknife`).
Thresholds of scores, error-rates at a threshold   Clopper and Pearson's, of as many trials as are
                                                   independent
                                                   (:mod:`llrcal.evaluation.effective_count`).
Differences of calibrations                        Simultaneous ones, of drawn differences
                                                   (:mod:`llrcal.comparison.ranking`).
ELUB, mean LR, mean 1/LR                           None.
=================================================  =================================================

*Percentiles* (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13): equal
numbers of the smallest and of the largest drawn numbers are left out. A drawn set repeats trials,
so PAV overfits it more than the original set: its minCllr, EER and minimum costs are too low, and
its calibration loss is too high. So the drawn values of each number are shifted until their mean is
the number itself, and values beyond what the measure can be are set to that. EER and minimum
detection costs are taken at one place of the hull, where the bias is small enough for another
correction: see :func:`bias_corrected`.

*Errors that nobody made.* Resampling takes an error that is not in the set for one that never
happens. So intervals of error-rates and of costs reach at least as far as such errors could: see
:func:`llrcal.evaluation.error_rates.possible_rate`. Where there are none at all, no more trials
count than their speakers can make: they all may be of speakers who are easily recognized.

*None.* One or two misleading LRs decide ELUB and mean LRs, and perhaps one that is not in the set,
so that resampling cannot find it. Intervals of 95 % held the mean ELUB of as many trials in 88 % of
the cases at best, and the mean 1/LR of targets in 61 %.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from llrcal.arrays import Floats
from llrcal.evaluation.bootstrap import MOST_DRAWN, Replicates
from llrcal.evaluation.error_rates import LEAST_ERRORS, Unseen
from llrcal.evaluation.jackknife import GROUPS, jackknife
from llrcal.evaluation.measures import (
    MEASURES,
    Asked,
    Band,
    Interval,
    Measure,
    names_of,
    place_in,
)
from llrcal.evaluation.operating_points import OperatingPoint
from llrcal.evaluation.statistics import Sides
from llrcal.messages import SPEAKER_COLUMNS, Setting
from llrcal.notes import Note

FEW = 50
"""With fewer speakers, or trials of a class, intervals hold too rarely: docs/evaluating.md."""
FEWEST_GROUPS = 10
"""With fewer groups of speakers, their variance is hardly known."""


@dataclass(frozen=True)
class Intervals:
    """Intervals of the numbers of an evaluation, each from its lower to its upper end.

    ``intervals["cllr"]`` is that of Cllr, ``intervals["act_dcf_p0.01"]`` that of an actual cost:
    the names are those of a measure, and of what it is taken at.
    """

    numbers: Mapping[str, Interval]
    asked: Asked
    by: str
    """What was resampled, "trial" or "speaker"; or left out: "group of speakers"."""
    replicates: int
    """How many sets were drawn, or how many groups there are."""
    level: float = 0.95
    notes: tuple[Note, ...] = ()
    """What to keep in mind about the intervals."""

    @classmethod
    def of(cls, drawn: Iterable[Replicates], asked: Asked, level: float = 0.95) -> Intervals:
        """Intervals of all measures of which there are drawn numbers."""
        numbers = dict[str, Interval]()
        for found in drawn:
            for measure in MEASURES:
                if measure.name in found.actual:
                    ends = pairs(band(found, measure, level, asked.places(measure)))
                    numbers |= zip(names_of(measure, asked), ends, strict=True)
        return cls(numbers, asked, found.by, len(found), level)

    def __getitem__(self, name: str) -> Interval:
        return self.numbers[name]

    def to_dict(self) -> dict[str, Any]:
        """The intervals as plain values, where an evaluation has the numbers."""
        answer: dict[str, Any] = {
            "level": self.level,
            "by": self.by,
            "replicates": self.replicates,
            "notes": [note.to_dict() for note in self.notes],
        }
        listed = {name: list(ends) for name, ends in self.numbers.items()}
        for measure in MEASURES:
            place_in(answer, measure, listed, self.asked)
        return answer


def pairs(band: Band) -> tuple[Interval, ...]:
    """The ends of a band, interval by interval."""
    low, high = band
    return tuple(zip(low.tolist(), high.tolist(), strict=True))


def band(found: Replicates, measure: Measure, level: float, at: Any = None) -> Band:
    """Intervals of the numbers of a measure, within what they can be."""
    drawn, actual = found.drawn[measure.name], found.actual[measure.name]
    if found.by == GROUPS:
        low, high = jackknife(drawn, actual, level, measure.limits, measure.unit.scale)
    elif measure.interval == "corrected":
        low, high = bias_corrected(drawn, actual, level)
    else:
        low, high = centred_band(drawn, actual, level, measure.limits)
    if measure.floor is None:
        return low, high
    least, most = measure.floor(found.whole, at, Unseen(found.counts, found.supporting, level))
    return np.minimum(low, least), np.maximum(high, np.minimum(most, measure.limits[1]))


def centred_band(
    drawn: Floats,
    actual: Floats,
    level: float = 0.95,
    limits: tuple[float, float] = (0.0, math.inf),
) -> Band:
    """Intervals of drawn numbers (rows), shifted so that their mean is the number, within limits.

    Columns with an infinite value are not shifted. Drawn sets in which a number is not defined are
    left out.
    """
    drawn = drawn[~np.isnan(drawn).any(axis=1)]
    if np.isnan(actual).any() or not len(drawn):
        nothing = np.full(len(actual), math.nan)
        return nothing, nothing
    with np.errstate(invalid="ignore"):
        bias = drawn.mean(axis=0) - actual
    return interval(np.clip(drawn - np.where(np.isfinite(bias), bias, 0), *limits), level)


def interval(drawn: Floats, level: float = 0.95) -> Band:
    """Intervals that leave out equally many of the least and of the greatest drawn numbers."""
    found = np.sort(drawn, axis=0)
    # Order statistics, not interpolated: between a finite and an infinite Cllr there is nothing.
    rank = max(int((len(drawn) + 1) * (1 - level) / 2 + 1e-9), 1)
    return found[rank - 1], found[-rank]


def bias_corrected(drawn: Floats, numbers: Floats, level: float) -> Band:
    """Percentile intervals (of each column) that are corrected for the bias of drawn sets.

    If a share p of the drawn sets lies below the number itself, with z0 the normal quantile of p,
    the ends are not the quantiles of drawn sets at -z and z, but at 2 z0 - z and 2 z0 + z (Efron
    and Tibshirani, section 14.3, without acceleration). More than one deviation is not corrected
    for, and the number itself is always inside.
    """
    equal = np.isclose(drawn, numbers, rtol=1e-12, atol=1e-15)  # but for rounding
    below = ((drawn < numbers) & ~equal).mean(axis=0) + equal.mean(axis=0) / 2
    z0, z = np.clip(ndtri(below), -1, 1), ndtri((1 + level) / 2)
    found, places = np.sort(drawn, axis=0), np.arange(len(numbers))
    low, high = (ndtr(2 * z0 + end) * (len(drawn) + 1) for end in (-z, z))
    last = len(drawn) - 1
    least = found[np.clip(np.floor(low + 1e-9).astype(int) - 1, 0, last), places]
    most = found[np.clip(np.ceil(high - 1e-9).astype(int) - 1, 0, last), places]
    return np.minimum(least, numbers), np.maximum(most, numbers)


def by_trial(repeated: str = "") -> Note:
    """That trials were drawn, though speakers may have several; or do, as a repeated id shows."""
    so = "speakers are not known, so trials were resampled as if they were independent: "
    mend = ". Name them: ", SPEAKER_COLUMNS, " or ", Setting("speakers_from")
    if repeated:
        text = f"{so}the intervals are too narrow, since {repeated} has several trials"
        return Note.warning("by trial", text, *mend)
    text = f"{so}where speakers have several trials, the intervals are too narrow"
    return Note.of("by trial", text, *mend)


def interval_notes(
    llrs: Sides, points: Sequence[OperatingPoint], rates: Sequence[Floats]
) -> Iterator[Note]:
    """What resampled intervals do not show, the most general first; given rates at the points."""
    counts = dict(zip(("targets", "non-targets"), llrs.totals, strict=True))
    errors = [
        [round(rate * count) for rate in side.tolist()]
        for side, count in zip(rates, counts.values(), strict=True)
    ]
    if llrs.without:
        counts = {"groups of speakers to leave out": len(llrs.without)}
    elif llrs.speakers is None:
        yield by_trial()
    else:
        tar, non = (np.unique(side) for side in llrs.speakers)
        counts = {"speakers": len(np.union1d(tar, non)), "target speakers": len(tar)}
        if counts["speakers"] > MOST_DRAWN:
            text = f"the {counts['speakers']:,} speakers were dealt into {MOST_DRAWN:,} groups"
            yield Note.of("dealt", f"{text}, and these were drawn")
    for name, count in counts.items():
        if count < (FEWEST_GROUPS if llrs.without else FEW):
            yield Note.warning(
                "few drawn",
                f"there are only {count} {name}; resampling so few gives intervals that are too "
                "narrow",
            )
    few = [
        f"{point.name} ({misses:,} and {alarms:,})"
        for point, misses, alarms in zip(points, *errors, strict=True)
        if min(misses, alarms) < LEAST_ERRORS
    ]
    if few:
        yield Note.of(
            "few errors",
            f"there are fewer than {LEAST_ERRORS} misses or false alarms at {', '.join(few)}: the "
            "intervals of these DCFs are rough",
        )
