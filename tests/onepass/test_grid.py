"""Bins found from the bits of a double."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal.onepass.grid import PLACE_BITS, Grid, Sample

GRIDS = [Grid(0.0, 1.0), Grid(3.0, 0.25, bin_bits=14, octaves=8), Grid(-64.0, 64.0, bin_bits=4)]
near = st.floats(-50, 50)


@pytest.mark.parametrize("grid", GRIDS)
@given(a=st.floats(allow_nan=False), b=st.floats(allow_nan=False))
def test_numbers_rise_with_the_score(grid: Grid, a: float, b: float) -> None:
    low, high = grid.number(np.array(sorted([a, b])))
    assert 0 <= low <= high < grid.size


@pytest.mark.parametrize("grid", GRIDS)
@given(x=near)
def test_places_are_rounded_to_the_nearest(grid: Grid, x: float) -> None:
    number, place = grid.number_and_place(np.array([x]))
    edge, width = grid.bins(number)
    y = (x - grid.origin) / grid.unit
    error = edge[0] + place[0] * 2.0**-PLACE_BITS * width[0] - y
    assert abs(error) <= 0.5 * 2.0**-PLACE_BITS * abs(width[0]) + 1e-15 * max(1, abs(y))


def test_scores_beyond_the_grid_go_to_its_ends() -> None:
    grid = Grid(0.0, 1.0, bin_bits=3, octaves=2)
    assert grid.reach == pytest.approx(3, rel=1e-12)
    numbers = grid.number(np.array([-np.inf, -1e300, -3.0, 2.99, 3.0, np.inf]))
    assert numbers.tolist() == [0, 0, 0, grid.size - 1, grid.size - 1, grid.size - 1]


@given(st.lists(st.floats(width=32) | st.sampled_from([0.0, -0.0, 1.5, 2.0**-9]), max_size=30))
def test_few_scores_are_their_own_sample(scores: list[float]) -> None:
    with np.errstate(all="ignore"):
        array = np.array(scores)
        assert Grid.of(array) == Grid.of_sample(Sample.of(array))


def test_the_sample_hardly_matters() -> None:
    scores = np.random.default_rng(0).normal(5.3, 1.5, 100_000)
    assert len({Grid.of(part) for part in np.split(scores, 10)}) == 1


@pytest.mark.parametrize(
    "scores", [[np.inf, -np.inf], [], [np.inf, 1.0, 2.0, -np.inf], [1e-310, 2e-310, 3e-310]]
)
def test_odd_scores_have_a_grid(scores: list[float]) -> None:
    grid = Grid.of(np.array(scores))
    assert np.isfinite(grid.origin)
    assert 0 < grid.unit < np.inf
