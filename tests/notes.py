"""What notes say, for tests."""

from __future__ import annotations

from collections.abc import Iterable

from llrcal.notes import Note


def codes(notes: Iterable[Note]) -> list[str]:
    """The codes of notes."""
    return [note.code for note in notes]


def texts(notes: Iterable[Note]) -> list[str]:
    """The words of notes."""
    return [note.text for note in notes]
