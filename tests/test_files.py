"""Files are written whole or not at all: real failures, real modes."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from llrcal.errors import OptionError
from llrcal.files import atomic_folder, write_atomically


@pytest.fixture
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_content_is_written(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    for content in (b"one\r\n\x00", b"", b"x" * 10**6):
        write_atomically(path, content)
        assert path.read_bytes() == content
        assert [p.name for p in tmp_path.iterdir()] == ["model.json"]


def test_paths_of_every_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_atomically("relative.json", b"1")
    write_atomically(str(tmp_path / "absolute.json"), b"2")
    write_atomically(tmp_path / "with space ä.json", b"3")
    names = {"relative.json", "absolute.json", "with space ä.json"}
    assert {p.name for p in tmp_path.iterdir()} == names


@pytest.mark.parametrize("name", ["n" * 250 + ".json", "模" * 83 + ".json"], ids=["ascii", "han"])
def test_names_as_long_as_the_file_system_allows(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"old")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"


@pytest.mark.usefixtures("usual_umask")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o027, 0o077])
def test_a_new_file_gets_what_the_umask_leaves(tmp_path: Path, umask: int) -> None:
    os.umask(umask)
    write_atomically(tmp_path / "file", b"")
    assert mode(tmp_path / "file") == 0o666 & ~umask
    assert os.umask(umask) == umask


@pytest.mark.usefixtures("usual_umask")
@pytest.mark.parametrize("bits", [0o600, 0o640, 0o644, 0o666, 0o755])
def test_a_file_keeps_its_mode(tmp_path: Path, bits: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(bits)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert mode(path) == bits


WRITE_TOO_MUCH = """
import resource, sys
from llrcal.errors import OptionError
from llrcal.files import atomic_folder, write_atomically
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    write_atomically(sys.argv[1], b"new" * 100_000)
except OSError as problem:
    print("refused:", problem.errno)
"""


@pytest.mark.parametrize("exists", [True, False])
def test_the_old_file_stays_when_the_disk_takes_no_more(tmp_path: Path, exists: bool) -> None:
    pytest.importorskip("resource")
    import errno

    path = tmp_path / "file"
    if exists:
        path.write_bytes(b"old")
    done = subprocess.run(
        [sys.executable, "-c", WRITE_TOO_MUCH, str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["refused:", str(errno.EFBIG)]
    assert [p.name for p in tmp_path.iterdir()] == (["file"] if exists else [])
    if exists:
        assert path.read_bytes() == b"old"


KILL_WHILE_WRITING = """
import os, signal, sys
from llrcal.errors import OptionError
from llrcal.files import atomic_folder, write_atomically
path, spins = sys.argv[1], int(sys.argv[2])
pid = os.fork()
if pid == 0:
    for number in range(10_000):
        write_atomically(path, (b"%d\\n" % number) * 30_000)
    os._exit(0)
while not os.path.exists(path):
    if os.waitpid(pid, os.WNOHANG)[0]:
        sys.exit("the writer is gone")
for _ in range(spins):  # another moment each time
    os.stat(path)
os.kill(pid, signal.SIGKILL)
os.waitpid(pid, 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("delay", [0, 200, 1000, 5000])
def test_a_killed_writer_leaves_a_whole_file(tmp_path: Path, delay: int) -> None:
    path = tmp_path / "file"
    subprocess.run([sys.executable, "-c", KILL_WHILE_WRITING, str(path), str(delay)], check=True)
    lines = path.read_bytes().splitlines()
    assert len(lines) == 30_000
    assert len(set(lines)) == 1


def test_failures_at_the_last_step_leave_nothing_behind(tmp_path: Path) -> None:
    """A folder stands where the file should go: the rename itself fails."""
    (tmp_path / "file" / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match="file"):
        write_atomically(tmp_path / "file", b"new")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file" / "inside").is_dir()


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "nowhere" / "file", b"")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_folder_that_may_not_be_written_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PermissionError):
            write_atomically(path, b"new")
        assert path.read_bytes() == b"old"
        assert [p.name for p in tmp_path.iterdir()] == ["file"]
    finally:
        tmp_path.chmod(0o700)


class TestAtomicFolder:
    def test_a_whole_folder_appears(self, tmp_path: Path) -> None:
        with atomic_folder(tmp_path / "out") as folder:
            (folder / "a.txt").write_text("a")
            assert not (tmp_path / "out").exists()
        assert (tmp_path / "out" / "a.txt").read_text() == "a"
        assert [path.name for path in tmp_path.iterdir()] == ["out"]

    def test_a_failure_leaves_nothing(self, tmp_path: Path) -> None:
        def fill_and_fail() -> None:
            with atomic_folder(tmp_path / "out") as folder:
                (folder / "a.txt").write_text("a")
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fill_and_fail()
        assert list(tmp_path.iterdir()) == []

    def test_what_is_there_is_replaced_only_by_force(self, tmp_path: Path) -> None:
        old = tmp_path / "out"
        old.mkdir()
        (old / "old.txt").write_text("old")
        with pytest.raises(OptionError, match="exists already"), atomic_folder(old):
            pass
        assert (old / "old.txt").exists()
        with atomic_folder(old, force=True) as folder:
            (folder / "new.txt").write_text("new")
        assert [path.name for path in old.iterdir()] == ["new.txt"]
        assert [path.name for path in tmp_path.iterdir()] == ["out"]

    def test_a_failure_keeps_what_was_to_be_replaced(self, tmp_path: Path) -> None:
        old = tmp_path / "out"
        old.mkdir()
        (old / "old.txt").write_text("old")
        with pytest.raises(ZeroDivisionError), atomic_folder(old, force=True):
            raise ZeroDivisionError
        assert (old / "old.txt").read_text() == "old"
        assert [path.name for path in tmp_path.iterdir()] == ["out"]

    def test_an_empty_folder_is_filled(self, tmp_path: Path) -> None:
        (tmp_path / "out").mkdir()
        with atomic_folder(tmp_path / "out") as folder:
            (folder / "a.txt").write_text("a")
        assert (tmp_path / "out" / "a.txt").exists()

    def test_a_file_is_never_replaced_by_a_folder(self, tmp_path: Path) -> None:
        (tmp_path / "out").write_text("a file")
        with (
            pytest.raises(OptionError, match="exists already"),
            atomic_folder(tmp_path / "out", force=True),
        ):
            pass
        assert (tmp_path / "out").read_text() == "a file"
