"""One weighted sum of the scores of some systems."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, get_args

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.calibrations.uncertainty import By
from llrcal.declaration import NotNegative, field_error, schema
from llrcal.fitting.optimizer import Solution
from llrcal.fitting.report import Report
from llrcal.fusion.cost import Cost
from llrcal.fusion.passes import Trials
from llrcal.fusion.regression import regression
from llrcal.fusion.terms import Columns, Known, Terms
from llrcal.fusion.uncertainty import margins
from llrcal.notes import Note


@dataclass(frozen=True)
class Line:
    """LLR = height + the sum of weights times terms."""

    systems: Annotated[
        tuple[int, ...],
        schema(minItems=1, rising=True),
        "Which systems of the fusion, counted from 0, in rising order.",
    ]
    scores: Annotated[Columns, "How scores are standardised."]
    quality: Annotated[Columns, "How side information is standardised."]
    weights: Annotated[
        tuple[float, ...],
        schema(minItems=2),
        "Of the standardised scores, of side information, of their products (all systems for the "
        "first column of side information, then for the next), and the height.",
    ]
    margins: Annotated[
        tuple[NotNegative, ...],
        schema(as_many_as="weights"),
        "Half the width of the 95 % interval of each weight. LLRs do not depend on them.",
    ]
    variances: Annotated[
        tuple[NotNegative, ...],
        schema(minItems=1, maxItems=2),
        "Of the prior of the weights of scores, and of the others if there are any. LLRs do not "
        "depend on them.",
    ]
    by: Annotated[
        str,
        schema(enum=get_args(By)),
        "What intervals take to be independent: each trial, or each speaker.",
    ]

    @cached_property
    def terms(self) -> Terms:
        """What is weighted."""
        return Terms(self.scores, self.quality)

    def check(self, where: str) -> None:
        """Refuse lists of a model file that are not as long as the terms ask for."""
        for name, wanted in (
            ("weights", self.terms.count + 1),
            ("variances", len(self.terms.groups)),
        ):
            count = len(getattr(self, name))
            if count != wanted:
                raise field_error(where, name, f"has {count} values; there must be {wanted}")

    def llrs(self, trials: Known) -> Floats:
        """LLRs of trials with all of these systems and no others.

        Terms are added one by one, so that the LLR of a trial does not depend on those beside it.
        """
        out, size = np.zeros(len(trials)), self.terms.chunk
        for start in range(0, len(trials), size):
            rows = self.terms.rows(trials.part(slice(start, start + size)))
            for weight, row in zip(self.weights, rows, strict=True):
                out[start : start + size] += weight * row
        return out


def fitted_line(
    systems: tuple[int, ...],
    trials: Trials,
    alpha: float,
    speakers: tuple[Array, Array] | None,
) -> tuple[Line, Report]:
    """The line that fits trials with all of these systems and no others, and how that went."""
    cost = Cost.of(trials, len(systems), alpha)
    found = regression(cost)
    widths, by = margins(cost, found, speakers)
    weights = tuple(found.weights.tolist())
    columns = cost.terms.scores, cost.terms.quality
    line = Line(systems, *columns, weights, widths, found.variances, by)
    return line, _report(cost, found.solution)


def _report(cost: Cost, solution: Solution) -> Report:
    """How a search went, in units of one trial."""
    decrement = float(solution.gradient @ np.linalg.solve(solution.hessian, solution.gradient))
    notes: tuple[Note, ...] = ()
    if cost.is_separable(solution.point):
        text = "the fused classes do not overlap: only the prior keeps the weights finite"
        notes = (Note.warning("separable", text),)
    report = Report.of(solution, solution.value / cost.effective_sample_size, notes)
    return replace(
        report,
        gradient_norm=report.gradient_norm / cost.effective_sample_size,
        reason=f"{report.reason}, Newton decrement {np.sqrt(max(decrement, 0.0)):.1e}",
    )
