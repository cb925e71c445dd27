"""Files that are replaced or rewritten while they are read: never mixed with what they were."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from llrcal import TrialFileError
from llrcal.files.fingerprint import FileFingerprint
from tests import beyond_memory
from tests.scale.sets import table, trials


def csv(path: Path, seed: int, count: int = 2000) -> None:
    table(*trials(count, seed)).write_csv(path, float_precision=6)


def parquet(path: Path, seed: int, count: int = 2000) -> None:
    table(*trials(count, seed)).write_parquet(path)


def replace(path: Path) -> None:
    """Another file of the same size and time."""
    before, other = path.stat(), path.with_name("other")
    other.write_bytes(path.read_bytes())
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)


def rewrite(path: Path) -> None:
    path.write_bytes(path.read_bytes())


def lengthen(path: Path) -> None:
    csv(path, seed=1, count=2500)


@pytest.mark.parametrize("write", [csv, parquet])
@pytest.mark.parametrize("change", [replace, rewrite, lengthen])
@pytest.mark.parametrize("when", ["reading", "counting"])
def test_files_that_change_between_passes(
    tmp_path: Path, write: Callable[..., None], change: Callable[[Path], None], when: str
) -> None:
    names = [tmp_path / "0.data", tmp_path / "1.data"]
    for seed, name in enumerate(names):
        write(name, seed)

    def progress(what: str, done: int, total: int) -> None:
        if what == when and not done:
            change(names[1])

    with pytest.raises(TrialFileError, match=r"1\.data: has changed while it was read"):
        beyond_memory.evaluate(names, progress=progress)


def test_another_machine_knows_other_inodes_and_no_fractions_of_seconds(tmp_path: Path) -> None:
    csv(tmp_path / "trials.csv", 0)
    os.utime(tmp_path / "trials.csv", ns=(0, 5_000_000_001))
    here = FileFingerprint.of(str(tmp_path / "trials.csv"))
    FileFingerprint(here.path, here.size, 5_000_000_000, -1, "elsewhere").check()
    for size, modified in ((here.size + 1, here.modified), (here.size, here.modified + 10**9)):
        with pytest.raises(TrialFileError, match="has changed"):
            FileFingerprint(here.path, size, modified, here.inode, "elsewhere").check()
