"""Calibrations trained on one set of trials, or on folds of it, and tested on another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from llrcal.arrays import Floats
from llrcal.calibrations import Calibration
from llrcal.calibrations.fit import fit_methods
from llrcal.calibrations.methods import PAPER, Method, method_and_options
from llrcal.comparison.adapted import adapted, check_adapt, seen_notes
from llrcal.comparison.candidate import Candidate, rule_of
from llrcal.comparison.checks import bad_conditions, calibration_notes, data_notes, point_notes
from llrcal.comparison.comparison import Comparison
from llrcal.comparison.criterion import CriterionName, checked_criterion
from llrcal.comparison.folds import CrossValidated, parted
from llrcal.comparison.judged_range import judged_at
from llrcal.comparison.learning import Round, curve_over
from llrcal.comparison.looks import FUSION
from llrcal.comparison.parts import in_memory
from llrcal.comparison.systems import fusion_notes, tested, trained_systems
from llrcal.errors import OptionError
from llrcal.evaluation.bootstrap import check_replicates
from llrcal.evaluation.evaluating import by_condition, evaluated
from llrcal.evaluation.evaluation import Evaluation
from llrcal.evaluation.operating_point import DEFAULT_POINTS, OperatingPoint
from llrcal.evaluation.paired import PairedBootstrap
from llrcal.fusion import Fused
from llrcal.messages import Setting
from llrcal.method_table import methods_to_compare
from llrcal.notes import Note, Severity
from llrcal.scoring_rule import ScoringRule
from llrcal.trials import Trials
from llrcal.trials.systems import Systems
from llrcal.trials.trial_set import TrialSet

# The prior log-odds that can be chosen in the report.
_CHOICES = np.arange(-600, 601) / 20

Progress = Callable[[str], None]


def compare(
    train: TrialSet | Systems,
    test: TrialSet | Systems | None = None,
    *,
    folds: int | None = None,
    methods: Sequence[Method] | None = None,
    points: Sequence[OperatingPoint] | None = None,
    criterion: str | None = None,
    replicates: int = 200,
    lower_is_better: bool = False,
    settings: Literal["default", "paper"] = "default",
    learning_curve: bool = False,
    adapt: float | None = None,
    by: Sequence[str] = (),
    progress: Progress | None = None,
) -> Comparison:
    """Train every method on one set of trials and test it on another, or on folds of the same.

    Parameters
    ----------
    train, test
        Trials to train on, and trials to test on, in memory or in pieces. If the test trials are
        read in pieces, there are no intervals, and figures show a sample of the trials. Or scores
        of several systems (``llrcal.trials.systems.read_systems``): each is then calibrated
        alone, and compared with their fusion, and of ``methods`` only the weight of a
        ``"logistic"`` is asked for.
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
    adapt
        Roughly the share of targets among the test scores, to compare also each calibration with
        densities as :func:`llrcal.adapt` adapts it to these scores. It never sees their labels.
    by
        Columns of the test trials that were kept: every calibration is also evaluated for each
        condition, and those that are good on all trials together, but bad in one, are named.
    progress
        Called with the name of each step as it begins.

    Returns
    -------
    Comparison
        Numbers, notes and a verdict; ``save`` writes them with figures, models and a report.
    """
    if settings not in ("default", "paper"):
        raise OptionError(f"settings are {settings!r}; choose default or paper")
    asked = points is not None and len(points) > 0
    task = _Task(
        DEFAULT_POINTS if points is None else tuple(points),
        asked,
        checked_criterion(criterion, asked_for_points=asked),
        replicates,
        (by,) if isinstance(by, str) else tuple(by),
        progress or (lambda _: None),
    )
    if isinstance(train, Systems) or isinstance(test, Systems):
        refused = {"folds": folds, "adapt": adapt, "learning_curve": learning_curve or None}
        return _of_systems(train, test, methods, task, refused)
    plain: dict[str, Any] = {"bounds": "none", "rising": False} if settings == "paper" else {}
    if methods is None:
        methods = PAPER if plain else methods_to_compare()
    if not methods:
        raise OptionError("there are no methods to compare; name at least one")
    if lower_is_better:
        train, test = train.negated(), None if test is None else test.negated()

    def fit(trials: TrialSet, *, with_margins: bool = False) -> dict[str, Calibration]:
        return fit_methods(trials, methods=methods, with_margins=with_margins, **plain)

    cut, test = parted(train, test, folds)
    check_adapt(adapt, in_folds=cut is not None)
    if learning_curve:  # before any work
        for one in (train, test):
            in_memory(one, Setting("learning_curve"))
    task.begin("training")
    calibrations = fit(train, with_margins=True)
    calibrations |= (moved := adapted(calibrations, test, adapt, task.begin))
    crossed = None if cut is None else CrossValidated.by(fit, cut, task.begin)
    task.begin("raw scores")
    raw = evaluated(test)
    first = next(iter(calibrations.values()))
    seen = (
        train.preview((first.tar_count, first.non_count)),
        test.preview((raw.tar_count, raw.non_count)),
    )
    notes = [*_dropped(train), *raw.direction_notes]
    notes += _dropped(test) if cut is None else [cut.note]
    notes += [*data_notes(*seen), *point_notes(raw, task.points), *seen_notes(moved)]

    def llrs(label: str) -> TrialSet:
        if crossed is None:
            return test.mapped(calibrations[label].quietly)
        return crossed.llrs(label)

    found = task.tested(calibrations, llrs, test, raw, seen)
    notes += found.notes
    curve = None
    if learning_curve:
        rounds: Sequence[Round] = [(train, test)] if cut is None else cut.rounds
        curve = curve_over(rounds, fit, say=task.begin)
    return replace(
        found,
        notes=tuple(notes),
        lower_is_better=lower_is_better,
        folds=cut,
        learning_curve=curve,
    )


def _of_systems(
    train: Any,
    test: Any,
    methods: Sequence[Method] | None,
    task: _Task,
    refused: Mapping[str, Any],
) -> Comparison:
    """Systems alone, and their fusion; what stands for scores are the LLRs of the fusion."""
    for name, value in refused.items():
        if value is not None:
            raise OptionError(Setting(name), " is for the scores of one system; leave it out")
    if not isinstance(train, Systems) or not isinstance(test, Systems):
        raise OptionError("systems are trained on some trials and tested on others: give both")
    weights = {options.get("alpha", 0.5) for _, options in map(method_and_options, methods or ())}
    if len(weights) > 1:
        raise OptionError("systems are compared at one weight of the targets; give one")
    task.begin("training")
    models = trained_systems(train, weights.pop() if weights else 0.5)
    task.begin("raw scores")
    seen = tested(models[FUSION], train), tested(models[FUSION], test)
    raw = evaluated(seen[1])
    found = task.tested(models, lambda label: tested(models[label], test), seen[1], raw, seen)
    evaluations = {label: one.evaluation for label, one in found.candidates.items()}
    notes = [*_dropped(seen[0]), *_dropped(seen[1]), *point_notes(raw, task.points)]
    return replace(found, notes=(*notes, *fusion_notes(evaluations), *found.notes))


@dataclass(frozen=True)
class _Task:
    """What was asked of a comparison."""

    points: tuple[OperatingPoint, ...]
    asked_for_points: bool
    criterion: CriterionName
    replicates: int
    by: tuple[str, ...]
    begin: Progress

    def tested(
        self,
        models: Mapping[str, Calibration | Fused],
        llrs_of: Callable[[str], TrialSet],
        test: TrialSet,
        raw: Evaluation,
        seen: tuple[Trials, Trials],
    ) -> Comparison:
        """Every model on the test trials, with notes on the models."""
        judged = judged_at(raw)
        points = [point.prior_log_odds for point in self.points]
        rules = dict.fromkeys(filter(None, map(rule_of, models.values())))
        draws = _draws(test, self.points, judged, list(rules), self.replicates)
        evaluations, conditions, notes = {}, {}, []
        for label, model in models.items():
            self.begin(f"testing {label}")
            llrs = llrs_of(label)
            priors = np.concatenate([_CHOICES, judged, points])
            evaluations[label] = evaluated(llrs, prior_log_odds=priors)
            if self.by:
                conditions[label] = by_condition(evaluations[label], llrs, None, self.by)
                notes += [note.about(label) for note in bad_conditions(conditions[label])]
            if draws is not None and llrs.in_memory is not None:
                draws.add(llrs.in_memory.tar, llrs.in_memory.non)
            notes += [note.about(label) for note in calibration_notes(model, *seen)]
        self.begin("intervals")
        of_raw, *drawn = draws.replicates() if draws else [None] * (len(models) + 1)
        candidates = {
            label: Candidate(label, model, evaluations[label], one, conditions.get(label))
            for (label, model), one in zip(models.items(), drawn, strict=True)
        }
        if self.replicates and draws is None:
            notes.append(Note.of("no intervals", "intervals need all test trials in memory"))
        left_out = next(iter(conditions.values())).notes if conditions else ()
        return Comparison(
            *seen,
            raw,
            candidates,
            self.points,
            (*left_out, *notes),
            criterion_name=self.criterion,
            asked_for_points=self.asked_for_points,
            raw_replicates=of_raw,
        )


def _dropped(trials: TrialSet) -> list[Note]:
    """Notes on trials that were left out."""
    return [note for note in trials.notes if note.severity is Severity.WARNING]


def _draws(
    test: TrialSet,
    points: Sequence[OperatingPoint],
    judged: Floats,
    rules: Sequence[ScoringRule],
    replicates: int,
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
        rules=rules,
        replicates=replicates,
    )
    draws.add(trials.tar, trials.non)
    return draws
