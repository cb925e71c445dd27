"""What a hostile input is: how it is made, and what is to become of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from llrcal.errors import LlrcalError


@dataclass(frozen=True)
class Refused:
    """An error of ours, with a message that says what is wrong, where, and what to do."""

    error: type[LlrcalError]
    what: str
    where: str
    """The class, index, line, file or option at fault."""
    do: str = ""
    """The way out, unless it is the opposite of what is wrong."""

    def __str__(self) -> str:
        return f"`{self.error.__name__}`"


@dataclass(frozen=True)
class Ended:
    """A command that ends with one line on standard error, having written nothing."""

    what: str
    where: str
    do: str = ""
    status: int = 2

    def __str__(self) -> str:
        return f"exit status {self.status}"


@dataclass(frozen=True)
class Answered:
    """An answer, which is checked against something independent."""

    check: Callable[[Any], None]
    warns: str = ""
    """What the warning says that comes with it; none comes, where nothing is said here."""

    def __str__(self) -> str:
        return "an answer, and a warning" if self.warns else "an answer"


@dataclass(frozen=True)
class Case:
    """One hostile input."""

    what: str
    """The input, in a few words."""
    run: Callable[[], Any]
    """Makes the input in an empty folder, which is the current one, and lets llrcal have it."""
    outcome: Refused | Ended | Answered
    sentence: str
    """What llrcal does, for the page."""
    elsewhere: str = ""
    """What trusted programs do, as measured."""


@dataclass(frozen=True)
class Section:
    """Cases of one kind, numbered from one behind a letter."""

    letter: str
    title: str
    preface: str
    cases: tuple[Case, ...]

    def numbered(self) -> list[tuple[str, Case]]:
        return [(f"{self.letter}{i}", case) for i, case in enumerate(self.cases, 1)]
