"""Calibrations side by side on the same test trials."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from llrcal.calibrations import Calibration
from llrcal.comparison.axes import FIGURE_FORMATS, figure_formats
from llrcal.comparison.candidates import Candidate
from llrcal.comparison.copies import IN_FOLDS
from llrcal.comparison.folds import Folds
from llrcal.comparison.learning_curve import LearningCurve
from llrcal.comparison.ranking import Criterion, CriterionName, Ranking
from llrcal.comparison.verdict import Verdict, verdict
from llrcal.errors import OptionError
from llrcal.evaluation import Evaluation, OperatingPoint
from llrcal.evaluation.bootstrap import Replicates, enough_for
from llrcal.evaluation.evaluation import whole_llrs
from llrcal.evaluation.measures import Asked, Number
from llrcal.files.atomic import atomic_folder
from llrcal.files.overwriting import refuse_to_overwrite
from llrcal.models import Model
from llrcal.notebook import html_table
from llrcal.notes import Note
from llrcal.scoring_rule import Rule
from llrcal.trials import Trials

PER_UNIT, FURTHEST = 20, 30
"""The report shows errors at multiples of 1/20 of prior log-odds, up to 30 at most, which is a
prior of ten trillion to one."""
FINE, NEAR = 200, 5
"""Where LLRs are small, Tippett plots have ten times as many points."""
CHOICES = np.union1d(
    np.arange(-FURTHEST * PER_UNIT, FURTHEST * PER_UNIT + 1) / PER_UNIT,
    np.arange(-NEAR * FINE, NEAR * FINE + 1) / FINE,
)
"""Prior log-odds, or LLRs, that figures and report may ask for: counted in one pass in advance."""


def model_file(label: str) -> str:
    """The name of the file of a model: systems are called as people like, files are not."""
    return f"{quote(label, safe=' ,=')}.json"


@dataclass(frozen=True, repr=False)
class Comparison:
    """Calibrations side by side on the same test trials."""

    train: Trials
    test: Trials
    raw: Evaluation
    """The test scores themselves, evaluated as LLRs; their hull is the best that is possible."""
    candidates: Mapping[str, Candidate]
    points: tuple[OperatingPoint, ...]
    notes: tuple[Note, ...]
    lower_is_better: bool = False
    """Whether the scores are negated distances."""
    criterion_name: CriterionName = "range"
    asked_for_points: bool = False
    """Whether the operating points were asked for, rather than the usual ones."""
    raw_replicates: Replicates | None = None
    """Drawn numbers of the test scores themselves."""
    folds: Folds | None = None
    """How one set of trials was parted; None where there were two. Then ``train`` and ``test`` are
    all of it: the calibrations that are kept were trained on it, and those of folds tested it."""
    learning_curve: LearningCurve | None = None
    """What other numbers of training trials would have given, if that was asked for."""
    separation: Note = IN_FOLDS
    """How it is known that training trials were not tested."""

    @property
    def of_systems(self) -> bool:
        """Whether several systems and their fusion were compared."""
        return all(candidate.of_score is None for candidate in self._all)

    @property
    def criterion(self) -> Criterion:
        """The number that candidates are ranked by."""
        return Criterion(self.criterion_name, self.points, self.range)

    @property
    def range(self) -> tuple[float, float]:
        """Prior log-odds over which errors are averaged: by the rule of 30, if possible."""
        return Criterion.over_range(self.raw).range

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The scoring rules that candidates minimise, but for the logarithmic one."""
        return tuple(dict.fromkeys(c.rule for c in self._all if c.rule is not None))

    @cached_property
    def mean_errors(self) -> dict[str, float]:
        """Mean normalised Bayes error of each candidate over the range, best first."""
        return replace(self.ranking, criterion=Criterion.over_range(self.raw)).values

    @cached_property
    def asked(self) -> Asked:
        """What the measures of its tables are taken at."""
        return Asked(self.points, self.rules, range=Criterion.over_range(self.raw).priors)

    def least(self, number: Callable[[Evaluation], Any]) -> Any:
        """The least of a number, or of each of several, that the scores allow: those of any system.

        ``number`` is a minimum of an evaluation, such as its minCllr.
        """
        every = [one.evaluation for one in self._all] if self.of_systems else [self.raw]
        return np.min([number(one) for one in every], axis=0)

    def best_possible(self, number: Number) -> float:
        """What no calibration of the scores can better, given a number of some; or NaN."""
        measure = number.measure
        if measure.least is None:
            return math.nan
        name = number.name.replace(measure.name, measure.least, 1)
        best = min if measure.better == "lower" else max
        return best(values[name] for values in self._of_scores)

    @cached_property
    def _of_scores(self) -> list[dict[str, float]]:
        """The numbers of the scores themselves; of all systems."""
        every = [one.evaluation for one in self._all] if self.of_systems else [self.raw]
        return [{one.name: one.value for one in ev.taken(self.asked)} for ev in every]

    @cached_property
    def ranking(self) -> Ranking:
        """The candidates by the criterion, best first, with intervals where there are draws."""
        return Ranking(self.criterion, self.candidates, self.raw, self.raw_replicates)

    @property
    def band_options(self) -> dict[str, Any]:
        """Level and replicates for bands around curves, if there are intervals; else nothing."""
        drawn = next(iter(self._all)).intervals
        if drawn is None:
            return {}
        return {"level": drawn.level, "replicates": max(drawn.replicates, enough_for(drawn.level))}

    @property
    def recommended(self) -> str:
        """Label of the candidate that the verdict recommends."""
        return self.verdict.recommended

    @cached_property
    def verdict(self) -> Verdict:
        """Which candidate to use, and what that rests on; or that none is fit."""
        named = self.points if self.asked_for_points else ()
        return verdict(self.ranking, named, self.notes)

    def model(self, label: str) -> Model:
        """The model of a candidate as it is saved: one of distances takes these as they are."""
        found = self.candidates[label].calibration
        if isinstance(found, Calibration):  # trained on negated distances, where it was
            return replace(found, lower_is_better=self.lower_is_better)
        return found

    def next_command(self, folder: str = "") -> str:
        """What to type next, given the folder of results: the recommended model, applied.

        Nothing, if none is fit.
        """
        if not self.verdict.fit:
            return ""
        model = self.candidates[self.recommended].calibration
        names = model.names if len(model.names) > 1 else ()
        scores = [f"{name}={name}.txt" for name in names] or ["scores.txt"]
        path = Path(folder, "models", model_file(self.recommended))
        return shlex.join(["llrcal", "apply", str(path), *scores, "-o", "llrs.txt"])

    def llrs(self, label: str | None = None) -> Trials:
        """The test trials in their order, with the LLRs of a candidate; by default the recommended.

        In folds, they come from calibrations that have seen neither speaker of the trial.

        Raises
        ------
        OptionError
            If there is no such candidate, or the test trials are not in memory.
        """
        one = self.candidates.get(self.recommended if label is None else label)
        if one is None:
            raise OptionError(
                f"there is no calibration {label!r}; choose one of {', '.join(self.candidates)}"
            )
        if self.test.totals is not None:
            raise OptionError(
                "LLRs of single trials need all test trials in memory; apply the calibration to "
                "their scores instead"
            )
        whole = whole_llrs(one.evaluation)
        return replace(self.test, tar=whole.tar, non=whole.non, allow_infinite=True)

    def save(
        self,
        folder: str | PathLike[str],
        *,
        formats: Sequence[str] = FIGURE_FORMATS,
        force: bool = False,
    ) -> None:
        """Write models, tables, figures and the report to a folder, as ``llrcal compare`` does.

        Parameters
        ----------
        folder
            A new folder, which appears once it is complete.
        formats
            Those of the figures; an empty list draws none. Drawing takes most of the time.
        force
            Whether to replace the folder if it exists.
        """
        from llrcal.report.folder import write_results

        chosen = figure_formats(formats)
        refuse_to_overwrite(folder, self.train.source, self.test.source)
        with atomic_folder(folder, force=force) as place:
            write_results(self, place, formats=chosen, name=str(folder))

    def to_dict(self, *, forensic: bool = False) -> dict[str, Any]:
        """The numbers of the comparison as plain values; calibrations are in order, best first.

        With forensic figures of merit, if these are asked for.
        """
        verdict, ranking = self.verdict, self.ranking
        told = ("fit", "recommended", "best", "equals", "headline", "basis")
        curve = self.learning_curve
        return {
            "verdict": {name: getattr(verdict, name) for name in told},
            "criterion": self.criterion.name,
            "range": list(self.range),
            "calibrations": {
                label: {
                    **(one := self.candidates[label]).kind,
                    "value": value,
                    "interval": ranking.intervals.get(label),
                    "mean_error": self.mean_errors[label],
                    **one.evaluation.to_dict(
                        self.points,
                        rules=self.rules,
                        forensic=forensic,
                        intervals=one.intervals,
                    ),
                }
                for label, value in ranking.values.items()
            },
            "raw": self.raw.to_dict(self.points),
            **({} if curve is None else {"learning_curve": curve.to_dict()}),
        }

    def __repr__(self) -> str:
        return f"<comparison of {len(self.candidates)} calibrations: {self.verdict.headline}>"

    def _repr_html_(self) -> str:
        rows = {}
        for label, error in self.mean_errors.items():
            ev = self.candidates[label].evaluation
            rows[label] = f"Cllr {ev.cllr:.4f}, mean Bayes error {error:.4f}"
        return html_table("Comparison of calibrations, best first", rows, [self.verdict.text])

    @property
    def _all(self) -> list[Candidate]:
        return list(self.candidates.values())
