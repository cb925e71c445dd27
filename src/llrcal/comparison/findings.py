"""What a reader of a comparison should be warned of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.calibrations import Calibration
from llrcal.calibrations.pav import DUMMIES
from llrcal.comparison.score_axis import evenly, finite_part
from llrcal.evaluation import Evaluation
from llrcal.evaluation.operating_point import OperatingPoint
from llrcal.trials import Trials

_GRID = 4001
_SAMPLE = 200_000
_SMALL_SHIFT = 0.03  # largest difference of distribution functions that is not worth a word


@dataclass(frozen=True)
class Finding:
    """One warning: what kind it is, which calibration it concerns (if one), and a sentence."""

    kind: str
    label: str | None
    text: str


def score_range(*sets: Trials) -> tuple[float, float]:
    """Least and greatest finite score of some sets of trials; zeros where none is finite."""
    scores = [finite_part(side) for trials in sets for side in (trials.tar, trials.non)]
    ends = [(float(s.min()), float(s.max())) for s in scores if len(s)] or [(0.0, 0.0)]
    return min(low for low, _ in ends), max(high for _, high in ends)


def data_findings(train: Trials, test: Trials) -> Iterator[Finding]:
    """Where the test scores are not like the training scores."""
    low, high = score_range(train)
    outside = sum(int(((s < low) | (s > high)).sum()) for s in (test.tar, test.non))
    if outside:
        total = len(test.tar) + len(test.non)
        sampled = " in a sample" if test.totals else ""
        yield Finding(
            "range",
            None,
            f"{outside:,} of {total:,} test scores{sampled} lie outside the range of the training "
            f"scores, {low:.4g} to {high:.4g}: they get the LLR of the nearest of these",
        )
    for name, old, new in (
        ("target", train.tar, test.tar),
        ("non-target", train.non, test.non),
    ):
        distance, critical = _kolmogorov_smirnov(old, new)
        if distance > max(critical, _SMALL_SHIFT):
            yield Finding(
                "shift",
                None,
                f"{name} scores differ between training and test: their distribution functions "
                f"are up to {distance:.3f} apart (chance alone: {critical:.3f})",
            )


def point_findings(raw: Evaluation, points: Sequence[OperatingPoint]) -> Iterator[Finding]:
    """Which operating points rest on too few errors."""
    low, high = raw.rule_of_30
    for point in points:
        if not low <= point.prior_log_odds <= high:
            yield Finding(
                "rule of 30",
                None,
                f"at {point.name} (prior log-odds {point.prior_log_odds:.2f}) fewer than 30 misses "
                "or fewer than 30 false alarms carry the numbers: they may be luck",
            )


def calibration_findings(
    label: str, calibration: Calibration, train: Trials, test: Trials
) -> Iterator[Finding]:
    """What is odd about one calibration."""
    report = calibration.report
    if not report.converged:
        yield Finding("not converged", label, f"{label}: the fit did not converge: {report.reason}")
    for note in report.notes:
        if note != DUMMIES:  # the rule by which every PAV is finite, not a warning
            yield Finding("fit", label, f"{label}: {note}")
    yield from _bends(label, calibration, train, test)


def _bends(label: str, calibration: Calibration, train: Trials, test: Trials) -> Iterator[Finding]:
    """Where the LLR falls although the score rises."""
    low, high = score_range(train, test)
    grid = evenly(low, high, _GRID)
    llrs = calibration(grid)
    falls = np.diff(llrs) < -1e-9 * np.maximum(1, np.abs(llrs[1:]))
    edges = np.flatnonzero(np.diff(np.concatenate([[False], falls, [False]]).astype(int)))
    for start, end in edges.reshape(-1, 2):
        a, b = grid[start], grid[end]
        inside = sum(int(((s >= a) & (s <= b)).sum()) for s in (test.tar, test.non))
        share = inside / (len(test.tar) + len(test.non))
        yield Finding(
            "not monotone",
            label,
            f"{label}: the LLR falls from {llrs[start]:.3g} to {llrs[end]:.3g} as the score rises "
            f"from {a:.4g} to {b:.4g}, where {share:.2%} of the test scores lie",
        )


def _kolmogorov_smirnov(old: Array, new: Array) -> tuple[float, float]:
    """Largest distance of two distribution functions, and what chance exceeds in 1 % of cases."""
    a, b = (_sorted_sample(scores) for scores in (old, new))
    grid = np.concatenate([a, b])
    distance = np.abs(
        np.searchsorted(a, grid, "right") / len(a) - np.searchsorted(b, grid, "right") / len(b)
    )
    return float(distance.max()), 1.63 * (1 / len(a) + 1 / len(b)) ** 0.5


def _sorted_sample(scores: Array) -> Floats:
    count = min(len(scores), _SAMPLE)
    return np.sort(scores[np.arange(count) * len(scores) // count].astype(np.float64))
