"""All exceptions that llrcal raises, and its one warning.

LlrcalError
 |-- ScoreError          scores that cannot be used: NaN, empty, wrong type or shape
 |   `-- DegenerateError scores that no member of the model family describes
 |-- OptionError         an option that does not exist or is out of range
 |-- TrialFileError      a score or key file that cannot be read as one
 |-- ModelFileError      a model file that llrcal did not write, or that was changed
 `-- ClusterError        a cluster that does not answer, or has lost its workers
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

from llrcal.messages import Part, Position, Setting, in_python, on_command_line


class LlrcalError(Exception):
    """Base of every error that llrcal raises on purpose."""

    def __init__(self, *message: Part) -> None:
        super().__init__(*message)

    def __str__(self) -> str:
        return in_python(self.args)

    @property
    def on_command_line(self) -> str:
        """The message with options of the command line in place of arguments."""
        return on_command_line(self.args)

    def within(self, place: str) -> Self:
        """The same error, with the place where it occurred in front."""
        joint = ", " if isinstance(self.args[0], Position) else ": "
        return type(self)(f"{place}{joint}", *self.args)

    def followed_by(self, *more: Part) -> Self:
        """The same error, with more at its end of what to do."""
        return type(self)(*self.args, *more)

    def naming(self, **names: str) -> Self:
        """The same error with other names for settings: those of a caller that has several."""
        parts = (
            replace(part, name=names.get(part.name, part.name))
            if isinstance(part, Setting)
            else part
            for part in self.args
        )
        return type(self)(*parts)

    def moved(self, **by: int) -> Self:
        """The same error with positions in the whole file rather than in a part of it.

        ``moved(line=100)`` is for a part that begins after 100 lines.
        """
        parts = (
            replace(part, number=part.number + by.get(part.unit, 0))
            if isinstance(part, Position)
            else part
            for part in self.args
        )
        return type(self)(*parts)


class ScoreError(LlrcalError, ValueError):
    """Scores or labels cannot be used as they are."""


def changed_scores(name: str = "the") -> ScoreError:
    """What is wrong with scores that were checked and are others now: shared or mapped memory."""
    return ScoreError(f"{name} scores change while they are read; pass a copy of them")


class DegenerateError(ScoreError):
    """The likelihood has no maximum on these scores."""


class OptionError(LlrcalError, ValueError):
    """An option is unknown or out of range."""


class TrialFileError(LlrcalError):
    """A file does not hold trials that can be read without guessing."""


class ModelFileError(LlrcalError):
    """Something in a model file is missing, unknown or invalid."""


class ClusterError(LlrcalError):
    """A cluster cannot do the work, whatever the trials are."""


class LlrcalWarning(UserWarning):
    """A result is given, but it should be checked."""

    note: Any = None
    """The :class:`llrcal.notes.Note` that the warning is about, whose ``code`` never changes."""
