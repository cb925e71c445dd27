"""Whether a calibration is fit for the test trials, and in numbers why not.

A calibration that was learned on other trials than those it is tested on can be worse than none.
Two rules, either of which is enough:

- It is not clearly better than deciding by the prior alone: at an operating point that the user
  named, the 95 % interval of its error reaches one; or the criterion itself is one or more.
- Its error is above the least possible for these scores by more than a tenth, for sure: the lower
  end of the 95 % interval is. A tenth of that minimum, or of what the scores are worth at best,
  which is one less the minimum, whichever is less. Where training and test trials are alike, the
  best method is within a few per cent; a shift costs 15 to 60 % (docs/verdict.md).

The minimum is found on the test trials themselves and flattered by it: more so the fewer they are.
Drawn sets are flattered once more, by about as much, and that is taken off. It works where the
rule of 30 holds. Elsewhere, and for Cllr, the second rule is that of ``llrcal.evaluate``: what a
straight line through the LLRs would gain (:mod:`llrcal.evaluation.line_check`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.comparison.checks import outside
from llrcal.comparison.differences import LEAST_DRAWS
from llrcal.comparison.score_axis import finite_part
from llrcal.evaluation import Evaluation
from llrcal.evaluation.bootstrap import Replicates
from llrcal.evaluation.intervals import centred_band, interval, pairs
from llrcal.evaluation.line_check import CALIBRATION_LOSS, RAW_SCORES
from llrcal.notes import Note
from llrcal.onepass.direction import WRONG_WAY

if TYPE_CHECKING:
    from llrcal.comparison.comparison import Comparison

LARGE_LOSS = 0.1
"""The share of the minimum, or of one less the minimum, by which an error may exceed it."""
_NOTHING_TO_GAIN = 0.9  # a minimum at which no calibration is of much use

_CALIBRATE = "Calibrate on trials like these."
_ADAPT = "If there are few or no labels, adapt a calibration to the scores: see llrcal adapt."


@dataclass(frozen=True)
class Fitness:
    """What speaks against one calibration."""

    notes: tuple[Note, ...]
    advice: str = _CALIBRATE

    @property
    def is_fit(self) -> bool:
        return not self.notes

    @classmethod
    def of(cls, comparison: Comparison, label: str) -> Fitness:
        """Judge a calibration by the numbers of a comparison."""
        if comparison.raw.direction_notes:
            text = "these scores run the wrong way: targets score lower than non-targets"
            return cls((Note.warning(WRONG_WAY, text),), "Check their sign, and the labels.")
        useless = [(error, note) for error in _errors(comparison, label) if (note := error.note)]
        notes = (*(note for _, note in useless), *_loss(comparison, label))
        if any(error.least > _NOTHING_TO_GAIN for error, _ in useless):
            return cls(notes, "No calibration mends all of this: the scores themselves say little.")
        if any(candidate.adapted for candidate in comparison.candidates.values()):
            return cls(notes)
        return cls(notes, f"{_CALIBRATE} {_ADAPT}")


def does_harm(comparison: Comparison, label: str) -> bool:
    """Whether deciding by the prior would have been better, somewhere that matters to the user."""
    return any(error.value >= 1 for error in _errors(comparison, label))


def doubts(comparison: Comparison, fitness: Fitness) -> tuple[Note, ...]:
    """Why a calibration is not fit, and how the test scores differ from those of training."""
    if any(note.code == WRONG_WAY for note in fitness.notes):
        return fitness.notes
    moved = ", ".join(
        f"{name} {_moved(old, new)}"
        for name, old, new in (
            ("targets", comparison.train.tar, comparison.test.tar),
            ("non-targets", comparison.train.non, comparison.test.non),
        )
    )
    count, total = outside(comparison.train, comparison.test)
    return (
        *fitness.notes,
        Note.warning("shift", f"from training to test, {moved}"),
        Note.warning(
            "range", f"{100 * count / total:.1f} % of the test scores lie beyond those of training"
        ),
    )


@dataclass(frozen=True)
class _Error:
    """An error of a calibration that should lie below one, the error of the prior alone."""

    words: str
    value: float
    least: float
    """The same at the best thresholds."""
    drawn: Floats | None
    """The value in drawn sets, where it should be below one in nearly all of them."""

    @property
    def note(self) -> Note | None:
        """What there is to say if it is not clearly below one."""
        high, shown = self.value, f"{self.value:.4f}"
        if self.drawn is not None:
            ((low, high),) = pairs(centred_band(self.drawn[:, None], np.array([self.value])))
            shown += f" (95 % interval {low:.4f} to {high:.4f})"
        if max(self.value, high) < 1:
            return None
        return Note.warning(
            "no better than the prior",
            f"the {self.words} is {shown}, with a minimum of {self.least:.4f} for these scores: "
            "not clearly better than deciding by the prior alone, which is 1",
        )


def _errors(comparison: Comparison, label: str) -> Iterator[_Error]:
    """The errors of a calibration that should be below one: the criterion, and at the points."""
    evaluation, raw = comparison.candidates[label].evaluation, comparison.raw
    criterion, drawn = comparison.criterion, _replicates(comparison, label)
    if criterion.name != "points" or len(comparison.points) > 1:
        value, least = criterion.value(evaluation), criterion.least(raw)
        yield _Error(f"{criterion.words} of {label}", value, least, None)
    for i, point in enumerate(comparison.points if comparison.asked_for_points else ()):
        x = point.prior_log_odds
        yield _Error(
            f"Bayes error of {label} at {point.name}",
            evaluation.bayes_error(x),
            raw.min_bayes_error(x),
            None if drawn is None else drawn.drawn["act_dcf"][:, i],
        )


def _replicates(comparison: Comparison, label: str) -> Replicates | None:
    """The drawn numbers of a calibration, where they are enough for an interval."""
    drawn = comparison.candidates[label].replicates
    return drawn if drawn is not None and len(drawn) >= LEAST_DRAWS else None


def _loss(comparison: Comparison, label: str) -> tuple[Note, ...]:
    """Whether more is lost by calibration than the choice of a method could ever gain."""
    candidate, criterion = comparison.candidates[label], comparison.criterion
    ours, raw = _replicates(comparison, label), comparison.raw_replicates
    if ours is None or raw is None or not _rests_on_errors(comparison):
        return _loss_by_line(label, candidate.evaluation)
    value, least = criterion.value(candidate.evaluation), criterion.least(comparison.raw)
    drawn = criterion.drawn(ours) - criterion.least_drawn(raw)
    optimism = float(drawn.mean()) - (value - least)
    for_sure = float(interval(drawn - 2 * optimism)[0])
    if not for_sure > LARGE_LOSS * min(least, 1 - least):
        return ()
    return (
        Note.warning(
            "calibration loss",
            f"the {criterion.words} of {label}, the best, is {value:.4f}, "
            f"{100 * (value / least - 1):.0f} % above the minimum of {least:.4f} for these scores "
            f"(at least {100 * for_sure / least:.0f} %, at 95 %): far more than the choice of a "
            "method can gain",
        ),
    )


def _rests_on_errors(comparison: Comparison) -> bool:
    """Whether 30 errors of each kind, at least, are behind the minimum of the criterion."""
    low, high = comparison.raw.rule_of_30
    if comparison.criterion.name == "points":
        return all(low <= point.prior_log_odds <= high for point in comparison.points)
    return comparison.criterion.name == "range" and low < high


def _loss_by_line(label: str, evaluation: Evaluation) -> tuple[Note, ...]:
    """The same by what a straight line through the LLRs would gain."""
    if not {note.code for note in evaluation.notes} & {RAW_SCORES, CALIBRATION_LOSS}:
        return ()
    return (
        Note.warning(
            "calibration loss",
            f"the Cllr of {label}, the best, is {evaluation.cllr:.4f}, with a minimum of "
            f"{evaluation.min_cllr:.4f} for these scores: far more is lost than the choice of a "
            "method can gain",
        ),
    )


def _moved(old: Array, new: Array) -> str:
    """How far the mean of a class has moved, in standard deviations."""
    a, b = (finite_part(scores).astype(np.float64, copy=False) for scores in (old, new))
    if not (len(a) and len(b)) or a.std() == 0:
        return "cannot be compared"
    deviations = float((b.mean() - a.mean()) / a.std())
    way = "up" if deviations > 0 else "down"
    return f"move {way} by {abs(deviations):.2f} standard deviations"
