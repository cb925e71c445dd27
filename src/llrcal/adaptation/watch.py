"""Has the field moved? Unlabelled scores beside both training classes, and what a change costs."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple

import numpy as np

from llrcal.adaptation.adapt import check_options, portrait_of
from llrcal.adaptation.classes import TrainedClasses
from llrcal.adaptation.field import Field
from llrcal.adaptation.findings import findings, notes_on
from llrcal.adaptation.given import Given, Unlabelled, number_of_speakers
from llrcal.arrays import ArrayLike
from llrcal.calibrations.adapted import Estimate
from llrcal.calibrations.calibration import Calibration
from llrcal.notebook import html_table
from llrcal.notes import Note, warn

Verdict = Literal["as in training", "moved", "cannot tell"]
# Scores are as in training if a change costs less than the first, in bits of Cllr, by the whole of
# its interval; and have moved if it costs more than the second with a probability of the third.
# Chosen on families of known truth with 300 and 3,000 training targets.
NEGLIGIBLE, COSTLY, _SURE = 0.05, 0.01, 0.8
_RANGES = 10  # of scores, in which they are compared with training


class Difference(NamedTuple):
    """How many scores lie in a range, and how many would if nothing had moved."""

    low: float
    high: float
    seen: float
    expected: float


@dataclass(frozen=True, kw_only=True)
class Watched:
    """Whether scores look as in training, and what a change costs."""

    verdict: Verdict
    count: int
    """How many scores there are."""
    effective: float
    """As how many independent scores they weigh."""
    p_target: float | None
    unmoved: float
    """The probability that they are a mixture of the training classes, if that is as likely
    beforehand as a move."""
    costly: float
    """The probability that the change costs more than 0.01 bits of Cllr."""
    cost: Estimate
    """What the change costs, in bits of Cllr: never negative."""
    cllr: Estimate
    """Cllr of the calibration as it is, expected in the field."""
    share: Estimate
    """Of targets among the scores."""
    training_share: float
    """Of targets, at which a mixture of the training classes fits the scores best."""
    differences: tuple[Difference, ...]
    """Ranges of scores, in the direction of the scores, in rising order."""
    notes: tuple[Note, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        out = {each.name: getattr(self, each.name) for each in fields(self)[:-2]}
        out |= {name: list(out[name]) for name in ("cost", "cllr", "share")}
        return out | {"differences": [each._asdict() for each in self.differences]}

    def __str__(self) -> str:
        cost, low, high = (f"{max(number, 0.001):.3f}" for number in self.cost)
        if self.verdict == "as in training":
            return f"as in training: a change costs at most {high} bits of Cllr"
        if self.verdict == "moved":
            return f"moved: the change costs about {cost} bits of Cllr ({low} to {high})"
        settle = "30 labelled scores of each class"
        if self.p_target is None:
            settle = f"the share of targets, or {settle}"
        return (
            f"cannot tell: a change may cost up to {high} bits of Cllr, or next to nothing; "
            f"{settle} would settle it"
        )

    def _repr_html_(self) -> str:
        rows = {
            "scores": self.count,
            "weigh as many independent scores": self.effective,
            "probability that nothing has moved": self.unmoved,
            "cost of the change (bits of Cllr)": tuple(self.cost),
            "expected Cllr as it is": tuple(self.cllr),
            "share of targets": tuple(self.share),
        }
        return html_table(str(self), rows, map(str, self.notes))


def watch(
    cal: Calibration,
    scores: Unlabelled,
    *,
    p_target: float | None = None,
    factor: float = 2.0,
    speakers: ArrayLike | None = None,
) -> Watched:
    """Tell whether unlabelled scores look as in training, and what it costs if they do not.

    The verdict goes by what a change costs, with its interval, and not by a p-value, which millions
    of scores make small for any change. Where targets alone have changed, few of them are hidden
    among non-targets, and unlabelled scores may not tell: then the verdict says so.

    Parameters
    ----------
    cal
        A calibration by any method.
    scores, speakers
        Scores from the field, and the number of speakers, as for :func:`adapt`.
    p_target, factor
        Roughly the share of targets among them, if it is known, and by what factor that may be
        off, as one standard deviation.

    Returns
    -------
    Watched
        Its ``verdict`` is "as in training" (a change costs less than 0.05 bits of Cllr, by the
        whole of its interval), "moved" (it costs more than 0.01 bits, with a probability of 0.8 or
        more) or "cannot tell".

    Raises
    ------
    OptionError
        If the calibration has no portrait of its classes, or an option is out of range.
    ScoreError
        If there are no scores, or they cannot be used.

    Warns
    -----
    LlrcalWarning
        If something about the scores seems wrong, and what it is.

    Examples
    --------
    >>> import llrcal
    >>> old, new = llrcal.simulate(seed=1), llrcal.simulate(seed=2)
    >>> cal = llrcal.fit(old.tar, old.non)
    >>> llrcal.watch(cal, [*new.tar, *new.non]).verdict
    'as in training'
    >>> llrcal.watch(cal, [*(new.tar - 2), *(new.non - 2)]).verdict
    'moved'
    """
    seen = watched(cal, scores, p_target=p_target, factor=factor, speakers=speakers)
    warn(seen.notes)
    return seen


def watched(
    cal: Calibration,
    scores: Unlabelled,
    *,
    p_target: float | None = None,
    factor: float = 2.0,
    speakers: ArrayLike | None = None,
) -> Watched:
    """The same as :func:`watch`, for callers that handle the notes themselves."""
    portrait = portrait_of(cal)
    check_options(p_target, factor)
    people = number_of_speakers(scores, speakers)
    given = Given.of(cal, scores)
    field = Field.of(cal, TrainedClasses.of(portrait), given, p_target, factor, people)
    what = findings(field, field.old_llrs, p_target, factor, applied=False)
    cost = field.estimate(field.costs, favoured=False)
    costly = float(field.neutral @ (field.costs > COSTLY))
    verdict: Verdict = "moved" if costly >= _SURE else "cannot tell"
    return Watched(
        verdict="as in training" if cost.high < NEGLIGIBLE else verdict,
        count=what.unlabelled,
        effective=what.effective,
        p_target=p_target,
        unmoved=what.unmoved,
        costly=costly,
        cost=cost,
        cllr=what.cllr_before,
        share=what.share,
        training_share=field.training_share,
        differences=_differences(field, reverse=cal.lower_is_better),
        notes=tuple(notes_on(what)),
    )


def _differences(field: Field, *, reverse: bool) -> tuple[Difference, ...]:
    """The scores in ranges, beside the mixture of the training classes that fits them best."""
    data, classes = field.data, field.classes
    first = np.searchsorted(np.cumsum(data.seen), np.arange(1, _RANGES) / _RANGES)
    last = np.unique(np.minimum(first, len(data.edges) - 1))
    tar, non = (side[0] for side in classes.masses(data.edges, classes.unmoved))
    share = field.training_share
    seen, expected = (
        np.diff(np.cumsum(masses)[last], prepend=0.0, append=1.0)
        for masses in (data.seen, share * tar + (1 - share) * non)
    )
    ends = [-np.inf, *(classes.origin + data.edges[last] * classes.unit), np.inf]
    rows = list(zip(ends[:-1], ends[1:], seen, expected, strict=True))
    if reverse:
        rows = [(-high, -low, seen, expected) for low, high, seen, expected in reversed(rows)]
    return tuple(Difference(*map(float, row)) for row in rows)
