"""A calibration by condition: that of all trials, and a slope and offset for each condition."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any

from llrcal.arrays import ArrayLike, Floats
from llrcal.calibrations.bounds import OutOfRangeCounter
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.conditions import Conditions, fitted_conditions
from llrcal.calibrations.model_file import write
from llrcal.calibrations.training import target_weight
from llrcal.errors import OptionError, ScoreError
from llrcal.fitting.report import Report
from llrcal.inputs.beside_scores import WithConditions, as_conditions, both_conditions
from llrcal.messages import Setting
from llrcal.notebook import html_table
from llrcal.notes import Note, warn


@dataclass(frozen=True, repr=False)
class Conditioned:
    """A calibration by condition: call it on scores and their conditions to get LLRs."""

    pooled: Calibration
    """The calibration of all trials, whatever their condition."""
    conditions: Conditions

    def __call__(self, scores: ArrayLike, *, condition: Any) -> Floats:
        """Log-likelihood-ratios of trials, in nats.

        Parameters
        ----------
        scores
            A one-dimensional array.
        condition
            That of each trial. One that was not there in training, or is missing (``None``), gets
            the mean of all.

        Raises
        ------
        ScoreError
            If a score is NaN, or there is not one condition for each.

        Warns
        -----
        LlrcalWarning
            If conditions were not there in training, or many scores lie beyond those of training.
        """
        llrs, notes = self.answers(scores, condition=condition)
        warn(notes)
        return llrs

    def answers(self, scores: ArrayLike, *, condition: Any) -> tuple[Floats, tuple[Note, ...]]:
        """LLRs, and what should be known of them, for callers that handle the notes themselves."""
        seen = OutOfRangeCounter(*self.pooled.training_range)
        pooled = self.pooled.without_warnings(scores, seen)
        if pooled.ndim != 1:
            raise ScoreError(f"scores have shape {pooled.shape}; pass a one-dimensional array")
        which = as_conditions(condition, len(pooled), "the", may_miss=True)
        llrs, notes = self.conditions(pooled, which)
        bounded = self.pooled.bounds.supported(llrs, *self.pooled.supported_llrs)
        return bounded, (*seen.notes, *notes)

    @property
    def report(self) -> Report:
        """The report of the pooled calibration, with notes on the conditions."""
        return self.pooled.report.with_notes(self.conditions.notes)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the calibration to a JSON file, which :func:`llrcal.load` reads."""
        write(self.pooled.to_file(self.conditions), path)

    def _repr_html_(self) -> str:
        lines = {"any other condition": self.conditions.pooled, **self.conditions.lines}
        rows = {name: f"{slope:.3f} LLR {offset:+.3f}" for name, (slope, offset) in lines.items()}
        title = f"{self.pooled.method} calibration by condition"
        return html_table(title, rows, map(str, self.report.notes))

    def __repr__(self) -> str:
        pooled = repr(self.pooled).strip("<>")
        return f"<{pooled}; {len(self.conditions.lines)} conditions>"


def conditioned(pooled: Calibration, tar: Any, non: Any, condition: Any) -> Conditioned:
    """A calibration by condition, on top of that of all the same trials."""
    where = condition
    if non is None:
        if not isinstance(tar, WithConditions):
            hint = " needs all trials in memory; to read a file whole: "
            raise OptionError(Setting("condition"), hint, Setting("in_pieces", False))
        if not isinstance(condition, str):
            raise OptionError("the condition of trials from files is the name of a column")
        tar, non, where = tar.tar, tar.non, tar.conditions([condition])
    tar_llrs, non_llrs = pooled.without_warnings(tar), pooled.without_warnings(non)
    by = both_conditions(where, len(tar_llrs), len(non_llrs))
    alpha = getattr(pooled, "alpha", 0.5)
    weight = target_weight(alpha, pooled.tar_count, pooled.non_count)
    return Conditioned(pooled, fitted_conditions(tar_llrs, non_llrs, *by, weight))
