"""Examples in docstrings may write files: each runs in a folder of its own."""

from __future__ import annotations

import pytest
from _pytest.doctest import DoctestItem


@pytest.fixture(autouse=True)
def _elsewhere(request: pytest.FixtureRequest) -> None:
    if isinstance(request.node, DoctestItem):
        folder = request.getfixturevalue("tmp_path")
        request.getfixturevalue("monkeypatch").chdir(folder)
