"""Killed at any moment, llrcal leaves the old output or the whole new one: real kills, real runs.

``LLRCAL_KILLS`` is the number of kills at random moments; ``LLRCAL_KILLS=200 pytest -s`` shows what
they found.
"""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from llrcal.errors import OptionError
from llrcal.files.atomic import atomic_folder
from llrcal.files.exchange import exchanged
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
    pytest.mark.skipif("LLRCAL_KILLS" not in os.environ, reason="takes minutes: set LLRCAL_KILLS"),
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


def run(job: Job, home: Path, prepared: str = "") -> subprocess.CompletedProcess[str]:
    return child(LLRCAL, *job.arguments, cwd=home, prepared=prepared)


def whole(job: Job, home: Path) -> Content:
    """The output of a run that comes to its end, and leaves nothing else behind."""
    ran = run(job, home)
    assert ran.returncode == 0, ran.stderr
    assert hidden(home) == []
    return contents(home / job.out)


@pytest.fixture(scope="module")
def new(home: Path) -> dict[str, Content]:
    """What fit and apply write."""
    return {job.out: whole(job, home) for job in (FIT, APPLY)}


# -------------------------------------------------------------------------- at random moments


def started(job: Job, home: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "llrcal", *job.arguments]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=home, env=environment(), stdout=quiet, stderr=quiet)


def near_its_end(process: subprocess.Popen[bytes], job: Job, home: Path) -> None:
    """Wait until the output is being written."""
    seen = set(home.glob(job.near_its_end))  # left behind by others
    while process.poll() is None and set(home.glob(job.near_its_end)) <= seen:
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
        assert now in (old, new), f"torn, {after} s after {'writing' if late else 'it'} began"
        if done is None:
            found["old" if now == old else "new"] += 1
        elif late:  # it was killed too late; the machine has more time for us than before
            writing = max(done[1], SHORTEST)
        else:
            life = done[0]
    print(f"\n{verb}: {life:.2f} s, of which {writing:.2f} s writing and after; {dict(found)}")
    put(out, old)
    assert whole(job, home) == new, "what killed runs left behind is in the way"


# -------------------------------------------------------------------------- at chosen moments


@pytest.mark.parametrize("job", [FIT, APPLY], ids=["fit", "apply"])
def test_a_kill_at_any_step_of_writing_a_file(
    home: Path, new: dict[str, Content], job: Job
) -> None:
    out, old = home / job.out, OLD[job.out]
    put(out, old)
    steps: dict[str, Content] = {}
    for step in killed_at_every_step(LLRCAL, *job.arguments, cwd=home):
        steps[step] = contents(out)
        assert steps[step] in (old, new[job.out]), step
        if step == "os.chmod":  # nobody else may read it before it is whole
            (left,) = hidden(home)
            assert contents(home / left) == new[job.out]
            assert stat.S_IMODE((home / left).stat().st_mode) == 0o600
        put(out, old)
    assert list(steps) == ["open", "os.chmod", "os.fsync", "os.rename", "os.remove"]
    assert steps["os.rename"] == old
    assert steps["os.remove"] == new[job.out]
    assert contents(out) == new[job.out]


@pytest.mark.parametrize("job", [FIT, APPLY], ids=["fit", "apply"])
def test_a_kill_at_a_byte_of_a_file(home: Path, new: dict[str, Content], job: Job) -> None:
    """The system itself ends the process, in the middle of the call that writes."""
    pytest.importorskip("resource")
    out, old, expected = home / job.out, OLD[job.out], new[job.out]
    assert isinstance(expected, bytes)
    put(out, old)
    for size in (len(expected) // 2, len(expected) - 1):
        ran = run(job, home, f"limit_files({size}, deadly=True)")
        assert ran.returncode == -signal.SIGXFSZ, ran.stderr
        assert contents(out) == old
        (left,) = hidden(home)  # what the run before left behind is gone
        assert contents(home / left) == expected[:size]
    assert whole(job, home) == expected


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


def can_exchange(folder: Path) -> bool:
    for name in ("one", "two"):
        (folder / name).mkdir()
    return exchanged(folder / "one", folder / "two")


def test_a_kill_at_any_step_of_replacing_a_folder(tmp_path: Path) -> None:
    (tmp_path / "try").mkdir()
    if not can_exchange(tmp_path / "try"):
        pytest.skip("folders cannot change places in one step here")
    out = tmp_path / "out"
    put(out, OLD_FOLDER)
    steps: dict[str, Content] = {}
    for step in killed_at_every_step(FILL_A_FOLDER, out, cwd=tmp_path):
        steps[step] = contents(out)
        assert steps[step] in (OLD_FOLDER, NEW_FOLDER), step
        put(out, OLD_FOLDER)
    assert {"os.mkdir", "os.fsync", "os.rename", "os.remove", "os.rmdir"} < set(steps)
    assert steps["exchange"] == OLD_FOLDER
    assert steps["shutil.rmtree"] == NEW_FOLDER


def test_a_kill_where_folders_cannot_change_places(tmp_path: Path) -> None:
    """There is a moment without any folder; the next call puts the old one back."""
    out = tmp_path / "out"
    put(out, OLD_FOLDER)
    missing = 0
    without = "import llrcal.files.atomic; llrcal.files.atomic.exchanged = lambda *_: False\n"
    for _ in killed_at_every_step(without + FILL_A_FOLDER, out, cwd=tmp_path):
        missing += not out.exists()
        with pytest.raises(OptionError, match="exists already"), atomic_folder(out):
            pass
        assert contents(out) in (OLD_FOLDER, NEW_FOLDER)
        put(out, OLD_FOLDER)
    assert missing == 1
    ran = child(without + FILL_A_FOLDER, out, cwd=tmp_path)
    assert (ran.returncode, contents(out), hidden(tmp_path)) == (0, NEW_FOLDER, [])


# -------------------------------------------------------------------------- a second writer


def test_two_runs_at_once(home: Path, new: dict[str, Content]) -> None:
    in_bits = replace(APPLY, arguments=(*APPLY.arguments, "--units", "bits"))
    either = [new[APPLY.out], whole(in_bits, home)]
    assert either[0] != either[1]
    for _ in range(2):
        put(home / APPLY.out, OLD[APPLY.out])
        both = [started(job, home) for job in (APPLY, in_bits)]
        assert [process.wait() for process in both] == [0, 0]
        assert contents(home / APPLY.out) in either
        assert hidden(home) == []
