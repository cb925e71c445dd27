"""What a reader should know of an answer, with a type: code decides by it, and people read it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from llrcal.errors import LlrcalWarning
from llrcal.messages import Message, Part, in_python, on_command_line


class Severity(StrEnum):
    """How much a note matters."""

    INFO = "info"
    """What was done, and where an ordinary fit has ended."""
    WARNING = "warning"
    """The answer should be looked at twice."""


@dataclass(frozen=True)
class Note:
    """One thing to know."""

    code: str
    """What kind of note it is, in a word or two that never change."""
    message: Message
    severity: Severity = Severity.INFO
    place: str = ""
    """What it is about: a class, a calibration, a file. Empty for all of them."""

    @classmethod
    def of(cls, code: str, *message: Part, severity: Severity = Severity.INFO) -> Note:
        return cls(code, message, severity)

    def about(self, place: str) -> Note:
        """The same note on something within a larger whole."""
        return replace(self, place=f"{place}: {self.place}" if self.place else place)

    @property
    def text(self) -> str:
        """The note in words, for Python users."""
        return str(self)

    def __str__(self) -> str:
        return self._after_place(in_python(self.message))

    @property
    def on_command_line(self) -> str:
        """The note in words, for users of the command line."""
        return self._after_place(on_command_line(self.message))

    def _after_place(self, text: str) -> str:
        return f"{self.place}: {text}" if self.place else text


def warn(notes: Iterable[Note], *, stacklevel: int) -> None:
    """Give a Python warning for every note that is one."""
    for note in notes:
        if note.severity is Severity.WARNING:
            warnings.warn(str(note), LlrcalWarning, stacklevel=stacklevel + 1)
