"""Killed at any moment, llrcal leaves the old output or the whole new one: real kills, real runs.

Kills at random moments take minutes and are made only if ``LLRCAL_KILLS`` says how many;
``LLRCAL_KILLS=200 pytest -s`` shows what they found.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.stopping import (
    LLRCAL,
    Content,
    child,
    contents,
    environment,
    hidden,
    killed_at_every_step,
    put,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL"),
]

KILLS = int(os.environ.get("LLRCAL_KILLS", "10"))
SHORTEST = 0.05  # seconds of writing, should we have looked away while it was done


@dataclass(frozen=True)
class Job:
    """A run of the command line that replaces what is there."""

    arguments: tuple[str, ...]
    out: str
    near_its_end: str
    """What is there, as a pattern, once the output is being written in earnest."""
    share: float
    """Of the kills at random moments."""


FIT = Job(("fit", "small.txt", "-o", "model.json", "--quiet"), "model.json", ".llrcal-*", 0.4)
APPLY = Job(
    ("apply", "other.json", "large.txt", "-o", "llrs.txt", "--quiet"), "llrs.txt", ".llrcal-*", 0.4
)
COMPARE = Job(
    ("compare", "--train", "small.txt", "--test", "test.txt", "--out", "results", "--force",
     "--replicates", "0", "--quiet"),
    "results", ".llrcal-*/report.html", 0.2,
)  # fmt: skip
JOBS = {"fit": FIT, "apply": APPLY, "compare": COMPARE}
OLD: dict[str, Content] = {
    "model.json": b'{"an": "old model"}\n' * 50,
    "llrs.txt": b"m1 t1 0.25\n" * 100_000,
    "results": {
        "report.html": b"<html>old</html>",
        "metrics.csv": b"method,cllr\n",
        "models/nig.json": b"{}",
        "figures/det.png": b"\x89PNG" * 50_000,
    },
}


def trials(number: int, seed: int) -> str:
    rng = np.random.default_rng(seed)
    targets = number // 10
    scores = rng.normal(-2, 1, number)
    scores[:targets] += 4
    return "".join(
        f"m{i % 10} t{i} {score!r} {'target' if i < targets else 'nontarget'}\n"
        for i, score in enumerate(scores.tolist())
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kills")
    for seed, (name, number) in enumerate({"small": 400, "test": 300, "large": 100_000}.items()):
        (folder / f"{name}.txt").write_text(trials(number, seed))
    ran = child(LLRCAL, "fit", "small.txt", "-o", "other.json", "--quiet", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    return folder


# -------------------------------------------------------------------------- at random moments


def started(job: Job, home: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "llrcal", *job.arguments]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=home, env=environment(), stdout=quiet, stderr=quiet)


def near_its_end(process: subprocess.Popen[bytes], job: Job, home: Path) -> None:
    """Wait until the output is being written."""
    while process.poll() is None and not list(home.glob(job.near_its_end)):
        time.sleep(0.0005)


def times(job: Job, home: Path, *, killed_after: float, late: bool) -> tuple[float, float] | None:
    """How long a run lived, and how long of that it wrote; None if it was killed before its end.

    It is killed after so many seconds of life or, ``late``, of writing.
    """
    begin = time.perf_counter()
    with started(job, home) as process:
        if late:
            near_its_end(process, job, home)
        middle = time.perf_counter()
        try:
            process.wait(killed_after)
        except subprocess.TimeoutExpired:
            process.kill()
        status, end = process.wait(), time.perf_counter()
    assert status in (0, -signal.SIGKILL)
    return None if status else (end - begin, end - middle)


@pytest.mark.skipif("LLRCAL_KILLS" not in os.environ, reason="takes minutes: set LLRCAL_KILLS")
@pytest.mark.parametrize("verb", JOBS)
def test_kills_at_random_moments(home: Path, verb: str) -> None:
    job, rng = JOBS[verb], np.random.default_rng(KILLS)
    out, old = home / job.out, OLD[job.out]
    put(out, old)
    measured = times(job, home, killed_after=600, late=True)
    assert measured is not None
    life, writing = measured[0], max(measured[1], SHORTEST)
    new = contents(out)
    assert new != old
    found: Counter[str] = Counter()
    while found.total() < round(KILLS * job.share):
        put(out, old)
        late = found.total() % 2 == 1  # half over the whole life, half while the output is written
        after = rng.uniform(0, writing if late else life)
        done = times(job, home, killed_after=after, late=late)
        now = contents(out)
        if now is None:  # killed between the two moves that replace a folder
            (aside,) = home.glob(".llrcal-*-old")
            now = contents(aside)
        for name in hidden(home):
            put(home / name, None)
        assert now in (old, new), f"torn, {after} s after {'writing' if late else 'it'} began"
        if done is None:
            found["old" if now == old else "new"] += 1
        elif late:  # it was killed too late; the machine has more time for us than before
            writing = max(done[1], SHORTEST)
        else:
            life = done[0]
    print(f"\n{verb}: {life:.2f} s, of which {writing:.2f} s writing and after; {dict(found)}")


# -------------------------------------------------------------------------- at chosen moments


WRITE_A_FILE = """
import sys
from llrcal.files.atomic import write_atomically
write_atomically(sys.argv[1], b"new" * 10_000)
"""
NEW_FILE = b"new" * 10_000
OLD_FILE = b"old" * 20_000


def test_a_kill_at_any_step_of_writing_a_file(tmp_path: Path) -> None:
    out = tmp_path / "out"
    put(out, OLD_FILE)
    steps: dict[str, Content] = {}
    for step in killed_at_every_step(WRITE_A_FILE, out, cwd=tmp_path):
        steps[step] = contents(out)
        assert steps[step] in (OLD_FILE, NEW_FILE), step
        put(out, OLD_FILE)
    assert list(steps) == ["open", "os.chmod", "os.fsync", "os.rename", "os.remove"]
    assert steps["os.rename"] == OLD_FILE
    assert steps["os.remove"] == NEW_FILE
    assert contents(out) == NEW_FILE


@pytest.mark.parametrize("size", [1, 10_000, len(NEW_FILE) - 1])
def test_a_kill_at_a_byte_of_a_file(tmp_path: Path, size: int) -> None:
    """The system itself ends the process, in the middle of the call that writes."""
    pytest.importorskip("resource")
    out = tmp_path / "out"
    put(out, OLD_FILE)
    limit = f"limit_files({size}, deadly=True)"
    ran = child(WRITE_A_FILE, out, cwd=tmp_path, prepared=limit)
    assert ran.returncode == -signal.SIGXFSZ, ran.stderr
    assert contents(out) == OLD_FILE
    (left,) = hidden(tmp_path)
    assert contents(tmp_path / left) == NEW_FILE[:size]


FILL_A_FOLDER = """
import sys
from llrcal.files.atomic import atomic_folder, write_atomically
with atomic_folder(sys.argv[1], force=True) as folder:
    (folder / "inner").mkdir()
    for name in ("one", "inner/two"):
        write_atomically(folder / name, b"new")
