"""Which calibration to use, what that rests on, and whether any is fit for the test trials.

A calibration that was learned on other trials than those it is tested on can be worse than none.
It is not fit by either of two rules:

- It is not clearly better than deciding by the prior alone: at an operating point that the user
  named, the 95 % interval of its error reaches one; or the criterion itself is one or more.
- Its error is above the least possible for these scores by more than a tenth, for sure: the lower
  end of the 95 % interval is. A tenth of that minimum, or of what the scores are worth at best,
  which is one less the minimum, whichever is less. Where training and test trials are alike, the
  best method is within a few per cent; a shift costs 15 to 60 % (docs/verdict.md).

The minimum is found on the test trials themselves and optimistic for it: more so the fewer they
are. Drawn sets are optimistic once more, by about as much, and that is taken off. It works where
the rule of 30 holds. Elsewhere, and for Cllr, the second rule is that of ``llrcal.evaluate``: what
a straight line through the LLRs would gain (:mod:`llrcal.evaluation.line_check`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from llrcal.comparison.ranking import (
    Criterion,
    Difference,
    Ranking,
    interval_of,
    with_interval,
)
from llrcal.evaluation import Evaluation, OperatingPoint
from llrcal.evaluation.intervals import interval
from llrcal.evaluation.line_check import CALIBRATION_LOSS, RAW_SCORES
from llrcal.evaluation.measures import Interval
from llrcal.method_table import DEFAULT
from llrcal.notes import Note
from llrcal.onepass.rank_scale import WRONG_WAY

LARGE_LOSS = 0.1
"""The share of the minimum, or of one less the minimum, by which an error may exceed it."""
_NOTHING_TO_GAIN = 0.9  # a minimum at which no calibration is of much use

_SHIFT = ("shift", "range")  # codes of notes
_CALIBRATE = "Calibrate on trials like these."
_ADAPT = "If there are few or no labels, adapt a calibration to the scores: see llrcal adapt."


@dataclass(frozen=True)
class Verdict:
    """What a comparison comes to. As a string, a few sentences."""

    headline: str
    """What to do, in one sentence."""
    basis: str
    """What that rests on, in a few."""
    best: str
    """Label of the calibration with the least error."""
    equals: tuple[str, ...]
    """Those not distinguishable from the best at 95 %, the better ones first."""
    recommended: str
    """Of all these, where they are fit: the default method, if it is one of them, or else the
    simplest. The best, if nothing tells them apart."""
    fit: bool
    """Whether the test trials are such that any of them should be used."""
    reasons: tuple[Note, ...] = ()
    """Why none is fit."""

    @property
    def text(self) -> str:
        """All of it."""
        return f"{self.headline} {self.basis}"

    def __str__(self) -> str:
        return self.text


def verdict(
    ranking: Ranking, named: Sequence[OperatingPoint], notes: Sequence[Note] = ()
) -> Verdict:
    """The verdict on calibrations, given the operating points that the user named, if any.

    Notes on how the trials differ from those of training are reasons, if none is fit.
    """
    best, equals, candidates = ranking.best, ranking.equals, ranking.candidates
    if ranking.raw.direction_notes:
        text = "these scores run the wrong way: targets score lower than non-targets"
        reasons = [Note.warning(WRONG_WAY, text)]
        return _unfit(ranking, reasons, "Check their sign, and the labels.")
    useless = [error for error in _errors(ranking, best, named) if error.notes]
    if reasons := [*(note for error in useless for note in error.notes), *_loss(ranking, best)]:
        advice = f"{_CALIBRATE} {_ADAPT}"
        if any(error.least > _NOTHING_TO_GAIN for error in useless):
            advice = "The scores carry too little information for any calibration."
        elif any(one.adapted for one in candidates.values()):
            advice = _CALIBRATE
        return _unfit(ranking, [*reasons, *(note for note in notes if note.code in _SHIFT)], advice)
    default = _default(ranking)
    harmless = []
    for label in equals:
        # Not what decides worse than the prior alone where it matters; the default, only if sure.
        errors = list(_errors(ranking, label, named))
        ends = [(error.interval or ranking.intervals[label])[0] > 1 for error in errors]
        if not any(ends if label == default else (error.value >= 1 for error in errors)):
            harmless.append(label)
    # The default; or fewer parameters; of as many, what has not seen the test scores; less error.
    recommended = min(
        (best, *harmless),
        key=lambda label: (
            label != default,
            candidates[label].parameters,
            candidates[label].adapted,
            ranking.values[label],
        ),
    )
    headline = f"Use {recommended}." if ranking.draws else f"Least error: {best}."
    told = [_least(ranking), ranking.why_this_range, _beside(ranking, recommended)]
    if candidates[recommended].adapted:
        told.append(f"{recommended} has seen the test scores, but not their labels.")
    return Verdict(headline, " ".join(filter(None, told)), best, equals, recommended, True)


def _unfit(ranking: Ranking, reasons: Sequence[Note], advice: str) -> Verdict:
    why = " ".join(f"{note.text[:1].upper()}{note.text[1:]}." for note in reasons)
    return Verdict(
        "No calibration here is reliable on the test trials.",
        f"{why} {advice}",
        ranking.best,
        ranking.equals,
        ranking.best,
        False,
        tuple(reasons),
    )


class _Error(NamedTuple):
    """An error of a calibration that should lie below one, the error of the prior alone."""

    words: str
    value: float
    least: float
    """The same at the best thresholds."""
    interval: Interval | None = None
    """Where it should be below one in nearly all drawn sets."""

    @property
    def notes(self) -> list[Note]:
        """What there is to say if it is not clearly below one."""
        if max(self.value, self.interval[1] if self.interval else 0.0) < 1:
            return []
        return [
            Note.warning(
                "no better than the prior",
                f"the {self.words} is {with_interval(self.value, self.interval)}, with a minimum "
                f"of {self.least:.4f} for these scores: not clearly better than deciding by the "
                "prior alone, which is 1",
            )
        ]


def _errors(ranking: Ranking, label: str, named: Sequence[OperatingPoint]) -> Iterator[_Error]:
    """The errors of a calibration that should be below one: the criterion, and at the points."""
    raw, criterion = ranking.scores_of(label)[0], ranking.criterion
    if criterion.name != "points" or len(named) > 1:
        value = ranking.values[label]
        yield _Error(f"{criterion.words} of {label}", value, criterion.least(raw))
    drawn = ranking.replicates.get(label)
    for i, point in enumerate(named):
        x = point.prior_log_odds
        value = ranking.candidates[label].evaluation.bayes_error(x)
        interval = None if drawn is None else interval_of(drawn.drawn["act_dcf"][:, i], value)
        words = f"Bayes error of {label} at {point.name}"
        yield _Error(words, value, raw.min_bayes_error(x), interval)


def _loss(ranking: Ranking, label: str) -> Iterator[Note]:
    """Whether more is lost by calibration than the choice of a method could ever gain."""
    evaluation, criterion = ranking.candidates[label].evaluation, ranking.criterion
    scores, drawn = ranking.scores_of(label)
    least_llr, greatest_llr = evaluation.held_between
    # Beyond, LLRs that are held decide as the prior does.
    is_decided = all(least_llr < -x <= greatest_llr for x in criterion.priors)
    has_errors = is_decided and _rests_on_errors(scores, criterion)
    if not ranking.drawn or drawn is None or not has_errors:
        if any(note.code in (RAW_SCORES, CALIBRATION_LOSS) for note in evaluation.notes):
            yield Note.warning(
                CALIBRATION_LOSS,
                f"the Cllr of {label}, the best, is {evaluation.cllr:.4f}, with a minimum of "
                f"{evaluation.min_cllr:.4f} for these scores: far more is lost than the choice of "
                "a method can gain",
            )
        return
    value, least = ranking.values[label], criterion.least(scores)
    losses = ranking.drawn[label] - criterion.drawn(drawn, least=True)
    optimism = float(losses.mean()) - (value - least)
    for_sure = float(interval(losses - 2 * optimism)[0])
    if for_sure > LARGE_LOSS * min(least, 1 - least):
        yield Note.warning(
            CALIBRATION_LOSS,
            f"the {criterion.words} of {label}, the best, is {value:.4f}, "
            f"{100 * (value / least - 1):.0f} % above the minimum of {least:.4f} for these scores "
            f"(at least {100 * for_sure / least:.0f} %, at 95 %): far more than the choice of a "
            "method can gain",
        )


def _rests_on_errors(scores: Evaluation, criterion: Criterion) -> bool:
    """Whether 30 errors of each kind, at least, are behind the minimum of the criterion."""
    low, high = scores.rule_of_30
    return criterion.name != "cllr" and all(low <= x <= high for x in criterion.priors)


def _least(ranking: Ranking) -> str:
    best = ranking.best
    value, least = ranking.values[best], ranking.least(best)
    shown = with_interval(value, ranking.intervals.get(best))
    text = f"{best} has the least {ranking.criterion.words}: {shown}"
    if least > 0:
        text += f", {100 * (value / least - 1):.1f} % above the minimum for these scores"
    return f"{text}."


def _default(ranking: Ranking) -> str | None:
    """The label of the default method, if it is one of the candidates."""
    every = ranking.candidates.items()
    return next((label for label, one in every if one.method == DEFAULT and not one.adapted), None)


def _beside(ranking: Ranking, recommended: str) -> str:
    """How the others compare with the best, and why one of them is recommended."""
    if len(ranking.values) == 1:
        return ""
    if not ranking.draws:
        return (
            "Without bootstrap replicates there is no telling whether the others differ from it "
            "by more than chance."
        )
    by = f" ({ranking.draws}, the same for all)"
    default, worse = _default(ranking), ""
    if default and default not in (ranking.best, *ranking.equals):
        worse = f" {default}, the default, is worse by {_by(ranking.others[default])}."
    if not ranking.equals:
        label, other = next(iter(ranking.others.items()))
        text = f"Every other is worse by more than chance explains{by}: the next is {label}, by "
        return f"{text}{_by(other)}.{worse if label != default else ''}"
    text = f"Not distinguishable from it at 95 %{by}: {', '.join(ranking.equals)}."
    if recommended == default != ranking.best:
        return (
            f"{text} Of these, {recommended} is the default, which does best over many data sets."
        )
    if recommended != ranking.best:
        text += f" Of these, {recommended} is simplest."
    return text + worse


def _by(other: Difference) -> str:
    low, high = other.interval
    return f"{other.value:.4f} ({low:.4f} to {high:.4f})"
