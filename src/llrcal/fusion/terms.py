"""Trials as columns of numbers: standardised scores, side information, and their products."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.calibrations.training import check_spread
from llrcal.onepass.chunks import CHUNK

PRODUCT = " x "
_WORK = 2**17  # multiplications below which BLAS keeps to one thread, and so to one order of sums


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

    centre: tuple[float, ...]
    unit: tuple[float, ...]
    """Zero for a column whose values are all equal, which says nothing."""
    lowest: tuple[float, ...]
    highest: tuple[float, ...]
    """Values beyond those of training are taken for the nearest of these."""

    @classmethod
    def of(cls, tar: Array, non: Array) -> Self:
        """Means and deviations of trials half of which are targets, however many there are."""
        sides = [_Moments.of(side) for side in (tar, non)]
        lowest, highest = (
            np.minimum(*(s.lowest for s in sides)),
            np.maximum(*(s.highest for s in sides)),
        )
        scale = np.maximum(*(side.scale for side in sides))
        means = [side.mean * (side.scale / scale) for side in sides]
        squares = [side.square * (side.scale / scale) ** 2 for side in sides]
        apart = (means[0] - means[1]) / 2
        deviation = np.sqrt((squares[0] + squares[1]) / 2 + apart * apart)
        deviation[lowest == highest] = 0.0
        every = (means[0] + means[1]) / 2 * scale, deviation * scale, lowest, highest
        return cls(*(tuple(numbers.tolist()) for numbers in every))

    def standardised(self, values: Array, *, inside: bool = False) -> Floats:
        """One row for each column; values of training need not be held inside of their range."""
        unit = np.array(self.unit)
        with np.errstate(divide="ignore"):
            scale = np.where(unit > 0, 1 / unit, 0.0)
        rows = np.ascontiguousarray(values.T, dtype=np.float64)
        if not inside:
            rows = np.clip(rows, _column(self.lowest), _column(self.highest))
        return np.asarray((rows - _column(self.centre)) * scale[:, None])


@dataclass(frozen=True)
class Terms:
    """What the LLR is a weighted sum of: scores, side information, and products of both."""

    scores: Columns
    quality: Columns

    @classmethod
    def of(cls, tar: Known, non: Known) -> Self:
        """The terms of some trials.

        Raises
        ------
        DegenerateError
            If the values of a column are too close together, or too far apart, for doubles.
        """
        terms = cls(Columns.of(tar.scores, non.scores), Columns.of(tar.quality, non.quality))
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
        return int(np.clip(_WORK // (self.count + 1) ** 2, 256, CHUNK))

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


@dataclass(frozen=True)
class _Moments:
    """Least and greatest value of each column, and mean and variance in units of the largest.

    So no square is too large or too small for a double.
    """

    lowest: Floats
    highest: Floats
    scale: Floats
    mean: Floats
    square: Floats

    @classmethod
    def of(cls, values: Array) -> _Moments:
        size, parts = [], []
        for start in range(0, len(values), CHUNK):
            # Contiguous, so that sums do not depend on how the columns lay in memory.
            rows = np.ascontiguousarray(values[start : start + CHUNK].T, dtype=np.float64)
            lowest, highest = rows.min(axis=1), rows.max(axis=1)
            scale = np.maximum(np.maximum(-lowest, highest), np.finfo(np.float64).tiny)
            rows = rows / scale[:, None]
            mean = rows.mean(axis=1)
            rows -= mean[:, None]
            square = (rows * rows).mean(axis=1)
            size.append(rows.shape[1] / len(values))
            parts.append((lowest, highest, scale, mean, square))
        lowest, highest, scales, means, squares = map(np.array, zip(*parts, strict=True))
        share, scale = np.array(size)[:, None], scales.max(axis=0)
        means = means * (scales / scale)
        mean = (share * means).sum(axis=0)
        square = (share * (squares * (scales / scale) ** 2 + (means - mean) ** 2)).sum(axis=0)
        return cls(lowest.min(axis=0), highest.max(axis=0), scale, mean, square)


def _column(numbers: tuple[float, ...]) -> Floats:
    return np.array(numbers).reshape(-1, 1)
