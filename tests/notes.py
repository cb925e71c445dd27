"""What notes say, for tests."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from llrcal.notes import Note

FAR_SCORES = pytest.mark.filterwarnings("ignore:.* lie beyond the training scores")
"""For tests that ask for the LLRs of scores far beyond those of training, on purpose."""


def codes(notes: Iterable[Note]) -> list[str]:
    """The codes of notes."""
    return [note.code for note in notes]


def texts(notes: Iterable[Note]) -> list[str]:
    """The words of notes."""
    return [note.text for note in notes]
