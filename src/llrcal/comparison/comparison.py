"""Which calibration should I use? Each is trained on one set of trials and tested on another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from llrcal.arrays import Floats
from llrcal.calibrations import PAPER, Calibration
from llrcal.calibrations.methods import Method, train_all
from llrcal.comparison.findings import (
    Finding,
    calibration_findings,
    data_findings,
    point_findings,
)
from llrcal.errors import OptionError
from llrcal.evaluation import Evaluation, evaluate
from llrcal.evaluation.bootstrap import Intervals, bootstrap_intervals
from llrcal.evaluation.operating_point import DEFAULT_POINTS, OperatingPoint
from llrcal.trials import Trials

_DEFAULT_RANGE = (-5.0, 5.0)  # prior log-odds, where no threshold leaves 30 errors of each kind
CURVE = 501
"""Points over which the mean Bayes error is taken."""
_AS_GOOD = 0.01  # relative difference of mean errors that another test set could turn around

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Candidate:
    """A calibration, and how it did in the test."""

    label: str
    calibration: Calibration
    evaluation: Evaluation
    intervals: Intervals | None

    @property
    def alpha(self) -> float | str | None:
        """The weight of a linear calibration; None for the others."""
        return getattr(self.calibration, "alpha", None)


@dataclass(frozen=True)
class Comparison:
    """Calibrations side by side on the same test trials."""

    train: Trials
    test: Trials
    raw: Evaluation
    """The test scores themselves, taken for LLRs: their hull is the best that can be done."""
    candidates: Mapping[str, Candidate]
    points: tuple[OperatingPoint, ...]
    findings: tuple[Finding, ...]

    @property
    def range(self) -> tuple[float, float]:
        """Prior log-odds over which calibrations are judged: the rule of 30's, where it has one."""
        return range_of(self.raw)

    @cached_property
    def mean_errors(self) -> dict[str, float]:
        """Mean normalised Bayes error of each candidate over the range, best first."""
        x = np.linspace(*self.range, CURVE)
        means = {c.label: float(c.evaluation.bayes_error(x).mean()) for c in self._all}
        return dict(sorted(means.items(), key=lambda item: item[1]))

    @property
    def least_mean_error(self) -> float:
        """The same for the best thresholds on the raw scores."""
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
        if excess < 0:  # which no rising calibration can be
            beside = f"{-excess:.1%} below that of any which rises: these scores run the wrong way"
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

    @property
    def _all(self) -> list[Candidate]:
        return list(self.candidates.values())


def range_of(raw: Evaluation) -> tuple[float, float]:
    """Prior log-odds over which calibrations of some scores are judged."""
    low, high = raw.rule_of_30
    return (low, high) if low < high else _DEFAULT_RANGE


def compare(
    train: Trials,
    test: Trials,
    *,
    methods: Sequence[Method] = PAPER,
    points: Sequence[OperatingPoint] = DEFAULT_POINTS,
    replicates: int = 200,
    progress: Progress | None = None,
) -> Comparison:
    """Train every method on one set of trials and test it on another.

    Parameters
    ----------
    train, test
        Trials to train on, and trials to test on.
    methods
        Names of methods, or pairs of a name and its options; by default the paper's ten.
    points
        Operating points to report.
    replicates
        Bootstrap replicates behind the 95 % intervals; zero for no intervals.
    progress
        Called with a word on each step as it begins.
    """
    if not methods:
        raise OptionError("there are no methods to compare; name one at least")
    say = progress or (lambda _: None)
    say("training")
    calibrations = train_all(train.tar, train.non, methods=methods)  # findings tell of doubts
    say("raw scores")
    raw = evaluate(test.tar, test.non)
    candidates: dict[str, Candidate] = {}
    findings = [*data_findings(train, test), *point_findings(raw, points)]
    for label, calibration in calibrations.items():
        say(f"testing {label}")
        candidate = _tested(label, calibration, test, points, replicates)
        candidates[label] = candidate
        findings += calibration_findings(label, calibration, train, test)
    return Comparison(train, test, raw, candidates, tuple(points), tuple(findings))


def _tested(
    label: str,
    calibration: Calibration,
    test: Trials,
    points: Sequence[OperatingPoint],
    replicates: int,
) -> Candidate:
    tar, non = calibration(test.tar), calibration(test.non)
    intervals = None
    if replicates:
        intervals = bootstrap_intervals(
            tar,
            non,
            prior_log_odds=[point.prior_log_odds for point in points],
            tar_speakers=test.tar_speakers if test.has_speakers else None,
            non_speakers=test.non_speakers if test.has_speakers else None,
            replicates=replicates,
        )
    return Candidate(label, calibration, evaluate(tar, non), intervals)
