"""A fusion: a frozen map from the scores of several systems to log-likelihood-ratios."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np

from llrcal.arrays import Array, Bools, Floats
from llrcal.calibrations.bounds import Bounds, more_than_a_few, soft_end, supported_llrs
from llrcal.calibrations.conditions import Conditions
from llrcal.errors import OptionError
from llrcal.fitting.report import Report
from llrcal.fusion.inputs import Scores, as_columns, as_quality
from llrcal.fusion.line import Line
from llrcal.fusion.terms import Known
from llrcal.inputs.beside_scores import as_conditions
from llrcal.messages import Setting
from llrcal.notebook import html_table
from llrcal.notes import Note, warn

Limit = Literal["range", "counts"]
LIMITS: tuple[Limit, ...] = ("range", "counts")


class Weight(NamedTuple):
    """What one unit of a score, or of side information, adds to the LLR."""

    value: float
    low: float
    high: float
    """Ends of the 95 % interval."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Fused:
    """A fitted fusion: call it on the scores of all systems to get natural-log LLRs."""

    names: tuple[str, ...]
    """The systems, in the order of the columns of scores."""
    quality_names: tuple[str, ...]
    tar_count: int
    non_count: int
    alpha: float | str
    lines: tuple[Line, ...]
    """The fusion of all systems; then those of fewer, for trials where some are missing."""
    missing: bool
    """Whether scores may be missing."""
    conditions: Conditions | None
    bounds: Limit
    report: Report

    def __call__(
        self, scores: Scores, *, quality: Scores | None = None, condition: Any | None = None
    ) -> Floats:
        """Log-likelihood-ratios of trials, in nats.

        Parameters
        ----------
        scores
            Trials x systems, in the order of ``names``; or the scores of each system by its name.
            Missing ones are NaN, if the fusion was trained with ``missing="patterns"``.
        quality, condition
            Side information and condition of each trial, as in training.

        Raises
        ------
        ScoreError
            If a system is missing or unknown, a score is NaN, or there is not one value a trial.
        OptionError
            If the fusion needs side information or conditions, or does not know any.

        Warns
        -----
        LlrcalWarning
            If conditions were not there in training, many scores lie beyond those of training, or
            no system has a score for a trial, whose LLR is then zero.
        """
        llrs, notes = self.answers(scores, quality=quality, condition=condition)
        warn(notes)
        return llrs

    def answers(
        self, scores: Scores, *, quality: Scores | None = None, condition: Any | None = None
    ) -> tuple[Floats, tuple[Note, ...]]:
        """LLRs, and what should be known of them, for callers that handle the notes themselves."""
        matrix = as_columns(scores, self.names, "the scores", holes=self.missing, infinite=True)
        for name, value, known in (
            ("quality", quality, bool(self.quality_names)),
            ("condition", condition, self.conditions is not None),
        ):
            _check_given(name, given=value is not None, known=known)
        side = np.empty((len(matrix), 0))
        if quality is not None:
            side = as_quality(quality, self.quality_names, len(matrix), "the")
        trials = Known(matrix, side)
        llrs, without = self.pooled_llrs(trials)
        notes = [*_without_scores(without), *self._beyond(trials)]
        if self.conditions is not None:
            which = as_conditions(condition, len(matrix), "the", may_miss=True)
            moved, unseen = self.conditions(llrs, which)
            llrs = np.where(without, 0.0, moved)
            notes += unseen
        return self._bounded(llrs), tuple(notes)

    def pooled_llrs(self, trials: Known) -> tuple[Floats, Bools]:
        """LLRs before conditions and bounds, and which trials have no score at all."""
        if not self.missing:
            return self.lines[0].llrs(trials), np.zeros(len(trials), bool)
        out = np.zeros(len(trials))
        left = np.ones(len(trials), bool)
        has = ~np.isnan(trials.scores)
        for line in sorted(self.lines, key=lambda line: -len(line.systems)):
            chosen = left & has[:, line.systems].all(axis=1)
            out[chosen] = line.llrs(trials.part(chosen, list(line.systems)))
            left &= ~chosen
        return out, left

    def _bounded(self, llrs: Floats) -> Floats:
        if self.bounds == "range":
            return llrs
        freedom = len(self.lines[0].weights)
        limits = Bounds("counts", soft_end=soft_end(freedom, self.tar_count, self.non_count))
        return limits.supported(llrs, *supported_llrs(self.tar_count, self.non_count))

    def _beyond(self, trials: Known) -> Iterator[Note]:
        reach = self.reach
        for place, name in enumerate(self.names):
            low, high = reach[place]
            column = trials.scores[:, place]
            count = int(((column < low) | (column > high)).sum())
            if more_than_a_few(count, len(column)):
                yield Note.warning(
                    "beyond",
                    f"{count:,} of {len(column):,} scores lie beyond those of training, from "
                    f"{low:.4g} to {high:.4g}; are these scores of that system?",
                ).about(name)

    @property
    def reach(self) -> tuple[tuple[float, float], ...]:
        """Least and greatest training score of each system."""
        ends: dict[int, tuple[float, float]] = {}
        for line in self.lines:
            columns = line.terms.scores
            for system, low, high in zip(
                line.systems, columns.lowest, columns.highest, strict=True
            ):
                old_low, old_high = ends.get(system, (low, high))
                ends[system] = min(low, old_low), max(high, old_high)
        return tuple(ends[system] for system in range(len(self.names)))

    @property
    def weights(self) -> dict[str, Weight]:
        """What one unit of each score and of side information adds to the LLR, with intervals.

        A product is named after both, and added per unit of both; other weights are then those of
        a trial whose other columns are at their centre, which is half-way between the means of
        both classes.
        """
        line = self.lines[0]
        systems = tuple(self.names[system] for system in line.systems)
        out = {}
        for name, unit, weight, margin in zip(
            line.terms.names(systems, self.quality_names),
            line.terms.units.tolist(),
            line.weights[:-1],
            line.margins[:-1],
            strict=True,
        ):
            scale = 1 / unit if unit > 0 else 0.0
            out[name] = Weight(*(scale * end for end in (weight, weight - margin, weight + margin)))
        return out

    @property
    def offset(self) -> Weight:
        """The LLR of a trial whose columns are at their centre, with its interval."""
        line = self.lines[0]
        height, margin = line.weights[-1], line.margins[-1]
        return Weight(height, height - margin, height + margin)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fusion to a JSON file; a file is never left half written."""
        from llrcal.fusion.model_file import save

        save(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Fused:
        """Read a fusion written by :meth:`save`.

        Raises
        ------
        ModelFileError
            If this is not such a file, or anything in it is missing, unknown or out of range.
        """
        from llrcal.fusion.model_file import load_fusion

        return load_fusion(path)

    def _repr_html_(self) -> str:
        rows: dict[str, Any] = {
            "targets": self.tar_count,
            "non-targets": self.non_count,
            "fit": ("" if self.report.converged else "not converged: ") + self.report.reason,
            "offset": self.offset.value,
        }
        rows |= {
            f"weight of {name}": f"{one.value:.4g} ({one.low:.4g} to {one.high:.4g})"
            for name, one in self.weights.items()
        }
        return html_table("Fusion", rows, map(str, self.report.notes))

    def __repr__(self) -> str:
        return (
            f"<fusion of {', '.join(self.names)} on {self.tar_count} target and {self.non_count} "
            f"non-target trials: {self.report.reason}>"
        )


def _check_given(name: str, *, given: bool, known: bool) -> None:
    if known and not given:
        raise OptionError("the fusion was trained with ", Setting(name), "; give it here, too")
    if given and not known:
        raise OptionError("the fusion was trained without ", Setting(name), "; leave it out")


def _without_scores(without: Array) -> Sequence[Note]:
    if not without.any():
        return ()
    text = f"{int(without.sum()):,} of {len(without):,} trials have no score of any system: LLR 0"
    return (Note.warning("no score", text),)
