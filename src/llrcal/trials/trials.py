"""A set of trials, wherever it is: in memory, in files that are read in pieces, on a cluster.

Calibrations are trained on one and evaluated on another without knowing where they are: what is
asked of a set is answered with the same bits, the same checks and the same notes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.calibrations.training import Training
from llrcal.errors import OptionError, ScoreError
from llrcal.files.fingerprint import FileFingerprint
from llrcal.inputs.beside_scores import numbered
from llrcal.inputs.scores import as_scores
from llrcal.inputs.units import nats
from llrcal.messages import Setting
from llrcal.notebook import html_table
from llrcal.notes import Note
from llrcal.onepass.grid import Grid, Sample
from llrcal.onepass.summary import Summary
from llrcal.trials.conventions import unit_in

if TYPE_CHECKING:
    import polars as pl

    from llrcal.evaluation.llrs import LLRs


Transform = Callable[[Array], Array]
"""Turns scores into others. It is sent to whoever reads them, so it must be possible to pickle."""


@dataclass(frozen=True)
class Multiplied:
    """The transform that multiplies scores: by -1, distances become similarities."""

    factor: float

    def __call__(self, scores: Array) -> Array:
        return scores * self.factor


def known_after(transform: Transform) -> dict[str, Any]:
    """What the file says of scores is not so of others that are made of them."""
    return {} if isinstance(transform, Multiplied) else {"score_name": None, "forensic": False}


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

    @property
    def unit(self) -> str:
        """The unit of scores that are LLRs, as far as their file says; nats by default.

        Raises
        ------
        OptionError
            If that is in doubt.
        """
        unit = unit_in(self.score_name)
        if unit == "log10":
            return unit
        if unit == "ratio":
            raise OptionError(
                f"{self.source}: column {self.score_name!r} may contain likelihood-ratios or their "
                "logarithms; specify which: ",
                Setting("units", "ratio"),
                ", nats, log10 or bits",
            )
        if self.forensic:
            raise OptionError(
                f"{self.source}: its labels are hypotheses, and tools that write these often write "
                "common logarithms; specify which: ",
                Setting("units", "log10"),
                " or ",
                Setting("units", "nats"),
            )
        return "nats"

    def in_nats(self, unit: str | None = None) -> Self:
        """The same trials with LLRs in nats, from this unit or from that of their file."""
        unit = unit or self.unit
        return self if unit == "nats" else self.mapped(partial(nats, unit=unit))

    def negated(self) -> Self:
        """The same trials with negated scores."""
        return self.mapped(Multiplied(-1.0))


@dataclass(frozen=True, repr=False)
class Trials(TrialSet):
    """Target and non-target scores in memory, and what is known about the trials.

    ``tar, non = trials`` gives the scores alone.
    """

    tar: Array
    non: Array
    source: str = "arrays"
    tar_speakers: Array | None = None
    """Where known, the enrolment and the test speaker of each target trial as whole numbers."""
    non_speakers: Array | None = None
    is_target: Array | None = None
    """Which trials are targets, in the order of the file; None if all targets come first."""
    ids: pl.DataFrame | None = None
    """Names of model and recording (columns ``enrol``, ``test``, ...), in the order of the file."""
    notes: tuple[Note, ...] = ()
    """How the files were read, and what was done to the trials.

    Their codes are ``"read"``, ``"dropped nan"``, ``"duplicates"``, ``"missing"``, ``"unknown"``,
    ``"joined"``, ``"spoof"``, ``"ignored"`` (an option) and ``"mixed columns"`` (of several files);
    those that tell of scores that do not count, or of columns that differ, are warnings.
    """
    score_name: str | None = None
    """The name of the column of scores, if columns have names."""
    forensic: bool = False
    """Whether the labels are hypotheses (Hp and Hd): LLRs are then often common logarithms."""
    allow_infinite: bool = False
    kept: pl.DataFrame | None = None
    """Further columns that were asked for, as text, in the order of the file."""
    files: tuple[FileFingerprint, ...] = ()
    """The files that they were read from, as they were then."""
    totals: tuple[int, int] | None = None
    """How many targets and non-targets there are in all, if these are only a sample."""
    speaker_names: Array | None = None
    """Names by the numbers of the speakers, where there are: ``speaker_names[tar_speakers]``."""

    def __post_init__(self) -> None:
        for side, name, speakers in (
            ("tar", "target", self.tar_speakers),
            ("non", "non-target", self.non_speakers),
        ):
            try:
                scores = as_scores(getattr(self, side), name, allow_infinite=self.allow_infinite)
            except ScoreError as problem:
                raise problem.within(self.source) from None
            object.__setattr__(self, side, scores)  # lists become arrays
            if speakers is not None and speakers.shape != (len(scores), 2):
                raise ScoreError(
                    f"{self.source}: {name} speakers have shape {speakers.shape}; expected "
                    f"two columns for {len(scores)} trials"
                )

    def training(self, *, summarised: bool, ranked: bool, lower_is_better: bool) -> Training:
        return Training.of(
            self.tar,
            self.non,
            lower_is_better=lower_is_better,
            speakers=self.speakers,
            summarised=summarised,
        )

    def llrs(self, thresholds: Floats) -> LLRs:
        from llrcal.evaluation.llrs import ArrayLLRs, Names  # which reading a file does not need

        names = Names(self.speaker_names, self.ids, self.is_target)
        return ArrayLLRs(self.tar, self.non, self.speakers, thresholds, names)

    def pooled(self) -> Summary:
        sides = self.tar, self.non
        grid = Grid.of_sample(Sample.merge(*map(Sample.of, sides)))
        return Summary.merge(*(Summary.of(side, grid) for side in sides))

    def mapped(self, transform: Transform) -> Trials:
        tar, non = transform(self.tar), transform(self.non)
        return replace(self, tar=tar, non=non, allow_infinite=True, **known_after(transform))

    def conditions(self, names: Sequence[str]) -> tuple[Array, Array]:
        """Columns that were kept, as text, of the targets and of the non-targets.

        Raises
        ------
        OptionError
            If a column was not kept.
        """
        absent = [name for name in names if self.kept is None or name not in self.kept.columns]
        if self.kept is None or absent or not names:
            raise OptionError(
                f"the trials of {self.source} have no column {', '.join(map(repr, absent))}; read "
                "them with keep=[...]"
            )
        table = self.kept.select(names).fill_null("").to_numpy().astype(object)
        return table[self.labels], table[~self.labels]

    def preview(self, counts: tuple[int, int]) -> Trials:
        return self

    @property
    def in_memory(self) -> Trials:
        return self

    def __repr__(self) -> str:
        tar, non = self.counts
        return f"<trials of {self.source}: {tar:,} targets, {non:,} non-targets>"

    def _repr_html_(self) -> str:
        tar, non = self.counts
        rows = {
            "targets": tar,
            "non-targets": non,
            "target scores": _range(self.tar),
            "non-target scores": _range(self.non),
            "speakers": "not known" if self.speakers is None else numbered(*self.speakers)[1],
        }
        return html_table(f"Trials of {self.source}", rows, map(str, self.notes))

    def __iter__(self) -> Iterator[Array]:
        return iter((self.tar, self.non))

    def __len__(self) -> int:
        return len(self.tar) + len(self.non)

    @property
    def counts(self) -> tuple[int, int]:
        """How many targets and non-targets there are, including those outside a sample."""
        return self.totals or (len(self.tar), len(self.non))

    @property
    def has_speakers(self) -> bool:
        return self.speakers is not None

    @property
    def speakers(self) -> tuple[Array, Array] | None:
        """The speakers of targets and of non-targets, where they are known."""
        if self.tar_speakers is None or self.non_speakers is None:
            return None
        return self.tar_speakers, self.non_speakers

    @property
    def labels(self) -> Array:
        """True for each target trial, False for each non-target, in the order of the file."""
        if self.is_target is not None:
            return self.is_target
        return np.arange(len(self)) < len(self.tar)

    @property
    def scores(self) -> Floats:
        """Every score, in the order of the file."""
        if self.is_target is None:
            return np.concatenate([self.tar, self.non]).astype(np.float64, copy=False)
        out = np.empty(len(self))
        out[self.is_target], out[~self.is_target] = self.tar, self.non
        return out


def _range(scores: Array) -> tuple[float, float]:
    return float(scores.min()), float(scores.max())
