"""Trials as columns of numbers: standardised scores, side information, and their products.

The trials of a class are one matrix of trials x columns: the scores of some systems come first, and
side information follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import cached_property
from typing import Annotated, Self

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.declaration import NotNegative, field_error, schema
from llrcal.fusion.sample import ColumnSample
from llrcal.onepass.grid import check_spread

PRODUCT = " x "


@dataclass(frozen=True)
class Columns:
    """Where columns have their centre, what is one unit of them, and how far they reach."""

    centre: Annotated[tuple[float, ...], "Half-way between the means of both classes."]
    unit: Annotated[
        tuple[NotNegative, ...],
        schema(as_many_as="centre"),
        "What is one unit; 0 for a column whose values are all equal, which says nothing.",
    ]
    lowest: Annotated[
        tuple[float, ...],
        schema(as_many_as="centre"),
        "Least training value; lower ones are taken for it.",
    ]
    highest: Annotated[
        tuple[float, ...],
        schema(as_many_as="centre"),
        "Greatest training value, not below the lowest; higher ones are taken for it.",
    ]

    def check(self, where: str) -> None:
        """Refuse columns of a model file whose ends are the wrong way round."""
        for low, high in zip(self.lowest, self.highest, strict=True):
            if low > high:
                raise field_error(where, "highest", f"has {high}, below the lowest, {low}")


@dataclass(frozen=True)
class Terms:
    """What the LLR is a weighted sum of: scores, side information, products of both, and one."""

    scores: Columns
    quality: Columns

    @classmethod
    def of(cls, samples: tuple[ColumnSample, ColumnSample], systems: int) -> Self:
        """Columns in units of their deviation if half of the trials were targets.

        The ends are those of all trials.
        """
        lowest = np.minimum(samples[0].lowest, samples[1].lowest)
        highest = np.maximum(samples[0].highest, samples[1].highest)
        count = max(sample.count for sample in samples)
        some = samples[0].trials, samples[1].trials
        # Contiguous, so that sums do not depend on how the columns lay in memory. In units of the
        # largest value, so that no square is too large or too small for a double.
        sides = [np.ascontiguousarray(side.T, dtype=np.float64) for side in some]
        scale = np.maximum(*(np.abs(rows).max(axis=1) for rows in sides))
        scale = np.maximum(scale, np.finfo(np.float64).tiny)
        tar, non = (rows / scale[:, None] for rows in sides)
        means = tar.mean(axis=1), non.mean(axis=1)
        apart = (means[0] - means[1]) / 2
        within = (tar.var(axis=1) + non.var(axis=1)) / 2
        deviation = np.sqrt(within + apart * apart) * scale
        centre = (means[0] + means[1]) / 2 * scale
        # A value that is not in the samples makes the deviation at least this large.
        reach = np.maximum(highest / 2 - centre / 2, centre / 2 - lowest / 2)
        deviation = np.maximum(deviation, reach * np.sqrt(2 / count))
        deviation[lowest == highest] = 0.0
        for place, unit in enumerate(deviation.tolist()):
            if unit != 0:
                is_score = place < systems
                name = f"system {place + 1}" if is_score else f"quality {place + 1 - systems}"
                check_spread(unit, name)
        columns = np.array([centre, deviation, lowest, highest])
        both = np.split(columns, [systems], axis=1)
        return cls(*(Columns(*map(tuple, part.tolist())) for part in both))

    @property
    def count(self) -> int:
        return (len(self.scores.unit) + 1) * (len(self.quality.unit) + 1)

    @property
    def groups(self) -> tuple[slice, ...]:
        """Terms whose weights are of one size: those of scores, and those of side information."""
        systems = len(self.scores.unit)
        both = slice(0, systems), slice(systems, self.count - 1)
        return both[: 1 + bool(self.quality.unit)]

    def places(self, systems: Sequence[int]) -> list[int]:
        """Where the terms of some systems are, of all side information, and one."""
        scores, sides = len(self.scores.unit), len(self.quality.unit)
        products = (scores + sides + side * scores + i for side in range(sides) for i in systems)
        return [*systems, *range(scores, scores + sides), *products, self.count - 1]

    def of_systems(self, systems: Sequence[int]) -> Terms:
        """Those of some systems, and of all side information."""
        chosen = (tuple(column[i] for i in systems) for column in astuple(self.scores))
        return Terms(Columns(*chosen), self.quality)

    @property
    def per_unit(self) -> Floats:
        """One over the unit of each term; zero for one that says nothing."""
        return self._of_terms(self._per_unit)

    def names(self, systems: Sequence[str], quality: Sequence[str]) -> list[str]:
        """Those of the terms but for one, by the names of the columns."""
        products = [f"{system}{PRODUCT}{side}" for side in quality for system in systems]
        return [*systems, *quality, *products]

    def rows(self, trials: Array) -> Floats:
        """One row for each term, and one of ones; values beyond the ends are taken for these."""
        centre, unit, lowest, highest = self._columns
        size, systems = len(unit), len(self.scores.unit)
        rows = np.empty((self.count, len(trials)))
        columns = rows[:size]
        np.clip(trials.T, lowest, highest, out=columns)
        columns -= centre
        columns *= self._per_unit
        for place, side in enumerate(columns[systems:]):
            start = size + place * systems
            np.multiply(columns[:systems], side, out=rows[start : start + systems])
        rows[-1] = 1.0
        return rows

    @property
    def largest(self) -> Floats:
        """How far the terms go from zero, within the ends of their columns."""
        centre, _, *ends = self._columns
        with np.errstate(over="ignore"):
            far = np.maximum(*(np.abs((end - centre) * self._per_unit) for end in ends))
        return self._of_terms(far)

    def _of_terms(self, columns: Floats) -> Floats:
        """Numbers of the columns, their products, and one."""
        systems = len(self.scores.unit)
        products = np.outer(columns[systems:], columns[:systems])
        return np.concatenate([columns.ravel(), products.ravel(), [1.0]])

    @cached_property
    def _columns(self) -> Floats:
        """Centres, units, lowest and highest values."""
        both = np.hstack([astuple(self.scores), astuple(self.quality)])
        return np.asarray(both[:, :, None])

    @cached_property
    def _per_unit(self) -> Floats:
        unit = self._columns[1]
        return np.asarray(np.divide(1.0, unit, out=np.zeros_like(unit), where=unit > 0))
