"""How the measures of an evaluation are written."""

from __future__ import annotations

import math

import pytest

from llrcal.evaluation.measures import Measure


@pytest.mark.parametrize(
    ("name", "value", "written"),
    [
        ("eer", 0.02608, "2.6080 %"),
        ("cllr", 0.02608, "0.0261"),
        ("", 1.5, "1.5000"),
        ("dev_pav", math.nan, "none"),
    ],
)
def test_shares_are_in_per_cent(name: str, value: float, written: str) -> None:
    measure = Measure(name, "words", value, (value, value))
    assert measure.is_share is (name == "eer")
    assert measure.written(value) == written
