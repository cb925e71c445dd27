"""Messages for people: text with settings and positions in it.

Errors and notes name settings that would help, and positions in files. Both become text only when
the message is printed: a setting is an argument in Python and an option on the command line, and a
position in the tenth part of a file can still be converted to one in the whole file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from shlex import quote

# Options of the command line that are not spelled like the argument.
_OPTIONS = {
    "convention": "format",
    "key_convention": "key-format",
    "lower_is_better": "distance",
    "pfa": "fmr",
    "pmiss": "fnmr",
    "points": "p-target",
    "settings": "paper",
    "stated": "state",
}


@dataclass(frozen=True)
class Setting:
    """A setting that a message recommends, perhaps with a value: ``on_nan="drop"``."""

    name: str
    value: str | bool | int | None = None

    def __str__(self) -> str:
        """The argument of a Python call."""
        return self.name if self.value is None else f"{self.name}={self.value!r}"

    @property
    def option(self) -> str:
        """The option of the command line."""
        name = _OPTIONS.get(self.name, self.name).replace("_", "-")
        if self.value is None or self.value is True:
            return f"--{name}"
        return f"--no-{name}" if self.value is False else f"--{name} {quote(str(self.value))}"


@dataclass(frozen=True)
class Position:
    """A position in a file or an array: ``line 7``, ``row 7``, ``index 7``."""

    unit: str
    number: int

    def __str__(self) -> str:
        return f"{self.unit} {self.number}"


Part = str | Setting | Position
Message = tuple[Part, ...]
SPEAKER_COLUMNS = Setting("columns", "enrol_speaker=NAME,test_speaker=NAME")
"""What names the speakers where they are in columns of other names."""


def printable(text: str) -> str:
    """A line for a terminal; what does not show, breaks lines or reverses text is spelled out."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _spelled(char) for char in text)


def _spelled(char: str) -> str:
    if "\udc80" <= char <= "\udcff":  # a byte that is not UTF-8
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape").decode()


def in_python(message: Iterable[Part]) -> str:
    """A message for Python users."""
    return "".join(map(str, message))


def on_command_line(message: Iterable[Part]) -> str:
    """A message for users of the command line."""
    return "".join(part.option if isinstance(part, Setting) else str(part) for part in message)
