"""Everything that an answer says, as bytes that are equal only if it is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from llrcal import Calibration, Trials


def fingerprint(answer: Any, folder: str) -> bytes:
    """The bytes of an answer or of an error; the folder that it names is left out."""
    if isinstance(answer, np.ndarray):
        return f"{answer.dtype} {answer.shape} ".encode() + answer.tobytes()
    if isinstance(answer, Calibration):
        parts = answer.to_model(), asdict(answer.bounds), dict(answer.report)
        return json.dumps(parts, sort_keys=True).encode()
    if isinstance(answer, Trials):
        notes = [note.text for note in answer.notes]
        return fingerprint((answer.tar, answer.non, notes, answer.source), folder)
    if isinstance(answer, Mapping):
        return fingerprint([part for item in answer.items() for part in item], folder)
    if isinstance(answer, Sequence) and not isinstance(answer, str | bytes):
        return b"\n".join(fingerprint(part, folder) for part in answer)
    if isinstance(answer, Path):
        return answer.read_bytes()
    if hasattr(answer, "exit_code"):  # of a command
        return fingerprint((answer.exit_code, answer.stdout, answer.stderr), folder)
    if isinstance(answer, Exception):
        answer = f"{type(answer)}: {answer}"
    return (answer if isinstance(answer, bytes) else repr(answer).encode()).replace(
        folder.encode(), b"FOLDER"
    )
