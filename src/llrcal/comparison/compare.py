"""Calibrations trained on one set of trials, or on folds of it, and tested on another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from llrcal.adaptation.adapt import check_share
from llrcal.arrays import check_whole
from llrcal.calibrations import Calibration
from llrcal.calibrations.bounds import Policy
from llrcal.calibrations.methods import Method, method_and_options
from llrcal.calibrations.training import Training
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
from llrcal.comparison.folds import (
    FoldCount,
    Folds,
    Progress,
    Train,
    divide,
    quietly,
    upright,
)
from llrcal.comparison.learning_curve import Round, curve_over, fit_by, rounds_of
from llrcal.comparison.ranking import Criterion, criterion_name
from llrcal.errors import OptionError
from llrcal.evaluation.bootstrap import Replicates
from llrcal.evaluation.evaluate import by_condition, evaluate_quietly
from llrcal.evaluation.evaluation import Evaluation, replicates_of
from llrcal.evaluation.intervals import Intervals, by_trial
from llrcal.evaluation.operating_points import DEFAULT_POINTS, OperatingPoint
from llrcal.evaluation.statistics import evaluation_statistic
from llrcal.fusion import Fused
from llrcal.messages import Setting
from llrcal.notes import Note, Severity
from llrcal.onepass.rank_scale import WRONG_WAY, refuse_wrong_way, runs_backwards
from llrcal.trials import Trials
from llrcal.trials.systems import Systems
from llrcal.trials.trials import TrialSet

if TYPE_CHECKING:
    import polars as pl

Model = Calibration | Fused


def compare(
    train: TrialSet | Systems,
    test: TrialSet | Systems | None = None,
    *,
    folds: FoldCount | None = None,
    methods: Sequence[Method] | None = None,
    bounds: Policy | None = None,
    points: Sequence[OperatingPoint] | None = None,
    criterion: str | None = None,
    replicates: int = 200,
    lower_is_better: bool = False,
    settings: Literal["default", "paper"] = "default",
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
    bounds
        As for :func:`llrcal.fit`, for all methods; by default ``"counts"``, or none for the
        settings of the paper.
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
    if settings not in ("default", "paper"):
        raise OptionError(f"settings are {settings!r}; choose default or paper")
    if replicates:
        check_whole("replicates", replicates, least=1)
    asked = points is not None
    if points is not None and not len(points):
        raise OptionError(Setting("points"), " are none: give some, or leave it out")
    judged_by = criterion_name(criterion, asked_for_points=asked)
    points = DEFAULT_POINTS if points is None else tuple(points)
    begin, rounds = progress or quietly, list[Round]()
    if isinstance(train, Systems) or isinstance(test, Systems):
        refused = {
            "bounds": bounds is not None,
            "adapt": adapt is not None,
            "learning_curve": learning_curve,
            "lower_is_better": lower_is_better,
            "inverted": not inverted,
            "settings": settings == "paper",
        }
        cut, ready = _train_systems(train, test, folds, methods, refused, begin)
        apart = IN_FOLDS if cut else separation(*ready.seen)
    else:
        train, test = upright(train, test, lower_is_better=lower_is_better)
        cut, test = divide(train, test, folds)
        if adapt is not None:
            _check_adapt(adapt, cut)
        if learning_curve:
            rounds = rounds_of(train, test, cut)
        fit = fit_by(methods, plain=settings == "paper", bounds=bounds)
        apart = IN_FOLDS if cut else separation(train, test)
        refuse = None if inverted else partial(refuse_wrong_way, distance=lower_is_better)
        ready = _train(train, test, cut, fit, adapt, points, refuse, begin)
    columns = (by,) if isinstance(by, str) else tuple(by)
    candidates, of_raw, notes = _tested(ready, points, columns, replicates, begin)
    curve = curve_over(rounds, fit, say=begin) if rounds else None
    return Comparison(
        *ready.seen,
        ready.raw,
        candidates,
        points,
        (*ready.notes, *_warnings(apart), *point_notes(ready.raw, points), *notes),
        lower_is_better=lower_is_better,
        criterion_name=judged_by,
        asked_for_points=asked,
        raw_replicates=of_raw,
        folds=cut,
        learning_curve=curve,
        separation=apart,
    )


class _Upright(NamedTuple):
    """Training trials that are refused before any fit, if they run the wrong way."""

    trials: TrialSet
    refuse: Callable[[Iterable[Note], str], None]

    def training(self, **asked: bool) -> Training:
        data = self.trials.training(**asked)
        if runs_backwards(data.order):
            self.refuse([Note.warning(WRONG_WAY, "")], self.trials.source)
        return data


class _Ready(NamedTuple):
    """What is to be tested, and on what."""

    models: Mapping[str, Model]
    """Those that are kept."""
    llrs: Mapping[str, Callable[[], TrialSet]]
    """The test trials with the LLRs of each of them, or of calibrations of each fold."""
    raw: Evaluation
    seen: tuple[Trials, Trials]
    """Training and test trials, as far as figures show them."""
    notes: Sequence[Note]
    ids: pl.DataFrame | None
    """Those of the test trials, where they are known."""


def _check_adapt(share: float, cut: Folds | None) -> None:
    """Raise an OptionError for a share that is none, and for trials of one domain."""
    check_share(share, "adapt")
    if cut is not None:
        raise OptionError(
            Setting("adapt"),
            " is for test trials from another domain than those of training: give two sets of "
            "trials",
        )


def _train(
    train: TrialSet,
    test: TrialSet,
    cut: Folds | None,
    fit: Train,
    adapt: float | None,
    points: Sequence[OperatingPoint],
    refuse: Callable[[Iterable[Note], str], None] | None,
    begin: Progress,
) -> _Ready:
    """Calibrations of the training trials, and of each fold, unless scores run the wrong way."""
    begin("raw scores")
    raw = evaluate_quietly(test, prior_log_odds=[point.prior_log_odds for point in points])
    if refuse:
        refuse(raw.direction_notes, test.source)
    begin("training")
    models = fit(_Upright(train, refuse) if refuse else train, with_margins=True)
    models |= (moved := adapt_each(models, test, adapt, begin))
    first = next(iter(models.values()))
    seen = (
        train.preview((first.tar_count, first.non_count)),
        test.preview((raw.tar_count, raw.non_count)),
    )
    told = f"{', '.join(moved)}: adapted to the test scores, so these were seen, but no labels"
    notes = [*_warnings(*train.notes), *raw.direction_notes]
    notes += _warnings(*test.notes) if cut is None else [cut.note]
    notes += [*data_notes(*seen), *([Note.of("adapted", told)] if moved else [])]
    llrs: dict[str, Callable[[], TrialSet]]
    if cut is None:
        llrs = {label: partial(test.mapped, one.without_warnings) for label, one in models.items()}
    else:
        every = cut.llrs(fit, begin)
        llrs = {label: partial(every.pop, label) for label in models}
    known = test.in_memory
    return _Ready(models, llrs, raw, seen, notes, None if known is None else known.ids)


def _train_systems(
    train: Any,
    test: Any,
    folds: FoldCount | None,
    methods: Sequence[Method] | None,
    refused: Mapping[str, bool],
    begin: Progress,
) -> tuple[Folds | None, _Ready]:
    """Systems alone, and their fusion, whose LLRs are the scores of the comparison."""
    for name, is_given in refused.items():
        if is_given:
            raise OptionError(Setting(name), " is for the scores of one system; leave it out")
    if not all(isinstance(one, Systems) for one in (train, test) if one is not None):
        raise OptionError("systems are trained on some trials and tested on others: give both")
    asked = [method_and_options(one) for one in methods or ["logistic"]]
    if len(asked) > 1 or asked[0][0] != "logistic" or not {*asked[0][1]} <= {"alpha"}:
        raise OptionError(
            "systems are compared by lines at one weight of the targets: give one method, "
            "('logistic', {'alpha': WEIGHT}), or none"
        )
    alpha = asked[0][1].get("alpha", 0.5)
    begin("training")
    holes = any(np.isnan(some.scores).any() for some in (train, test) if some is not None)
    models = train_systems(train, alpha, holes=holes)
    trained = system_llrs(models[FUSION], train)
    cut, _ = divide(trained, test and trained, folds)
    llrs: dict[str, Callable[[], TrialSet]]
    if cut is None:
        llrs = {label: partial(system_llrs, one, test) for label, one in models.items()}
        tested = system_llrs(models[FUSION], test)
        notes = [*_warnings(*trained.notes), *_warnings(*tested.notes)]
    else:
        every = systems_in_folds(train, cut, alpha, holes=holes, say=begin)
        tested = every[FUSION]
        llrs = {label: partial(every.pop, label) for label in models}
        notes = [*_warnings(*trained.notes), cut.note]
    begin("raw scores")
    seen = trained, tested
    return cut, _Ready(models, llrs, evaluate_quietly(tested), seen, notes, tested.ids)


def _tested(
    ready: _Ready,
    points: Sequence[OperatingPoint],
    by: tuple[str, ...],
    replicates: int,
    begin: Progress,
) -> tuple[dict[str, Candidate], Replicates | None, list[Note]]:
    """Every model on the test trials; the drawn numbers of raw scores; and notes."""
    judged = Criterion.over_range(ready.raw).priors
    x = np.array([point.prior_log_odds for point in points])
    # All that figures and report will ask for is counted in one pass.
    asked = np.concatenate([CHOICES, judged, drawn_priors(ready.raw.rule_of_30), x])
    candidates, notes = {}, []
    for label, model in ready.models.items():
        begin(f"testing {label}")
        llrs = ready.llrs[label]()
        ev = evaluate_quietly(llrs, prior_log_odds=asked)
        candidates[label] = Candidate(
            label, model, ev, by=by_condition(ev, llrs, None, by) if by else None
        )
        notes += [note.about(label) for note in calibration_notes(candidates[label], *ready.seen)]
    begin("intervals")
    rules = list(dict.fromkeys(one.rule for one in candidates.values() if one.rule))
    ask = partial(evaluation_statistic, prior_log_odds=x, curve=judged, rules=rules)
    evaluations = [ready.raw, *(one.evaluation for one in candidates.values())]
    drawn = replicates_of(evaluations, ask, replicates)
    if replicates and not drawn:
        words = "intervals need all test trials in memory; to read a file whole: "
        notes.append(Note.of("no intervals", words, Setting("in_pieces", False)))
    for (label, one), found in zip(candidates.items(), drawn[1:], strict=False):
        ends = Intervals.of(found, x, rules)
        candidates[label] = replace(one, replicates=found, intervals=ends)
    if drawn and drawn[0].by == "trial":
        notes.append(by_trial(repeated_id(ready.ids)))
    first = next(iter(candidates.values())).by
    notes = [*(first.notes if first else ()), *notes, *fusion_notes(candidates)]
    return candidates, drawn[0] if drawn else None, notes


def _warnings(*every: Note | None) -> list[Note]:
    """Those that are warnings, such as that trials were left out."""
    return [note for note in every if note and note.severity is Severity.WARNING]
