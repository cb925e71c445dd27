"""Tippett and ECE curves of the page: the numbers of ``evaluate``, where JSON has them."""

from __future__ import annotations

import math

import numpy as np

from llrcal.evaluation.evaluate import evaluate_quietly
from llrcal.report.evidence import POINTS, _llr_view, ece_data, tippett_data
from tests.report.comparisons import small


def test_tippett_covers_all_llrs() -> None:
    data = tippett_data(small())
    llrs = np.array(data["llrs"])
    assert len(llrs) == POINTS
    for i, candidate in enumerate(small().candidates.values()):
        tar, non = np.array(data["tar"][i]), np.array(data["non"][i])
        assert (tar[0], non[0], tar[-1], non[-1]) == (1, 1, 0, 0)
        assert (np.diff(tar) <= 0).all()
        assert (np.diff(non) <= 0).all()
        at = int(np.searchsorted(llrs, 0.0))
        assert tar[at] == float(f"{1 - candidate.evaluation.pmiss(float(llrs[at])):.6g}")


def test_ece_is_cllr_at_even_odds() -> None:
    data = ece_data(small())
    middle = POINTS // 2
    assert data["priorLogOdds"][middle] == 0
    for curve, candidate in zip(data["actual"], small().candidates.values(), strict=True):
        assert math.isclose(curve[middle], candidate.evaluation.cllr, rel_tol=1e-5)
    assert math.isclose(data["minimum"][middle], small().raw.min_cllr, rel_tol=1e-5)
    assert data["neutral"][middle] == 1
    assert max(data["neutral"]) == 1


def test_views_of_odd_llrs() -> None:
    def view(tar: list[float], non: list[float]) -> tuple[float, float]:
        return _llr_view([evaluate_quietly(tar, non)])

    assert view([math.inf], [-math.inf]) == (-1.0, 1.0)
    assert view([0.5], [0.5]) == (-0.5, 1.5)
    low, high = view([1e9], [-3.0])
    assert low < -3
    assert 30 < high < 32
