"""The measures of LLRs: everything that an evaluation says of a number, declared once.

Dictionaries, tables, intervals, JSON schemas, the columns of comparisons and reports, and the
criteria of a validation follow from ``MEASURES``, below. To add a measure, add an entry. No part of
an entry has a default, so that one that is forgotten is an error on import.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from scipy.special import expit, logit

from llrcal.arrays import Counts, Floats
from llrcal.evaluation.error_rates import (
    Rates,
    Unseen,
    eer,
    least_error,
    normalised,
    possible_error,
)
from llrcal.evaluation.operating_points import OperatingPoint
from llrcal.onepass.hull import Hull
from llrcal.scoring_rule import Rule

Interval = tuple[float, float]
Band = tuple[Floats, Floats]
"""Lower and upper ends of several intervals."""


class Measurable(Protocol):
    """LLRs of both classes: an evaluation, or a set drawn from it."""

    @property
    def levels(self) -> tuple[Counts, Counts]:
        """How many targets and non-targets there are at rising LLRs, or groups of them."""

    @property
    def hull(self) -> Hull: ...

    @property
    def mean_llrs(self) -> tuple[float, float]:
        """Of targets and of non-targets, in nats."""

    @property
    def dev_pav(self) -> float: ...

    def pmiss(self, threshold: Floats, /) -> Floats: ...

    def pfa(self, threshold: Floats, /) -> Floats: ...

    def mean_cost(self, rule: Rule, /) -> float:
        """The cost by a scoring rule, in bits."""

    def least_cost(self, rule: Rule, /) -> float:
        """The same after the best rising transformation."""


class Scale(NamedTuple):
    """A function to a scale on which numbers vary evenly, and the way back."""

    there: Callable[[Floats], Floats]
    back: Callable[[Floats], Floats]


PLAIN = Scale(np.asarray, np.asarray)
LOGARITHM = Scale(np.log, np.exp)
LOG_ODDS = Scale(logit, expit)


class Unit(NamedTuple):
    """What a number is, and the scale of its intervals by a jackknife."""

    name: str
    scale: Scale


SHARE = Unit("share of trials", LOG_ODDS)
"""People read it in per cent."""
COST = Unit("cost", LOGARITHM)
LLR = Unit("LLR", PLAIN)

TakenAt = Literal["once", "range", "points", "rules", "forensic", "strengths"]
"""What a measure is taken at: nothing; prior log-odds, averaged over; each operating point; each
scoring rule; nothing, with other forensic figures; or each strength of misleading evidence."""


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A measure of LLRs."""

    name: str
    """Its name for programs."""
    words: str
    """Its name for people; ``{}`` is what it is taken at."""
    heading: str
    """The same for a narrow column."""
    remark: str
    """What people need to know beside it, such as that it is in bits."""
    at: TakenAt
    place: str
    """Where it is in :meth:`llrcal.Evaluation.to_dict`: keys, of which ``{}`` is a scoring rule."""
    unit: Unit
    limits: Interval
    """What it can be: no interval reaches beyond."""
    better: Literal["lower", "higher"]
    value: Callable[[Measurable, Any], float | Floats]
    """The number, given what it is taken at; an array for points and strengths."""
    interval: Literal["centred", "corrected"]
    """How drawn sets give its interval: see :mod:`llrcal.evaluation.intervals`."""
    floor: Callable[[Measurable, Any, Unseen], Band] | None
    """How far its interval reaches at least, for errors that nobody made; None for no rate."""
    least: str | None
    """The measure that says what no calibration of the scores can better; None where none does."""
    characteristic: str | None
    """What it tells of in a validation matrix; None if it is not in one."""

    def __reduce__(self) -> tuple[Callable[[str], Measure], tuple[str]]:
        return measure_named, (self.name,)

    def __post_init__(self) -> None:
        low, high = self.limits
        if not low < high or (self.unit is SHARE and not 0 <= low < high <= 1):
            raise ValueError(f"the limits of {self.name} are {self.limits}")
        if not self.place or ("{}" in self.place) != (self.at == "rules"):
            raise ValueError(f"the place of {self.name} is {self.place}")


