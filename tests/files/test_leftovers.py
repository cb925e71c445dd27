"""What a killed run left behind is deleted by the next one; what anybody may still need is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from llrcal.files import leftovers
from llrcal.files.atomic import atomic_folder, write_atomically
from llrcal.files.leftovers import sweep, temporary_beside
from tests.stopping import child, contents, hidden, put

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody is known to be dead")

BEGIN = """
import os, signal, sys
from pathlib import Path
from llrcal.files.atomic import atomic_file, atomic_folder
with atomic_file(sys.argv[1]) as file, atomic_folder(sys.argv[2]) as folder:
    file.write(b"half a file" * 10_000)
    (folder / "inner").mkdir()
    (folder / "inner" / "half").write_bytes(b"half")
    (folder / "link").symlink_to(Path(sys.argv[1]).parent / "precious")
    print("begun", flush=True)
    if sys.argv[3] == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    sys.stdin.read()
"""


def left_behind(folder: Path) -> list[str]:
    """The temporary file and folder of a process that is no more."""
    before = hidden(folder)
    ran = child(BEGIN, folder / "file", folder / "out", "die", cwd=folder)
    assert (ran.returncode, ran.stdout) == (-signal.SIGKILL, "begun\n")
    return sorted(set(hidden(folder)) - set(before))


@LINUX
def test_the_next_run_deletes_what_a_killed_one_left(tmp_path: Path) -> None:
    put(tmp_path / "precious", {"a": b"1"})
    assert len(left_behind(tmp_path)) == 2
    assert len(left_behind(tmp_path)) == 2
    assert len(hidden(tmp_path)) == 2  # of the second run; those of the first are gone
    write_atomically(tmp_path / "file", b"new")
    assert len(hidden(tmp_path)) == 1
    with atomic_folder(tmp_path / "out"):
        pass
    assert hidden(tmp_path) == []
    assert contents(tmp_path / "precious") == {"a": b"1"}  # links are not followed


@LINUX
def test_other_targets_are_left_alone(tmp_path: Path) -> None:
    left = left_behind(tmp_path)
    for name in ("file2", "fil", "File", "out.txt"):
        write_atomically(tmp_path / name, b"new")
    assert hidden(tmp_path) == left


def test_a_run_that_is_still_writing_is_left_alone(tmp_path: Path) -> None:
    """It may be stopped, or slow; then it must find its file when it comes to its end."""
    file, out = tmp_path / "file", tmp_path / "out"
    command = [sys.executable, "-c", BEGIN, str(file), str(out), "live"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        begun = hidden(tmp_path)
        assert len(begun) == 2
        write_atomically(file, b"new")
        sweep(file)
        sweep(out)
        assert hidden(tmp_path) == begun
        process.communicate(b"")
    assert process.returncode == 0
    assert hidden(tmp_path) == []
    assert contents(file) == b"half a file" * 10_000


@LINUX
@pytest.mark.parametrize("system", ["another machine, or another container", ""])
def test_what_others_wrote_is_left_alone(
    tmp_path: Path, system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers of processes mean nothing from one machine to the next."""
    left = left_behind(tmp_path)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(leftovers, "_system", lambda: system)
        write_atomically(tmp_path / "file", b"new")
        assert hidden(tmp_path) == left
    write_atomically(tmp_path / "file", b"new")
    assert len(hidden(tmp_path)) == 1


def test_what_only_looks_alike_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "file"
    ours, _, rest = temporary_beside(target).name.partition(f"-{os.getpid()}-")
    names = [
        f"{ours}-{process}-{rest}" for process in ("", "x", "-1", "0", "1", "9" * 99, os.getpid())
    ]
    for name in (*names, ".llrcal-", ".llrcal-settings", f"{ours}-"):
        put(tmp_path / name, b"precious")
    before = contents(tmp_path)
    sweep(target)
    assert contents(tmp_path) == before


def test_temporary_names(tmp_path: Path) -> None:
    """Hidden, beside the target, short whatever its name, and never the same twice."""
    names = {temporary_beside(tmp_path / ("模" * 85)) for _ in range(1000)}
    assert len(names) == 1000
    for name in names:
        assert name.parent == tmp_path
        assert name.name.startswith(".llrcal-")
        assert len(name.name) < 64


def test_a_folder_that_cannot_be_listed_is_no_trouble(tmp_path: Path) -> None:
    sweep(tmp_path / "nowhere" / "file")
    put(tmp_path / "file", b"1")
    sweep(tmp_path / "file" / "file")
