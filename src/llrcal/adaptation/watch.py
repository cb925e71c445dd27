"""Has the field moved? Unlabelled scores beside both training classes, and what a change costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from llrcal.adaptation.adapt import check_options, portrait_of
from llrcal.adaptation.field import Field, fitted_share
from llrcal.adaptation.findings import notes_on_scores
from llrcal.adaptation.given import Given, Unlabelled
from llrcal.adaptation.prediction import Bins, estimate, predicted
from llrcal.adaptation.source import SourceModel, dithered
from llrcal.arrays import Floats
from llrcal.calibrations.adapted import Estimate
from llrcal.calibrations.calibration import Calibration
from llrcal.notebook import html_table
from llrcal.notes import Note, warn
from llrcal.onepass.cells import Cells

Verdict = Literal["as in training", "moved", "moved, cost unknown"]
# Chosen on halves of sets that had not moved, and on pairs of conditions of NIST SRE 2008.
COSTLY = 0.01  # bits of Cllr
_SURE = 0.8  # the probability that a change is costly, for "moved"
_STRANGE = 0.5  # the probability that scores are something else altogether
# Where nothing short of a move explains the scores, and it may well be costly, it is told.
_HARDLY_UNMOVED, _MAY_BE_COSTLY = 1e-3, 0.12
_A_FEW = 1e-3  # of the scores
_RANGES = 10  # of scores, in which they are compared with training


class Difference(NamedTuple):
    """How many scores lie in a range, and how many would if nothing had moved."""

    low: float
    high: float
    seen: float
    expected: float


@dataclass(frozen=True, kw_only=True)
class Watched:
    """Whether scores look as in training, and what a change is expected to cost."""

    verdict: Verdict
    count: int
    """How many scores there are."""
    p_target: float | None
    unmoved: float
    """The probability that they are a mixture of the training classes."""
    costly: float
    """The probability that the change costs more than 0.01 bits of Cllr."""
    cost: Estimate
    """What adapting is expected to gain, in bits of Cllr."""
    cllr: Estimate
    """Cllr of the calibration as it is, expected in the field."""
    share: Estimate
    """Of targets among the scores."""
    differences: tuple[Difference, ...]
    """Ranges of scores, in the direction of the scores, in rising order."""
    notes: tuple[Note, ...] = ()

    @property
    def moved(self) -> bool:
        """Whether the field has moved, as far as can be told."""
        return self.verdict != "as in training"

    def to_dict(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        return {
            "verdict": self.verdict,
            "moved": self.moved,
            "scores": self.count,
            "p_target": self.p_target,
            "unmoved": self.unmoved,
            "costly": self.costly,
            "cost": list(self.cost),
            "cllr": list(self.cllr),
            "share": list(self.share),
            "differences": [one._asdict() for one in self.differences],
        }

    def __str__(self) -> str:
        if not self.moved:
            return f"as in training: a change is expected to cost {self.cost.value:z.3f} bits"
        if self.verdict == "moved":
            low, high = (max(end, 0.0) for end in self.cost[1:])
            return (
                f"moved: the scores differ from those of training, which costs about "
                f"{self.cost.value:.3f} bits of Cllr ({low:.3f} to {high:.3f})"
            )
        return (
            "moved, cost unknown: the scores differ from those of training, and what this costs "
            "cannot be told without labels or the share of targets"
        )

    def _repr_html_(self) -> str:
        rows = {
            "scores": self.count,
            "probability that nothing has moved": self.unmoved,
            "expected cost of the change (bits)": tuple(self.cost),
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
) -> Watched:
    """Tell whether unlabelled scores look as in training, and what it costs if they do not.

    Can these scores be a mixture of the two training classes, at any share of targets? The verdict
    goes by what a change is expected to cost, and not by a p-value, which millions of scores make
    small for any change.

    Parameters
    ----------
    cal
        A calibration by any method.
    scores
        Scores from the field, as for :func:`adapt`.
    p_target, factor
        Roughly the share of targets among them, if it is known, and by what factor that may be
        off, as one standard deviation. A share that is not given may be any.

    Returns
    -------
    Watched
        Its ``verdict`` is "as in training", "moved", or "moved, cost unknown", where labels or the
        share of targets are needed to tell what it costs.

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
    seen = watched(cal, scores, p_target=p_target, factor=factor)
    warn(seen.notes)
    return seen


