"""Arrays of one class each, read in pieces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from llrcal import ScoreError, TrialFileError
from llrcal.arrays import Array
from tests import beyond_memory
from tests.scale.sets import QUICK, cut_small, in_memory, quiet, texts
from tests.trial_sets import normal

TAR, NON = normal(4000, 2.1, 1.3), normal(9000, -1.1, 1.0)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_small(monkeypatch, 3000)


def fit_all(folder: Path, tar: Array = TAR, non: Array = NON, **form: Any) -> dict[str, Any]:
    np.save(folder / "tar.npy", tar)
    np.save(folder / "non.npy", non)
    options = {"nontargets": folder / "non.npy", **form}
    return beyond_memory.fit_all(folder / "tar.npy", methods=QUICK, **options)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, ">f8", np.int16])
def test_types(dtype: str, tmp_path: Path) -> None:
    tar, non = ((scores * 9).astype(dtype) for scores in (TAR, NON))
    with quiet():
        found = fit_all(tmp_path, tar, non)
    assert texts(found) == in_memory(tar, non, QUICK)


@pytest.mark.parametrize("index", [0, 999, 1000, 3500, 3999])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_faults_are_told_with_their_index(value: float, index: int, tmp_path: Path) -> None:
    tar = TAR.copy()
    tar[index] = value
    with pytest.raises(
        TrialFileError, match=rf"tar\.npy: .* the first is {value} in row {index}\."
    ):
        fit_all(tmp_path, tar)


def test_what_is_no_array_of_scores(tmp_path: Path) -> None:
    with pytest.raises(ScoreError, match=r"non\.npy: scores have shape \(3000, 3\)"):
        fit_all(tmp_path, TAR, NON.reshape(3000, 3))
    with pytest.raises(ScoreError, match=r"non\.npy: the scores are booleans"):
        fit_all(tmp_path, TAR, NON > 0)
    (tmp_path / "non.npy").write_bytes((tmp_path / "non.npy").read_bytes()[:-100])
    with pytest.raises(TrialFileError, match=r"non\.npy: cannot be read as an array"):
        beyond_memory.fit(tmp_path / "tar.npy", nontargets=tmp_path / "non.npy")
