"""What the module in C offers. It checks its arguments, and writes into the arrays it is given."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from llrcal.arrays import Array, Bools, Counts, Floats


class Kernels(Protocol):
    """One function for each kernel; module.c has the same names, the file of each its formula.

    Scores are one-dimensional, native float32 or float64, with any step. A grid is given by origin,
    unit, bits of a bin, and octaves.
    """

    def any_beyond(self, scores: Array, limit: float, /) -> bool:
        """Whether the size of a score exceeds a limit; that of NaN does."""

    def bins(
        self,
        scores: Array,
        chunk: int,
        origin: float,
        unit: float,
        bin_bits: int,
        octaves: int,
        reach: float,
        table: Counts,
        /,
    ) -> tuple[int, float, float]:
        """Tally scores in four integers a bin: count, sum of places, of squared places, and none.

        It stops at scores beyond the grid. Where it stopped, and the least and the greatest score:
        of the chunk that it stopped in, or if it did not, of all.
        """

    def keys(
        self, scores: Array, start: int, ceiling: int, out: NDArray[np.uint64], /
    ) -> tuple[int, int]:
        """Keys up to a ceiling: where it stopped because ``out`` was full, and how many it has."""

    def sieve(
        self,
        scores: Array,
        start: int,
        origin: float,
        unit: float,
        bin_bits: int,
        octaves: int,
        in_word: NDArray[np.uint64],
        before: NDArray[np.uint32],
        in_gap: Counts,
        held: Floats,
        /,
    ) -> tuple[int, int, float]:
        """Count scores by how many bins before theirs hold values; hold those whose own bin does.

        Which bins hold values is told in words of 64, with how many do so before each word. Where
        it stopped because ``held`` was full, how many it holds, and the least score.
        """

    def split(self, scores: Array, is_tar: Bools, tar: Floats, non: Floats, /) -> int:
        """Scores by their class, in arrays with room for one more; how many are targets."""

    def steps(self, scores: Array, knots: Floats, values: Floats, out: Floats, /) -> None:
        """The value of the last knot up to each score; the first value if there is none."""

    def spline(
        self, scores: Array, knots: Floats, pieces: Floats, per_unit: float, out: Floats, /
    ) -> None:
        """Quadratic pieces, each an origin, its value, the slope there, and the bend."""

    def add_exactly(self, numbers: Array, halves: Counts, /) -> None:
        """Add upper and lower halves of mantissas for each exponent, in two tables of two rows."""

    def chebyshev(self, at: Floats, terms: Floats, out: Floats, /) -> None:
        """A Chebyshev series of at least three terms, as NumPy's ``chebval`` adds it up."""

    def powers(self, at: Floats, terms: Floats, out: Floats, /) -> None:
        """A polynomial, its constant term first, as NumPy's ``polyval`` adds it up."""

    def weighted_rows(self, rows: Floats, weights: Floats, out: Floats, /) -> None:
        """Sums of rows, each times its weight, one row after the other."""

    def logistic_sums(
        self,
        rows: Floats,
        terms: int,
        x: Floats,
        small: Floats,
        logs: Floats,
        scale: float,
        sums: Counts,
        /,
    ) -> None:
        """Add up costs and their derivatives by the weights of terms; upper and lower halves."""

    def nig_shape(
        self,
        z: Floats,
        q: Floats,
        exponent: Floats,
        log_q: Floats,
        bessel: Floats,
        bessel1: Floats,
        bessel2: Floats,
        shape: Floats,
        out: Floats,
        /,
    ) -> None:
        """Ten rows: an NIG log density without constants, and its derivatives by z, v and c."""
