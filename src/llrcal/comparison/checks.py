"""Notes on a comparison, in addition to its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.calibrations import Calibration
from llrcal.calibrations.bounds import more_than_a_few
from llrcal.calibrations.methods.pav import DUMMIES
from llrcal.comparison.axes import evenly, finite_part
from llrcal.comparison.candidates import Candidate
from llrcal.evaluation import Evaluation
from llrcal.evaluation.operating_points import OperatingPoint
from llrcal.notes import Note, Severity
from llrcal.trials import Trials

if TYPE_CHECKING:
    import polars as pl

_GRID = 4001
_SAMPLE = 200_000
_MOST_CONDITIONS = 5  # named in one note
_SMALL_SHIFT = 0.03  # largest difference of distribution functions that is not worth a note


def score_range(*sets: Trials) -> tuple[float, float]:
    """Least and greatest finite score of some sets of trials; zeros if none is finite."""
    scores = (finite_part(side) for trials in sets for side in trials)
    ends = [float(end) for some in scores if len(some) for end in (some.min(), some.max())]
    return min(ends, default=0.0), max(ends, default=0.0)


def data_notes(train: Trials, test: Trials) -> Iterator[Note]:
    """Notes on differences between the test scores and the training scores."""
    for name, old, new in zip(("target", "non-target"), train, test, strict=True):
        distance, critical = _kolmogorov_smirnov(old, new)
        if distance > max(critical, _SMALL_SHIFT):
            yield Note.warning(
                "shift",
                f"{name} scores differ between training and test: their distribution functions "
                f"are up to {distance:.3f} apart (chance alone: {critical:.3f})",
            )
    low, high = score_range(train)
    beyond, total = sum(int(((s < low) | (s > high)).sum()) for s in test), len(test)
    if beyond:
        sampled = " in a sample" if test.totals else ""
        yield Note.of(
            "range",
            f"{beyond:,} of {total:,} test scores{sampled} ({100 * beyond / total:.1f} %) lie "
            f"outside the range of the training scores, {low:.4g} to {high:.4g}: they get the LLR "
            "of the nearest training score",
            severity=Severity.WARNING if more_than_a_few(beyond, total) else Severity.INFO,
        )


def shared_speakers(train: Trials, test: Trials) -> int | None:
    """How many names of speakers occur in both sets; None if one of them has no names."""
    if train.speaker_names is None or test.speaker_names is None:
        return None
    return len({*train.speaker_names.tolist()} & {*test.speaker_names.tolist()})


def point_notes(raw: Evaluation, points: Sequence[OperatingPoint]) -> Iterator[Note]:
    """A note on operating points with too few errors."""
    low, high = raw.rule_of_30
    few = [point.name for point in points if not low <= point.prior_log_odds <= high]
    if few:
        yield Note.warning(
            "rule of 30",
            f"at {', '.join(few)} there are fewer than 30 misses or fewer than 30 false alarms: "
            "the numbers may be due to chance",
        )


def calibration_notes(candidate: Candidate, train: Trials, test: Trials) -> Iterator[Note]:
    """Notes on one calibration, beginning with conditions in which its LLRs are bad."""
    if candidate.by and (bad := candidate.by.bad):
        every = [
            f"{name} (Cllr {one.cllr:.4f}, minCllr {one.min_cllr:.4f})" for name, one in bad.items()
        ]
        more = [f"and {len(every) - _MOST_CONDITIONS} more"] if every[_MOST_CONDITIONS:] else []
        shown = "; ".join([*every[:_MOST_CONDITIONS], *more])
        yield Note.warning("bad in a condition", f"badly calibrated for {shown}")
    for note in candidate.calibration.report.all_notes:
        if note != DUMMIES:  # every PAV has this note
            yield note
    if candidate.of_score is not None:
        yield from bends(candidate.of_score, train, test)


def bends(calibration: Calibration, train: Trials, test: Trials) -> Iterator[Note]:
    """Notes on where the LLR falls while the score rises."""
    low, high = score_range(train, test)
    grid = evenly(low, high, _GRID)
    llrs = calibration.without_warnings(grid)
    falls = np.diff(llrs) < -1e-9 * np.maximum(1, np.abs(llrs[1:]))
    edges = np.flatnonzero(np.diff(falls, prepend=False, append=False))
    for start, end in edges.reshape(-1, 2):
        a, b = grid[start], grid[end]
        share = sum(int(((s >= a) & (s <= b)).sum()) for s in test) / len(test)
        yield Note.warning(
            "not monotone",
            f"the LLR falls from {llrs[start]:.3g} to {llrs[end]:.3g} as the score rises "
            f"from {a:.4g} to {b:.4g}, where {share:.2%} of the test scores lie",
        )


def repeated_id(ids: pl.DataFrame | None) -> str:
    """The first id that several trials have in the same place, quoted; empty if there is none."""
    for name in ("enrol", "test"):
        if ids is not None and name in ids and (twice := ids[name].is_duplicated()).any():
            return f"{str(ids[name].filter(twice)[0])!r:.100}"
    return ""


def _kolmogorov_smirnov(old: Array, new: Array) -> tuple[float, float]:
    """Kolmogorov-Smirnov distance, and the value that it exceeds by chance in 1 % of cases."""
    a, b = (_sorted_sample(scores) for scores in (old, new))
    grid = np.concatenate([a, b])
    distance = np.abs(
        np.searchsorted(a, grid, "right") / len(a) - np.searchsorted(b, grid, "right") / len(b)
    )
    return float(distance.max()), 1.63 * (1 / len(a) + 1 / len(b)) ** 0.5


def _sorted_sample(scores: Array) -> Floats:
    count = min(len(scores), _SAMPLE)
    return np.sort(scores[np.arange(count) * len(scores) // count].astype(np.float64))
