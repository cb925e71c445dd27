"""The report of a fit: whether it converged, why it ended, and what to know of the answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from llrcal.fitting.optimizer import Solution


@dataclass(frozen=True)
class Report:
    """How a fit went. Its fields read as attributes or, for tables, as a mapping."""

    converged: bool
    reason: str
    iterations: int
    objective: float
    """What was minimised, at the end: mean cost per score in nats."""
    gradient_norm: float
    """Largest component of its gradient over the free coordinates, scores in standard units."""
    saddles_escaped: int
    positive_definite: bool
    """Whether the Hessian at the end is positive definite on the free coordinates."""
    notes: tuple[str, ...] = ()
    """What a reader should know: bounds that are active, limits that were reached."""

    @classmethod
    def closed_form(cls, objective: float, notes: tuple[str, ...] = ()) -> Report:
        """Report of a fit that needs no search."""
        return cls(True, "closed form", 0, objective, 0.0, 0, True, notes)

    @classmethod
    def of(cls, solution: Solution, objective: float, notes: tuple[str, ...] = ()) -> Report:
        return cls(
            solution.converged,
            solution.reason,
            solution.iterations,
            objective,
            solution.gradient_norm,
            solution.saddles_escaped,
            solution.positive_definite,
            notes,
        )

    @classmethod
    def joint(cls, parts: dict[str, tuple[float, Report]]) -> Report:
        """Report of several fits made together, each with its weight in the objective."""
        reports = {name: report for name, (_, report) in parts.items()}
        reasons = {name: report.reason for name, report in reports.items()}
        one = len(set(reasons.values())) == 1
        return cls(
            converged=all(report.converged for report in reports.values()),
            reason=(
                next(iter(reasons.values()))
                if one
                else "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
            ),
            iterations=sum(report.iterations for report in reports.values()),
            objective=sum(weight * report.objective for weight, report in parts.values()),
            gradient_norm=max(report.gradient_norm for report in reports.values()),
            saddles_escaped=sum(report.saddles_escaped for report in reports.values()),
            positive_definite=all(report.positive_definite for report in reports.values()),
            notes=tuple(
                f"{name}: {note}" for name, report in reports.items() for note in report.notes
            ),
        )

    def with_notes(self, notes: tuple[str, ...]) -> Report:
        """The report with some notes more."""
        return replace(self, notes=self.notes + notes)

    def __getitem__(self, name: str) -> Any:
        return asdict(self)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def keys(self) -> tuple[str, ...]:
        return tuple(field.name for field in fields(self))
