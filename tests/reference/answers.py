"""What other programs say about the score sets; README.md describes the files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent


def answers(program: str) -> Any:
    """The content of a JSON file: by score set, except for lir."""
    return json.loads((FOLDER / f"{program}.json").read_text("utf-8"))


def printed(output: str, pattern: str) -> list[str]:
    """What the groups of a pattern match in one line of a program's output."""
    text = (FOLDER / f"{output}.txt").read_text("utf-8")
    found = re.search(pattern, text, re.MULTILINE)
    assert found is not None, (output, pattern)
    return list(found.groups())


def numbers(output: str, pattern: str) -> list[float]:
    """What is printed, as numbers."""
    return [float(text) for text in printed(output, pattern)]


def exact(value: float | list[float], *, rel: float = 1e-9) -> Any:
    return pytest.approx(value, rel=rel, abs=1e-13)
