"""Estimates of what an adaptation found."""

from __future__ import annotations

import math
import sys

import pytest

from llrcal.adaptation.findings import estimate


def test_an_estimate_holds_its_value_and_most_draws() -> None:
    assert estimate([2.0, *range(101)]) == (2.0, 2.0, 98.0)


@pytest.mark.parametrize(("value", "draws"), [(math.inf, [1.0]), (0.0, [math.nan, math.nan])])
def test_what_is_not_finite_is_not_known(value: float, draws: list[float]) -> None:
    assert estimate([value, *draws]) == (0.0, -sys.float_info.max, sys.float_info.max)
