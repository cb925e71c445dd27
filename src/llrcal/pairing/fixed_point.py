"""Embeddings as integers, whose products are exact in any order, on any machine.

Cosines. A unit vector times 2^26, rounded, is a vector of integers of length at most
L = 2^26 (1 + 1e-12) + sqrt(d) / 2 in d dimensions: normalising in double precision is right to
some 1e-14, and rounding moves each coordinate by at most 1/2. By Cauchy and Schwarz, the sizes of
the d products of coordinates add up to at most L^2, so every sum of some of them does, too, in any
order and however they are grouped. For all d up to 2^24, L^2 < 2^53: each product, each partial
sum and each fused multiplication and addition is an integer that a double holds. Nothing is
rounded.

Places. A product is at most L^2 = 2^52 + 2^26 sqrt(d) + ..., so in steps of 2^31, which are 2^-21
of a cosine, it is at most 2^21 + sqrt(d) / 32 + 1: below 2^21 + 255, for all d up to 2^24. It is
rounded to the nearest step, and if two are as near, to the even one.

Errors. Rounded unit vectors differ from the true ones by at most sqrt(d) / 2 of 2^-26, so their
product does by at most sqrt(d) 2^-26 from the cosine, and the nearest step by 2^-22 more: less than
2^-21 = 4.8e-7 in up to 256 dimensions, whatever the vectors are. In random directions errors of
coordinates cancel, and all but 1e-8 of the error comes from the step.

Dot products. Vectors are divided by the length of the longest instead of their own, one for each
side; the rest is the same, in units of the product of both lengths.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.errors import OptionError, ScoreError
from llrcal.messages import Position, Setting
from llrcal.onepass.chunks import threads

Similarity = Literal["cosine", "dot"]

SCALE = 2.0**26
STEP = 2.0**-21
"""The distance between neighbouring scores, for vectors of unit length."""
PER_STEP = STEP**-1 / SCALE**2
"""Steps in one unit of a product of integers."""
ZERO = 2**21 + 256
"""The place of score zero."""
PLACES = 2 * ZERO
MOST_DIMENSIONS = 2**24
COARSE = 512
"""Places in one of a coarse table, whose middle is a multiple of 2^-12."""

_VALUES = 2**20  # coordinates that are worked on at a time


@dataclass(frozen=True)
class FixedPoint:
    """Embeddings as integers up to 2^26."""

    rows: Array
    """32-bit integers, one row for each embedding."""
    unit: float
    """The length of a vector that became one of length 2^26."""


def fixed_point(embeddings: Array, similarity: Similarity, name: str = "embeddings") -> FixedPoint:
    """Embeddings as integers.

    Raises
    ------
    ScoreError
        If they are no matrix of finite numbers; or, for cosines, one has no direction.
    """
    if similarity not in get_args(Similarity):
        known = " or ".join(f"{one!r}" for one in get_args(Similarity))
        raise OptionError(Setting("similarity"), f" is {similarity!r:.50}; give {known}")
    check_matrix(embeddings, name)
    rows = np.empty(embeddings.shape, np.int32)
    if similarity == "cosine":

        def normalise(start: int, end: int) -> None:
            scaled, length, _ = _lengths(embeddings, start, end, name)
            if not length.all():
                first = start + int((length == 0).argmax())
                raise ScoreError(
                    f"{name}: a vector of zeros has no direction, so cosines do not exist, at ",
                    Position("row", first),
                )
            rows[start:end] = np.rint(scaled / length[:, None] * SCALE)

        _in_parts(normalise, embeddings.shape)
        return FixedPoint(rows, 1.0)
    longest = _longest(embeddings, name)

    def divide(start: int, end: int) -> None:
        part = np.asarray(embeddings[start:end], np.float64)
        rows[start:end] = np.rint(part / longest * SCALE) if longest else 0

    _in_parts(divide, embeddings.shape)
    return FixedPoint(rows, longest or 1.0)


def check_matrix(embeddings: Array, name: str) -> None:
    """Refuse what is no matrix of numbers."""
    if embeddings.ndim != 2 or embeddings.dtype.kind not in "fiu":
        raise ScoreError(
            f"{name}: an array of shape {embeddings.shape} and type {embeddings.dtype}; pass a "
            "matrix of numbers with one embedding in each row"
        )
    count, dimensions = embeddings.shape
    if not count:
        raise ScoreError(f"{name}: there are none")
    if not 1 <= dimensions <= MOST_DIMENSIONS:
        raise ScoreError(f"{name}: they have {dimensions:,} dimensions; pass 1 to 2^24")


def _lengths(embeddings: Array, start: int, end: int, name: str) -> tuple[Floats, Floats, Array]:
    """Rows divided by a power of two so that squares are safe, their lengths, and the powers."""
    part = np.ascontiguousarray(embeddings[start:end], np.float64)
    greatest = np.abs(part).max(axis=1)
    if not np.isfinite(greatest).all():
        first = start + int((~np.isfinite(greatest)).argmax())
        wrong = "NaN" if np.isnan(greatest[first - start]) else "infinite"
        raise ScoreError(f"{name}: a value is {wrong} at ", Position("row", first))
    power = np.frexp(greatest)[1]
    scaled = np.ldexp(part, -power[:, None])
    return scaled, np.sqrt((scaled * scaled).sum(axis=1)), power


def _longest(embeddings: Array, name: str) -> float:
    """The length of the longest vector."""

    def longest(start: int, end: int) -> float:
        _, length, power = _lengths(embeddings, start, end, name)
        with np.errstate(over="ignore"):
            return float(np.ldexp(length, power).max())

    found = max(_in_parts(longest, embeddings.shape))
    if found > 2.0**510 or 0 < found < 2.0**-480:
        raise ScoreError(
            f"{name}: the longest vector has length {found:.3g}, and dot products of such vectors "
            "do not fit into doubles; scale them"
        )
    return found


def _in_parts(work: Callable[[int, int], float | None], shape: tuple[int, ...]) -> list[float]:
    """The work on some rows at a time; of errors, the first is raised."""
    size = max(_VALUES // shape[1], 1)
    starts = range(0, shape[0], size)
    with ThreadPoolExecutor(threads()) as pool:
        found = pool.map(lambda start: work(start, min(start + size, shape[0])), starts)
        return [one or 0.0 for one in found]
