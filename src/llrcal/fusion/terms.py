"""Trials as columns of numbers: standardised scores, side information, and their products.

The trials of a class are one matrix of trials x columns: the scores of some systems come first, and
side information follows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Self

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.calibrations.training import check_spread
from llrcal.declaration import NotNegative, field_error, schema

PRODUCT = " x "
_CACHED = 2**16  # numbers that are looked at together, so that they stay in the cache


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

    def part(self, chosen: slice) -> Columns:
        """Some of the columns."""
        every = self.centre, self.unit, self.lowest, self.highest
        return Columns(*(numbers[chosen] for numbers in every))


@dataclass(frozen=True)
class Terms:
    """What the LLR is a weighted sum of: scores, side information, and products of both."""

    columns: Columns
    systems: int
    """How many of the columns are scores; the others are side information."""

    @classmethod
    def of(
        cls, some: tuple[Array, Array], lowest: Floats, highest: Floats, count: int, systems: int
    ) -> Self:
        """Columns in units of their deviation if half of the trials were targets.

        That is known from samples of both classes. The ends are those of all trials, and ``count``
        is how many the commoner class has.
        """
        # Contiguous, so that sums do not depend on how the columns lay in memory. In units of the
        # largest value, so that no square is too large or too small for a double.
        sides = [np.ascontiguousarray(side.T, dtype=np.float64) for side in some]
        scale = np.maximum(*(np.abs(rows).max(axis=1) for rows in sides))
        scale = np.maximum(scale, np.finfo(np.float64).tiny)
        sides = [rows / scale[:, None] for rows in sides]
        means = [rows.mean(axis=1) for rows in sides]
        squares = [((r - m[:, None]) ** 2).mean(axis=1) for r, m in zip(sides, means, strict=True)]
        apart = (means[0] - means[1]) / 2
        deviation = np.sqrt((squares[0] + squares[1]) / 2 + apart * apart) * scale
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
        every = centre, deviation, lowest, highest
        return cls(Columns(*(tuple(numbers.tolist()) for numbers in every)), systems)

    @property
    def count(self) -> int:
        return self._size + self.systems * (self._size - self.systems)

    @cached_property
    def _size(self) -> int:
        return len(self.columns.unit)

    @property
    def chunk(self) -> int:
        """How many trials to look at together."""
        return max(_CACHED // (self.count + 1), 256)

    @property
    def groups(self) -> tuple[slice, ...]:
        """Terms whose weights are of one size: those of scores, and those of side information."""
        both = slice(0, self.systems), slice(self.systems, self.count)
        return both[: 1 + (self._size > self.systems)]

    @property
    def units(self) -> Floats:
        """One unit of each term."""
        units = np.array(self.columns.unit)
        products = np.outer(units[self.systems :], units[: self.systems])
        return np.concatenate([units, products.ravel()])

    def names(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        """Those of the terms, of the names of the columns."""
        systems, quality = columns[: self.systems], columns[self.systems :]
        products = [f"{system}{PRODUCT}{side}" for side in quality for system in systems]
        return (*columns, *products)

    def rows(self, trials: Array, *, inside: bool = False) -> Floats:
        """One row for each term, and one of ones; trials of training are inside of their range."""
        rows = np.ascontiguousarray(trials.T, dtype=np.float64)
        if not inside:
            rows = np.clip(rows, self._column("lowest"), self._column("highest"))
        rows = (rows - self._column("centre")) * self._per_unit
        products = [rows[: self.systems] * side for side in rows[self.systems :]]
        return np.concatenate([rows, *products, np.ones((1, len(trials)))])

    @cached_property
    def exponents(self) -> Counts:
        """Powers of two that the terms of training stay below."""
        with np.errstate(over="ignore"):
            ends = np.array([self.columns.lowest, self.columns.highest]).T
            ends = (ends - self._column("centre")) * self._per_unit
        columns = np.frexp(np.abs(ends).max(axis=1))[1].astype(np.int64)
        products = np.add.outer(columns[self.systems :], columns[: self.systems])
        return np.concatenate([columns, products.ravel()])

    def shrunk_rows(self, trials: Array) -> Floats:
        """The rows of trials of training, over the powers of two, so that none exceeds one."""
        systems, size = self.systems, self._size
        rows = np.empty((self.count + 1, len(trials)))
        rows[:size] = trials.T
        rows[:size] -= self._column("centre")
        rows[:size] *= self._shrunk_per_unit
        for place in range(systems, size):
            start = size + (place - systems) * systems
            np.multiply(rows[:systems], rows[place], out=rows[start : start + systems])
        rows[-1] = 1.0
        return rows

    def _column(self, name: str) -> Floats:
        return np.array(getattr(self.columns, name))[:, None]

    @cached_property
    def _per_unit(self) -> Floats:
        """One over the unit of each column; zero for one that says nothing."""
        unit = self._column("unit")
        with np.errstate(divide="ignore"):
            return np.where(unit > 0, 1 / unit, 0.0)

    @cached_property
    def _shrunk_per_unit(self) -> Floats:
        return np.asarray(np.ldexp(self._per_unit, -self.exponents[: self._size, None]))
