"""Scores that run the wrong way, and lines that a few of them decide."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.direction import INVERTED
from llrcal.calibrations.training import ArrayTraining
from tests.trial_sets import normal

pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")

TAR, NON = normal(300, 2, 1.2), normal(3000, -1, 1)
LINES = ("linear-gaussian", "logistic")


def z_by_pairs(tar: Floats, non: Floats) -> float:
    """Mann and Whitney's z, pair by pair."""
    won = sum((t > n) + 0.5 * (t == n) for t, n in product(tar, non)) / (len(tar) * len(non))
    error = ((len(tar) + len(non) + 1) / (12 * len(tar) * len(non))) ** 0.5
    return float((won - 0.5) / error)


@pytest.mark.parametrize("summarised", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_the_order_is_that_of_all_pairs(seed: int, summarised: bool) -> None:
    rng = np.random.default_rng(seed)
    tar, non = rng.integers(0, 9, 17) / 4, rng.integers(0, 9, 23) / 4
    data = ArrayTraining(tar, non)
    if summarised:
        assert data.tar.count + data.non.count == 40
    assert data.order == pytest.approx(z_by_pairs(tar, non), rel=1e-12)


@pytest.mark.parametrize("method", llrcal.METHODS)
def test_every_method_notes_scores_that_run_the_wrong_way(method: str) -> None:
    assert INVERTED in llrcal.fit(-TAR, -NON, method=method).report.notes
    assert INVERTED not in llrcal.fit(TAR, NON, method=method).report.notes


@pytest.mark.parametrize("method", LINES)
@pytest.mark.parametrize("sign", [1, -1])
def test_one_score_that_turns_the_line_around(method: str, sign: int) -> None:
    calibration = llrcal.fit(sign * np.append(TAR, -1e6), sign * NON, method=method)
    assert sign * calibration.params["slope"] < 0
    notes = " ".join(calibration.report.notes)
    assert INVERTED not in notes
    how = "negative although most targets score better" if sign > 0 else "positive although"
    assert how in notes
    assert ("-1e+06" if sign > 0 else "1e+06") in notes


def test_scores_that_tell_nothing_are_not_talked_about() -> None:
    same = normal(1000, 0, 1)
    for method in ("pav", "gaussian"):
        assert INVERTED not in llrcal.fit(same - 0.01, same, method=method).report.notes


def test_too_few_scores_for_ranks_to_tell() -> None:
    assert INVERTED not in llrcal.fit([0.0, 1.0], [2.0, 3.0], method="gaussian").report.notes
    assert INVERTED in llrcal.fit([0.0, 1.0], [0.5, 3.0], method="logistic").report.notes
