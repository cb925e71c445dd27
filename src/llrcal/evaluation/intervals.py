"""Intervals of the numbers of an evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from llrcal.evaluation.forensic_cells import ForensicIntervals
from llrcal.evaluation.percentiles import Interval
from llrcal.notes import Note


@dataclass(frozen=True)
class RuleIntervals:
    """Intervals of the cost by a scoring rule."""

    actual: Interval
    minimum: Interval
    loss: Interval


@dataclass(frozen=True)
class Intervals:
    """Bootstrap intervals, each from its lower to its upper end."""

    cllr: Interval
    min_cllr: Interval
    calibration_loss: Interval
    eer: Interval
    act_dcf: tuple[Interval, ...]
    """One for each operating point, normalised."""
    min_dcf: tuple[Interval, ...]
    by: str
    """What was resampled: "trial" or "speaker"."""
    replicates: int
    mean_error: Interval | None = None
    """The interval of the mean Bayes error, if a curve to take it over was given."""
    level: float = 0.95
    rules: Mapping[str, RuleIntervals] = field(default_factory=dict)
    """Intervals of the costs by scoring rules that were asked for, by name."""
    misleading: tuple[tuple[Interval, Interval], ...] = ()
    """Intervals of the rates of misleading evidence, targets first, for each strength asked for."""
    forensic: ForensicIntervals | None = None
    """Intervals of other forensic figures of merit, if these were asked for."""
    notes: tuple[Note, ...] = ()
    """What to keep in mind about the intervals."""

    def to_dict(self) -> dict[str, Any]:
        """The intervals as plain values: lists of two numbers, or lists of those."""
        overall = ("cllr", "min_cllr", "calibration_loss", "eer")
        rules = {
            name: {key: list(ends) for key, ends in vars(one).items()}
            for name, one in self.rules.items()
        }
        misleading = {
            name: [list(rates[i]) for rates in self.misleading]
            for i, name in enumerate(("tar", "non"))
        }
        return {
            "level": self.level,
            "by": self.by,
            "replicates": self.replicates,
            **{name: list(getattr(self, name)) for name in overall},
            "act_dcf": [list(ends) for ends in self.act_dcf],
            "min_dcf": [list(ends) for ends in self.min_dcf],
            **({"rules": rules} if rules else {}),
            **({"misleading": misleading} if self.misleading else {}),
            **({"forensic": self.forensic.to_dict()} if self.forensic else {}),
            "notes": [note.to_dict() for note in self.notes],
        }
