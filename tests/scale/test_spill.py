"""Rows on disk, where there is no room for them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from llrcal.scale import spill
from llrcal.scale.spill import ROWS_OF_A_PART, TRIALS, SpillFile, part_count

resource = pytest.importorskip("resource")


@pytest.fixture
def small_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Files that the system does not let grow."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(spill, "_HELD", 10)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("small_files")
def test_no_room_for_temporary_files(tmp_path: Path) -> None:
    file = SpillFile(TRIALS)
    file.put(np.zeros(20, TRIALS))
    with pytest.raises(OSError, match=r"File too large, for temporary files; .* TMPDIR") as told:
        file.put(np.zeros(20, TRIALS))
    assert told.value.filename == str(tmp_path)


@pytest.mark.parametrize(
    ("rows", "parts"),
    [(0, 1), (1, 1), (ROWS_OF_A_PART, 1), (ROWS_OF_A_PART + 1, 2), (5 * ROWS_OF_A_PART, 5)],
)
def test_no_part_has_more_rows_than_fit(rows: int, parts: int) -> None:
    assert part_count(rows) == parts
