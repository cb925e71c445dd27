"""Sets on which formulas bend back, and what rising LLRs are asked there."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.arrays import Array, Floats
from llrcal.method_table import MethodName
from tests.trial_sets import normal

BENT = ("gaussian", "student-t", "nig")
LARGEST = float(np.finfo(np.float64).max)
_rng = np.random.default_rng(0)

SETS: dict[str, tuple[Array, Array]] = {
    "ordinary": (normal(150, 2.0, 1.2), normal(900, -1.0, 1.0)),
    "same mean, narrower targets": (normal(150, 0.0, 0.7), normal(600, 0.0, 2.0)),
    "same mean, wider targets": (normal(150, 0.0, 3.0), normal(600, 0.0, 1.0)),
    "reversed": (normal(150, -1.0, 1.0), normal(600, 1.0, 1.3)),
    "ties": (np.round(normal(150, 2.0, 1.0)), np.round(normal(600, 0.0, 2.0))),
    "separable": (normal(150, 60.0, 2.0), normal(600, 0.0, 1.0)),
    "separable, reversed": (normal(150, -60.0, 2.0), normal(600, 0.0, 1.0)),
    "heavy tails": (_rng.standard_t(1.5, 200) + 3, _rng.standard_t(2, 2000)),
    "skewed": (_rng.beta(8, 2, 200), _rng.gamma(2, 0.1, 900)),
    "far from zero": (1e9 + 1e-3 * normal(150, 1, 2), 1e9 + 1e-3 * normal(600, -1, 1)),
    "single precision": (
        normal(150, 1.0, 2.0).astype(np.float32),
        normal(600, -1.0, 1.0).astype(np.float32),
    ),
    "few": (np.array([0.5, 1.0, 4.0, 5.0, 3.5]), np.array([-1.0, 0.0, 0.7, 0.9, 0.1, -3.0])),
    "constant": (np.ones(3), np.ones(4)),
    "same": (normal(24, 0.0, 1.0), normal(24, 0.0, 1.0)),  # of more, they are refused
}
EVERY_SET = pytest.mark.parametrize("name", SETS)


EVERY_CASE = pytest.mark.parametrize(
    ("name", "method"),
    [
        (name, method)
        for name in SETS
        for method in llrcal.METHODS
        if name != "constant" or method in ("logistic", "pav")  # others refuse such scores
    ],
)


@cache
def fitted(
    name: str, method: MethodName, policy: Any = "counts", **options: Any
) -> llrcal.Calibration:
    return llrcal.fit(*SETS[name], method=method, bounds=policy, **options)


def formula_at(calibration: llrcal.Calibration, scores: Floats) -> Floats:
    """The formula within the training scores, if so bounded: neither held nor kept to counts."""
    formula = calibration.formula
    with np.errstate(over="ignore"):
        return formula.llrs(np.clip(scores, *calibration.bounds.reach) - formula.origin)


def own(calibration: llrcal.Calibration, scores: Floats) -> Floats:
    """Scores in the direction in which the calibration was trained."""
    return -scores if calibration.lower_is_better else scores


def neighbours(places: Floats, reach: int = 30) -> Floats:
    """Places, and as many doubles on either side of each."""
    below = above = places
    out = [places]
    for _ in range(reach):
        with np.errstate(over="ignore"):
            below, above = np.nextafter(below, -np.inf), np.nextafter(above, np.inf)
        out += [below, above]
    return np.concatenate(out)


def asked(calibration: llrcal.Calibration) -> Floats:
    """Rising scores of all kinds: infinite, far out, dense, and doubles around what is special."""
    low, high = calibration.bounds.lowest_score, calibration.bounds.highest_score
    meeting = calibration.bounds.eer_score
    assert meeting is not None
    curve = calibration.curve
    with np.errstate(over="ignore"):
        knots = curve.knots / curve.per_unit + curve.origin
    ends = [end for held in calibration.plateaus for end in (held.low, held.high)]
    at = np.concatenate(
        [[low, high, meeting], ends, own(calibration, knots[:: len(knots) // 40 + 1])]
    )
    at = at[np.isfinite(at)]
    with np.errstate(over="ignore"):
        span = max(high - low, 1e-12 * abs(high), 1e-12)
        far = [
            edge + side * span * 10.0**k for k in range(10) for edge, side in ((low, -1), (high, 1))
        ]
        scores = np.concatenate(
            [
                neighbours(at),
                np.linspace(low - span / 9, high + span / 9, 20_001),
                *(meeting + span * width * np.linspace(-1, 1, 501) for width in (1e-3, 1e-9)),
                far,
                [-math.inf, -LARGEST, -1e300, -1e80, -1e9, 1e9, 1e80, 1e300, LARGEST, math.inf],
            ]
        )
    return own(calibration, np.unique(scores))


def assert_rising(calibration: llrcal.Calibration) -> None:
    """No LLR is below that of a lower score, not even by its last digit."""
    scores = np.sort(asked(calibration))
    llrs = calibration.without_warnings(scores)
    if calibration.lower_is_better:
        llrs = llrs[::-1]
    assert not np.isnan(llrs).any()
    assert (llrs[1:] >= llrs[:-1]).all()
