"""Exact sums beside fractions of whole numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal.arrays import Array
from llrcal.onepass import chunks
from llrcal.onepass.chunks import fold_array
from llrcal.onepass.sums import ExactSum, SumFold
from tests.examples import examples

LEAST, LARGEST = 5e-324, float(np.finfo(np.float64).max)
# Both sides of what is cut into pieces rather than sorted by exponents.
EDGES = [0.0, LEAST, 2.0**-1022, 2.0**-47, np.nextafter(2.0**-46, 0), 2.0**-46, 1 / 3, 1.0]
EDGES += [np.nextafter(2.0**16, 0), 2.0**16, 2.0**53 + 2, 1e308, LARGEST]
NUMBERS = st.lists(
    st.sampled_from([float(edge) for edge in EDGES])
    | st.floats(0, 1e6)
    | st.floats(0, LARGEST, allow_subnormal=True)
    | st.floats(0, 1e-300, allow_subnormal=True),
    max_size=40,
)


def fraction(values: Iterable[float]) -> Fraction:
    return sum(map(Fraction, values), Fraction(0))


def total(found: ExactSum) -> Fraction:
    return Fraction(found.total, 2**1074)


def is_nearest(mean: float, exact: Fraction) -> bool:
    """Whether no double lies nearer."""
    error = abs(Fraction(mean) - exact)
    beside = [math.nextafter(mean, way) for way in (-math.inf, math.inf)]
    return all(math.isinf(b) or error <= abs(Fraction(b) - exact) for b in beside)


@examples(200)
@given(NUMBERS)
def test_the_sum_is_exact_and_the_mean_the_nearest_double(values: list[float]) -> None:
    found = fold_array(SumFold, np.array(values))
    assert found.count == len(values)
    assert total(found) == fraction(values)
    assert not found.infinite
    if values:
        assert is_nearest(found.mean, fraction(values) / len(values))


@given(NUMBERS, st.lists(st.integers(0, 40), max_size=4), st.randoms(use_true_random=False))
def test_neither_order_nor_parts_matter(
    values: list[float], cuts: list[int], random: Random
) -> None:
    mixed = np.array(random.sample(values, len(values)))
    parts = [fold_array(SumFold, part) for part in np.split(mixed, sorted(cuts))]
    while len(parts) > 1:
        one = parts.pop(random.randrange(len(parts)))
        other = parts.pop(random.randrange(len(parts)))
        parts.append(one.merge(other))
    assert parts[0] == fold_array(SumFold, np.array(values))


@pytest.mark.parametrize(
    "value", [1 / 3, 2.0**-46, np.nextafter(2.0**16, 0), 1e-5, LEAST, LARGEST, 2.0**-1022 * 1.5]
)
def test_many_equal_numbers(value: float) -> None:
    """The worst there is for sums that are held in doubles: all bits set, all of one size."""
    worst = np.nextafter(value, 0) or value
    count = 3 * 2**15 + 1
    for number in (value, worst):
        found = fold_array(SumFold, np.full(count, number))
        assert total(found) == Fraction(float(number)) * count
        assert found.mean == number


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_threads(threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_WORTH_A_THREAD", "CHUNK"):
        monkeypatch.setattr(chunks, name, 2**11)
    monkeypatch.setenv("LLRCAL_THREADS", threads)
    values = np.random.default_rng(1).random(30_000)
    assert total(fold_array(SumFold, values)) == fraction(values.tolist())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_widths(dtype: type[np.floating]) -> None:
    values: Array = np.array([0.1, 3.7, 1e-30, 7e10]).astype(dtype)
    assert total(fold_array(SumFold, values)) == fraction(values.astype(np.float64).tolist())


def test_infinity_wins() -> None:
    assert fold_array(SumFold, np.array([1.0, math.inf])).mean == math.inf
    finite, infinite = (fold_array(SumFold, np.array(some)) for some in ([1.0, 2.0], [math.inf]))
    merged = finite.merge(infinite)
    assert merged.mean == math.inf
    assert merged.count == 3


def test_the_mean_of_the_largest_numbers_is_finite() -> None:
    """Their sum would not be."""
    assert fold_array(SumFold, np.full(9, LARGEST)).mean == LARGEST
