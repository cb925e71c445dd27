"""How to read trials: one set of options, checked once, spelled as fields and as keywords."""

from __future__ import annotations

from typing import Any, get_type_hints

import pytest

from llrcal.errors import OptionError
from llrcal.trials.request import ReadKeywords, ReadOptions


def test_keywords_and_options_are_the_same() -> None:
    assert get_type_hints(ReadKeywords) == get_type_hints(ReadOptions)


CHOICES = {
    "header": "True, False",
    "separator": "tab, comma, semicolon, space",
    "decimal": "point, comma",
    "missing": "error, skip",
    "unknown": "error, skip",
    "duplicates": "error, first, all",
    "spoof": "error, omit, nontarget, only",
    "on_nan": "error, drop",
}


@pytest.mark.parametrize("value", ["Skip", [","], 1])
@pytest.mark.parametrize("name", CHOICES)
def test_choices_that_do_not_exist(name: str, value: object) -> None:
    with pytest.raises(OptionError) as caught:
        ReadOptions(**{name: value})  # type: ignore[arg-type]
    assert str(caught.value) == f"{name} cannot be {value!r}; choose {CHOICES[name]}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": "enrol,tset"}, "columns: there is no role 'tset'; choose from enrol, test"),
        ({"key_columns": "tset"}, "key_columns: there is no role 'tset'"),
        ({"columns": "score,score"}, "columns: the role score occurs twice"),
        ({"columns": "score=a,label"}, "mixes two ways of naming"),
        ({"columns": "score=a", "header": False}, "but the file has none: header=False"),
        ({"columns": 3}, "columns cannot be 3; give the roles in the order of the file"),
        ({"columns": {"score": 3}}, "columns cannot be {'score': 3}; give the roles"),
        ({"columns": {}}, "columns cannot be {}; give the roles"),
        ({"columns": ()}, r"columns cannot be \(\); give the roles"),
        ({"columns": ("score", None)}, "give the roles in the order of the file"),
        ({"key_columns": b"score"}, "key_columns cannot be b'score'; give the roles"),
        ({"convention": "kladi"}, "convention cannot be 'kladi'; choose kaldi, wespeaker"),
    ],
)
def test_options_that_do_not_exist(options: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ReadOptions(**options)
