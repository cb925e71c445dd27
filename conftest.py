"""Examples in docstrings may write files: each runs in a folder of its own."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from _pytest.doctest import DoctestItem

# Kernels for GPUs can be imported only where Triton is.
collect_ignore = [] if find_spec("triton") else ["src/llrcal/pairing/tiles.py"]


@pytest.fixture(autouse=True)
def _elsewhere(request: pytest.FixtureRequest) -> None:
    if isinstance(request.node, DoctestItem):
        folder = request.getfixturevalue("tmp_path")
        request.getfixturevalue("monkeypatch").chdir(folder)
