"""How to read trials: one set of options, spelled once as fields and once as keywords."""

from __future__ import annotations

from typing import get_type_hints

from llrcal.trials.request import ReadKeywords, ReadOptions


def test_keywords_and_options_are_the_same() -> None:
    assert get_type_hints(ReadKeywords) == get_type_hints(ReadOptions)
