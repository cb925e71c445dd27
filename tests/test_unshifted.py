"""The yardstick of the studies in docs/studies/evidence.md, against a plain evaluation."""

from __future__ import annotations

import numpy as np
import pytest
from studies.few_smooth import best_per_draw, best_per_set, means
from studies.one_for_all import table
from studies.unshifted import Judge

import llrcal
from llrcal.method_table import MethodName

RNG = np.random.default_rng(5)
TEST = RNG.normal(2, 1, 700).round(1), RNG.normal(-1, 1.5, 3_000).round(1)


@pytest.mark.parametrize("method", llrcal.METHODS)
def test_the_excess_is_that_of_an_evaluation(method: MethodName) -> None:
    calibration = llrcal.fit(TEST[0][::2], TEST[1][::2], method=method)
    judge = Judge.of(TEST)
    raw = llrcal.evaluate(*TEST)
    ev = llrcal.evaluate(*map(calibration, TEST))
    x = np.linspace(*raw.rule_of_30, len(judge.x))
    expected = 100 * (ev.bayes_error(x).mean() / raw.min_bayes_error(x).mean() - 1)
    assert judge.by_rule_of_30
    assert judge.excess(calibration) == pytest.approx(expected, rel=1e-9)


def test_without_thirty_errors_the_range_is_fixed() -> None:
    judge = Judge.of((TEST[0][:20], TEST[1][:20]))
    assert not judge.by_rule_of_30
    assert (judge.x[0], judge.x[-1]) == (-5, 3)


def test_the_hindsight_best_never_is_smooth() -> None:
    rows = {
        "one": {"pav": [1.0, 5.0], "nig": [4.0, 3.0], "smooth": [0.0, 0.0]},
        "two": {"pav": [2.0, 2.0], "nig": [9.0, 9.0], "smooth": [1.0, 1.0]},
    }
    assert means(rows) == {"pav": 2.5, "nig": 6.25, "smooth": 0.5}
    assert best_per_set(rows) == (3.0 + 2.0) / 2
    assert best_per_draw(rows) == (2.0 + 2.0) / 2
    lines = table({"one": {"pav": 1.5, "smooth": 1.0}, "voxceleb1 plda": {"pav": 3, "smooth": 2}})
    assert "| one | 1.50 (pav) | 1.00 | 1.50 |" in lines
    assert "| voxceleb1 plda* | 3.00 (pav) | 2.00 | 3.00 |" in lines
    assert "| **mean of all** | 2.25 | 1.50 | 2.25 |" in lines
