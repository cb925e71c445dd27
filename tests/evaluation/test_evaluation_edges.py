"""Which way LLRs run, against all pairs of trials."""

from __future__ import annotations

import numpy as np
import pytest

from llrcal import evaluate


def share_of_pairs(tar: list[float], non: list[float]) -> float:
    """Pairs whose target has the higher LLR; ties are half a pair."""
    differences = np.subtract.outer(tar, non)
    return float((differences > 0).mean() + (differences == 0).mean() / 2)


@pytest.mark.parametrize(
    ("tar", "non", "backwards"),
    [
        ([1.0, 2.0], [0.0, -1.0, 0.5], False),
        ([0.0, -1.0], [1.0, 2.0, 0.5], True),
        ([0.0, 3.0], [1.0, 1.0, 1.0], False),  # as many pairs either way
        ([0.0, 0.0, 3.0], [1.0, 1.0], True),
        ([0.0, 3.0, 3.0], [1.0, 1.0], False),
        ([1.0, 1.0], [1.0], False),
        ([1.0, 0.0], [1.0], True),
    ],
)
def test_backwards_is_where_most_pairs_are_the_wrong_way(
    tar: list[float], non: list[float], backwards: bool
) -> None:
    assert evaluate(tar, non).runs_backwards is backwards
    assert (share_of_pairs(tar, non) < 0.5) is backwards
