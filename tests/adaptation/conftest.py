"""What tests of adaptation share."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let a known division of zero by zero pass, of which one test alone tells (test_field.py)."""
    for item in items:
        if "tests/adaptation" in item.path.as_posix() and "zero_by_zero" not in item.name:
            ignored = "ignore:invalid value encountered in divide:RuntimeWarning"
            item.add_marker(pytest.mark.filterwarnings(ignored))
