"""Products counted in C, and by NumPy: the same counts, at the ends of the range as well."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal import kernels
from llrcal.arrays import Floats
from llrcal.pairing import tally
from llrcal.pairing.fixed_point import PER_STEP, PLACES, ZERO, fixed_point
from tests.examples import examples

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="there are no compiled passes")

TIE = 2.0**30
STEPS = (0.0, -0.0, TIE, -TIE, 3 * TIE, TIE - 1, TIE + 1, 2.0**52, -(2.0**52), 2.0**52 + 2.0**38)


def by_numpy(products: Floats, upper: int) -> dict[int, int]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally, "kernels_for_doubles", lambda: None)
        return counted(products, upper)


def counted(products: Floats, upper: int) -> dict[int, int]:
    table = np.zeros(PLACES, np.uint32)
    tally.tally_products(products, upper, table)
    return {int(place): int(table[place]) for place in np.flatnonzero(table)}


@examples(30)
@given(st.data())
def test_the_same_counts(data: st.DataObject) -> None:
    shape = data.draw(st.tuples(*[st.integers(1, 6)] * 3))
    some = st.one_of(st.sampled_from(STEPS), st.integers(-(2**52), 2**52).map(float))
    size = int(np.prod(shape))
    products = np.array(data.draw(st.lists(some, min_size=size, max_size=size))).reshape(shape)
    upper = data.draw(st.integers(-1, 4))
    assert counted(products, upper) == by_numpy(products, upper)


def test_ties_go_to_even_steps() -> None:
    products = np.array([[[TIE, 3 * TIE, 5 * TIE, -TIE, -3 * TIE, TIE + 1]]])
    want = {ZERO: 2, ZERO + 2: 2, ZERO - 2: 1, ZERO + 1: 1}
    assert counted(products, -1) == by_numpy(products, -1) == want


def test_what_is_beyond_the_table_writes_nowhere_else() -> None:
    products = np.array([[[np.nan, np.inf, -np.inf, 1e300, -1e300, 2.0**60]]])
    assert sum(counted(products, -1).values()) == 6


@pytest.mark.parametrize(
    "wrong", [(0, 2), (2, 0), (-1, 2), (2**40, 2)], ids=["rows", "cols", "negative", "large"]
)
def test_sizes_are_checked(wrong: tuple[int, int]) -> None:
    assert kernels.compiled is not None
    with pytest.raises(ValueError, match="negative"):
        kernels.compiled.count_products(
            np.zeros(4), *wrong, -1, PER_STEP, ZERO, np.zeros(PLACES, np.uint32)
        )
    with pytest.raises(ValueError, match="items"):
        kernels.compiled.count_products(
            np.zeros(4, np.float32), 2, 2, -1, PER_STEP, ZERO, np.zeros(PLACES, np.uint32)
        )


def test_the_longest_vectors_stay_within_the_table() -> None:
    """Where all coordinates are rounded up, or down, lengths are as far from one as they can be."""
    for dimensions in (1, 3, 192, 256, 2000, 2**16):
        vectors = np.full((2, dimensions), 1.0)
        vectors[1] *= -1
        rows = fixed_point(vectors, "cosine").rows.astype(np.int64)
        for i, j, want in ((0, 0, 1.0), (0, 1, -1.0)):
            product = int(rows[i] @ rows[j])
            assert abs(product) < 2**53
            step = round(product / 2**31)
            assert 0 <= step + ZERO < PLACES
            assert abs(step * 2.0**-21 - want) <= 2.0**-22 + 2.0**-26 * np.sqrt(dimensions)
