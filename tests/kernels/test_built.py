"""The kernels are optional, so a build that fails would go unnoticed."""

from __future__ import annotations

import os
import shutil
import sysconfig
from pathlib import Path

import pytest

from llrcal import kernels

CAN_BE_BUILT = shutil.which("cc") and Path(sysconfig.get_path("include"), "Python.h").exists()
IS_WANTED = os.environ.get("LLRCAL_PURE", "0") in {"", "0"}


@pytest.mark.skipif(not (CAN_BE_BUILT and IS_WANTED), reason="there is no compiler to be used")
def test_kernels_are_there_where_a_compiler_is() -> None:
    assert kernels.compiled is not None, "run `pip install -v .` to see why they were not built"
