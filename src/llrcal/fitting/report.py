"""The report of a fit: whether it converged, why it ended, and what to know about the answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Annotated, Any

from llrcal.declaration import NotNegative, Stored
from llrcal.fitting.optimizer import Solution
from llrcal.notes import Note, Severity


def texts(notes: tuple[Note, ...]) -> tuple[str, ...]:
    """Notes in words."""
    return tuple(map(str, notes))


def saved_notes(words: tuple[str, ...]) -> tuple[Note, ...]:
    """Notes that were saved, of which only the words are left."""
    return tuple(Note.of("saved", text) for text in words)


@dataclass(frozen=True)
class Report:
    """How a fit went. Its fields can be read as attributes or, for tables, as a mapping."""

    converged: Annotated[bool, "Whether the optimum was found."]
    reason: Annotated[str, "Why the search ended."]
    iterations: Annotated[int, "Steps of the search."]
    objective: Annotated[
        float,
        "What was minimised, at the end: mean cost per score in nats. By a scoring rule other than "
        "the logarithmic one, in its unit: a probability of one half costs log 2.",
    ]
    gradient_norm: Annotated[
        NotNegative,
        "Largest component of its gradient over the free coordinates, scores in standard units.",
    ]
    saddles_escaped: Annotated[int, "Saddle points that the search came across and left."]
    positive_definite: Annotated[
        bool, "Whether the Hessian at the end is positive definite on the free coordinates."
    ]
    notes: Annotated[
        tuple[Note, ...],
        Stored(form=tuple[str, ...], read=saved_notes, write=texts, always=True),
        "What a reader should know: bounds that are active, limits that were reached.",
    ] = field(default=(), compare=False)

    @classmethod
    def closed_form(cls, objective: float, notes: tuple[Note, ...] = ()) -> Report:
        """Report of a fit that needs no search."""
        return cls(True, "closed form", 0, objective, 0.0, 0, True, notes)

    @classmethod
    def of(cls, solution: Solution, objective: float, notes: tuple[Note, ...] = ()) -> Report:
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
        reports = [report for _, report in parts.values()]
        reasons = [report.reason for report in reports]
        if len(set(reasons)) > 1:
            reasons = [f"{name}: {reason}" for name, reason in zip(parts, reasons, strict=True)]
        return cls(
            converged=all(report.converged for report in reports),
            reason="; ".join(dict.fromkeys(reasons)),
            iterations=sum(report.iterations for report in reports),
            objective=sum(weight * report.objective for weight, report in parts.values()),
            gradient_norm=max(report.gradient_norm for report in reports),
            saddles_escaped=sum(report.saddles_escaped for report in reports),
            positive_definite=all(report.positive_definite for report in reports),
            notes=tuple(
                note.about(name) for name, (_, report) in parts.items() for note in report.notes
            ),
        )

    def with_notes(self, notes: tuple[Note, ...]) -> Report:
        """The report with further notes."""
        return replace(self, notes=self.notes + notes)

    @property
    def all_notes(self) -> tuple[Note, ...]:
        """The notes, and before them one on a fit that did not converge."""
        if self.converged:
            return self.notes
        text = (
            f"the fit did not converge: {self.reason}. A better one may exist; scores that nearly "
            "coincide are a usual cause. Compare with another method before you use it"
        )
        return (Note.of("not converged", text, severity=Severity.WARNING), *self.notes)

    def __getitem__(self, name: str) -> Any:
        if name == "notes":
            return texts(self.notes)
        return asdict(self)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def keys(self) -> tuple[str, ...]:
        return tuple(field.name for field in fields(self))
