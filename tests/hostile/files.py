"""Small files of trials that cases begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import llrcal

SCORES = "m1 t1 1.5\nm1 t2 -2.5\nm2 t1 0.25\nm2 t2 3.5\n"
KEY = "m1 t1 target\nm1 t2 nontarget\nm2 t1 nontarget\nm2 t2 target\n"
LABELLED = "m1 t1 1.5 target\nm1 t2 -2.5 nontarget\nm2 t1 0.25 nontarget\nm2 t2 3.5 target\n"


def put(name: str, content: str | bytes) -> str:
    """Write a file into the current folder."""
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def joined(scores: str | bytes, key: str | bytes, **options: Any) -> Any:
    """Read a score file with its key."""
    return lambda: llrcal.read_trials(put("scores.txt", scores), put("key.txt", key), **options)


def labelled(content: str | bytes, **options: Any) -> Any:
    """Read one file of scores with labels."""
    return lambda: llrcal.read_trials(put("scores.txt", content), **options)


def holds(tar: list[float], non: list[float], *notes: str) -> Any:
    """Assert what trials are, in the order of the file, and that notes say so."""

    def check(trials: llrcal.Trials) -> None:
        assert trials.tar.tolist() == tar
        assert trials.non.tolist() == non
        for words in notes:
            assert any(words in note.text for note in trials.notes), trials.notes

    return check
