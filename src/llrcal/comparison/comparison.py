"""Comparison of calibrations, trained on one set of trials and tested on another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike

import numpy as np

from llrcal.arrays import Floats
from llrcal.calibrations import Calibration
from llrcal.calibrations.fits import trained
from llrcal.calibrations.methods import Method
from llrcal.comparison.checks import calibration_notes, data_notes, point_notes
from llrcal.errors import OptionError
from llrcal.evaluation import Evaluation
from llrcal.evaluation.bootstrap import Intervals, bootstrap_intervals
from llrcal.evaluation.evaluation import evaluated
from llrcal.evaluation.operating_point import DEFAULT_POINTS, OperatingPoint
from llrcal.method_table import methods_to_compare
from llrcal.notebook import html_table
from llrcal.notes import Note, Severity
from llrcal.trials import Trials
from llrcal.trials.trial_set import TrialSet

_DEFAULT_RANGE = (-5.0, 5.0)  # prior log-odds, if nowhere there are 30 errors of each kind
CURVE = 501
"""Number of points for the mean Bayes error."""
# The prior log-odds that can be chosen in the report.
_CHOICES = np.arange(-600, 601) / 20
_AS_GOOD = 0.01  # relative difference of mean errors that another test set could reverse

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Candidate:
    """A calibration and its test results."""

    label: str
    calibration: Calibration
    evaluation: Evaluation
    intervals: Intervals | None

    @property
    def alpha(self) -> float | str | None:
        """The weight of a linear calibration; None for the others."""
        return getattr(self.calibration, "alpha", None)


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

    @property
    def range(self) -> tuple[float, float]:
        """Prior log-odds over which errors are averaged: by the rule of 30, if possible."""
        return range_of(self.raw)

    @cached_property
    def mean_errors(self) -> dict[str, float]:
        """Mean normalised Bayes error of each candidate over the range, best first."""
        x = np.linspace(*self.range, CURVE)
        means = {c.label: float(c.evaluation.bayes_error(x).mean()) for c in self._all}
        return dict(sorted(means.items(), key=lambda item: item[1]))

    @property
    def least_mean_error(self) -> float:
        """The same with the best thresholds on the raw scores."""
        x: Floats = np.linspace(*self.range, CURVE)
        return float(self.raw.min_bayes_error(x).mean())

    @property
    def recommended(self) -> str:
        """Label of the candidate with the least mean Bayes error."""
        return next(iter(self.mean_errors))

    @property
    def verdict(self) -> str:
        """The recommendation and its reason, in a sentence or two."""
        (best, error), *others = self.mean_errors.items()
        low, high = self.range
        excess = error / self.least_mean_error - 1 if self.least_mean_error > 0 else 0.0
        beside = f"{excess:.1%} above the minimum for these scores"
        if excess < 0:  # impossible for a rising calibration
            beside = f"{-excess:.1%} below that of any rising one: these scores run the wrong way"
        text = (
            f"Use {best}: its mean Bayes error over prior log-odds {low:.1f} to {high:.1f} is "
            f"{error:.4f}, {beside}"
        )
        equals = [label for label, other in others if other <= error * (1 + _AS_GOOD)]
        if equals:
            text += f"; as good within {_AS_GOOD:.0%}: {', '.join(equals)}"
        elif others:
            label, next_error = others[0]
            text += f"; next is {label} with {next_error:.4f}"
        return text + "."

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
        return f"<comparison of {len(self.candidates)} calibrations: {self.verdict}>"

    def _repr_html_(self) -> str:
        rows = {}
        for label, error in self.mean_errors.items():
            ev = self.candidates[label].evaluation
            rows[label] = f"Cllr {ev.cllr:.4f}, mean Bayes error {error:.4f}"
        return html_table("Comparison of calibrations, best first", rows, [self.verdict])

    @property
    def _all(self) -> list[Candidate]:
        return list(self.candidates.values())


def range_of(raw: Evaluation) -> tuple[float, float]:
    """Prior log-odds over which the errors of calibrations are averaged."""
    low, high = raw.rule_of_30
    return (low, high) if low < high else _DEFAULT_RANGE


def compare(
    train: TrialSet,
    test: TrialSet,
    *,
    methods: Sequence[Method] | None = None,
    points: Sequence[OperatingPoint] = DEFAULT_POINTS,
    replicates: int = 200,
    lower_is_better: bool = False,
    progress: Progress | None = None,
) -> Comparison:
    """Train every method on one set of trials and test it on another.

    Parameters
    ----------
    train, test
        Trials to train on, and trials to test on, in memory or in pieces. If the test trials are
        read in pieces, there are no intervals, and figures show a sample of the trials.
    methods
        Names of methods, or pairs of a name and its options. By default every method, the linear
        ones at three weights: the paper's ten.
    points
        Operating points to report.
    replicates
        Bootstrap replicates for the 95 % intervals; zero for no intervals.
    lower_is_better
        Whether the scores are distances. They are then negated, also in the figures, but saved
        models take the distances themselves.
    progress
        Called with the name of each step as it begins.

    Returns
    -------
    Comparison
        Numbers, notes and a verdict; ``save`` writes them with figures, models and a report.
    """
    if methods is None:
        methods = methods_to_compare()
    if not methods:
        raise OptionError("there are no methods to compare; name at least one")
    begin = progress or (lambda _: None)
    if lower_is_better:
        train, test = train.negated(), test.negated()
    begin("training")
    calibrations = trained(train, methods=methods)
    begin("raw scores")
    raw = evaluated(test)
    first = next(iter(calibrations.values()))
    seen = (
        train.preview((first.tar_count, first.non_count)),
        test.preview((raw.tar_count, raw.non_count)),
    )
    notes = [*_dropped(train), *_dropped(test), *raw.notes]
    notes += [*data_notes(*seen), *point_notes(raw, points)]
    priors = np.concatenate(
        [_CHOICES, np.linspace(*range_of(raw), CURVE), [point.prior_log_odds for point in points]]
    )
    candidates: dict[str, Candidate] = {}
    for label, calibration in calibrations.items():
        begin(f"testing {label}")
        llrs = test.mapped(calibration)
        evaluation = evaluated(llrs, prior_log_odds=priors)
        intervals = _intervals(llrs, points, replicates) if replicates else None
        candidates[label] = Candidate(label, calibration, evaluation, intervals)
        notes += [note.about(label) for note in calibration_notes(calibration, *seen)]
    if replicates and test.in_memory is None:
        notes.append(Note.of("no intervals", "intervals need all test trials in memory"))
    return Comparison(*seen, raw, candidates, tuple(points), tuple(notes), lower_is_better)


def _dropped(trials: TrialSet) -> list[Note]:
    """Notes on trials that were left out."""
    return [note for note in trials.notes if note.severity is Severity.WARNING]


def _intervals(
    test: TrialSet, points: Sequence[OperatingPoint], replicates: int
) -> Intervals | None:
    """Bootstrap intervals, if all LLRs are in memory."""
    trials = test.in_memory
    if trials is None:
        return None
    return bootstrap_intervals(
        trials.tar,
        trials.non,
        prior_log_odds=[point.prior_log_odds for point in points],
        tar_speakers=trials.tar_speakers if trials.has_speakers else None,
        non_speakers=trials.non_speakers if trials.has_speakers else None,
        replicates=replicates,
    )
