"""What several test files share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.examples import choose_profile

choose_profile()

# These open terminals and ask for limits, as only Unix does.
collect_ignore = ["cli/test_startup.py"] if sys.platform == "win32" else []

# Real scores belong to others and are not committed; a folder beside the repository may hold them.
REAL_SCORES = Path(__file__).resolve().parents[2] / "shared" / "scores"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "property: tried by hypothesis on many examples")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what hypothesis tries, so that `make nightly` can choose it."""
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("property")


def real_scores(*parts: str) -> Path:
    """A path in the folder of real scores, or a skipped test."""
    path = REAL_SCORES.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"the real scores {'/'.join(parts)} are not present")
    return path
