"""A plugin for pytest, for an environment with NumPy and SciPy alone: skip what needs more.

A test is skipped when something that it runs, or its file, imports a package that an extra of
llrcal installs, or one that only tests need.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

from llrcal.extras import EXTRA_OF

_ABSENT = {*EXTRA_OF, "jsonschema", "markdown_it", "pandas", "playwright", "threadpoolctl"}
_ABSENT -= {"backports"}  # installed with the tests
_BY_COMMAND = (
    "test_full_disk.py",
    "test_forked.py",
    "test_version_of_the_command",
    "test_the_command_says_what_installs",
)
"""Tests that start the command, or a process, in which more is needed."""


class _Absent:
    """Finds no package that is absent on purpose, but ends the test that asks for it."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] in _ABSENT:
            pytest.skip(f"there is no {name} here", allow_module_level=True)
        return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the tests of the command."""
    items[:] = [item for item in items if not any(name in item.nodeid for name in _BY_COMMAND)]


sys.meta_path.insert(0, _Absent())
