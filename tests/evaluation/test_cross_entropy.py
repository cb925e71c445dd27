"""Empirical cross-entropy, against forty digits, and compressed against LLR by LLR."""

from __future__ import annotations

import math
from collections.abc import Iterable

import mpmath
import numpy as np
import pytest
from hypothesis import given

from llrcal import evaluate, optimal_llrs
from llrcal.arrays import Floats
from llrcal.evaluation.costs import WeightedLLRs, cross_entropy
from llrcal.onepass.summary import EXACT_UP_TO, Summary
from tests.trial_sets import ANY, Sets, normal

# Random sets may well run the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")

PRIORS = [-9.0, -2.5, -0.25, 0.0, 1.0, 6.5]


def by_definition(tar: Iterable[float], non: Iterable[float], x: float) -> float:
    """Bits, at forty digits."""
    with mpmath.workdps(40):
        p = 1 / (1 + mpmath.exp(-mpmath.mpf(x)))

        def mean_cost(llrs: Iterable[float], sign: int) -> mpmath.mpf:
            costs = [mpmath.log1p(mpmath.exp(sign * (mpmath.mpf(llr) + x))) for llr in llrs]
            return mpmath.fsum(costs) / len(costs) / mpmath.log(2)

        return float(p * mean_cost(tar, -1) + (1 - p) * mean_cost(non, 1))


def llr_by_llr(tar: Floats, non: Floats, x: float) -> float:
    p = 1 / (1 + math.exp(-x))
    costs = np.logaddexp(0, -(tar + x)).mean(), np.logaddexp(0, non + x).mean()
    return float(p * costs[0] + (1 - p) * costs[1]) / math.log(2)


@given(sets=ANY)
def test_a_few_llrs(sets: Sets) -> None:
    expected = [by_definition(*sets, x) for x in PRIORS]
    np.testing.assert_allclose(evaluate(*sets).cross_entropy(PRIORS), expected, rtol=1e-12)


@given(sets=ANY)
def test_the_minimum_is_that_of_the_optimal_llrs(sets: Sets) -> None:
    best = optimal_llrs(*sets)
    expected = [by_definition(best[0].tolist(), best[1].tolist(), x) for x in PRIORS]
    ev = evaluate(*sets)
    np.testing.assert_allclose(ev.min_cross_entropy(PRIORS), expected, rtol=1e-12, atol=1e-15)
    assert (ev.min_cross_entropy(PRIORS) <= ev.cross_entropy(PRIORS) * (1 + 1e-12)).all()


def test_many_llrs_are_compressed_without_a_visible_loss() -> None:
    tar, non = normal(EXACT_UP_TO + 1, 3, 2.5), normal(8 * EXACT_UP_TO, -3, 2)
    expected = [llr_by_llr(tar, non, x) for x in PRIORS]
    np.testing.assert_allclose(evaluate(tar, non).cross_entropy(PRIORS), expected, rtol=1e-10)


def test_infinite_llrs_among_many() -> None:
    tar = np.append(normal(2 * EXACT_UP_TO, 3, 2.5), np.full(1000, np.inf))
    non = np.append(normal(2 * EXACT_UP_TO, -3, 2), np.full(500, -np.inf))
    expected = [llr_by_llr(tar, non, x) for x in PRIORS]
    np.testing.assert_allclose(evaluate(tar, non).cross_entropy(PRIORS), expected, rtol=1e-10)
    wrong = evaluate(np.append(tar, -np.inf), non)
    assert wrong.cross_entropy([PRIORS]).tolist() == [[math.inf] * len(PRIORS)]
    assert np.isfinite(wrong.min_cross_entropy(PRIORS)).all()
    assert evaluate(tar, np.append(non, np.inf)).cross_entropy(0.5) == math.inf


@pytest.mark.parametrize(("finite", "infinite"), [(750, 0), (750, 250), (0, 3)])
def test_a_summary_of_the_finite_llrs_says_the_same_as_all_of_them(
    finite: int, infinite: int
) -> None:
    """With infinite ones on the right side, which cost nothing and take part in the mean."""
    llrs = normal(finite, 2, 1.5)
    tar = WeightedLLRs.summarised(Summary.of(llrs), finite + infinite, wrong=False)
    non = WeightedLLRs.of(np.array([-1.0, 0.5]), wrong=np.inf)
    ev = evaluate(np.append(llrs, np.full(infinite, np.inf)), [-1.0, 0.5])
    x = np.array(PRIORS)
    np.testing.assert_allclose(cross_entropy(tar, non, x), ev.cross_entropy(x), rtol=1e-10)
    wrong = WeightedLLRs.summarised(Summary.of(llrs), finite + infinite, wrong=True)
    assert np.isposinf(cross_entropy(wrong, non, x)).all()


def test_llrs_too_far_apart_for_a_grid() -> None:
    tar, non = np.append(normal(2 * EXACT_UP_TO, 3, 1), -1e300), normal(50, -3, 1)
    expected = [llr_by_llr(tar, non, x) for x in PRIORS]
    np.testing.assert_allclose(evaluate(tar, non).cross_entropy(PRIORS), expected, rtol=1e-12)


def test_the_ranges_of_both_classes() -> None:
    ev = evaluate([math.inf, 2.0, -1.0], [0.5, -math.inf, 0.25])
    assert (ev.tar_range, ev.non_range) == ((-1.0, 2.0), (0.25, 0.5))
    nothing = evaluate([math.inf], [-math.inf, -math.inf])
    assert np.isnan([*nothing.tar_range, *nothing.non_range]).all()
