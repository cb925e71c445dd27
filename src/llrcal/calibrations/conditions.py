"""Slope and offset for each condition, on top of a calibration of all of them.

In condition c, an LLR l becomes a_c l + b_c. The pairs (a_c, b_c) have a Gaussian prior, whose mean
and covariance are found by evidence (EM, with Laplace's approximation of each posterior): if the
conditions are alike, they are pooled; if they differ, each goes its own way as far as its trials
can tell. Classes are balanced within each condition, so that a condition with more targets does not
get a higher offset for that. A condition that was not there in training gets the mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from llrcal.arrays import LARGEST, Array, Bools, Floats
from llrcal.declaration import Stored
from llrcal.fitting.logistic import effective_sample_size, log_odds
from llrcal.notes import Note
from llrcal.scoring_rule import logistic_terms

Slope = tuple[float, float]
"""Slope and offset."""
_ROUNDS, _STEPS = 500, 50  # of the prior at most, and of Newton's method in each
# The change of the prior at which rounds end. All others together, of which there are thousands,
# moved slopes and offsets of simulated sets by up to .04 (2 to 5 conditions) or .07 (40).
_SETTLED = 1e-3
_LONGEST_STEP = 2.0  # in slope or offset: beyond, the cost is not the parabola of the step
_FAR, _WIDTH = 1000.0, 0.05  # of LLRs that are looked at, and of cells, in nats


@dataclass(frozen=True)
class _NamedLine:
    """One condition, as it is kept in a model file."""

    name: Annotated[str, "Its name."]
    line: Annotated[Slope, "Slope and offset."]


def _by_name(lines: tuple[_NamedLine, ...]) -> dict[str, Slope]:
    by_name = {entry.name: entry.line for entry in lines}
    if len(by_name) < len(lines):
        raise ValueError("must not have the same name twice")
    return by_name


def _named_lines(lines: Mapping[str, Slope]) -> tuple[_NamedLine, ...]:
    return tuple(_NamedLine(name, line) for name, line in lines.items())


@dataclass(frozen=True)
class Conditions:
    """Slopes and offsets of LLRs, by condition."""

    pooled: Annotated[Slope, "Slope and offset in any other condition."]
    lines: Annotated[
        Mapping[str, Slope],
        Stored(form=tuple[_NamedLine, ...], read=_by_name, write=_named_lines),
        "Those of known conditions.",
    ] = field(hash=False)

    def __call__(self, llrs: Floats, conditions: Array) -> tuple[Floats, list[Note]]:
        """LLRs of trials in these conditions, and a note if some of these are not known."""
        distinct, which, counts = np.unique(
            conditions.astype(str), return_inverse=True, return_counts=True
        )
        names = distinct.tolist()
        slopes, offsets = np.array([self.lines.get(name, self.pooled) for name in names]).T
        unseen = {name: n for name, n in zip(names, counts, strict=True) if name not in self.lines}
        notes = []
        if unseen:
            shown = ", ".join(repr(name or "(none)") for name in list(unseen)[:5])
            others = " and others" if len(unseen) > 5 else ""
            text = (
                f"{sum(unseen.values()):,} of {len(which):,} trials are in conditions that were "
                f"not there in training ({shown}{others}): they get the pooled calibration"
            )
            notes.append(Note.warning("unseen condition", text))
        with np.errstate(over="ignore"):
            moved = slopes[which] * llrs + offsets[which]
        return np.clip(moved, -LARGEST, LARGEST), notes

    @property
    def notes(self) -> tuple[Note, ...]:
        """On conditions in which higher scores mean lower LLRs."""
        text = "LLRs fall with the score (slope {:.2g}); check its labels"
        return tuple(
            Note.warning("falling", text.format(slope)).about(f"condition {name!r}")
            for name, (slope, _) in self.lines.items()
            if slope <= 0
        )

    def to_dict(self) -> dict[str, Slope]:
        """Slope and offset by condition."""
        return {"pooled": self.pooled, **self.lines}


def fitted_conditions(
    tar: Floats, non: Floats, tar_conditions: Array, non_conditions: Array, alpha: float
) -> Conditions:
    """What target and non-target LLRs say about the conditions of their trials."""
    both = np.concatenate([tar_conditions, non_conditions]).astype(str)
    names, which = np.unique(both, return_inverse=True)
    cells = _Cells(tar, non, which, len(names), alpha)
    mean, covariance = np.array([1.0, 0.0]), np.diag([0.05, 0.5])
    lines = np.tile(mean, (len(names), 1))
    for _ in range(_ROUNDS):
        lines, posteriors = cells.posteriors(lines, mean, covariance)
        before, mean = mean, lines.mean(axis=0)
        away = lines - mean
        wider = (away[:, :, None] * away[:, None, :] + posteriors).mean(axis=0) + 1e-8 * np.eye(2)
        change, covariance = np.abs(wider - covariance).max(), wider
        if np.abs(mean - before).max() < _SETTLED and change < _SETTLED * np.abs(wider).max():
            break
    pooled, *each = ((float(slope), float(offset)) for slope, offset in [mean, *lines])
    return Conditions(pooled, dict(zip(names.tolist(), each, strict=True)))


class _Cells:
    """Trials of one class and condition whose LLRs are close together, and their mean."""

    def __init__(
        self, tar: Floats, non: Floats, which: Array, conditions: int, alpha: float
    ) -> None:
        llrs = np.clip(np.concatenate([tar, non]), -_FAR, _FAR)
        is_target = np.arange(len(llrs)) < len(tar)
        place = np.floor((llrs + _FAR) / _WIDTH).astype(np.int64)
        cell = (2 * which + is_target) * (int(2 * _FAR / _WIDTH) + 2) + place
        _, first, cell = np.unique(cell, return_index=True, return_inverse=True)
        count = np.bincount(cell)
        self.llrs = np.bincount(cell, llrs) / count
        self.sign = np.where(is_target[first], -1.0, 1.0)
        self.which, self.conditions, self.log_odds = which[first], conditions, log_odds(alpha)
        self.weight = count * _weights(is_target, which, conditions, alpha)[first]

    def posteriors(self, lines: Floats, mean: Floats, covariance: Floats) -> tuple[Floats, Floats]:
        """The line of each condition at the mode of its posterior, and its covariance there."""
        inverse = np.linalg.inv(covariance)
        for _ in range(_STEPS):
            gradient, hessian = self._derivatives(lines)
            pull = gradient + (lines - mean) @ inverse
            step = -np.linalg.solve(hessian + inverse, pull[:, :, None])[:, :, 0]
            largest = np.abs(step).max(axis=1, keepdims=True)
            lines = lines + step * np.minimum(1, _LONGEST_STEP / np.maximum(largest, 1e-300))
            if largest.max() < 1e-6:
                break
        return lines, np.linalg.inv(hessian + inverse)

    def _derivatives(self, lines: Floats) -> tuple[Floats, Floats]:
        """Gradient and Hessian of the cost by the line of each condition."""
        slope, offset = lines[self.which].T
        _, rise, bend = logistic_terms(self.sign * (slope * self.llrs + offset + self.log_odds))
        pull, bend = self.weight * self.sign * rise, self.weight * bend
        parts = (pull * self.llrs, pull, bend * self.llrs**2, bend * self.llrs, bend)
        sums = np.array([np.bincount(self.which, part, self.conditions) for part in parts], float)
        return sums[:2].T, sums[[2, 3, 3, 4]].T.reshape(-1, 2, 2)


def _weights(is_target: Bools, which: Array, conditions: int, alpha: float) -> Floats:
    """The weight of each trial; none in a condition with one class, which says nothing."""
    counts = [np.bincount(which[side], minlength=conditions) for side in (is_target, ~is_target)]
    tar, non = (np.maximum(count, 1) for count in counts)
    total = np.where(np.minimum(*counts) > 0, effective_sample_size(alpha, tar, non), 0.0)
    return np.where(is_target, (total * alpha / tar)[which], (total * (1 - alpha) / non)[which])