"""
NEW_FOLDER = {"one": b"new", "inner/two": b"new"}
OLD_FOLDER = {"one": b"old", "inner/three": b"old", "inner/most/four": b"old"}


def test_a_kill_at_any_step_of_replacing_a_folder(tmp_path: Path) -> None:
    """Between two moves there is no folder; then both are whole beside it, under hidden names."""
    out = tmp_path / "out"
    put(out, OLD_FOLDER)
    steps: dict[str, list[Content]] = {}
    for step in killed_at_every_step(FILL_A_FOLDER, out, cwd=tmp_path):
        found = contents(out)
        if found is None:
            new, old = hidden(tmp_path)
            assert old == f"{new}-old"
            assert (contents(tmp_path / new), contents(tmp_path / old)) == (NEW_FOLDER, OLD_FOLDER)
        else:
            assert found in (OLD_FOLDER, NEW_FOLDER), step
        steps.setdefault(step, []).append(found)
        put(out, OLD_FOLDER)
    assert {"os.mkdir", "os.fsync", "os.rename", "os.remove", "os.rmdir"} < set(steps)
    # The names of its two files, a try, the two moves; then the old one is deleted.
    assert steps["os.rename"] == [*[OLD_FOLDER] * 4, None]
    assert steps["shutil.rmtree"] == [NEW_FOLDER]
    assert contents(out) == NEW_FOLDER
