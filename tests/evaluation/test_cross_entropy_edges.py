"""Cross-entropies that are infinite, and LLRs that are summarised elsewhere."""

from __future__ import annotations

import math

import numpy as np
import pytest

from llrcal import evaluate
from llrcal.evaluation.cross_entropy import WeightedLLRs
from llrcal.onepass.summary import Summary
from tests.trial_sets import normal


def test_an_infinite_answer_has_the_shape_of_the_question() -> None:
    for tar, non in (([-math.inf, 1.0], [0.0]), ([1.0], [math.inf, 0.0])):
        found = evaluate(tar, non)
        assert found.cross_entropy(0.5) == math.inf
        assert isinstance(found.cross_entropy(0.5), float)
        assert found.cross_entropy([[0.5, 1.0, 2.0]]).tolist() == [[math.inf] * 3]


@pytest.mark.parametrize("infinite", [0, 1, 250])
def test_a_summary_of_the_finite_llrs_says_the_same_as_all_of_them(infinite: int) -> None:
    """With infinite ones on the right side, which cost nothing and take part in the mean."""
    finite = normal(750, 2, 1.5)
    whole = WeightedLLRs.of(np.append(finite, np.full(infinite, np.inf)), wrong=-np.inf)
    summarised = WeightedLLRs.summarised(Summary.of(finite), 750 + infinite, wrong=False)
    assert not summarised.infinitely_wrong
    assert summarised.shares.sum() == pytest.approx(750 / (750 + infinite), rel=1e-14)
    for x in (-3.0, 0.0, 2.0):
        direct = float(np.logaddexp(0, -(finite + x)).sum()) / (750 + infinite) / math.log(2)
        assert summarised.mean_cost(x, -1.0) == pytest.approx(direct, rel=1e-10)
        assert whole.mean_cost(x, -1.0) == pytest.approx(direct, rel=1e-10)


def test_a_summary_may_be_of_wrong_llrs() -> None:
    wrong = WeightedLLRs.summarised(Summary.of(np.array([1.0, 2.0])), 3, wrong=True)
    assert wrong.infinitely_wrong
    assert wrong.mean_cost(0.0, -1.0) == math.inf


def test_llrs_of_which_none_is_finite_cost_nothing() -> None:
    nothing = WeightedLLRs.summarised(Summary.of(np.empty(0)), 3, wrong=False)
    assert len(nothing.values) == len(nothing.shares) == 0
    assert nothing.mean_cost(1.0, -1.0) == 0
