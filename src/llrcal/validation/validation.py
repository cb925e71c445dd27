"""A validation: what was tested, on what, what was found, and whether that is what was required."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from os import PathLike, fspath
from typing import Any, cast

from llrcal.calibrations.calibration import Calibration
from llrcal.comparison import Candidate, Comparison
from llrcal.comparison.checks import score_range
from llrcal.evaluation import Evaluation
from llrcal.evaluation.intervals import Intervals
from llrcal.evaluation.measures import Number
from llrcal.files.atomic import write_atomically
from llrcal.files.compression import check_place
from llrcal.files.marks import PAGE
from llrcal.inputs.beside_scores import numbered
from llrcal.notebook import html_table
from llrcal.notes import Note
from llrcal.trials import Trials
from llrcal.validation.requirements import NAMES, Criterion, Requirement
from llrcal.version import __version__

STATED = {
    "purpose": "Purpose",
    "propositions": "Propositions",
    "population": "Relevant population",
    "conditions": "Conditions of the case, and how the data reflect them",
    "system": "Recognizer and its operators",
}
"""What guidelines ask for and no program can know, by name and in words."""
_OF_POINTS = "rule of 30"  # on detection costs, of which a validation has none


@dataclass(frozen=True)
class DataFile:
    """A file of trials, and what its content is known by."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class DataSet:
    """A set of trials."""

    role: str
    """"all", "training" or "test"."""
    source: str
    targets: int
    nontargets: int
    speakers: int | None
    """How many there are, where they are known."""
    scores: tuple[float, float]
    """The least and the greatest."""
    files: tuple[DataFile, ...]

    @classmethod
    def of(cls, role: str, trials: Trials) -> DataSet:
        """Counts of trials, and checksums of the files that they were read from."""
        speakers = None if trials.speakers is None else numbered(*trials.speakers)[1]
        files = tuple(DataFile(one.path, one.size, one.sha256()) for one in trials.files)
        return cls(role, trials.source, *trials.counts, speakers, score_range(trials), files)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        found = asdict(self)
        return found | {"scores": list(self.scores), "files": list(found["files"])}


@dataclass(frozen=True, repr=False)
class Validation:
    """A system tested on trials whose truth is known, for a case file."""

    title: str
    author: str
    date: str
    stated: Mapping[str, str]
    """What the author states, by the names in ``STATED``."""
    data: tuple[DataSet, ...]
    comparison: Comparison
    """The one calibration that is validated, tested on folds or on other trials."""
    bounds: str
    intervals: Intervals
    requirements: tuple[Requirement, ...]
    shared_speakers: int | None = None
    """How many names of speakers are in training and in test; None if these have none."""

    @property
    def candidate(self) -> Candidate:
        """The calibration that is validated, with its evaluation."""
        (one,) = self.comparison.candidates.values()
        return one

    @property
    def evaluation(self) -> Evaluation:
        """That of the tested trials, whose LLRs come from calibrations that have not seen them."""
        return self.candidate.evaluation

    @cached_property
    def model(self) -> Calibration:
        """The calibration to use in the case, trained on all training trials."""
        return cast("Calibration", self.comparison.model(self.candidate.label))  # of one system

    @cached_property
    def model_sha256(self) -> str:
        """The SHA-256 of the file that ``model.save`` writes."""
        return hashlib.sha256(self.model.content).hexdigest()

    @cached_property
    def measures(self) -> dict[str, Number]:
        """The numbers by name, each with its interval."""
        numbers = self.evaluation.numbers((), forensic=True, intervals=self.intervals)
        by_name = {number.name: number for number in numbers}
        return {name: by_name[name] for name in NAMES}

    @cached_property
    def criteria(self) -> tuple[Criterion, ...]:
        """What was required, and what was found."""
        return tuple(Criterion(one, self.measures[one.name]) for one in self.requirements)

    @property
    def met(self) -> bool:
        """Whether all criteria are met; also if there are none."""
        return all(criterion.met for criterion in self.criteria)

    @property
    def verdict(self) -> str:
        """In one sentence."""
        count, failed = len(self.criteria), [one for one in self.criteria if not one.met]
        if not count:
            return "No criteria were given."
        if count == len(failed) == 1:
            return f"The criterion is not met: {failed[0]}."
        if failed:
            are = "is" if len(failed) == 1 else "are"
            named = "; ".join(map(str, failed))
            return f"{len(failed)} of {count} criteria {are} not met: {named}."
        every = {1: "The criterion is met", 2: "Both criteria are met"}.get(
            count, f"All {count} criteria are met"
        )
        unsure = sum(not one.interval_met for one in self.criteria)
        if not unsure:
            return f"{every}, also by the ends of the intervals."
        which = "but" if unsure == count else f"{unsure} of them"
        whose = "its interval" if unsure == 1 else "their intervals"
        return f"{every}, {which} not by all of {whose}."

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader should know beside the numbers."""
        known = (note for note in self.comparison.notes if note.code != _OF_POINTS)
        shared = []
        if self.shared_speakers:
            words = f"{self.shared_speakers:,} names of speakers are in training and in test"
            text = f"{words}: errors on new speakers may be larger than those given here"
            shared = [Note.warning("shared speakers", text)]
        return tuple(dict.fromkeys((*shared, *known, *self.intervals.notes)))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        folds = self.comparison.folds
        cut = folds and {"count": folds.count, "by": folds.by, "seed": folds.seed}
        return {
            "title": self.title,
            "author": self.author,
            "date": self.date,
            "stated": dict(self.stated),
            "data": [one.to_dict() for one in self.data],
            "folds": cut,
            "system": {
                **self.candidate.kind,
                "bounds": self.bounds,
                "llrcal": __version__,
                "model_sha256": self.model_sha256,
            },
            "evaluation": self._numbers,
            "criteria": [one.to_dict() for one in self.criteria],
            "met": self.met,
            "verdict": self.verdict,
        }

    def page(self) -> str:
        """The validation as one HTML page, for a screen and for A4 paper, to be saved as UTF-8."""
        from llrcal.validation.build import build_page

        return build_page(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file; a file is never left half written."""
        check_place(fspath(path), by_name=True, mark=PAGE)
        write_atomically(path, self.page().encode(), PAGE)

    def __repr__(self) -> str:
        return f"<validation of {self.candidate.label}: {self.verdict}>"

    def _repr_html_(self) -> str:
        rows = {}
        for one in self.measures.values():
            number, low, high = map(one.written, (one.value, *one.interval))
            rows[one.words] = f"{number} ({low} to {high})"
        return html_table(f"{self.title}: {self.verdict}", rows, map(str, self.notes))

    @cached_property
    def _numbers(self) -> dict[str, Any]:
        return self.evaluation.to_dict((), forensic=True, intervals=self.intervals)
