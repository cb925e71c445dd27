"""Intervals of the numbers of an evaluation, from those of drawn sets.

Percentile intervals of the bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap,
1993, chapter 13): equal numbers of the smallest and of the largest drawn numbers are left out.

A drawn set repeats trials, so PAV overfits it more than the original set: its minCllr, EER and
minimum costs are too low, and its calibration loss is too high. So the drawn values of each number
are shifted until their mean is the number itself, and negative values are set to zero. EER and
minimum detection costs are corrected otherwise: see :func:`bias_corrected`. Intervals of actual
costs reach at least as far as errors that nobody made could: see
:func:`llrcal.evaluation.error_rates.possible_rate`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from llrcal.arrays import ArrayLike, Floats
from llrcal.evaluation.bootstrap import Replicates
from llrcal.evaluation.error_rates import LEAST_ERRORS, possible_error
from llrcal.evaluation.llrs import WholeLLRs
from llrcal.evaluation.operating_curves import OperatingCurves
from llrcal.evaluation.operating_points import OperatingPoint
from llrcal.notes import Note

Interval = tuple[float, float]
Band = tuple[Floats, Floats]
"""Lower and upper ends of several intervals."""

BY_TRIAL, FEW_DRAWN, FEW_ERRORS = "by trial", "few drawn", "few errors"
"""Codes of the notes."""
FEW = 50
"""With fewer speakers, or trials of a class, intervals hold too rarely: docs/evaluating.md."""


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
    """What was resampled: "trial" or "speaker"."""
    replicates: int
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
        at_most_one = {"min_cllr", "min_rule_cost"}  # cannot be worse than the default
        bands = {
            name: centred_band(
                found.drawn[name], actual, level, most=1.0 if name in at_most_one else math.inf
            )
            for name, actual in found.actual.items()
        }
        for name in ("eer", "min_dcf"):
            # At one place of the hull, where the bias is small enough to be corrected.
            bands[name] = bias_corrected(found.drawn[name], found.actual[name], level)
        rates = found.actual["pmiss"], found.actual["pfa"]
        reach = possible_error(*rates, prior_log_odds, counts=found.counts, level=level)
        low, high = bands["act_dcf"]
        bands["act_dcf"] = low, np.maximum(high, reach)
        named = {name: pairs(band) for name, band in bands.items()}
        by_rule = zip(named["rule_cost"], named["min_rule_cost"], named["rule_loss"], strict=True)
        overall = ("cllr", "min_cllr", "calibration_loss", "eer")
        cllr, min_cllr, loss, eer = (named[name][0] for name in overall)
        return cls(
            cllr,
            min_cllr,
            loss,
            eer,
            named["act_dcf"],
            named["min_dcf"],
            found.by,
            len(found),
            mean_error=named["mean_error"][0] if "mean_error" in named else None,
            level=level,
            rules={name: RuleIntervals(*e) for name, e in zip(rules, by_rule, strict=True)},
        )

    def to_dict(self) -> dict[str, Any]:
        """The intervals as plain values: lists of two numbers, or lists of those."""
        names = ("cllr", "min_cllr", "calibration_loss", "eer", "act_dcf", "min_dcf")
        found: dict[str, Any] = {"level": self.level, "by": self.by, "replicates": self.replicates}
        found |= {name: _listed(getattr(self, name)) for name in names}
        if self.rules:
            found["rules"] = {name: _listed(vars(one)) for name, one in self.rules.items()}
        if self.misleading:
            tar, non = zip(*self.misleading, strict=True)
            found["misleading"] = {"tar": _listed(tar), "non": _listed(non)}
        if self.forensic:
            found["forensic"] = self.forensic.to_dict()
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


def centred_band(
    drawn: Floats,
    actual: Floats,
    level: float = 0.95,
    *,
    least: float = 0.0,
    most: float = math.inf,
) -> Band:
    """Intervals of numbers: those of :func:`centred` drawn values, within what they can be.

    Drawn sets in which a number is not defined are left out.
    """
    drawn = drawn[~np.isnan(drawn).any(axis=1)]
    if np.isnan(actual).any() or not len(drawn):
        nothing = np.full(len(actual), math.nan)
        return nothing, nothing
    return interval(np.clip(centred(drawn, actual), least, most), level)


def centred(drawn: Floats, numbers: ArrayLike) -> Floats:
    """Drawn numbers (rows) shifted so that each column's mean is its number.

    Columns with an infinite value are not shifted.
    """
    with np.errstate(invalid="ignore"):
        bias = drawn.mean(axis=0) - np.asarray(numbers)
    return np.asarray(drawn - np.where(np.isfinite(bias), bias, 0))


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


def interval_notes(
    curves: OperatingCurves, llrs: WholeLLRs, points: Sequence[OperatingPoint]
) -> Iterator[Note]:
    """What resampled intervals do not show, the most general first."""
    if llrs.speakers is None:
        yield Note.of(
            BY_TRIAL,
            "speakers are not known, so trials were resampled as if they were independent: where "
            "speakers have several trials, the intervals are too narrow. Columns enrol_speaker and "
            "test_speaker would name them",
        )
        counts = {"targets": curves.tar_count, "non-targets": curves.non_count}
    else:
        tar, non = (np.unique(side) for side in llrs.speakers)
        counts = {"speakers": len(np.union1d(tar, non)), "target speakers": len(tar)}
    for name, count in counts.items():
        if count < FEW:
            yield Note.warning(
                FEW_DRAWN,
                f"there are only {count} {name}; resampling so few gives intervals that are too "
                "narrow",
            )
    few = []
    for point in points:
        threshold = -point.prior_log_odds
        misses = round(curves.pmiss(threshold) * curves.tar_count)
        alarms = round(curves.pfa(threshold) * curves.non_count)
        if min(misses, alarms) < LEAST_ERRORS:
            few.append(f"{point.name} ({misses:,} and {alarms:,})")
    if few:
        yield Note.of(
            FEW_ERRORS,
            f"there are fewer than {LEAST_ERRORS} misses or false alarms at {', '.join(few)}: the "
            "intervals of these DCFs are rough",
        )
