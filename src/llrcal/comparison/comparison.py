"""Comparison of calibrations, trained on one set of trials and tested on another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any, Literal

import numpy as np

from llrcal.arrays import Floats
from llrcal.calibrations import Calibration
from llrcal.calibrations.fits import trained
from llrcal.calibrations.methods import PAPER, Method
from llrcal.comparison.checks import calibration_notes, data_notes, point_notes
from llrcal.comparison.criterion import Criterion, CriterionName, checked_criterion
from llrcal.comparison.folds import CrossValidated, Folds, parted
from llrcal.comparison.judged_range import judged_at, range_of
from llrcal.comparison.learning import Round, curve_over
from llrcal.comparison.learning_curve import LearningCurve
from llrcal.comparison.parts import in_memory
from llrcal.comparison.ranking import Ranking
from llrcal.comparison.verdict import Verdict, verdict
from llrcal.errors import OptionError
from llrcal.evaluation import Evaluation
from llrcal.evaluation.bootstrap import Intervals, Replicates, check_replicates
from llrcal.evaluation.evaluation import evaluated
from llrcal.evaluation.operating_point import DEFAULT_POINTS, OperatingPoint
from llrcal.evaluation.paired import PairedBootstrap
from llrcal.messages import Setting
from llrcal.method_table import methods_to_compare
from llrcal.notebook import html_table
from llrcal.notes import Note, Severity
from llrcal.scoring_rule import LOG, ScoringRule
from llrcal.trials import Trials
from llrcal.trials.trial_set import TrialSet

# The prior log-odds that can be chosen in the report.
_CHOICES = np.arange(-600, 601) / 20

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Candidate:
    """A calibration and its test results."""

    label: str
    calibration: Calibration
    evaluation: Evaluation
    intervals: Intervals | None
    replicates: Replicates | None = None
    """Its numbers in drawn test sets, which are the same sets for all candidates."""

    @property
    def alpha(self) -> float | str | None:
        """The weight of a linear calibration; None for the others."""
        return getattr(self.calibration, "alpha", None)

    @property
    def rule(self) -> ScoringRule | None:
        """The scoring rule that was minimised, if it is not the logarithmic one."""
        rule: ScoringRule = getattr(self.calibration, "rule", LOG)
        return None if rule == LOG else rule


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
    """Of the test scores themselves."""
    folds: Folds | None = None
    """How one set of trials was parted; None where there were two. Then ``train`` is all of it, on
    which the calibrations that are kept were trained, and ``test`` the trials that folds tested,
    with calibrations of their own."""
    learning_curve: LearningCurve | None = None
    """What other numbers of training trials would have given, if that was asked for."""

    @property
    def criterion(self) -> Criterion:
        """By which number candidates are ranked."""
        return Criterion(self.criterion_name, self.points, self.range)

    @property
    def range(self) -> tuple[float, float]:
        """Prior log-odds over which errors are averaged: by the rule of 30, if possible."""
        return range_of(self.raw)

    @cached_property
    def mean_errors(self) -> dict[str, float]:
        """Mean normalised Bayes error of each candidate over the range, best first."""
        x = judged_at(self.raw)
        means = {c.label: float(c.evaluation.bayes_error(x).mean()) for c in self._all}
        return dict(sorted(means.items(), key=lambda item: item[1]))

    @property
    def least_mean_error(self) -> float:
        """The same with the best thresholds on the raw scores."""
        x = judged_at(self.raw)
        return float(self.raw.min_bayes_error(x).mean())

    @cached_property
    def ranking(self) -> Ranking:
        """The candidates by the criterion, best first, with intervals where there are draws."""
        values = {c.label: self.criterion.value(c.evaluation) for c in self._all}
        drawn = {c.label: c.replicates for c in self._all}
        grain = self.criterion.grain(self.raw.tar_count, self.raw.non_count)
        return Ranking.of(self.criterion, values, drawn, grain=grain)

    @property
    def recommended(self) -> str:
        """Label of the candidate that the verdict recommends."""
        return self.verdict.recommended

    @cached_property
    def verdict(self) -> Verdict:
        """Which candidate to use, and what that rests on; or that none is fit."""
        return verdict(self)

    def save(self, folder: str | PathLike[str], *, force: bool = False) -> None:
        """Write models, tables, figures and the report to a folder, as ``llrcal compare`` does.

        Parameters
        ----------
        folder
            A new folder, which appears once it is complete.
        force
            Whether to replace the folder if it exists.
        """
        from llrcal.report.folder import save

        save(self, folder, force=force)

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


def compare(
    train: TrialSet,
    test: TrialSet | None = None,
    *,
    folds: int | None = None,
    methods: Sequence[Method] | None = None,
    points: Sequence[OperatingPoint] | None = None,
    criterion: str | None = None,
    replicates: int = 200,
    lower_is_better: bool = False,
    settings: Literal["default", "paper"] = "default",
    learning_curve: bool = False,
    progress: Progress | None = None,
) -> Comparison:
    """Train every method on one set of trials and test it on another, or on folds of the same.

    Parameters
    ----------
    train, test
        Trials to train on, and trials to test on, in memory or in pieces. If the test trials are
        read in pieces, there are no intervals, and figures show a sample of the trials.
    folds
        With one set of trials and no ``test``: the number of folds of a cross-validation. If
        speakers are known, no speaker is in training and test of a fold; otherwise trials are
        dealt. The LLRs of all folds are evaluated together, and the calibrations that are kept are
        trained on all trials. Trials must be in memory.
    methods
        Names of methods, or pairs of a name and its options. By default every method, the linear
        ones at three weights: the paper's ten.
    points
        Operating points to report; by default priors of 0.001, 0.01, 0.1 and 0.5.
    criterion
        What the verdict goes by: the mean Bayes error at the ``points``, the default if there are
        any; the mean Bayes error over the ``range`` of prior log-odds at which the test set has 30
        errors of each kind, the default otherwise; or ``cllr``.
    replicates
        Bootstrap replicates for the 95 % intervals, and for telling methods apart; zero for
        neither.
    lower_is_better
        Whether the scores are distances. They are then negated, also in the figures, but saved
        models take the distances themselves.
    settings
        ``"paper"`` for what the paper compares: its ten calibrations by default, and plain
        formulas, without bounds, which may fall.
    learning_curve
        Whether to try smaller numbers of training trials as well: see :func:`learning_curve`.
    progress
        Called with the name of each step as it begins.

    Returns
    -------
    Comparison
        Numbers, notes and a verdict; ``save`` writes them with figures, models and a report.
    """
    if settings not in ("default", "paper"):
        raise OptionError(f"settings are {settings!r}; choose default or paper")
    plain: dict[str, Any] = {"bounds": "none", "rising": False} if settings == "paper" else {}
    if methods is None:
        methods = PAPER if plain else methods_to_compare()
    if not methods:
        raise OptionError("there are no methods to compare; name at least one")
    asked = points is not None and len(points) > 0
    by = checked_criterion(criterion, asked_for_points=asked)
    points = DEFAULT_POINTS if points is None else tuple(points)
    begin = progress or (lambda _: None)
    if lower_is_better:
        train, test = train.negated(), None if test is None else test.negated()

    def fit(trials: TrialSet) -> dict[str, Calibration]:
        return trained(trials, methods=methods, **plain)

    cut, test = parted(train, test, folds)
    if learning_curve:  # before any work
        for one in (train, test):
            in_memory(one, Setting("learning_curve"))
    begin("training")
    calibrations = fit(train)
    crossed = None if cut is None else CrossValidated.by(fit, cut, begin)
    begin("raw scores")
    raw = evaluated(test)
    first = next(iter(calibrations.values()))
    seen = (
        train.preview((first.tar_count, first.non_count)),
        test.preview((raw.tar_count, raw.non_count)),
    )
    notes = [*_dropped(train), *raw.direction_notes]
    notes += _dropped(test) if cut is None else [cut.note]
    notes += [*data_notes(*seen), *point_notes(raw, points)]
    priors = np.concatenate([_CHOICES, judged_at(raw), [point.prior_log_odds for point in points]])
    draws = _draws(test, points, judged_at(raw), replicates)
    evaluations = {}
    for label, calibration in calibrations.items():
        begin(f"testing {label}")
        llrs = test.mapped(calibration.quietly) if crossed is None else crossed.llrs(label)
        evaluations[label] = evaluated(llrs, prior_log_odds=priors)
        if draws is not None and llrs.in_memory is not None:
            draws.add(llrs.in_memory.tar, llrs.in_memory.non)
        notes += [note.about(label) for note in calibration_notes(calibration, *seen)]
    begin("intervals")
    of_raw, *drawn = draws.replicates() if draws else [None] * (len(calibrations) + 1)
    candidates = {
        label: Candidate(label, calibration, evaluations[label], _intervals(found), found)
        for (label, calibration), found in zip(calibrations.items(), drawn, strict=True)
    }
    if replicates and draws is None:
        notes.append(Note.of("no intervals", "intervals need all test trials in memory"))
    curve = None
    if learning_curve:
        rounds: Sequence[Round] = [(train, test)] if cut is None else cut.rounds
        curve = curve_over(rounds, fit, say=begin)
    return Comparison(
        *seen,
        raw,
        candidates,
        points,
        tuple(notes),
        lower_is_better,
        by,
        asked,
        of_raw,
        cut,
        curve,
    )


def _dropped(trials: TrialSet) -> list[Note]:
    """Notes on trials that were left out."""
    return [note for note in trials.notes if note.severity is Severity.WARNING]


def _intervals(found: Replicates | None) -> Intervals | None:
    return None if found is None else found.intervals()


def _draws(
    test: TrialSet, points: Sequence[OperatingPoint], judged: Floats, replicates: int
) -> PairedBootstrap | None:
    """Draws of the test set, if all of it is in memory; its scores are the first to be added."""
    trials = test.in_memory
    if trials is None or not replicates:
        return None
    check_replicates(replicates)
    speakers = None
    if trials.tar_speakers is not None and trials.non_speakers is not None:
        speakers = trials.tar_speakers, trials.non_speakers
    draws = PairedBootstrap(
        (trials.tar, trials.non),
        speakers,
        prior_log_odds=[point.prior_log_odds for point in points],
        curve=judged,
        replicates=replicates,
    )
    draws.add(trials.tar, trials.non)
    return draws