def watched(
    cal: Calibration,
    scores: Unlabelled,
    *,
    p_target: float | None = None,
    factor: float = 2.0,
) -> Watched:
    """The same as :func:`watch`, for callers that handle the notes themselves."""
    portrait = portrait_of(cal)
    check_options(p_target, factor)
    given = Given.of(cal, scores)
    # No calibration is at stake here: rare targets may weigh more than where one is.
    field = Field.of(cal, SourceModel.of(portrait), given, p_target, factor, boldly=True)
    share = estimate(field.shares, field)
    at = min(max(share.value, 1e-9), 1 - 1e-9)
    before, after = (predicted(field, llrs, at).cllr for llrs in (field.old_llrs, field.llrs))
    still = np.array([one.unmoved for one in field.which])
    gain = np.where(still, np.minimum(before - after, 0.0), before - after)
    costly = float(field.importance @ (gain > COSTLY))
    return Watched(
        verdict=_verdict(field, costly),
        count=round(field.data.pool.count),
        p_target=p_target,
        unmoved=min(field.unmoved, 1.0),
        costly=costly,
        cost=estimate(gain, field),
        cllr=estimate(before, field),
        share=share,
        differences=_differences(field, reverse=cal.lower_is_better),
        notes=tuple(notes_on_scores(field, p_target, factor)),
    )


class Mixture(NamedTuple):
    """The mixture of the training classes that fits scores best, in the direction of training."""

    source: SourceModel
    share: float
    """Of targets."""
    likely: tuple[Cells, ...]
    """Portraits of the classes of which it holds more than a few."""

    def densities(self, scores: Floats) -> tuple[Floats, Floats]:
        """Of targets and of non-targets, each times its share."""
        at = (scores - self.source.origin) / self.source.unit
        tar, non = (
            side.densities(side.theta[None, :], at)[0] / self.source.unit
            for side in (self.source.tar, self.source.non)
        )
        return self.share * tar, (1 - self.share) * non


def training_mixture(cal: Calibration, given: Given) -> Mixture:
    """The mixture of the training classes that fits unlabelled scores best."""
    portrait = portrait_of(cal)
    source = SourceModel.of(portrait)
    pool = (given.pool or Cells.empty()).seen_from(source.origin, source.unit)
    share = fitted_share(source, dithered(pool))
    sides = ((share, portrait.tar), (1 - share, portrait.non))
    return Mixture(source, share, tuple(side.cells for part, side in sides if part > _A_FEW))


def _verdict(field: Field, costly: float) -> Verdict:
    strange = field.probability("other scores") + field.probability("reversed")
    if strange < _STRANGE and costly >= _SURE:
        return "moved"
    if strange >= _STRANGE or (field.unmoved < _HARDLY_UNMOVED and costly >= _MAY_BE_COSTLY):
        return "moved, cost unknown"
    return "as in training"


def _differences(field: Field, *, reverse: bool) -> tuple[Difference, ...]:
    """The scores in ranges, beside the mixture of the training classes that fits them best."""
    bins = Bins.of(field, field.training_mixture, _RANGES)
    inner = field.source.origin + bins.edges * field.source.unit
    edges = np.concatenate([[-np.inf], inner, [np.inf]])
    rows = list(zip(edges[:-1], edges[1:], bins.seen, bins.expected, strict=True))
    if reverse:
        rows = [(-high, -low, seen, expected) for low, high, seen, expected in reversed(rows)]
    return tuple(Difference(*map(float, row)) for row in rows)
