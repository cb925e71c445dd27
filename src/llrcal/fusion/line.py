"""One weighted sum of the scores of some systems."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.fitting.optimizer import Solution
from llrcal.fitting.report import Report
from llrcal.fusion.cost import Cost
from llrcal.fusion.passes import Trials
from llrcal.fusion.regression import regression
from llrcal.fusion.terms import Known, Terms
from llrcal.fusion.uncertainty import margins
from llrcal.notes import Note


@dataclass(frozen=True)
class Line:
    """LLR = height + the sum of weights times terms."""

    systems: tuple[int, ...]
    """Which of the systems of the fusion it takes the scores of."""
    terms: Terms
    weights: tuple[float, ...]
    """The weights of the standardised terms; the last is the height."""
    margins: tuple[float, ...]
    """Half the widths of the 95 % intervals of the weights."""
    variances: tuple[float, ...]
    """Prior variances of the weights of scores, and of side information if there is some."""
    by: str
    """What intervals take to be independent: each ``"trial"``, or each ``"speaker"``."""

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
    line = Line(systems, cost.terms, weights, widths, found.variances, by)
    return line, _report(cost, found.solution)


def _report(cost: Cost, solution: Solution) -> Report:
    """How a search went, in units of one trial."""
    decrement = float(solution.gradient @ np.linalg.solve(solution.hessian, solution.gradient))
    notes: tuple[Note, ...] = ()
    if cost.is_separable(solution.point):
        text = "the fused classes do not overlap: only the prior keeps the weights finite"
        notes = (Note.warning("separable", text),)
    report = Report.of(solution, solution.value / cost.worth, notes)
    return replace(
        report,
        gradient_norm=report.gradient_norm / cost.worth,
        reason=f"{report.reason}, Newton decrement {np.sqrt(max(decrement, 0.0)):.1e}",
    )
