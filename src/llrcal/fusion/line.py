"""One weighted sum of the scores of some systems."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.fitting.report import Report
from llrcal.fusion.regression import Cost, regression
from llrcal.fusion.terms import Known, Terms
from llrcal.fusion.uncertainty import uncertainty


@dataclass(frozen=True)
class Line:
    """LLR = height + the sum of weights times terms."""

    systems: tuple[int, ...]
    """Which of the systems of the fusion it takes the scores of."""
    terms: Terms
    weights: tuple[float, ...]
    """Of the standardised terms; the last is the height."""
    margins: tuple[float, ...]
    """Half the widths of the 95 % intervals of the weights."""
    variances: tuple[float, ...]
    """Of the prior of the weights of scores, and of side information where there is some."""
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
    tar: Known,
    non: Known,
    alpha: float,
    speakers: tuple[Array, Array] | None,
) -> tuple[Line, Report]:
    """The line that fits trials with all of these systems and no others, and how that went."""
    terms = Terms.of(tar, non)
    cost = Cost(terms, tar, non, alpha)
    found = regression(cost)
    sure = uncertainty(cost, found.solution, speakers)
    weights = tuple(found.weights.tolist())
    line = Line(systems, terms, weights, sure.margins, found.variances, sure.by)
    report = Report.of(found.solution, found.solution.value / cost.worth)
    return line, replace(report, gradient_norm=report.gradient_norm / cost.worth)
