"""Reading the fields of a model file: each is checked, and none may be left over."""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from typing import Any

from llrcal.errors import ModelFileError

_LARGEST = sys.float_info.max
_LARGEST_COUNT = 2**53  # beyond it, other readers of JSON lose the last digits
_QUOTED = 80  # letters of a text that a file holds, in a complaint about it
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")


class Fields:
    """A JSON object whose fields are asked for by name and kind.

    Every complaint names the file and the field. What may stand in a field is published in
    docs/model.schema.json, and tested to be what is accepted here.
    """

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise ModelFileError(f"{where}: expected an object, found {_kind(value)}")
        self._left = dict(value)
        self._where = where

    def error(self, name: str, problem: str) -> ModelFileError:
        return ModelFileError(f"{self._where}: field {quoted(name)} {problem}")

    def take(self, name: str) -> Any:
        if name not in self._left:
            raise self.error(name, "is missing")
        return self._left.pop(name)

    def section(self, name: str) -> Fields:
        return Fields(self.take(name), f"{self._where}: {name}")

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

    def count(self, name: str, *, least: int = 0) -> int:
        value = self.take(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.error(name, f"must be a whole number, not {_kind(value)}")
        if not least <= value <= _LARGEST_COUNT:
            raise self.error(name, f"must be a whole number from {least} to 2^53, not {value}")
        return value

    def rising(self, name: str) -> tuple[float, ...]:
        """A list of numbers, one at least, in strictly rising order."""
        value = self.take(name)
        if not isinstance(value, list) or not value:
            raise self.error(name, "must be a list of numbers")
        numbers = tuple(self._finite(name, item) for item in value)
        if any(before >= after for before, after in pairwise(numbers)):
            raise self.error(name, "must rise from each number to the next")
        return numbers

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
        """Refuse fields that nobody asked for."""
        if self._left:
            raise self.error(next(iter(self._left)), "is not known")

    def _text(self, name: str, value: Any, request: str) -> str:
        if not isinstance(value, str):
            raise self.error(name, f"{request}, not {_kind(value)}")
        if _HALF_A_PAIR.search(value):  # JSON can spell it, but UTF-8 cannot write it again
            raise self.error(name, f"{request}, without half of a surrogate pair")
        return value

    def _finite(self, name: str, value: Any) -> float:
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self.error(name, f"must be a number, not {_kind(value)}")
        if not -_LARGEST <= value <= _LARGEST:
            raise self.error(name, "must be a finite number")
        return float(value)


def quoted(text: str) -> str:
    """A text from a file, in quotes, escaped where it is not printable, and not too long."""
    return repr(text if len(text) <= _QUOTED else text[:_QUOTED] + "…")


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "text", bool: "a truth value"}
    return kinds.get(type(value), "null" if value is None else "a number")
