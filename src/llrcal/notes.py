"""Notes on a result: text for people, with a code and a severity that programs can act on."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from llrcal.errors import LlrcalWarning
from llrcal.messages import Message, Part, in_python, on_command_line


class Severity(StrEnum):
    """How much a note matters."""

    INFO = "info"
    """Information about what was done, and about ordinary results."""
    WARNING = "warning"
    """The result should be checked."""


@dataclass(frozen=True, repr=False)
class Note:
    """One note."""

    code: str
    """The kind of note, as one or two words that never change."""
    message: Message
    severity: Severity = Severity.INFO
    place: str = ""
    """What it is about, such as a class, a calibration or a file. Empty if it is about all."""

    @classmethod
    def of(cls, code: str, *message: Part, severity: Severity = Severity.INFO) -> Note:
        return cls(code, message, severity)

    @classmethod
    def warning(cls, code: str, *message: Part) -> Note:
        return cls(code, message, Severity.WARNING)

    def about(self, place: str) -> Note:
        """The same note, about a part of something larger."""
        return replace(self, place=f"{place}: {self.place}" if self.place else place)

    @property
    def text(self) -> str:
        """The note in words, for Python users."""
        return str(self)

    def __repr__(self) -> str:
        return f"Note({self.code!r}, {self.text!r})"

    def __str__(self) -> str:
        return self._after_place(in_python(self.message))

    @property
    def on_command_line(self) -> str:
        """The note in words, for users of the command line."""
        return self._after_place(on_command_line(self.message))

    def to_dict(self) -> dict[str, str]:
        """The note as plain values, in words for users of the command line."""
        return {
            "code": self.code,
            "severity": str(self.severity),
            "place": self.place,
            "text": self.on_command_line,
        }

    def _after_place(self, text: str) -> str:
        return f"{self.place}: {text}" if self.place else text


def warn(notes: Iterable[Note]) -> None:
    """Issue a Python warning for every note of that severity, at the line that called llrcal."""
    for note in notes:
        if note.severity is Severity.WARNING:
            warning = LlrcalWarning(str(note))
            warning.note = note
            warnings.warn(warning, stacklevel=_frames_of_llrcal())


def _frames_of_llrcal() -> int:
    """The number of stack frames between the warning and the user's code."""
    frame, count = sys._getframe(), 0
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("llrcal."):
        frame, count = frame.f_back, count + 1
    return count
