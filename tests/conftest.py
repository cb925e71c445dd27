"""What several test files share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.examples import choose_profile

choose_profile()

# Reference answers and real scores live beside the repository, where they are present at all.
SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "property: tried by hypothesis on many examples")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what hypothesis tries, so that `make nightly` can choose it."""
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("property")


def shared(*parts: str) -> Path:
    """A path in the shared folder, or a skipped test."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"reference data {'/'.join(parts)} is not present")
    return path
