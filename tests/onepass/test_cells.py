"""Cells of scores: they rise, and keep what they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from llrcal.arrays import Floats
from llrcal.onepass.cells import CELLS, Cells
from llrcal.onepass.summary import Summary
from tests.trial_sets import normal

RNG = np.random.default_rng(0)
SETS: dict[str, Floats] = {
    "few": normal(1000, 2.0, 1.3),
    "points of bins": normal(300_000, -1.0, 0.7),
    "half of them equal": np.append(np.full(200_000, 0.3), normal(200_000, 0.0, 1.0)),
    "heavy tails": RNG.standard_cauchy(50_000),
    "far away": 1e9 + 1e-3 * normal(5000, 0.0, 1.0),
    "neighbouring doubles": np.arange(2.0**52, 2.0**52 + 1000) * 2.0**-52,
    "huge": normal(1000, 0.0, 1e300),
    "near the largest": np.append(1e301 * normal(999, 0.0, 1.0), np.finfo(float).max),
}
EVERY_SET = pytest.mark.parametrize("name", SETS)


@EVERY_SET
@pytest.mark.parametrize("cells", [1, 7, 100, CELLS])
def test_number_and_mean_are_kept(name: str, cells: int) -> None:
    scores = SETS[name]
    found = Cells.of(Summary.of(scores), cells=cells)
    assert len(found.values) == len(found.counts) <= cells
    assert found.count == len(scores)
    assert np.all(found.values[1:] > found.values[:-1])
    assert np.all(found.counts >= 0.5)
    least, greatest = Summary.of(scores).in_order()[0][[0, -1]]
    assert least <= found.values[0] <= found.values[-1] <= greatest
    middle, unit = float(np.median(scores)), float(np.percentile(np.abs(scores), 75)) or 1.0
    mean = ((scores - middle) / unit).sum() / len(scores)
    seen = found.seen_from(middle, unit)
    near = 1e-9 * (1 + np.abs((scores - middle) / unit).max())
    assert (seen.values @ seen.counts) / seen.count == pytest.approx(mean, abs=near)


def test_few_distinct_scores_stay_one_by_one() -> None:
    values, counts = np.array([-2.0, 0.5, 0.75, 9.0]), np.array([3, 1, 2, 5])
    found = Cells.of(Summary.of(np.repeat(values, counts)), cells=4)
    assert (found.values.tolist(), found.counts.tolist()) == (values.tolist(), counts.tolist())
    many = Cells.of(Summary.of(np.repeat(values, 100_000 * counts)), cells=4)  # in bins
    assert many.values == pytest.approx(values, abs=1e-9)
    assert many.counts.tolist() == (100_000 * counts).tolist()


def test_cells_are_narrow_in_both_tails() -> None:
    found = Cells.of(Summary.of(normal(200_000, 0.0, 1.0)), cells=100)
    assert found.counts[0] <= 1
    assert found.counts[-1] <= 1
    assert found.counts.max() < 0.07 * found.count


@pytest.mark.parametrize("level", [1e-4, 0.01, 0.5, 0.99])
def test_quantiles(level: float) -> None:
    scores = SETS["points of bins"]
    found = Cells.of(Summary.of(scores)).quantile(level)
    assert found == pytest.approx(np.quantile(scores, level), abs=0.01)


def test_no_scores() -> None:
    assert Cells.empty().count == 0