_NO_INTERVAL = math.nan, math.nan


class Number(NamedTuple):
    """A number that a measure gives, and its interval, if there is one."""

    measure: Measure
    label: str
    """What it was taken at; empty if nothing."""
    value: float
    """Shares are fractions. NaN where it is not defined, as devPAV if classes do not overlap."""
    interval: Interval = _NO_INTERVAL
    """NaN where there is none."""

    @property
    def name(self) -> str:
        """A name for programs, such as ``min_dcf_p0.01``."""
        return _named(self.measure.name, self.label)

    @property
    def words(self) -> str:
        """A name for people."""
        return self._filled(self.measure.words)

    @property
    def capitalised(self) -> str:
        """The same at the beginning of a line."""
        first, *_ = self.words.split()
        return self.words[0].upper() + self.words[1:] if first.islower() else self.words

    @property
    def heading(self) -> str:
        """The same for a narrow column."""
        return self._filled(self.measure.heading)

    def _filled(self, template: str) -> str:
        if self.measure.at != "strengths":
            return template.format(self.label)
        strength = f"{float(self.label or 1):,.0f}"
        return template.format(strength, "1" if strength == "1" else f"1/{strength}")

    @property
    def is_share(self) -> bool:
        """Whether it is a share of trials, rather than a cost or a logarithm."""
        return self.measure.unit is SHARE

    def written(self, value: float, digits: int = 4) -> str:
        """The number, or an end of its interval, for a table; a share in per cent."""
        if math.isnan(value):
            return "none"
        return f"{100 * value:.4f} %" if self.is_share else f"{value:.{digits}f}"


@dataclass(frozen=True)
class Asked:
    """What measures are taken at."""

    points: tuple[OperatingPoint, ...] = ()
    rules: tuple[Rule, ...] = ()
    strengths: tuple[float, ...] | None = None
    """Of misleading evidence; None if no forensic figures of merit are wanted."""
    range: Floats | None = None
    """Prior log-odds over which errors are averaged, if they are."""

    @property
    def prior_log_odds(self) -> Floats:
        """Those of the operating points."""
        return np.array([point.prior_log_odds for point in self.points])

    def labels(self, measure: Measure) -> list[str]:
        """A label for each thing that a measure is taken at; nothing if it is not wanted."""
        if measure.at == "points":
            return [point.name for point in self.points]
        if measure.at == "rules":
            return list(self.rules)
        if measure.at == "strengths":
            return ["" if strength == 1 else f"{strength:.0f}" for strength in self.strengths or ()]
        wanted = {"range": self.range is not None, "forensic": self.strengths is not None}
        return [""] if wanted.get(measure.at, True) else []

    def places(self, measure: Measure) -> Sequence[Any] | Floats:
        """What a measure is taken at: an array where its value takes all of it at once."""
        if measure.at == "points":
            return self.prior_log_odds
        if measure.at == "strengths":
            return np.array(self.strengths or ())
        return self.rules if measure.at == "rules" else [self.range] * len(self.labels(measure))


def names_of(measure: Measure, asked: Asked) -> list[str]:
    """The names of the numbers that a measure gives."""
    return [_named(measure.name, label) for label in asked.labels(measure)]


def values_of(measure: Measure, trials: Measurable, places: Sequence[Any] | Floats) -> Floats:
    """The numbers of a measure, given what it is taken at: see :meth:`Asked.places`."""
    if isinstance(places, np.ndarray):
        return np.asarray(measure.value(trials, places))
    return np.array([measure.value(trials, place) for place in places], np.float64)


def numbers_of(trials: Measurable, asked: Asked, intervals: Mapping[str, Interval]) -> list[Number]:
    """All numbers that are asked for.

    ``intervals`` are known by name.
    """
    values = dict[str, float]()
    for measure in MEASURES:
        values |= zip(
            names_of(measure, asked),
            values_of(measure, trials, asked.places(measure)).tolist(),
            strict=True,
        )
    found = []
    for measure, label in listed(asked):
        name = _named(measure.name, label)
        found.append(Number(measure, label, values[name], intervals.get(name, _NO_INTERVAL)))
    return found


