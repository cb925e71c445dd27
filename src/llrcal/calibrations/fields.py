"""Reading the fields of a model file: every field is checked, and unknown fields are refused."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeVar

from llrcal.arrays import LARGEST
from llrcal.errors import ModelFileError

_Read = TypeVar("_Read")
_LARGEST_COUNT = 2**53  # other JSON readers lose the last digits of larger numbers
_QUOTED = 80  # characters of a text that an error message quotes
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")


class Fields:
    """A JSON object whose fields are read by name and kind.

    Every error names the file and the field. The published schema, docs/model.schema.json, is
    tested to accept the same values.
    """

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise ModelFileError(f"{where}: expected an object, found {_kind(value)}")
        self._left = dict(value)
        self._where = where

    def error(self, name: str, problem: str) -> ModelFileError:
        return ModelFileError(f"{self._where}: field {quoted(name)} {problem}")

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def take(self, name: str) -> Any:
        if name not in self._left:
            raise self.error(name, "is missing")
        return self._left.pop(name)

    def section(self, name: str) -> Fields:
        return Fields(self.take(name), f"{self._where}: {name}")

    def optional(self, name: str, read: Callable[[Fields], _Read]) -> _Read | None:
        """What a section holds; None if it is not there."""
        return read(self.section(name)) if name in self else None

    def sections(self, name: str) -> list[Fields]:
        """A list of objects."""
        value = self.take(name)
        if not isinstance(value, list):
            raise self.error(name, f"must be a list of objects, not {_kind(value)}")
        return [Fields(one, f"{self._where}: {name}[{i}]") for i, one in enumerate(value)]

    def text(self, name: str) -> str:
        return self._text(name, self.take(name), "must be text")

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.take(name)
        if not isinstance(value, list):
            raise self.error(name, f"must be a list of texts, not {_kind(value)}")
        return tuple(self._text(name, item, "must be a list of texts") for item in value)

    def flag(self, name: str) -> bool:
        value = self.take(name)
        if not isinstance(value, bool):
            raise self.error(name, f"must be true or false, not {_kind(value)}")
        return value

    def number(self, name: str) -> float:
        return self._finite(name, self.take(name))

    def number_or_null(self, name: str) -> float | None:
        value = self.take(name)
        return None if value is None else self._finite(name, value)

    def positive(self, name: str) -> float:
        value = self.number(name)
        if value <= 0:
            raise self.error(name, f"must be positive, not {value}")
        return value

    def not_negative(self, name: str) -> float:
        value = self.number(name)
        if value < 0:
            raise self.error(name, f"must not be negative, but is {value}")
        return value

    def not_positive(self, name: str) -> float:
        value = self.number(name)
        if value > 0:
            raise self.error(name, f"must not be positive, but is {value}")
        return value

    def between(self, name: str, low: float, high: float) -> float:
        value = self.number(name)
        if not low <= value <= high:
            raise self.error(name, f"must lie between {low:g} and {high:g}, but is {value}")
        return value

    def count(self, name: str, *, least: int = 0) -> int:
        value = self.take(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.error(name, f"must be a whole number, not {_kind(value)}")
        if not least <= value <= _LARGEST_COUNT:
            raise self.error(name, f"must be a whole number from {least} to 2^53, not {value}")
        return value

    def rising(self, name: str) -> tuple[float, ...]:
        """A list of at least one number, in strictly rising order."""
        numbers = self._numbers(name, "numbers", least=1)
        if any(before >= after for before, after in pairwise(numbers)):
            raise self.error(name, "must be in strictly rising order")
        return numbers

    def not_negatives(self, name: str, count: int) -> tuple[float, ...]:
        """A list of so many numbers that are not negative."""
        numbers = self._numbers(name, f"{count} numbers")
        if len(numbers) != count:
            raise self.error(name, f"has {len(numbers)} values; there must be {count}")
        if min(numbers) < 0:
            raise self.error(name, "must not have negative numbers")
        return numbers

    def positives(self, name: str, *, most: int) -> tuple[float, ...]:
        """A list of at least one positive number, and not of more than so many."""
        numbers = self._numbers(name, f"1 to {most} numbers", least=1, most=most)
        if min(numbers) <= 0:
            raise self.error(name, "must have positive numbers only")
        return numbers

    def numbers(
        self, name: str, count: int, low: float = -LARGEST, high: float = LARGEST
    ) -> tuple[float, ...]:
        """A list of so many numbers in a range."""
        numbers = self._numbers(name, f"{count} numbers", least=count, most=count)
        if not low <= min(numbers) <= max(numbers) <= high:
            raise self.error(name, f"must have numbers between {low:g} and {high:g}")
        return numbers

    def places(self, name: str, count: int) -> tuple[int, ...]:
        """A list of at least one whole number below a count, in strictly rising order."""
        numbers = self.rising(name)
        if not all(number.is_integer() and 0 <= number < count for number in numbers):
            raise self.error(name, f"must have whole numbers from 0 to {count - 1}")
        return tuple(map(int, numbers))

    def weight(self, name: str) -> float | str:
        """A number strictly between 0 and 1, or the word "empirical"."""
        value = self.take(name)
        if value == "empirical":
            return "empirical"
        number = self._finite(name, value)
        if not 0 < number < 1:
            raise self.error(name, f"must lie between 0 and 1, but is {number}")
        return number

    def done(self) -> None:
        """Refuse fields that were not read."""
        if self._left:
            raise self.error(next(iter(self._left)), "is unknown")

    def _text(self, name: str, value: Any, request: str) -> str:
        if not isinstance(value, str):
            raise self.error(name, f"{request}, not {_kind(value)}")
        if _HALF_A_PAIR.search(value):  # possible in JSON, but not in UTF-8
            raise self.error(name, f"{request}, without unpaired surrogates")
        return value

    def _numbers(
        self, name: str, kind: str, *, least: int = 0, most: float = math.inf
    ) -> tuple[float, ...]:
        value = self.take(name)
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise self.error(name, f"must be a list of {kind}")
        return tuple(self._finite(name, item) for item in value)

    def _finite(self, name: str, value: Any) -> float:
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self.error(name, f"must be a number, not {_kind(value)}")
        if not -LARGEST <= value <= LARGEST:
            raise self.error(name, "must be a finite number")
        return float(value)


def quoted(text: str) -> str:
    """A text from a file in quotes: escaped if not printable, and shortened if long."""
    return repr(text if len(text) <= _QUOTED else text[:_QUOTED] + "…")


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
    return kinds.get(type(value), "null" if value is None else "a number")
