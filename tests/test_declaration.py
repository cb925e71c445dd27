"""What a declaration of a model file accepts, what it says of the rest, and what it writes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import jsonschema
import pytest

from llrcal.arrays import LARGEST
from llrcal.declaration import (
    ALWAYS,
    NotNegative,
    Positive,
    Rising,
    Share,
    Stored,
    Trials,
    Weight,
    field_error,
    from_json,
    schema,
    schema_of,
    signed,
    to_json,
)
from llrcal.errors import ModelFileError


class Pair(NamedTuple):
    one: float
    other: float


_PAIR = Pair(1.0, 2.0)


def even(number: int) -> int:
    if number % 2:
        raise ValueError("must be even")
    return number // 2


@dataclass(frozen=True)
class Inner:
    low: Annotated[float, "The lower end."]
    high: Annotated[float, "The upper end."]

    def check(self, where: str) -> None:
        if self.low > self.high:
            raise field_error(where, "high", "is below the low end")


@dataclass(frozen=True, kw_only=True)
class Outer:
    number: Annotated[float, "Any."] = 0.0
    positive: Annotated[Positive, "Above zero."] = 1.0
    not_negative: Annotated[NotNegative, "Zero or above."] = 1.0
    share: Annotated[Share, "From 0 to 1."] = 1.0
    count: Annotated[int, "From 0."] = 0
    trials: Annotated[Trials, "From 1."] = 1
    flag: Annotated[bool, "Yes or no."] = False
    text: Annotated[str, "A text."] = ""
    word: Annotated[Literal["a", "b"], "One of two."] = "a"
    weight: Weight = 0.5
    null: Annotated[float | None, ALWAYS, "May be null."] = None
    optional: Annotated[float | None, "May be left out, but not null."] = None
    names: Annotated[tuple[str, ...], schema(uniqueItems=True), "Different ones."] = ()
    rising: Annotated[Rising, "Knots."] = (0.0,)
    beside: Annotated[
        tuple[NotNegative, ...], schema(as_many_as="rising"), "Beside the knots."
    ] = ()
    some: Annotated[tuple[float, ...], schema(minItems=1, maxItems=3), "One to three."] = (1.0,)
    pair: Annotated[Pair, "Two."] = _PAIR
    half: Annotated[int, Stored("twice", int, even, lambda half: 2 * half), "Kept twice."] = 0
    inner: Annotated[Inner | None, "A section."] = None
    inners: Annotated[tuple[Inner, ...], "A list of sections."] = ()
    unsaved: int = 7


def read(**document: Any) -> Outer:
    found: Outer = from_json(Outer, {"null": None, **document}, "model.json")
    return found


def complaint(**document: Any) -> str:
    with pytest.raises(ModelFileError, match=r"^model\.json: ") as caught:
        read(**document)
    return str(caught.value).removeprefix("model.json: ")


KINDS: dict[str, Any] = {
    "an object": {},
    "a list": [],
    "text": "word",
    "true or false": True,
    "null": None,
    "a number": 1.5,
}
WISHES = {
    "number": "a number",
    "count": "a whole number",
    "flag": "true or false",
    "text": "text",
    "word": "text",
    "weight": "a number or text",
    "null": "a number or null",
    "optional": "a number",
    "rising": "a list",
    "pair": "a list",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", WISHES)
def test_a_field_of_another_kind(name: str, kind: str) -> None:
    if kind not in WISHES[name].split(" or ") and kind != WISHES[name]:
        words = f"field {name!r} must be {WISHES[name]}, not {kind}"
        assert complaint(**{name: KINDS[kind]}) == words


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("number", math.inf, "must be a finite number"),
        ("number", math.nan, "must be a finite number"),
        ("number", 10**400, "must be a finite number"),
        ("number", int(LARGEST) + 1, "must be a finite number"),
        ("positive", 0, "must be above 0, but is 0"),
        ("not_negative", -1, "must be at least 0, but is -1"),
        ("share", 1.5, "must be at most 1, but is 1.5"),
        ("count", -1, "must be at least 0, but is -1"),
        ("count", 2**53 + 1, f"must be at most {2**53}, but is {2**53 + 1}"),
        ("trials", 0, "must be at least 1, but is 0"),
        ("text", "\ud800", "must be text, without unpaired surrogates"),
        ("word", "c", "is 'c', not one of a, b"),
        ("weight", 0, "must be at least 1e-300, but is 0"),
        ("weight", "half", "is 'half', not one of empirical"),
        ("names", ["a", 1], "must be text, not a number"),
        ("names", ["a", "a"], "must not have the same name twice"),
        ("rising", [], "has 0 values; there must be at least 1"),
        ("rising", [1, "2"], "must be a number, not text"),
        ("rising", [1, 2, 2], "must be in strictly rising order"),
        ("some", [1] * 4, "has 4 values; there must be at most 3"),
        ("pair", [1], "has 1 values; there must be at least 2"),
        ("twice", 3, "must be even"),
    ],
)
def test_a_value_that_may_not_be(name: str, value: Any, words: str) -> None:
    assert complaint(**{name: value}) == f"field {name!r} {words}"


def test_lists_beside_each_other() -> None:
    assert read(rising=[1, 2], beside=[0, 1]).beside == (0.0, 1.0)
    words = "field 'beside' has 1 values; there must be 2"
    assert complaint(rising=[1, 2], beside=[0]) == words


def test_fields_that_are_missing_left_over_or_no_fields() -> None:
    with pytest.raises(ModelFileError, match=r"^model\.json: field 'null' is missing$"):
        from_json(Outer, {}, "model.json")
    with pytest.raises(ModelFileError, match=r"^model\.json: expected an object, found a list$"):
        from_json(Outer, [], "model.json")
    assert complaint(unsaved=1) == "field 'unsaved' is unknown"
    assert complaint(half=1) == "field 'half' is unknown"
    assert complaint(inner={"low": 1}) == "inner: field 'high' is missing"
    assert complaint(inner={"low": 2, "high": 1}) == "inner: field 'high' is below the low end"
    assert complaint(inners=[{"low": 1, "high": 2}, {}]) == "inners[1]: field 'low' is missing"
    assert complaint(inners=[1]) == "inners[0]: expected an object, found a number"


def test_a_long_name_is_cut() -> None:
    assert complaint(**{"x" * 80: 1}) == f"field '{'x' * 80}' is unknown"
    assert complaint(**{"x" * 81: 1}) == f"field '{'x' * 80}…' is unknown"
    assert len(complaint(count=10**400)) < 200


def test_what_is_written_is_read_as_it_was() -> None:
    document = {
        "number": LARGEST,
        "count": 2**53,
        "weight": "empirical",
        "null": 1.5,
        "names": ["a", "b"],
        "pair": [3.0, 4.0],
        "twice": 8,
        "inner": {"low": -5e-324, "high": 1.0},
        "inners": [{"low": 0.0, "high": 0.0}],
    }
    found = read(**document)
    assert found.half == 4
    assert found.pair == Pair(3.0, 4.0)
    assert found.inner == Inner(-5e-324, 1.0)
    assert found.unsaved == 7
    assert to_json(found) == document
    assert to_json(Outer()) == {"null": None}
    whole_numbers = read(number=1, some=[1, 2])
    assert isinstance(whole_numbers.number, float)
    assert all(isinstance(one, float) for one in whole_numbers.some)


def test_the_schema_says_the_same() -> None:
    described = schema_of(Outer)
    jsonschema.Draft202012Validator.check_schema(described)
    valid = jsonschema.Draft202012Validator(described).is_valid
    assert described["required"] == ["null"]
    assert described["properties"]["share"]["description"] == "From 0 to 1."
    assert "unsaved" not in described["properties"]
    assert valid({"null": None, "weight": "empirical", "inner": {"low": 1, "high": 2}})
    for wrong in (
        {},
        {"null": None, "optional": None},
        {"null": None, "weight": 1},
        {"null": None, "pair": [1]},
        {"null": None, "inner": {"low": 1}},
        {"null": None, "surprise": 1},
        {"null": None, "number": 10**400},
    ):
        assert not valid(wrong), wrong


def test_a_checksum_does_not_depend_on_the_order_of_fields() -> None:
    one = signed({"method": "pav", "version": 1, "bounds": {"low": 0.5, "high": 2.0}})
    other = signed({"bounds": {"high": 2.0, "low": 0.5}, "version": 1, "method": "pav"})
    assert one["checksum"] == other["checksum"]
    assert one["checksum"] != signed({**one, "version": 1.0})["checksum"]