def listed(asked: Asked) -> list[tuple[Measure, str]]:
    """All measures that are asked for, with labels of what they are taken at.

    Those of a point, rule or strength stand together.
    """
    rows = dict[tuple[TakenAt, int], list[tuple[Measure, str]]]()
    for measure in MEASURES:
        for i, label in enumerate(asked.labels(measure)):
            rows.setdefault((measure.at, i), []).append((measure, label))
    return [number for row in rows.values() for number in row]


def place_in(
    answer: dict[str, Any], measure: Measure, values: Mapping[str, Any], asked: Asked
) -> None:
    """Put the values of a measure, by the names of its numbers, where they belong in an answer."""
    labels = asked.labels(measure)
    listed = [values[name] for name in names_of(measure, asked)]
    if measure.at == "points" or (measure.at == "strengths" and labels):
        _put(answer, measure.place, listed)
        return
    for label, value in zip(labels, listed, strict=True):
        _put(answer, measure.place.format(label), value)


def _named(name: str, label: str) -> str:
    return f"{name}_{label}" if label else name


def _put(answer: dict[str, Any], place: str, value: Any) -> None:
    *path, last = place.split(".")
    for key in path:
        answer = answer.setdefault(key, {})
    answer[last] = value


# ------------------------------------------------------------------- how far errors may reach

_NONE: Rates = np.zeros(1), np.zeros(1)


def _misses(rates: Floats, unseen: Unseen) -> Band:
    """Ends that the intervals of miss rates reach at least."""
    nothing = np.zeros(len(rates))
    return 1 - unseen.rates(1 - rates, nothing)[0], unseen.rates(rates, nothing)[0]


def _false_alarms(rates: Floats, unseen: Unseen) -> Band:
    """Ends that the intervals of false-alarm rates reach at least."""
    nothing = np.zeros(len(rates))
    return 1 - unseen.rates(nothing, 1 - rates)[1], unseen.rates(nothing, rates)[1]


def _actual(trials: Measurable, x: Floats, unseen: Unseen) -> Band:
    """The highest Bayes errors at prior log-odds."""
    rates = trials.pmiss(-x), trials.pfa(-x)
    return np.full(len(x), math.inf), possible_error(*rates, x, possible=unseen.rates(*rates))


def _minimum(trials: Measurable, x: Floats, unseen: Unseen) -> Band:
    """The highest least Bayes errors, where there are none."""
    reach = possible_error(*_NONE, x, possible=unseen.rates(*_NONE))
    none = least_error(trials.hull, x) == 0
    return np.full(len(x), math.inf), np.where(none, reach, 0.0)


def _equal(trials: Measurable, _at: object, unseen: Unseen) -> Band:
    """The highest EER, where there is no error."""
    reach = np.maximum(*unseen.rates(*_NONE))
    return np.full(1, math.inf), np.where(eer(trials.hull) == 0, reach, 0.0)


def _in_bits(trials: Measurable, _at: object, unseen: Unseen) -> Band:
    """The highest Cllr of classes that are apart: that of a share of one class in the other."""
    reach = np.maximum(*unseen.rates(*_NONE))
    cost = (np.log2(1 + reach) + reach * np.log2(1 + 1 / reach)) / 2
    return np.full(1, math.inf), np.where(trials.least_cost("log") == 0, cost, 0.0)


# -------------------------------------------------------------------------------- the measures

STRENGTHS = (1.0, 10.0, 100.0, 1000.0)
"""LRs beyond which misleading evidence is counted, unless others are asked for."""
_POSITIVE, _TO_ONE, _ANY = (0.0, math.inf), (0.0, 1.0), (-math.inf, math.inf)


def misleading_thresholds(strengths: Sequence[float] | Floats) -> Band:
    """The LLRs below which targets, and at or above which non-targets, mislead."""
    ends = [math.log(strength) for strength in strengths]
    return np.array([-end + 0.0 for end in ends]), np.nextafter(ends, math.inf)


