"""Intervals of the numbers of an evaluation, from those of drawn sets.

Percentile intervals of the bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap,
1993, chapter 13): equal numbers of the smallest and of the largest drawn numbers are left out.

A drawn set repeats trials, so PAV overfits it more than the original set: its minCllr, EER and
minimum costs are too low, and its calibration loss is too high. So the drawn values of each number
are shifted until their mean is the number itself, and negative values are set to zero. EER and
minimum detection costs are corrected otherwise: see :func:`bias_corrected`. Intervals of error
rates and of costs reach at least as far as errors that nobody made could: see
:func:`llrcal.evaluation.error_rates.possible_rate`. Where there are none at all, no more trials
count than their speakers can make: they all may be of speakers who are easily recognized.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np
from scipy.special import ndtr, ndtri

from llrcal.arrays import Array, Floats
from llrcal.evaluation.bootstrap import MOST_DRAWN, Replicates
from llrcal.evaluation.error_rates import LEAST_ERRORS, possible_error, possible_rate
from llrcal.evaluation.jackknife import GROUPS, jackknife_band
from llrcal.evaluation.operating_points import OperatingPoint
from llrcal.evaluation.statistics import Given
from llrcal.messages import SPEAKER_COLUMNS, Setting
from llrcal.notes import Note

Interval = tuple[float, float]
Band = tuple[Floats, Floats]
"""Lower and upper ends of several intervals."""
Rates = tuple[Floats, Floats]
"""Of misses and of false alarms."""

FEW = 50
"""With fewer speakers, or trials of a class, intervals hold too rarely: docs/evaluating.md."""
FEWEST_GROUPS = 10
"""With fewer groups of speakers, their variance is hardly known."""
_NONE: Rates = np.zeros(1), np.zeros(1)
# What numbers can be, other than zero or more: minimum costs are no worse than the default.
_LIMITS = {"min_cllr": (0.0, 1.0), "min_rule_cost": (0.0, 1.0), "pmiss": (0.0, 1.0)}
_LIMITS |= {"eer": (0.0, 0.5), "min_dcf": (0.0, 1.0), "pfa": (0.0, 1.0)}
_LIMITS |= {"llr_tar": (-math.inf, math.inf), "llr_non": (-math.inf, math.inf)}


class Resampled(Protocol):
    """The LLRs of a test set, from which others are drawn."""

    @property
    def runs(self) -> tuple[Given, Given]:
        """Those of the targets and of the non-targets, as statistics ask for them."""

    @property
    def totals(self) -> tuple[int, int]:
        """How many targets and non-targets there are."""

    @property
    def speakers(self) -> tuple[Array, Array] | None:
        """Where known, the speakers of targets and of non-targets, each at least once."""

    @property
    def without(self) -> Sequence[Resampled]:
        """Where known, the same without the trials of each group of speakers."""


@dataclass(frozen=True)
class RuleIntervals:
    """Intervals of the cost by a scoring rule."""

    actual: Interval
    minimum: Interval
    loss: Interval


@dataclass(frozen=True)
class ForensicIntervals:
    """Intervals of forensic figures of merit, each from its lower to its upper end.

    ELUB and mean LRs have none. One or two misleading LRs decide them, and perhaps one that is not
    in the set, so that resampling cannot find it. Intervals of 95 % held the mean ELUB of as many
    trials in 88 % of the cases at best, and the mean 1/LR of targets in 61 %.
    """

    dev_pav: Interval
    """In log10, of drawn sets whose classes overlap; NaN if those of the set itself do not."""
    llr_tar: Interval
    """The interval of the mean LLR of the targets (Hp), in nats."""
    llr_non: Interval

    def to_dict(self) -> dict[str, Any]:
        """The intervals as plain values, with the names of :meth:`Forensic.to_dict`."""
        tar, non = ([end / math.log(10) for end in ends] for ends in (self.llr_tar, self.llr_non))
        return {
            "dev_pav": list(self.dev_pav),
            "expected": {"log10_lr_tar": tar, "log10_lr_non": non},
        }


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
    """What was resampled, "trial" or "speaker"; or left out: "group of speakers"."""
    replicates: int
    """How many sets were drawn, or how many groups there are."""
    mean_error: Interval | None = None
    """The interval of the mean Bayes error, if a curve to take it over was given."""
    level: float = 0.95
    rules: Mapping[str, RuleIntervals] = field(default_factory=dict)
    """Intervals of the costs by scoring rules that were asked for, by name."""
    misleading: tuple[tuple[Interval, Interval], ...] = ()
    """Intervals of the rates of misleading evidence, targets first, for each strength asked for."""
    forensic: ForensicIntervals | None = None
    """Intervals of other forensic figures of merit, if these were asked for."""
    notes: tuple[Note, ...] = ()
    """What to keep in mind about the intervals."""

    @classmethod
    def of(
        cls,
        found: Replicates,
        prior_log_odds: Floats,
        rules: Sequence[str] = (),
        level: float = 0.95,
    ) -> Intervals:
        """Intervals of the numbers of an evaluation, given its operating points and rules."""
        ends = {name: pairs(band(found, name, level)) for name in found.actual}
        ends["min_dcf"] = pairs(error_band(found, prior_log_odds, level, "min_dcf"))
        by_rule = zip(ends["rule_cost"], ends["min_rule_cost"], ends["rule_loss"], strict=True)
        [mean_error] = ends.get("mean_error", [None])
        return cls(
            *(ends["cllr"][0], ends["min_cllr"][0], ends["calibration_loss"][0], ends["eer"][0]),
            pairs(error_band(found, prior_log_odds, level)),
            ends["min_dcf"],
            found.by,
            len(found),
            mean_error,
            level,
            {name: RuleIntervals(*one) for name, one in zip(rules, by_rule, strict=True)},
        )

    def to_dict(self) -> dict[str, Any]:
        """The intervals as plain values: lists of two numbers, or lists of those."""
        names = ("level", "by", "replicates", "cllr", "min_cllr", "calibration_loss", "eer")
        every = _listed(asdict(self))
        found = {name: every[name] for name in (*names, "act_dcf", "min_dcf")}
        misleading = map(list, zip(*every["misleading"], strict=True))
        asked = {
            "rules": every["rules"],
            "misleading": dict(zip(("tar", "non"), misleading, strict=False)),
            "forensic": self.forensic and self.forensic.to_dict(),
        }
        found |= {name: value for name, value in asked.items() if value}
        return {**found, "notes": [note.to_dict() for note in self.notes]}


def _listed(value: Any) -> Any:
    """Tuples as lists, at any depth."""
    if isinstance(value, dict):
        return {name: _listed(one) for name, one in value.items()}
    return [_listed(one) for one in value] if isinstance(value, tuple) else value


def pairs(band: Band) -> tuple[Interval, ...]:
    """The ends of a band, interval by interval."""
    low, high = band
    return tuple(zip(low.tolist(), high.tolist(), strict=True))


def band(found: Replicates, name: str, level: float) -> Band:
    """Intervals of the numbers of a name, within what they can be.

    Those of EER and minimum costs are :func:`bias_corrected`: they are taken at one place of the
    hull, where the bias is small enough for that.
    """
    drawn, actual = found.drawn[name], found.actual[name]
    limits = _LIMITS.get(name, (0.0, math.inf))
    if found.by == GROUPS:
        low, high = jackknife_band(found, name, level, limits)
    elif name in ("eer", "min_dcf"):
        low, high = bias_corrected(drawn, actual, level)
    else:
        low, high = centred_band(drawn, actual, level, limits)
    # And of what happened to none of the trials.
    if name in ("pmiss", "pfa"):
        of_non = name == "pfa"
        least, most = (
            _possible(found, (rate, rate), level)[of_non] for rate in (1 - actual, actual)
        )
        return np.minimum(low, 1 - least), np.maximum(high, most)
    if name in ("eer", "cllr", "min_cllr"):
        reach = np.maximum(*_possible(found, _NONE, level))
        if name != "eer":  # the minCllr if so many targets are like non-targets, or the reverse
            reach = (np.log2(1 + reach) + reach * np.log2(1 + 1 / reach)) / 2
        apart = found.actual["min_cllr" if name == "cllr" else name] == 0
        return low, np.where(apart, np.maximum(high, np.minimum(reach, limits[1])), high)
    return low, high


def _possible(found: Replicates, rates: Rates, level: float) -> Rates:
    """The highest rates of misses and of false alarms that hardly ever, or never, happened."""
    misses, alarms = (
        np.where(rate == 0, possible_rate(none, level), possible_rate(some, level))
        for rate, some, none in zip(rates, found.counts, found.supporting, strict=True)
    )
    return misses, alarms


def error_band(
    found: Replicates, prior_log_odds: Floats, level: float, name: str = "act_dcf"
) -> Band:
    """Intervals of actual or minimum costs at prior log-odds, and of errors that nobody made."""
    low, high = band(found, name, level)
    actual = name == "act_dcf"
    rates = (found.actual["pmiss"], found.actual["pfa"]) if actual else _NONE
    reach = possible_error(*rates, prior_log_odds, possible=_possible(found, rates, level))
    if not actual:
        reach = np.where(found.actual[name] == 0, np.minimum(reach, 1.0), 0.0)
    return low, np.maximum(high, reach)


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
    llrs: Resampled, points: Sequence[OperatingPoint], rates: Sequence[Floats]
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
