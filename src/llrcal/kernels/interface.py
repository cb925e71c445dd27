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

    def count_among(
        self,
        scores: Array,
        origin: float,
        unit: float,
        bin_bits: int,
        octaves: int,
        in_word: NDArray[np.uint64],
        before: NDArray[np.uint32],
        first: NDArray[np.uint32],
        values: Floats,
        in_gap: Counts,
        at: Counts,
        /,
    ) -> float:
        """Count scores among rising values, of which some bins hold some; the least score.

        Which bins do is told in words of 64, with how many do so before each word, and the first
        value of each of them. Scores in other bins are counted ``in_gap``, by how many bins before
        theirs hold values; the others ``at`` and between values, which take turns there.
        """

    def split(self, scores: Array, is_tar: Bools, tar: Floats, non: Floats, /) -> int:
        """Scores by their class, in arrays with room for one more; how many are targets."""

    def curve(
        self,
        scores: Array,
        origin: float,
        per_unit: float,
        knots: Floats,
        pieces: Floats,
        out: Floats,
        /,
    ) -> None:
        """Quadratic pieces, each a start, its value, the slope there, and the bend."""

    def add_exactly(self, numbers: Array, halves: Counts, /) -> None:
        """Add upper and lower halves of mantissas for each exponent, in two tables of two rows."""

    def add_costs(self, llrs: Array, sign: float, logs: Floats, halves: Counts, /) -> None:
        """The same of sign times LLRs, or of zero where that is negative, plus logarithms."""

    def count_products(
        self,
        products: Floats,
        rows: int,
        cols: int,
        upper: int,
        per_step: float,
        zero: int,
        table: Array,
        /,
    ) -> None:
        """Count products, times ``per_step`` and rounded, by their place in a table.

        Products are matrices of rows and columns. If ``upper`` is not negative, only columns beyond
        it count in the first row of each, beyond the next one in the second, and so on. The table
        has unsigned 32-bit integers, and ``zero`` is the place of zero. What would be beyond the
        table is counted in its last place.
        """

    def chebyshev(self, at: Floats, terms: Floats, out: Floats, /) -> None:
        """A Chebyshev series of at least three terms, as NumPy's ``chebval`` adds it up."""

    def nig_ingredients(
        self,
        z: Floats,
        shape: Floats,
        bessel: Floats,
        bessel1: Floats,
        bessel2: Floats,
        out: Floats,
        /,
    ) -> float:
        """Rows of Q, T, one for log Q that it leaves, and three series; the greatest t of these."""

    def nig_sums(
        self, z: Floats, made_of: Floats, shape: Floats, weights: Floats, out: Floats, /
    ) -> None:
        """Fifteen weighted sums of an NIG log density, its derivatives, and products with z."""

    def student_t_sums(
        self,
        y: Floats,
        log: Floats,
        lam: float,
        l0: Floats,
        l1: Floats,
        l2: Floats,
        weights: Floats,
        out: Floats,
        /,
    ) -> None:
        """Ten weighted sums of a Student-T log density, its derivatives, and products with y."""
