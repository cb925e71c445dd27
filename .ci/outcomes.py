"""A plugin for pytest that keeps which tests ran, so that another run can take only the others.

``LLRCAL_RAN=FILE`` appends the ids of the tests that were not skipped; ``LLRCAL_NOT=FILE`` leaves
out those in a file.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_ran: set[str] = set()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that ran before."""
    if name := os.environ.get("LLRCAL_NOT"):
        before = {*Path(name).read_text("utf-8").splitlines()}
        config.hook.pytest_deselected(items=[one for one in items if one.nodeid in before])
        items[:] = [one for one in items if one.nodeid not in before]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember a test that was not skipped."""
    if report.when == "call" and not report.skipped:
        _ran.add(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the ids; under xdist, the process that hears of all tests does."""
    name = os.environ.get("LLRCAL_RAN")
    if name and not hasattr(session.config, "workerinput"):
        Path(name).write_text("\n".join(sorted(_ran)), "utf-8")
