"""The kernels are optional, so a build that fails would go unnoticed."""

from __future__ import annotations

import os
import shutil

import pytest

from llrcal import kernels


@pytest.mark.skipif(
    os.environ.get("LLRCAL_PURE", "0") not in {"", "0"} or not shutil.which("cc"),
    reason="there is no compiler, or it is not to be used",
)
def test_kernels_are_there_where_a_compiler_is() -> None:
    assert kernels.compiled is not None, "run `pip install -v .` to see why they were not built"