def _below(trials: Measurable, strengths: Floats) -> Floats:
    return trials.pmiss(misleading_thresholds(strengths)[0])


def _above(trials: Measurable, strengths: Floats) -> Floats:
    return trials.pfa(misleading_thresholds(strengths)[1])


def _bayes_error(trials: Measurable, x: Floats) -> Floats:
    return normalised(trials.pmiss(-x), trials.pfa(-x), x)


MEASURES = (
    Measure(
        name="mean_error",
        words="mean Bayes error",
        heading="mean error",
        remark="",
        at="range",
        place="mean_error",
        unit=COST,
        limits=_POSITIVE,
        better="lower",
        value=lambda trials, x: float(_bayes_error(trials, x).mean()),
        interval="centred",
        floor=None,
        least="least_mean_error",
        characteristic=None,
    ),
    Measure(
        name="least_mean_error",
        words="minimum of the mean Bayes error",
        heading="min error",
        remark="",
        at="range",
        place="least_mean_error",
        unit=COST,
        limits=_TO_ONE,
        better="lower",
        value=lambda trials, x: float(least_error(trials.hull, x).mean()),
        interval="centred",
        floor=None,
        least="least_mean_error",
        characteristic=None,
    ),
    Measure(
        name="cllr",
        words="Cllr",
        heading="Cllr",
        remark="bits",
        at="once",
        place="cllr",
        unit=COST,
        limits=_POSITIVE,
        better="lower",
        value=lambda trials, _: trials.mean_cost("log"),
        interval="centred",
        floor=_in_bits,
        least="min_cllr",
        characteristic="Accuracy",
    ),
    Measure(
        name="min_cllr",
        words="minCllr",
        heading="minCllr",
        remark="bits",
        at="once",
        place="min_cllr",
        unit=COST,
        limits=_TO_ONE,
        better="lower",
        value=lambda trials, _: trials.least_cost("log"),
        interval="centred",
        floor=_in_bits,
        least="min_cllr",
        characteristic="Discriminating power",
    ),
    Measure(
        name="calibration_loss",
        words="calibration loss",
        heading="loss",
        remark="bits",
        at="once",
        place="calibration_loss",
        unit=COST,
        limits=_POSITIVE,
        better="lower",
        value=lambda trials, _: trials.mean_cost("log") - trials.least_cost("log"),
        interval="centred",
        floor=None,
        least=None,
        characteristic="Calibration",
    ),
    Measure(
        name="eer",
        words="EER",
        heading="EER %",
        remark="ROC convex hull",
        at="once",
        place="eer",
        unit=SHARE,
        limits=(0.0, 0.5),
        better="lower",
        value=lambda trials, _: eer(trials.hull),
        interval="corrected",
        floor=_equal,
        least="eer",
        characteristic="Discriminating power",
    ),
    Measure(
        name="act_dcf",
        words="DCF at {}",
        heading="act {}",
        remark="",
        at="points",
        place="act_dcf",
        unit=COST,
        limits=_POSITIVE,
        better="lower",
        value=_bayes_error,
        interval="centred",
        floor=_actual,
        least="min_dcf",
        characteristic=None,
    ),
    Measure(
        name="min_dcf",
        words="minDCF at {}",
        heading="min {}",
        remark="",
        at="points",
        place="min_dcf",
        unit=COST,
        limits=_TO_ONE,
        better="lower",
        value=lambda trials, x: least_error(trials.hull, x),
        interval="corrected",
        floor=_minimum,
        least="min_dcf",
        characteristic=None,
    ),
    Measure(
        name="cost",
        words="cost by {}",
        heading="{}",
        remark="",
        at="rules",
        place="rules.{}.actual",
        unit=COST,
        limits=_POSITIVE,
        better="lower",
        value=lambda trials, rule: trials.mean_cost(rule),
        interval="centred",
        floor=None,
        least="min_cost",
        characteristic=None,
    ),
    Measure(
        name="min_cost",
        words="minimum cost by {}",
        heading="min {}",
        remark="",
        at="rules",
        place="rules.{}.minimum",
        unit=COST,
        limits=_TO_ONE,
        better="lower",
        value=lambda trials, rule: trials.least_cost(rule),
        interval="centred",
        floor=None,
        least="min_cost",
        characteristic=None,
    ),
    Measure(
        name="cost_loss",
        words="calibration loss by {}",
        heading="{} loss",
        remark="",
        at="rules",
        place="rules.{}.loss",
        unit=COST,
        limits=_POSITIVE,
        better="lower",
        value=lambda trials, rule: trials.mean_cost(rule) - trials.least_cost(rule),
        interval="centred",
        floor=None,
        least=None,
        characteristic=None,
    ),
    Measure(
        name="misleading_tar",
        words="LR < {1}, same source",
        heading="LR < {1}",
        remark="",
        at="strengths",
        place="forensic.misleading.tar",
        unit=SHARE,
        limits=_TO_ONE,
        better="lower",
        value=_below,
        interval="centred",
        floor=lambda trials, at, unseen: _misses(_below(trials, at), unseen),
        least=None,
        characteristic="Rates of misleading evidence",
    ),
    Measure(
        name="misleading_non",
        words="LR > {0}, different sources",
        heading="LR > {0}",
        remark="",
        at="strengths",
        place="forensic.misleading.non",
        unit=SHARE,
        limits=_TO_ONE,
        better="lower",
        value=_above,
        interval="centred",
        floor=lambda trials, at, unseen: _false_alarms(_above(trials, at), unseen),
        least=None,
        characteristic="Rates of misleading evidence",
    ),
    Measure(
        name="dev_pav",
        words="devPAV (log10)",
        heading="devPAV",
        remark="",
        at="forensic",
        place="forensic.dev_pav",
        unit=COST,
        limits=_POSITIVE,
        better="lower",
        value=lambda trials, _: trials.dev_pav,
        interval="centred",
        floor=None,
        least=None,
        characteristic="Calibration",
    ),
    Measure(
        name="log10_lr_tar",
        words="mean log10 LR, same source",
        heading="log10 LR, same",
        remark="",
        at="forensic",
        place="forensic.expected.log10_lr_tar",
        unit=LLR,
        limits=_ANY,
        better="higher",
        value=lambda trials, _: trials.mean_llrs[0] / math.log(10),
        interval="centred",
        floor=None,
        least=None,
        characteristic="Strength of evidence",
    ),
    Measure(
        name="log10_lr_non",
        words="mean log10 LR, different sources",
        heading="log10 LR, different",
        remark="",
        at="forensic",
        place="forensic.expected.log10_lr_non",
        unit=LLR,
        limits=_ANY,
        better="lower",
        value=lambda trials, _: trials.mean_llrs[1] / math.log(10),
        interval="centred",
        floor=None,
        least=None,
        characteristic="Strength of evidence",
    ),
)
_BY_NAME = {measure.name: measure for measure in MEASURES}
if len(_BY_NAME) < len(MEASURES) or any(one.least not in (None, *_BY_NAME) for one in MEASURES):
    raise ValueError("measures have the same name, or a least value that is none of them")


def measure_named(name: str) -> Measure:
    """The measure of this name."""
    return _BY_NAME[name]


MISS_RATE = replace(
    measure_named("misleading_tar"),
    name="pmiss",
    words="miss rate",
    value=lambda trials, at: trials.pmiss(at),
    floor=lambda trials, at, unseen: _misses(trials.pmiss(at), unseen),
)
"""At thresholds: for bands."""
FALSE_ALARM_RATE = replace(
    measure_named("misleading_non"),
    name="pfa",
    words="false-alarm rate",
    value=lambda trials, at: trials.pfa(at),
    floor=lambda trials, at, unseen: _false_alarms(trials.pfa(at), unseen),
)
CROSS_ENTROPY = replace(measure_named("cllr"), name="cross_entropy", floor=None)
