"""Trials as columns of numbers: standardised scores, side information, and their products."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Self

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.calibrations.training import check_spread
from llrcal.declaration import NotNegative, field_error, schema

if TYPE_CHECKING:
    from llrcal.fusion.looking import Look

PRODUCT = " x "
_CACHED = 2**16  # numbers that are looked at together


@dataclass(frozen=True)
class Known:
    """What is known of the trials of a class: scores and side information, trials x columns."""

    scores: Array
    quality: Array

    def __len__(self) -> int:
        return len(self.scores)

    def part(self, chosen: Array | slice, systems: list[int] | slice = slice(None)) -> Known:
        """Some of the trials, with the scores of some of the systems."""
        return Known(self.scores[chosen][:, systems], self.quality[chosen])


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

    @classmethod
    def of(cls, some: tuple[Array, Array], lowest: Floats, highest: Floats, count: int) -> Self:
        """Means and deviations if half of the trials were targets, from samples of both classes.

        The ends are those of all trials, and ``count`` is how many the commoner class has.
        """
        sides = [_Moments.of(side) for side in some]
        scale = np.maximum(*(side.scale for side in sides))
        means = [side.mean * (side.scale / scale) for side in sides]
        squares = [side.square * (side.scale / scale) ** 2 for side in sides]
        apart = (means[0] - means[1]) / 2
        deviation = np.sqrt((squares[0] + squares[1]) / 2 + apart * apart) * scale
        centre = (means[0] + means[1]) / 2 * scale
        # A value that is not in the samples makes the deviation at least this large.
        reach = np.maximum(highest / 2 - centre / 2, centre / 2 - lowest / 2)
        deviation = np.maximum(deviation, reach * np.sqrt(2 / count))
        deviation[lowest == highest] = 0.0
        every = centre, deviation, lowest, highest
        return cls(*(tuple(numbers.tolist()) for numbers in every))

    @property
    def exponents(self) -> Counts:
        """Powers of two that standardised values within the range of training stay below."""
        with np.errstate(over="ignore"):
            ends = self.standardised(np.array([self.lowest, self.highest]), inside=True)
        return np.asarray(np.frexp(np.abs(ends).max(axis=1))[1], np.int64)

    def standardised(self, values: Array, *, inside: bool = False) -> Floats:
        """One row for each column; values of training need not be held inside of their range."""
        rows = np.ascontiguousarray(values.T, dtype=np.float64)
        if not inside:
            rows = np.clip(rows, _column(self.lowest), _column(self.highest))
        return np.asarray((rows - _column(self.centre)) * self.per_unit)

    @property
    def per_unit(self) -> Floats:
        """One over the unit of each column; zero for one that says nothing."""
        unit = _column(self.unit)
        with np.errstate(divide="ignore"):
            return np.where(unit > 0, 1 / unit, 0.0)


@dataclass(frozen=True)
class Terms:
    """What the LLR is a weighted sum of: scores, side information, and products of both."""

    scores: Columns
    quality: Columns

    @classmethod
    def of(cls, tar: Look, non: Look, systems: int) -> Self:
        """The terms of trials that someone has looked at."""
        lowest, highest = np.minimum(tar.lowest, non.lowest), np.maximum(tar.highest, non.highest)
        some, count = (tar.sample(systems), non.sample(systems)), max(len(tar), len(non))
        scores, quality = (some[0].scores, some[1].scores), (some[0].quality, some[1].quality)
        terms = cls(
            Columns.of(scores, lowest[:systems], highest[:systems], count),
            Columns.of(quality, lowest[systems:], highest[systems:], count),
        )
        for what, columns in (("system", terms.scores), ("quality", terms.quality)):
            for place, unit in enumerate(columns.unit, 1):
                if unit != 0:
                    check_spread(unit, f"{what} {place}")
        return terms

    @property
    def count(self) -> int:
        systems, quality = len(self.scores.unit), len(self.quality.unit)
        return systems + quality + systems * quality

    @property
    def chunk(self) -> int:
        """How many trials to look at together."""
        return max(_CACHED // (self.count + 1), 256)

    @property
    def groups(self) -> tuple[slice, ...]:
        """Terms whose weights are of one size: those of scores, and those of side information."""
        systems = len(self.scores.unit)
        both = slice(0, systems), slice(systems, self.count)
        return both if self.quality.unit else both[:1]

    @property
    def units(self) -> Floats:
        """One unit of each term."""
        scores, quality = np.array(self.scores.unit), np.array(self.quality.unit)
        return np.concatenate([scores, quality, np.outer(quality, scores).ravel()])

    def names(self, systems: tuple[str, ...], quality: tuple[str, ...]) -> tuple[str, ...]:
        products = [f"{system}{PRODUCT}{side}" for side in quality for system in systems]
        return (*systems, *quality, *products)

    def rows(self, trials: Known, *, inside: bool = False) -> Floats:
        """One row for each term, and one of ones."""
        scores = self.scores.standardised(trials.scores, inside=inside)
        quality = self.quality.standardised(trials.quality, inside=inside)
        products = [scores * side for side in quality]
        return np.concatenate([scores, quality, *products, np.ones((1, len(trials)))])

    @cached_property
    def exponents(self) -> Counts:
        """Powers of two that the terms of training stay below."""
        scores, quality = self.scores.exponents, self.quality.exponents
        return np.concatenate([scores, quality, np.add.outer(quality, scores).ravel()])

    def shrunk_rows(self, trials: Known) -> Floats:
        """The rows of trials of training, over the powers of two, so that none exceeds one."""
        systems, both = len(self.scores.unit), len(self._centre)
        rows = np.empty((self.count + 1, len(trials)))
        rows[:systems], rows[systems:both] = trials.scores.T, trials.quality.T
        rows[:both] -= self._centre
        rows[:both] *= self._shrunk_per_unit
        for place in range(systems, both):
            start = both + (place - systems) * systems
            np.multiply(rows[:systems], rows[place], out=rows[start : start + systems])
        rows[-1] = 1.0
        return rows

    @cached_property
    def _centre(self) -> Floats:
        return _column(self.scores.centre + self.quality.centre)

    @cached_property
    def _shrunk_per_unit(self) -> Floats:
        per_unit = np.concatenate([self.scores.per_unit, self.quality.per_unit])
        return np.asarray(np.ldexp(per_unit, -self.exponents[: len(per_unit), None]))


@dataclass(frozen=True)
class _Moments:
    """Mean and variance of each column in units of the largest value.

    So no square is too large or too small for a double.
    """

    scale: Floats
    mean: Floats
    square: Floats

    @classmethod
    def of(cls, values: Array) -> _Moments:
        # Contiguous, so that sums do not depend on how the columns lay in memory.
        rows = np.ascontiguousarray(values.T, dtype=np.float64)
        scale = np.maximum(np.abs(rows).max(axis=1), np.finfo(np.float64).tiny)
        rows = rows / scale[:, None]
        mean = rows.mean(axis=1)
        rows -= mean[:, None]
        return cls(scale, mean, (rows * rows).mean(axis=1))


def _column(numbers: tuple[float, ...]) -> Floats:
    return np.array(numbers).reshape(-1, 1)
