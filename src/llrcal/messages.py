"""Messages to people: text in which some parts are more than text.

Errors and notes name settings that would help, and places in files. Both stay what they are until
somebody prints them: a setting is an argument in Python and an option on the command line, and a
row of the tenth part of a file can still be counted from the start of the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

# Options of the command line that are not spelled like the argument.
_OPTIONS = {
    "convention": "format",
    "key_convention": "key-format",
    "lower_is_better": "distance",
}


@dataclass(frozen=True)
class Setting:
    """A setting that a message recommends, perhaps with a value: ``on_nan="drop"``."""

    name: str
    value: str | bool | None = None

    def __str__(self) -> str:
        """The argument of a Python call."""
        return self.name if self.value is None else f"{self.name}={self.value!r}"

    @property
    def option(self) -> str:
        """The option of the command line."""
        name = "--" + _OPTIONS.get(self.name, self.name).replace("_", "-")
        return f"{name} {self.value}" if isinstance(self.value, str) else name


@dataclass(frozen=True)
class Position:
    """Where something is, by counting: ``line 7``, ``row 7``, ``index 7``."""

    unit: str
    number: int

    def __str__(self) -> str:
        return f"{self.unit} {self.number}"


Part = str | Setting | Position
Message = tuple[Part, ...]


def in_python(message: Iterable[Part]) -> str:
    """A message for those who call Python functions."""
    return "".join(map(str, message))


def on_command_line(message: Iterable[Part]) -> str:
    """A message for those who type commands."""
    return "".join(part.option if isinstance(part, Setting) else str(part) for part in message)


def moved(message: Iterable[Part], by: int) -> Message:
    """The message with its positions counted from a place that lies ``by`` further ahead."""
    return tuple(
        replace(part, number=part.number + by) if isinstance(part, Position) else part
        for part in message
    )
