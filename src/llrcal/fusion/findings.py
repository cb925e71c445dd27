"""What a reader of a fusion should know: systems that say nothing, the same, or the opposite."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.fitting.logistic import log_odds
from llrcal.fusion.fused import Fused
from llrcal.fusion.terms import Known
from llrcal.messages import Setting
from llrcal.notes import Note

_THE_SAME = 0.99999  # correlation of scores, within both classes
_FAR = 5  # times less than the share of a class: a weight at which there are few trials
_ENOUGH = 20_000  # trials of a class, to know correlations by


def findings(fused: Fused, trials: tuple[Known, Known]) -> tuple[Note, ...]:
    """Notes on a fusion, given its training trials."""
    return (
        *_far_from_trials(fused),
        *_constant(fused),
        *_duplicates(fused, trials),
        *_against(fused, trials),
        *(() if fused.conditions is None else fused.conditions.notes),
    )


def correlations(scores: Array) -> Floats:
    """Correlations between the systems over some trials of a class; 0 where one is constant."""
    some = _sample(scores)
    some = some[~np.isnan(some).any(axis=1)]
    if len(some) < 2:
        return np.eye(scores.shape[1])
    largest = np.abs(some).max(axis=0)
    centred = some / np.where(largest > 0, largest, 1.0)
    centred -= centred.mean(axis=0)
    lengths = np.sqrt((centred * centred).sum(axis=0))
    centred /= np.where(lengths > 0, lengths, 1.0)
    return np.asarray(centred.T @ centred)


def _far_from_trials(fused: Fused) -> Iterator[Note]:
    share = fused.tar_count / (fused.tar_count + fused.non_count)
    if isinstance(fused.alpha, str):
        return
    low, high = min(share, 0.5), max(share, 0.5)
    if not low / _FAR <= fused.alpha <= 1 - (1 - high) / _FAR:
        yield Note.warning(
            "far alpha",
            f"with a weight of {fused.alpha:g} the criterion looks at LLRs near "
            f"{-log_odds(fused.alpha):.1f}, where there are hardly any trials to go by; choose one "
            f"between {low:.2g} and {high:.2g}: ",
            Setting("alpha", "empirical"),
        )


def _sample(scores: Array) -> Floats:
    return np.asarray(scores[:: max(len(scores) // _ENOUGH, 1)], dtype=np.float64)


def _constant(fused: Fused) -> Iterator[Note]:
    columns = (
        (fused.names, fused.lines[0].terms.scores),
        (fused.quality_names, fused.lines[0].terms.quality),
    )
    for names, column in columns:
        for name, unit in zip(names, column.unit, strict=False):
            if unit == 0:
                yield Note.warning(
                    "constant",
                    "all values are equal, so they say nothing: the weight is zero",
                ).about(name)


def _duplicates(fused: Fused, trials: tuple[Known, Known]) -> Iterator[Note]:
    if len(fused.names) == 1:
        return
    both = np.minimum(*(np.abs(correlations(side.scores)) for side in trials))
    for one, other in combinations(range(len(fused.names)), 2):
        if both[one, other] > _THE_SAME:
            yield Note.warning(
                "duplicate",
                f"{fused.names[one]} and {fused.names[other]} have the same scores, up to scale: "
                "they share one weight",
            )


def _against(fused: Fused, trials: tuple[Known, Known]) -> Iterator[Note]:
    line = fused.lines[0]
    for place, system in enumerate(line.systems):
        columns = (_sample(side.scores)[:, system] for side in trials)
        tar, non = (np.nanmedian(column / 2) for column in columns)  # halves do not overflow
        weight, margin = line.weights[place], line.margins[place]
        if weight * np.sign(tar - non) < 0 and abs(weight) > margin:
            yield Note.of(
                "opposite weight",
                "its weight is against the direction of its scores: it corrects what other "
                "systems have in common with it, which may not hold on other trials",
            ).about(fused.names[system])
