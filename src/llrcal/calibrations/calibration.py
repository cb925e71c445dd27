"""What every calibration is: a frozen map from scores to log-likelihood-ratios."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from functools import cached_property
from os import PathLike
from typing import Any, ClassVar, Self, overload

import numpy as np

from llrcal.arrays import Array, ArrayLike, Floats, check_level
from llrcal.calibrations.adapted import Adapted
from llrcal.calibrations.bounds import (
    UNBOUNDED,
    Bounds,
    OutOfRangeCounter,
    TrainedOn,
    supported_llrs,
)
from llrcal.calibrations.conditions import Conditions
from llrcal.calibrations.curve import Curve, Formula, Interval
from llrcal.calibrations.model_file import CalibrationFile, encoded, write
from llrcal.calibrations.pieces import Pieces
from llrcal.calibrations.portrait import Portrait
from llrcal.calibrations.training import Training
from llrcal.calibrations.uncertainty import Margins, Uncertainty
from llrcal.calibrations.weighing import Weight, range_notes, training_note
from llrcal.declaration import to_json
from llrcal.errors import OptionError
from llrcal.fitting.report import Report
from llrcal.inputs.scores import as_floats, check_finite
from llrcal.method_table import TABLE
from llrcal.notebook import html_table
from llrcal.notes import Note, warn
from llrcal.onepass.chunks import map_into


@dataclass(frozen=True, kw_only=True)
class Calibration(ABC):
    """A fitted calibration: call it on scores to get natural-log likelihood-ratios.

    If lower scores are better, as with distances, it was trained on the negated scores, to which
    ``params`` and ``bounds`` refer. Everything else takes and returns the scores as they are.
    """

    tar_count: int
    non_count: int
    report: Report
    bounds: Bounds = UNBOUNDED
    """What to return for scores outside the range of the training scores."""
    lower_is_better: bool = False
    margins: Margins | None = field(default=None, compare=False)
    """How sure LLRs are: see :meth:`interval`. None if that is not known. It does not matter to
    whether calibrations are equal."""
    portrait: Portrait | None = field(default=None, compare=False)
    """What the training scores of both classes looked like, negated if lower scores are better.
    None if that is not known: LLRs do not depend on it."""
    adapted: Adapted | None = None
    """What was found if it was adapted to other scores: see docs/adaptation.md."""
    speakers: tuple[int, int] | None = None
    """How many different speakers the target and the non-target trials of training have; None if
    that is not known."""

    method: ClassVar[str]
    """Its name in the table of methods."""
    bayes: ClassVar[bool] = False
    """Whether its parameters are integrated out."""
    needs_ranks: ClassVar[bool] = False
    """Whether ``fit`` needs groups and ranks, rather than summaries of both classes."""

    def __getstate__(self) -> dict[str, Any]:
        """What pickles and copies hold: the fields, without what was compiled from them."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}

    @classmethod
    @abstractmethod
    def fit(cls, data: Training) -> Self:
        """Train on target and non-target scores."""

    @property
    @abstractmethod
    def params(self) -> dict[str, Any]:
        """The parameters, by their names in the literature, as plain numbers."""

    @property
    @abstractmethod
    def formula(self) -> Formula:
        """LLRs before they are made to rise and bounded, in the direction of training."""

    @cached_property
    def applied_formula(self) -> Formula:
        """The formula that holds: that of the method, or another if it was adapted."""
        return (self.adapted and self.adapted.formula) or self.formula

    def eer_score(self, data: Training) -> float:
        """The score at which the classes meet, from which outwards no LLR falls."""
        return data.eer_score

    def to_model(self) -> dict[str, Any]:
        """The fields that a method declares (``llrcal.declaration``), as plain JSON values."""
        model: dict[str, Any] = to_json(self)
        return model

    @property
    def description(self) -> str:
        """What it is, in words."""
        return TABLE[self.method].description

    @property
    def parameters(self) -> float:
        """How many numbers it learned; infinity if that depends on the scores."""
        return TABLE[self.method].parameters or math.inf

    @property
    def names(self) -> tuple[str, ...]:
        """The systems that it fuses: none, since it is for any scores."""
        return ()

    @property
    def training_range(self) -> tuple[float, float]:
        """Least and greatest training score, of both classes together."""
        low, high = self.bounds.lowest_score, self.bounds.highest_score
        return (-high, -low) if self.lower_is_better else (low, high)

    @property
    def trained_on(self) -> TrainedOn:
        """How many trials, and speakers, it was trained on."""
        return TrainedOn(self.tar_count, self.non_count, self.speakers)

    @property
    def supported_llrs(self) -> tuple[float, float]:
        """Least and greatest LLR that training trials can support: so many, of so many speakers."""
        return supported_llrs(self.tar_count, self.non_count, self.speakers)

    @overload
    def __call__(self, scores: float) -> float: ...
    @overload
    def __call__(self, scores: ArrayLike) -> Floats: ...
    def __call__(self, scores: ArrayLike) -> Floats | float:
        """Log-likelihood-ratios of scores, in nats and in the shape of ``scores``.

        One score gives one float.

        Raises
        ------
        ScoreError
            If a score is NaN or not a real number.

        Warns
        -----
        LlrcalWarning
            If more than 3 scores, and more than 1 % of them, lie beyond the training scores,
            whatever the bounds. :meth:`without_warnings` gives the same answers without a warning.
            Whether the others look like those of training is for :func:`llrcal.watch` to tell.
        """
        seen = OutOfRangeCounter(*self.training_range)
        llrs = self.without_warnings(scores, seen)
        warn(seen.notes)
        return llrs if llrs.ndim else float(llrs)

    def without_warnings(self, scores: ArrayLike, seen: OutOfRangeCounter | None = None) -> Floats:
        """The same as calling the calibration, without a warning: for grids, and for figures.

        Scores are also counted by ``seen``, for callers that handle the notes themselves.
        """
        array = as_floats(scores, "the")
        check_finite(array, "the", allow_infinite=True)
        curve = self.curve

        def work(chunk: Array) -> Floats:
            if seen:
                seen.count(chunk.astype(np.float64, copy=False))
            return curve(chunk)

        return map_into(work, array)

    @cached_property
    def curve(self) -> Curve:
        """What maps scores to LLRs: the formula, made to rise where it is to, and bounded."""
        ends = self.bounds.ends(*self.supported_llrs)
        if ends is None:
            return self.unbounded
        return self._curve(self._pieces.clipped(*ends))

    @cached_property
    def unbounded(self) -> Curve:
        """The same before LLRs are bounded; beyond the training scores, the bounds may hold it."""
        return self._curve(self._pieces)

    @cached_property
    def _pieces(self) -> Pieces:
        pieces, anchor = self.applied_formula.pieces(self.bounds), self.bounds.eer_score
        return pieces if anchor is None else pieces.rising(self.applied_formula.in_units(anchor)[0])

    @cached_property
    def _seems_to_rise(self) -> bool:
        return self.bounds.eer_score is None or self.applied_formula.rises(self.bounds)

    @cached_property
    def plateaus(self) -> tuple[Interval, ...]:
        """Where the LLR is held because the formula would fall; in the direction of training."""
        origin, unit = self.applied_formula.origin, 1 / self.applied_formula.per_unit
        held = [] if self._seems_to_rise else self._pieces.plateaus()
        return tuple(Interval(origin + low * unit, origin + high * unit) for low, high in held)

    def unbounded_llrs(self, scores: Floats) -> Floats:
        """LLRs of a few training scores before they are bounded, in the direction of training.

        If the formula rises, they are worked out by itself, which is quicker for a few.
        """
        if self._seems_to_rise:
            formula = self.applied_formula
            return formula.llrs(np.clip(scores, *self.bounds.reach) - formula.origin)
        return self.unbounded(-scores if self.lower_is_better else scores)

    def _curve(self, pieces: Pieces) -> Curve:
        formula = self.applied_formula
        curve = Curve(pieces.knots, pieces.rows(), formula.origin, formula.per_unit)
        return curve.mirrored() if self.lower_is_better else curve

    @overload
    def interval(self, scores: float, *, level: float = 0.95) -> tuple[float, float]: ...
    @overload
    def interval(self, scores: ArrayLike, *, level: float = 0.95) -> tuple[Floats, Floats]: ...
    def interval(
        self, scores: ArrayLike, *, level: float = 0.95
    ) -> tuple[Floats, Floats] | tuple[float, float]:
        """Lower and upper ends of intervals for the LLRs of scores, in the shape of ``scores``.

        One score gives two floats. The LLR that belongs to a score lies in its interval with
        probability ``level``, as far as the training trials tell. They are taken to be independent,
        unless :func:`fit` knew their speakers. Beyond the training scores an interval is that of
        the nearest one. See docs/few-trials.md.

        Raises
        ------
        OptionError
            If the level is out of range, or the calibration was adapted.
        ScoreError
            If a score is NaN or not a real number.

        Examples
        --------
        >>> import llrcal
        >>> cal = llrcal.fit([2.1, 3.0, 1.7, 0.4], [-1.2, 0.1, -2.2, 0.9], method="logistic")
        >>> low, high = cal.interval(0.5, level=0.9)
        >>> low < cal(0.5) < high
        True
        """
        check_level(level)
        array = as_floats(scores, "the")
        check_finite(array, "the", allow_infinite=True)
        if self.margins is None:
            raise OptionError(self._why_no_interval)
        sign = -1.0 if self.lower_is_better else 1.0
        flat = array.ravel().astype(np.float64)
        low, high = (
            self.bounds.supported(end, *self.supported_llrs)
            for end in self.margins.ends(
                sign * flat,
                lambda at: self.unbounded(sign * at),
                level=level,
                rising=self.bounds.eer_score is not None,
            )
        )
        # LLRs themselves were bounded piece by piece, and rounded in another way.
        llrs = self.curve(flat)
        low, high = (
            end.reshape(array.shape) for end in (np.minimum(low, llrs), np.maximum(high, llrs))
        )
        return (low, high) if array.ndim else (float(low), float(high))

    @property
    def _why_no_interval(self) -> str:
        what = self.adapted
        if what is not None and (what.applied or what.scores):
            return "an adapted calibration has no intervals; those of its findings are in .adapted"
        return f"this {self.method} calibration has no intervals; train it again"

    def uncertainty(self, data: Training) -> Uncertainty | None:
        """How LLRs vary with the training trials; None if the method cannot tell."""
        return None

    def weigh(self, score: float, *, level: float = 0.95) -> Weight:
        """What one score is worth as evidence: LR, interval of some level, and the LR in words.

        Raises
        ------
        OptionError
            If there are several scores, or the level is out of range.
        ScoreError
            If the score is NaN or not a real number.

        Examples
        --------
        >>> import llrcal
        >>> cal = llrcal.fit([2.1, 3.0, 1.7, 0.4], [-1.2, 0.1, -2.2, 0.9], method="logistic")
        >>> cal.weigh(1.5).in_words
        'anything from weak support for different sources (Hd) to weak support for same source (Hp)'
        """
        check_level(level)
        array = as_floats(score, "the")
        if array.ndim:
            raise OptionError(f"weigh takes one score, not {array.size}; weigh them one by one")
        value, llr = float(array), float(self.without_warnings(array))
        ends = self.bounds.ends(*self.supported_llrs)
        held = ends is not None and not ends[0] < llr < ends[1]
        notes = [*range_notes(value, self.training_range, self.bounds.policy)]
        notes.append(training_note(self.trained_on, ends))
        if self.margins is None:
            notes.append(Note.of("no interval", self._why_no_interval))
            return Weight(value, llr, None, float(level), held, tuple(notes))
        low, high = self.interval(value, level=level)
        # An interval that is held at a bound as a whole would look like certainty.
        interval = (low, high) if low < high else None
        return Weight(value, llr, interval, float(level), held, tuple(notes))

    def regions(self, llr: float) -> tuple[Interval, ...]:
        """The scores whose LLR is at least ``llr``, as closed intervals in rising order.

        There may be none, or several if the LLR may fall (``rising=False``). Each end is the last
        double that is accepted: its neighbour outside the interval is not. A score is accepted
        exactly if it lies in an interval.

        Raises
        ------
        OptionError
            If ``llr`` is NaN or not a number.

        Examples
        --------
        >>> import llrcal
        >>> cal = llrcal.fit([2.0, 9.0], [-1.0, 1.0, 0.0], method="pav")
        >>> cal.regions(0.0)
        (Interval(low=2.0, high=inf),)
        """
        return self.curve.regions(llr)

    @cached_property
    def llr_range(self) -> tuple[float, float]:
        """Least and greatest LLR within the range of the training scores."""
        return self.curve.extremes(*self.training_range)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the calibration to a JSON file; a file is never left half written."""
        write(self.to_file(), path)

    def to_file(self, conditions: Conditions | None = None) -> CalibrationFile:
        """What its model file holds, perhaps with what was learned of conditions."""
        return CalibrationFile(
            method=self.method,
            training=self.trained_on,
            lower_is_better=self.lower_is_better,
            bounds=self.bounds,
            model=({"bayes": True} if self.bayes else {}) | self.to_model(),
            margins=self.margins,
            portrait=self.portrait,
            report=self.report,
            adapted=self.adapted,
            conditions=conditions,
        )

    @property
    def content(self) -> bytes:
        """What its model file holds, to the last byte."""
        return encoded(self.to_file())

    def _repr_html_(self) -> str:
        report = self.report
        rows = {
            "targets": self.tar_count,
            "non-targets": self.non_count,
            "training scores": self.training_range,
            "LLRs of these": self.llr_range,
            "bounds": self.bounds.policy,
            "rising": self.bounds.eer_score is not None,
            "fit": ("" if report.converged else "not converged: ") + report.reason,
            **_flat(self.params),
        }
        return html_table(f"{self.method} calibration", rows, map(str, report.notes))

    def __repr__(self) -> str:
        return (
            f"<{self.method} calibration of {self.tar_count} target and {self.non_count} "
            f"non-target scores: {self.report.reason}>"
        )


def _flat(params: dict[str, Any]) -> dict[str, object]:
    """Parameters without nesting; a list is replaced by its length."""
    out: dict[str, object] = {}
    for name, value in params.items():
        if isinstance(value, dict):
            out |= {f"{name}: {inner}": number for inner, number in value.items()}
        else:
            out[name] = f"{len(value):,} values" if isinstance(value, list) else value
    return out
