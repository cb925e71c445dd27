"""The kernels are optional, so a build that fails would go unnoticed."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import llrcal
from llrcal import kernels
from llrcal.arrays import Array

CAN_BE_BUILT = shutil.which("cc") and Path(sysconfig.get_path("include"), "Python.h").exists()
IS_WANTED = os.environ.get("LLRCAL_PURE", "0") in {"", "0"}


@pytest.mark.skipif(not (CAN_BE_BUILT and IS_WANTED), reason="there is no compiler to be used")
def test_kernels_are_there_where_a_compiler_is() -> None:
    assert kernels.compiled is not None, "run `pip install -v .` to see why they were not built"


def test_which_path_is_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, words in ((None, "NumPy passes"), (object(), "compiled passes")):
        monkeypatch.setattr(kernels, "compiled", module)
        assert kernels.in_use() == words
        for dtype in (np.float32, np.float64):
            assert kernels.kernels_for(np.zeros(3, dtype)) is module


@pytest.mark.skipif(kernels.compiled is None, reason="there are no compiled passes")
def test_none_is_counted() -> None:
    """Python 3.11 frees None if too few hold it; headers of later ones do not count it any more."""
    counts = []
    for _ in range(10):  # what is imported by the first holds some, too
        llrcal.fit(np.arange(6.0), np.arange(6.0) - 3.5, method="nig")
        counts.append(sys.getrefcount(None))
    assert counts[-1] > counts[0] - 100


@pytest.mark.parametrize("scores", [np.zeros(3, np.int64), np.zeros((3, 1)), np.zeros(3, ">f8")])
def test_other_arrays_are_left_to_numpy(scores: Array, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "compiled", object())
    assert kernels.kernels_for(scores) is None
