"""LLRs of all trials, of each condition, and averaged with equal weight over conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from llrcal.arrays import Array
from llrcal.errors import ScoreError
from llrcal.evaluation.doubts import CALIBRATION_LOSS, RAW_SCORES
from llrcal.evaluation.evaluation import Evaluation
from llrcal.evaluation.llrs import ArrayLLRs, LLRs
from llrcal.evaluation.operating_point import DEFAULT_POINTS, OperatingPoint
from llrcal.inputs.conditions import condition_texts
from llrcal.inputs.scores import as_scores
from llrcal.notebook import html_table
from llrcal.notes import Note

Cell = tuple[str, ...]
"""One value for each column, such as ``("mic", "female")``."""
AVERAGED = ("cllr", "min_cllr", "calibration_loss", "eer")
_MOST_LINES = 7  # of conditions in a figure
AT_POINTS = ("act_dcf", "min_dcf", "pmiss", "pfa")


class Part(NamedTuple):
    """The LLRs of a cell, unless it has trials of one class only."""

    tar_count: int
    non_count: int
    llrs: LLRs | None


@dataclass(frozen=True, repr=False)
class ByCondition:
    """Evaluations of all trials and of each condition."""

    columns: tuple[str, ...]
    pooled: Evaluation
    cells: Mapping[Cell, Evaluation]
    """The evaluation of each cell with trials of both classes and no missing value."""
    notes: tuple[Note, ...]
    """On trials that are in no cell."""

    @property
    def by_label(self) -> dict[str, Evaluation]:
        """All of them by label, for figures: pooled first."""
        named = {self.label(cell): evaluation for cell, evaluation in self.cells.items()}
        return {"pooled": self.pooled, **named}

    @property
    def largest(self) -> dict[str, Evaluation]:
        """The same, but only the seven conditions with the most targets."""
        first, *others = self.by_label.items()
        others.sort(key=lambda item: -item[1].tar_count)
        return dict([first, *others[:_MOST_LINES]])

    def label(self, cell: Cell) -> str:
        """A cell in words."""
        return ", ".join(cell)

    @cached_property
    def average(self) -> dict[str, float]:
        """Cllr, minCllr, calibration loss and EER, averaged with equal weight over the cells."""
        every = self.cells.values()
        return {name: float(np.mean([getattr(one, name) for one in every])) for name in AVERAGED}

    def average_at(self, points: Sequence[OperatingPoint]) -> dict[str, list[float]]:
        """Normalised detection costs and rates of error, averaged likewise, at operating points.

        Actual costs are linear in the rates of error, so that this is the cost of averaged rates,
        which NIST calls equalised.
        """
        numbers = [one.to_dict(points) for one in self.cells.values()]
        return {
            name: np.mean([one[name] for one in numbers], axis=0).tolist() for name in AT_POINTS
        }

    @property
    def bad(self) -> dict[str, Evaluation]:
        """The conditions in which LLRs are not what they should be, by label."""
        told = {RAW_SCORES, CALIBRATION_LOSS}
        return {
            self.label(cell): one
            for cell, one in self.cells.items()
            if told & {note.code for note in one.notes}
        }

    def to_dict(self, points: Sequence[OperatingPoint] = DEFAULT_POINTS) -> dict[str, Any]:
        """All numbers as plain values."""
        return {
            "columns": list(self.columns),
            "pooled": self.pooled.to_dict(points),
            "average": {**self.average, **self.average_at(points)},
            "cells": [
                {"values": list(cell), **one.to_dict(points)} for cell, one in self.cells.items()
            ],
        }

    def _repr_html_(self) -> str:
        rows = {label: one.cllr for label, one in self.by_label.items()}
        rows["average of conditions"] = self.average["cllr"]
        title = f"Cllr by {', '.join(self.columns)}"
        return html_table(title, rows, map(str, self.notes))

    def __repr__(self) -> str:
        return (
            f"<evaluation by {', '.join(self.columns)}, {len(self.cells)} conditions: Cllr pooled "
            f"{self.pooled.cllr:.4f}, average {self.average['cllr']:.4f}>"
        )


def evaluated_by(
    pooled: Evaluation, parts: Mapping[Cell, Part], columns: Sequence[str]
) -> ByCondition:
    """Evaluations of the parts of a set of trials, beside that of all of them."""
    cells = {
        cell: Evaluation(part.llrs)
        for cell, part in parts.items()
        if part.llrs is not None and all(cell)
    }
    notes = tuple(_left_out(parts))
    if not cells:
        raise ScoreError(
            f"no condition of {', '.join(columns)} has both target and non-target trials"
        )
    return ByCondition(tuple(columns), pooled, cells, notes)


def _left_out(parts: Mapping[Cell, Part]) -> Iterator[Note]:
    unknown = sum(part.tar_count + part.non_count for cell, part in parts.items() if not all(cell))
    if unknown:
        text = f"{unknown:,} trials have no condition: they are in the pooled numbers only"
        yield Note.warning("no condition", text)
    for cell, part in parts.items():
        if part.llrs is None and all(cell):
            text = (
                f"{part.tar_count:,} targets, {part.non_count:,} non-targets: without both classes "
                "there is nothing to evaluate; it is in the pooled numbers only"
            )
            note = Note.warning("one class", text)
            yield note.about(", ".join(cell))


def divided_arrays(
    tar: Any, non: Any, by: Any, speakers: tuple[Array, Array] | None = None
) -> dict[Cell, Part]:
    """LLRs in arrays, by the conditions of targets and of non-targets."""
    if not isinstance(by, tuple | list) or len(by) != 2:
        raise ScoreError("by must be a pair: the conditions of the targets, and of the non-targets")
    sides = [
        as_scores(side, name, allow_infinite=True)
        for side, name in ((tar, "target"), (non, "non-target"))
    ]
    where = [
        condition_texts(by[0], len(sides[0]), "target"),
        condition_texts(by[1], len(sides[1]), "non-target"),
    ]
    out: dict[Cell, Part] = {}
    for cell in sorted({tuple(row) for side in where for row in side.tolist()}):
        chosen = [(side == np.array(cell, dtype=object)).all(axis=1) for side in where]
        counts = [int(one.sum()) for one in chosen]
        llrs = None
        if min(counts):
            who = speakers and (speakers[0][chosen[0]], speakers[1][chosen[1]])
            llrs = ArrayLLRs(sides[0][chosen[0]], sides[1][chosen[1]], who)
        out[cell] = Part(counts[0], counts[1], llrs)
    return out
