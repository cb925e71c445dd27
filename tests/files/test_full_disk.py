"""Where there is no room left: one line, status 2, the old output, and nothing that takes up room.

Once on a file system that is really full, where we may mount one, and once with files that the
system does not let grow, which works everywhere.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from llrcal.files.atomic import atomic_folder
from tests.stopping import LLRCAL, Ran, child, contents, put

pytestmark = pytest.mark.slow

SIZE, FILES = 2**18, 200  # bytes and files that the file system has room for
FULL = "No space left on device"

OLD = {
    "file": b'{"format": "llrcal calibration", "version": 0}' + b"\n" * 400,
    "out/report.html": b"old",
    "out/models/nig.json": b"old",
}
FIT = ["fit", "trials.txt"]
APPLY = ["apply", "model.json"]
CONVERT = ["convert", "trials.txt"]
# The verb, and where in its output there is no room: of a file, or of the first of many.
INTO_A_FILE = {
    "fit": FIT,
    "apply": [*APPLY, "trials.txt"],
    "txt.gz": [*APPLY, "trials.txt"],
    "txt.zst": [*APPLY, "trials.txt"],
    "apply to arrays": [*APPLY, "trials.npz"],
    "apply to parquet": [*APPLY, "trials.parquet"],
    "convert to csv": [*CONVERT, "--to", "csv"],
    "convert to parquet": [*CONVERT, "--to", "parquet"],
    "convert to hdf5": [*CONVERT, "--to", "hdf5"],
}
INTO_A_FOLDER = {
    "simulate": ["simulate"],
    "evaluate": ["evaluate", "trials.txt", "--json", "--units", "nats", "--figures"],
    "compare": [
        "compare",
        "--train",
        "trials.txt",
        "--test",
        "test.txt",
        "--replicates",
        "0",
        "--formats",
        "png",
    ],
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("full")
    rng = np.random.default_rng(0)
    for name in ("trials", "test"):
        lines = [
            f"m{i % 10} {name}{i} {rng.normal(2 * (i % 9 == 0))!r} {'non' * (i % 9 > 0)}target\n"
            for i in range(900)
        ]
        (folder / f"{name}.txt").write_text("".join(lines))
    for more in (
        ["fit", "trials.txt", "-o", "model.json"],
        *(["convert", "trials.txt", "-o", f"trials.{end}"] for end in ("npz", "parquet")),
    ):
        ran = child(LLRCAL, *more, "--quiet", cwd=folder)
        assert ran.returncode == 0, ran.stderr
    return folder


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file system of its own, as small as they come."""
    folder = tmp_path_factory.mktemp("disk")
    mount = shutil.which("mount")
    if mount is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root may mount a file system")
    options = f"size={SIZE},nr_inodes={FILES}"
    command = [mount, "-t", "tmpfs", "-o", options, "llrcal-test", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run([shutil.which("umount") or "umount", "--lazy", str(folder)], check=True)


def put_old(folder: Path) -> None:
    """Put the old output there, as llrcal writes it."""
    (folder / "file").write_bytes(OLD["file"])
    with atomic_folder(folder / "out") as out:
        (out / "models").mkdir()
        for name in ("report.html", "models/nig.json"):
            (out / name).write_bytes(OLD[f"out/{name}"])


def fill(disk: Path, *, room: int) -> None:
    """Leave so many bytes of room beside the old output."""
    for path in list(disk.iterdir()):
        put(path, None)
    put_old(disk)
    with (disk / "filling").open("wb", buffering=0) as file:
        file.write(bytes(max(free(disk) - room, 0)))
    assert free(disk) == room


def free(disk: Path) -> int:
    return shutil.disk_usage(disk).free


def one_line(ran: Ran, where: Path, reason: str) -> bool:
    """Whether a run ended as it should, with the name that the user gave."""
    assert ran.returncode == 2, ran.stderr
    # The trials are raw scores, of which evaluate warns.
    # NumPy 2.0 leaves an archive behind that Python closes in vain, which it says after all else.
    answer = ran.stderr.partition("Exception ignored in: <function ZipFile.__del__")[0]
    (said,) = (line for line in answer.splitlines() if not line.startswith("warning: "))
    assert said == f"llrcal: {where}: {reason}" or said.startswith(f"llrcal: {where}{os.sep}")
    return reason in said


# ----------------------------------------------------------------------------- a full disk


@pytest.mark.parametrize("verb", [*INTO_A_FILE, *INTO_A_FOLDER])
def test_a_full_disk(home: Path, disk: Path, verb: str) -> None:
    name, arguments = output_of(verb)
    # A model is less than a page, the least that there may be room for.
    room = 0 if verb == "fit" else 2**12 if verb in INTO_A_FILE else 2**16
    fill(disk, room=room)
    before = contents(disk)
    ran = child(LLRCAL, *arguments, disk / name, "--quiet", cwd=home)
    assert one_line(ran, disk / name, FULL)
    assert contents(disk) == before
    assert free(disk) == room


def output_of(verb: str) -> tuple[str, list[str]]:
    """The name of what a verb writes, and its arguments up to that name."""
    if verb in INTO_A_FOLDER:
        option = [] if verb == "evaluate" else ["--out"]
        command, *others = INTO_A_FOLDER[verb]
        return "out", [command, "--force", *others, *option]
    if verb == "fit":  # what it writes may replace a model, and tables replace nothing
        return "file", [*FIT, "--force", "-o"]
    return f"new.{verb}".replace(" ", "-"), [*INTO_A_FILE[verb], "-o"]


# ----------------------------------------------------------------- files that cannot grow

LIMITS = {"fit": 100, "apply": 4000, "convert to parquet": 4000, "simulate": 20_000}


@pytest.mark.parametrize("verb", LIMITS)
def test_files_that_cannot_grow(home: Path, tmp_path: Path, verb: str) -> None:
    pytest.importorskip("resource")
    put_old(tmp_path)
    name, arguments = output_of(verb)
    limit = f"limit_files({LIMITS[verb]}, deadly=False)"
    ran = child(LLRCAL, *arguments, tmp_path / name, "--quiet", cwd=home, prepared=limit)
    assert one_line(ran, tmp_path / name, "File too large")
    assert contents(tmp_path) == OLD
