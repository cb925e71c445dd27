"""The one rule for scores that run the wrong way: ranks, pair by pair."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given

from llrcal.arrays import Floats
from llrcal.calibrations.training import Training
from llrcal.evaluation.llrs import ArrayLLRs
from llrcal.onepass.rank_scale import runs_backwards, runs_forwards
from tests.trial_sets import FEW_VALUES, Sets, classes, normal


def z_by_pairs(tar: Floats, non: Floats) -> float:
    """Mann and Whitney's z, pair by pair."""
    won = sum((t > n) + 0.5 * (t == n) for t, n in product(tar, non)) / (len(tar) * len(non))
    error = ((len(tar) + len(non) + 1) / (12 * len(tar) * len(non))) ** 0.5
    return float((won - 0.5) / error)


@given(sets=classes(FEW_VALUES))
def test_the_order_is_that_of_all_pairs(sets: Sets) -> None:
    tar, non = map(np.array, sets)
    expected = pytest.approx(z_by_pairs(tar, non), rel=1e-9, abs=1e-9)
    assert ArrayLLRs(tar, non).mann_whitney_z == expected
    for summarised in (True, False):
        assert Training.of(tar, non, summarised=summarised).mann_whitney_z == expected


def test_chance_is_not_taken_for_a_direction() -> None:
    same = normal(1000, 0, 1)
    z = ArrayLLRs(same - 0.01, same).mann_whitney_z
    assert not runs_backwards(z)
    assert not runs_forwards(z)


def test_a_clear_order_is_seen_either_way() -> None:
    tar, non = normal(30, 1, 1), normal(100, 0, 1)
    assert runs_forwards(ArrayLLRs(tar, non).mann_whitney_z)
    assert runs_backwards(ArrayLLRs(-tar, -non).mann_whitney_z)


def test_no_score_weighs_more_than_another() -> None:
    tar, non = normal(30, 1, 1), normal(100, 0, 1)
    near, far = (ArrayLLRs(np.append(tar, end), non).mann_whitney_z for end in (-9.0, -1e300))
    assert near == far
