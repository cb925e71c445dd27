"""A change of unit or origin of the scores changes no LLR."""

from __future__ import annotations

import numpy as np
import pytest

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.bounds import Policy

pytestmark = pytest.mark.slow

SETS: dict[str, tuple[Floats, Floats]] = {}
_rng = np.random.default_rng(0)
SETS["gaussian"] = (_rng.normal(2, 1.2, 300), _rng.normal(-1, 1, 3000))
SETS["heavy"] = (_rng.standard_t(4, 400) + 3, _rng.standard_t(3, 40_000))
SETS["cosine"] = (_rng.beta(8, 3, 1000), _rng.beta(2, 6, 30_000))

# The support of one density, or of both, ends among the scores of the other class: there LLRs are
# in the order of -1e11, and what rounding makes of them grows with the shift.
ONE_SIDED: dict[str, tuple[Floats, Floats]] = {
    "targets": (_rng.gamma(2, 1, 500) + 2, _rng.normal(0, 1, 5000)),
    "both": (_rng.gamma(3, 1, 1000) + 1, 2 - _rng.gamma(2, 1, 5000)),
}


def largest_change(name: str, a: float, shift_in_sds: float) -> dict[str, float]:
    return largest_changes(*SETS[name], a, shift_in_sds)


def largest_changes(
    tar: Floats, non: Floats, a: float, shift_in_sds: float, bounds: Policy = "range"
) -> dict[str, float]:
    grid = np.concatenate([tar, non[:2000]])
    shift = shift_in_sds * np.concatenate([tar, non]).std()

    def moved(x: Floats) -> Floats:
        return np.asarray(a * (x + shift))

    methods = ("smooth", *llrcal.PAPER)
    before = llrcal.fit_all(tar, non, methods=methods, bounds=bounds)
    after = llrcal.fit_all(moved(tar), moved(non), methods=methods, bounds=bounds)
    changes = {}
    for label, calibration in before.items():
        old, new = calibration(grid), after[label](moved(grid))
        changes[label] = float(np.max(np.abs(new - old) / np.maximum(1, np.abs(old))))
    return changes


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("a", [1e-9, 0.37, 1e9])
def test_scale(name: str, a: float) -> None:
    assert max(largest_change(name, a, 0.0).values()) < 1e-8


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("shift", [1e3, -1e6])
def test_shift(name: str, shift: float) -> None:
    assert max(largest_change(name, 7.0, shift).values()) < 1e-8


@pytest.mark.parametrize("name", ONE_SIDED)
@pytest.mark.parametrize("shift", [1e3, -1e6])
def test_shift_of_one_sided_scores_within_what_counts_support(name: str, shift: float) -> None:
    tar, non = ONE_SIDED[name]
    plain = llrcal.fit(tar, non, method="nig", bounds="range", rising=False)
    assert plain.llr_range[0] < -1e6
    assert (
        max(largest_changes(tar, non, 7.0, shift, "counts").values()) < 1e-7
    )  # the last bits of shifted scores
