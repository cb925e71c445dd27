"""A set of trials, wherever it is: in memory, in files that are read in pieces, on a cluster.

Calibrations are trained on one and evaluated on another without knowing where they are: what is
asked of a set is answered with the same bits, the same checks and the same notes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from llrcal.arrays import Array, Floats
from llrcal.calibrations.training import Training
from llrcal.notes import Note
from llrcal.onepass.summary import Summary

if TYPE_CHECKING:
    from llrcal.evaluation.llrs import LLRs
    from llrcal.trials.trials import Trials

Transform = Callable[[Array], Array]
"""Turns scores into others. It is sent to whoever reads them, so it must be possible to pickle."""


@dataclass(frozen=True)
class Multiplied:
    """The transform that multiplies scores: by -1, distances become similarities."""

    factor: float

    def __call__(self, scores: Array) -> Array:
        return scores * self.factor


class TrialSet(ABC):
    """Target and non-target trials, and what can be asked of them."""

    source: str
    """Where they come from, for people."""
    notes: tuple[Note, ...]
    """How they were read, and what was done to them."""
    score_name: str | None
    """What the file calls its scores, where it has names."""
    forensic: bool
    """Whether the labels are hypotheses (Hp and Hd): LLRs are then often common logarithms."""

    @abstractmethod
    def training(self, *, summarised: bool, ranked: bool, lower_is_better: bool) -> Training:
        """What methods ask of training scores; the arguments say what is going to be asked."""

    @abstractmethod
    def llrs(self, thresholds: Floats) -> LLRs:
        """What an evaluation asks of LLRs; these thresholds are going to be asked for."""

    @abstractmethod
    def pooled(self) -> Summary:
        """A summary of all scores, whatever their labels."""

    @abstractmethod
    def mapped(self, transform: Transform) -> Self:
        """The same trials with other scores."""

    @abstractmethod
    def preview(self, counts: tuple[int, int]) -> Trials:
        """The trials, or a sample of so many targets and non-targets, in memory: for pictures."""

    @property
    @abstractmethod
    def in_memory(self) -> Trials | None:
        """All of the trials, where they are in memory."""

    def negated(self) -> Self:
        """The same trials with negated scores."""
        return self.mapped(Multiplied(-1.0))
