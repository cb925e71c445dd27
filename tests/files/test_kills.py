"""Killed at any moment, llrcal leaves the old output or the whole new one: real kills."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from llrcal.files.atomic import atomic_folder
from tests.stopping import Content, child, contents, hidden, killed_at_every_step, put

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL"),
]

WRITE_A_FILE = """
import sys
from llrcal.files.atomic import write_atomically
write_atomically(sys.argv[1], b"new" * 10_000, b"old")
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


def put_ours(out: Path) -> None:
    """Put the old folder there, as llrcal writes it."""
    put(out, None)
    with atomic_folder(out) as folder:
        for name, content in OLD_FOLDER.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)


def test_a_kill_at_any_step_of_replacing_a_folder(tmp_path: Path) -> None:
    """Between two moves there is no folder; then both are whole beside it, under hidden names."""
    out = tmp_path / "out"
    put_ours(out)
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
        put_ours(out)
    assert {"os.mkdir", "os.fsync", "os.rename", "os.remove", "os.rmdir"} < set(steps)
    # The names of its two files, a try, the two moves; then the old one is deleted.
    assert steps["os.rename"] == [*[OLD_FOLDER] * 4, None]
    assert "shutil.rmtree" not in steps
    assert contents(out) == NEW_FOLDER
