"""Calibrations trained on one set of trials, or on folds of it, and tested on another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from llrcal.adaptation.adapt import check_share
from llrcal.arrays import check_whole
from llrcal.calibrations import Calibration
from llrcal.calibrations.bounds import Policy
from llrcal.calibrations.methods import Method, method_and_options
from llrcal.comparison.axes import drawn_priors
from llrcal.comparison.candidates import (
    FUSION,
    Candidate,
    adapt_each,
    fusion_notes,
    system_llrs,
    systems_in_folds,
    train_systems,
)
from llrcal.comparison.checks import calibration_notes, data_notes, point_notes, repeated_id
from llrcal.comparison.comparison import CHOICES, Comparison
from llrcal.comparison.copies import IN_FOLDS, separation
from llrcal.comparison.folds import FoldCount, Folds, Progress, divide, orient_scores, quietly
from llrcal.comparison.learning_curve import curve_over, fit_by, rounds_of
from llrcal.comparison.ranking import Criterion, criterion_name
from llrcal.errors import OptionError
from llrcal.evaluation.bootstrap import Replicates
from llrcal.evaluation.evaluate import by_condition, evaluate_quietly
from llrcal.evaluation.evaluation import Evaluation, replicates_of
from llrcal.evaluation.intervals import Intervals, by_trial
from llrcal.evaluation.measures import Asked
from llrcal.evaluation.operating_points import DEFAULT_POINTS, OperatingPoint
from llrcal.evaluation.statistics import cost_statistic
from llrcal.messages import Setting
from llrcal.models import Model
from llrcal.notes import Note, Severity
from llrcal.onepass.rank_scale import refuse_wrong_way
from llrcal.trials import Trials
from llrcal.trials.systems import Systems
from llrcal.trials.trials import TrialSet


def compare(
    train: TrialSet | Systems,
    test: TrialSet | Systems | None = None,
    *,
    folds: FoldCount | None = None,
    methods: Sequence[Method] | None = None,
    bounds: Policy | None = None,
    rising: bool = True,
    points: Sequence[OperatingPoint] | None = None,
    criterion: str | None = None,
    replicates: int = 200,
    lower_is_better: bool = False,
    learning_curve: bool = False,
    adapt: float | None = None,
    by: Sequence[str] = (),
    inverted: bool = True,
    progress: Progress | None = None,
) -> Comparison:
    """Train every method on one set of trials and test it on another, or on folds of the same.

    Parameters
    ----------
    train, test
        Trials to train on, and trials to test on, in memory or in pieces. If the test trials are
        read in pieces, there are no intervals, and figures show a sample of the trials. Or scores
        of several systems (``llrcal.trials.systems.read_systems``): each is then calibrated
        alone, and compared with their fusion. Scores may be missing (NaN), as for
        :func:`llrcal.fuse` with ``missing="patterns"``; of ``methods``, one ``"logistic"`` and its
        weight may be given; and options for the scores of one system are refused.
    folds
        With one set of trials and no ``test``: the number of folds of a cross-validation. If
        speakers are known, each trial is tested by calibrations that have seen neither of its
        speakers, and ``"all"`` leaves out nobody else, for small sets; otherwise trials are dealt.
        All LLRs are evaluated together, and the calibrations that are kept are trained on all
        trials. Trials must be in memory.
    methods
        Names of methods, or pairs of a name and its options. By default every method, the linear
        ones at three weights: the paper's ten, and ``smooth``.
    bounds, rising
        As for :func:`llrcal.fit`, for all methods. The paper has plain formulas: ``"none"`` and
        False.
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
    learning_curve
        Whether to try smaller numbers of training trials as well: see :func:`learning_curve`.
    adapt
        Roughly the share of targets among the test scores, to compare also ``smooth`` (if it is
        not among the methods, the first one) and ``nig`` as :func:`llrcal.adapt` adapts them to
        these scores. It never sees their labels.
    by
        Columns of the test trials that were kept: every calibration is also evaluated for each
        condition, and those that are good on all trials together, but bad in one, are named.
    inverted
        Whether to go on where targets score lower than non-targets, as the verdict will then say;
        otherwise such scores are refused before anything is tested.
    progress
        Called with the name of each step as it begins; in folds, also with how many calibrations
        of each method are trained, and of how many.

    Returns
    -------
    Comparison
        Numbers, notes and a verdict; ``save`` writes them with figures, models and a report.
    """
    if replicates:
        check_whole("replicates", replicates, least=1)
    if points is not None and not len(points):
        raise OptionError(Setting("points"), " are none: give some, or leave it out")
    judged_by = criterion_name(criterion, asked_for_points=points is not None)
    at = DEFAULT_POINTS if points is None else tuple(points)
    begin, learn = progress or quietly, None
    if isinstance(train, Systems) or isinstance(test, Systems):
        given = {
            "bounds": bounds is not None,
            "adapt": adapt is not None,
            "learning_curve": learning_curve,
            "lower_is_better": lower_is_better,
            "inverted": not inverted,
            "rising": not rising,
        }
        for name in (name for name, is_given in given.items() if is_given):
            raise OptionError(Setting(name), " is for the scores of one system; leave it out")
        trained = _train_systems(train, test, folds, methods, begin)
    else:
        fit = fit_by(methods, bounds=bounds, rising=rising)
        train, test = orient_scores(train, test, lower_is_better=lower_is_better)
        cut, test = divide(train, test, folds)
        if adapt is not None:
            check_share(adapt, "adapt")
        if adapt is not None and cut is not None:
            raise OptionError(
                Setting("adapt"),
                " is for test trials from another domain than those of training: give two sets of "
                "trials",
            )
        rounds = rounds_of(train, test, cut) if learning_curve else []
        separated = IN_FOLDS if cut else separation(train, test)
        begin("raw scores")
        raw = evaluate_quietly(test, prior_log_odds=[point.prior_log_odds for point in at])
        if not inverted:
            refuse_wrong_way(raw.direction_notes, test.source, distance=lower_is_better)
        begin("training")
        models = fit(train, with_margins=True)
        if not inverted:
            first = next(iter(models.values()))
            refuse_wrong_way(first.report.notes, train.source, distance=lower_is_better)
        adapted = adapt_each(models, test, adapt, begin)
        trained = _Trained.on(train, test, models | adapted, raw, cut, separated)
        if cut is not None:
            trained = replace(trained, llrs=cut.llrs(fit, begin).__getitem__)
        learn = partial(curve_over, rounds, fit, say=begin) if rounds else None
    columns = (by,) if isinstance(by, str) else tuple(by)
    candidates, of_raw, notes = _tested(trained, at, columns, replicates, begin)
    return Comparison(
        *trained.seen,
        trained.raw,
        candidates,
        at,
        (*trained.notes, *point_notes(trained.raw, at), *notes),
        lower_is_better=lower_is_better,
        criterion_name=judged_by,
        asked_for_points=points is not None,
        raw_replicates=of_raw,
        folds=trained.folds,
        learning_curve=learn() if learn else None,
        separation=trained.separation,
    )


@dataclass(frozen=True)
class _Trained:
    """What is to be tested, and on what."""

    models: Mapping[str, Model]
    """Those that are kept."""
    llrs: Callable[[str], TrialSet]
    """The test trials with the LLRs of one of them, or of calibrations of each fold, by label."""
    raw: Evaluation
    seen: tuple[Trials, Trials]
    """Training and test trials, as far as figures show them."""
    notes: Sequence[Note]
    folds: Folds | None
    separation: Note

    @classmethod
    def on(
        cls,
        train: TrialSet,
        test: TrialSet,
        models: Mapping[str, Calibration],
        raw: Evaluation,
        cut: Folds | None,
        separated: Note,
    ) -> _Trained:
        """Calibrations of one system, with what there is to say of their trials."""
        first = next(iter(models.values()))
        seen = (
            train.preview((first.tar_count, first.non_count)),
            test.preview((raw.tar_count, raw.non_count)),
        )
        notes = [*_warnings(*train.notes), *raw.direction_notes]
        notes += _warnings(*test.notes) if cut is None else [cut.note]
        notes += data_notes(*seen)
        if moved := [label for label, model in models.items() if model.adapted]:
            text = f"{', '.join(moved)}: adapted to the test scores, so these were seen, but no "
            notes.append(Note.of("adapted", f"{text}labels"))

        def llrs(label: str) -> TrialSet:
            return test.mapped(models[label].without_warnings)

        return cls(models, llrs, raw, seen, [*notes, *_warnings(separated)], cut, separated)


def _train_systems(
    train: Any,
    test: Any,
    folds: FoldCount | None,
    methods: Sequence[Method] | None,
    begin: Progress,
) -> _Trained:
    """Systems alone, and their fusion, whose LLRs are the scores of the comparison."""
    sets = [trials for trials in (train, test) if trials is not None]
    if not all(isinstance(trials, Systems) for trials in sets):
        raise OptionError("systems are trained on some trials and tested on others: give both")
    asked = [method_and_options(method) for method in methods or ["logistic"]]
    if len(asked) > 1 or asked[0][0] != "logistic" or not {*asked[0][1]} <= {"alpha"}:
        raise OptionError(
            "systems are compared by lines at one weight of the targets: give one method, "
            "('logistic', {'alpha': WEIGHT}), or none"
        )
    alpha = asked[0][1].get("alpha", 0.5)
    begin("training")
    has_gaps = any(np.isnan(systems.scores).any() for systems in sets)
    models = train_systems(train, alpha, allow_nan=has_gaps)
    trained = system_llrs(models[FUSION], train)
    cut, _ = divide(trained, test and trained, folds)
    llrs: Callable[[str], Trials]
    if cut is None:
        llrs = {label: system_llrs(model, test) for label, model in models.items()}.__getitem__
        notes = [*_warnings(*trained.notes), *_warnings(*llrs(FUSION).notes)]
        separated = separation(trained, llrs(FUSION))
    else:
        llrs = systems_in_folds(train, cut, alpha, allow_nan=has_gaps, say=begin).__getitem__
        notes, separated = [*_warnings(*trained.notes), cut.note], IN_FOLDS
    begin("raw scores")
    tested, notes = llrs(FUSION), [*notes, *_warnings(separated)]
    raw = evaluate_quietly(tested)
    return _Trained(models, llrs, raw, (trained, tested), notes, cut, separated)


def _tested(
    trained: _Trained,
    points: Sequence[OperatingPoint],
    by: tuple[str, ...],
    replicates: int,
    begin: Progress,
) -> tuple[dict[str, Candidate], Replicates | None, list[Note]]:
    """Every model on the test trials; the drawn numbers of raw scores; and notes."""
    judged = Criterion.over_range(trained.raw).priors
    x = np.array([point.prior_log_odds for point in points])
    # All that figures and report will ask for is counted in one pass.
    asked = np.concatenate([CHOICES, judged, drawn_priors(trained.raw.rule_of_30), x])
    candidates, notes = {}, []
    for label, model in trained.models.items():
        begin(f"testing {label}")
        llrs = trained.llrs(label)
        ev = evaluate_quietly(llrs, prior_log_odds=asked)
        divided = by_condition(ev, llrs, None, by) if by else None
        candidates[label] = candidate = Candidate(label, model, ev, by=divided)
        notes += [note.about(label) for note in calibration_notes(candidate, *trained.seen)]
    begin("intervals")
    rules = tuple(dict.fromkeys(one.rule for one in candidates.values() if one.rule))
    measured = Asked(tuple(points), rules, range=judged)
    ask = partial(cost_statistic, asked=measured)
    evaluations = [trained.raw, *(one.evaluation for one in candidates.values())]
    drawn = replicates_of(evaluations, ask, replicates)
    if replicates and not drawn:
        words = "intervals need all test trials in memory; to read a file whole: "
        notes.append(Note.of("no intervals", words, Setting("in_pieces", False)))
    for (label, one), found in zip(candidates.items(), drawn[1:], strict=False):
        ends = Intervals.of([found], measured)
        candidates[label] = replace(one, replicates=found, intervals=ends)
    if drawn and drawn[0].by == "trial":
        notes.append(by_trial(repeated_id(trained.seen[1].ids)))
    first = next(iter(candidates.values())).by
    notes = [*(first.notes if first else ()), *notes, *fusion_notes(candidates)]
    return candidates, drawn[0] if drawn else None, notes


def _warnings(*every: Note) -> list[Note]:
    """Those that are warnings, such as that trials were left out."""
    return [note for note in every if note.severity is Severity.WARNING]
