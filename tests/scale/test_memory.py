"""Thirty million trials go through a process that has no room for them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

MOST = 600
"""Megabytes: about 100 for imports, 270 for what is under way; in memory it takes 1100."""

PROGRAM = """
import sys
import llrcal
trials = llrcal.open_trials(sys.argv[1], in_pieces=True)
found = llrcal.fit_all(trials, methods=["gaussian", "pav"])
print(found["pav"].tar_count, found["pav"].non_count)
# What getrusage tells begins with the memory of whoever started this process.
status = open("/proc/self/status").read()
print(int(status.split("VmHWM:")[1].split()[0]) // 1024)
"""

FILES, ROWS = 6, 5_000_000


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory is told in other units")
def test_memory_does_not_grow_with_the_trials(tmp_path: Path) -> None:
    if shutil.disk_usage(tmp_path).free < 2**30:
        pytest.skip("there is no room on the disk")
    rng = np.random.default_rng(0)
    is_target = rng.random(ROWS) < 0.01
    scores = rng.standard_normal(ROWS) + 2.0 * is_target
    for number in range(FILES):
        frame = pl.DataFrame({"score": scores + number / 1000, "label": is_target})
        frame.write_parquet(tmp_path / f"part-{number}.parquet", compression="uncompressed")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        env={**os.environ, "LLRCAL_THREADS": "1", "POLARS_MAX_THREADS": "1"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    for path in tmp_path.iterdir():
        path.unlink()
    counts, megabytes = done.stdout.splitlines()
    targets = FILES * int(is_target.sum())
    assert counts == f"{targets} {FILES * ROWS - targets}"
    assert int(megabytes) < MOST
