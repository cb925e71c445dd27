"""Files are written whole or not at all: real failures, real modes."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from llrcal.errors import OptionError
from llrcal.files import atomic as files
from llrcal.files import candid_file
from llrcal.files.atomic import atomic_file, atomic_folder, write_atomically
from llrcal.files.leftovers import aside
from tests.stopping import child, contents, hidden, put

pytestmark = pytest.mark.slow

NOBODY = 65534


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


@pytest.mark.usefixtures("usual_umask")
def test_a_file_is_private_until_it_is_whole(tmp_path: Path) -> None:
    os.umask(0)
    with atomic_file(tmp_path / "file") as file:
        file.write(b"new")
        (name,) = hidden(tmp_path)
        assert mode(tmp_path / name) == 0o600
    assert mode(tmp_path / "file") == 0o666


@pytest.mark.usefixtures("usual_umask", "quick_disk")
def test_threads_do_not_lose_the_umask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_umask = os.umask

    def dawdling(mask: int) -> int:
        before = set_umask(mask)
        time.sleep(0.0005)  # so that another thread has its turn
        return before

    with monkeypatch.context() as slow, ThreadPoolExecutor(8) as pool:
        slow.setattr(os, "umask", dawdling)
        list(pool.map(lambda n: write_atomically(tmp_path / str(n), b""), range(100)))
    assert os.umask(0o022) == 0o022
    assert {mode(path) for path in tmp_path.iterdir()} == {0o644}


# ------------------------------------------------------------------------------------ links


class TestLinks:
    """A link stays a link, as with ``>``, ``cp`` and git: what it points at is replaced."""

    @pytest.mark.parametrize("exists", [True, False])
    def test_what_it_points_at_is_written(self, tmp_path: Path, exists: bool) -> None:
        (tmp_path / "far").mkdir()
        (tmp_path / "near").symlink_to("link")
        (tmp_path / "link").symlink_to(Path("far") / "file")
        if exists:
            (tmp_path / "far" / "file").write_bytes(b"old")
            (tmp_path / "far" / "file").chmod(0o640)
        write_atomically(tmp_path / "near", b"new")
        assert (tmp_path / "far" / "file").read_bytes() == b"new"
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "near").is_symlink()
        assert hidden(tmp_path) == hidden(tmp_path / "far") == []
        assert not exists or mode(tmp_path / "far" / "file") == 0o640

    def test_other_names_of_a_file_keep_the_old_one(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"old")
        (tmp_path / "other").hardlink_to(tmp_path / "file")
        write_atomically(tmp_path / "file", b"new")
        assert (tmp_path / "other").read_bytes() == b"old"

    def test_a_circle_is_an_error(self, tmp_path: Path) -> None:
        (tmp_path / "one").symlink_to("two")
        (tmp_path / "two").symlink_to("one")
        with pytest.raises(OSError, match="one") as caught:
            write_atomically(tmp_path / "one", b"new")
        assert caught.value.errno == errno.ELOOP
        assert (tmp_path / "one").is_symlink()

    def test_nothing_is_written_through_a_planted_link(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Even where somebody knows the temporary name beforehand."""
        (tmp_path / "victim").write_bytes(b"precious")
        monkeypatch.setattr(secrets, "token_hex", lambda _: "known")
        with atomic_file(tmp_path / "file"):
            (name,) = hidden(tmp_path)
        (tmp_path / name).symlink_to("victim")
        with pytest.raises(FileExistsError):
            write_atomically(tmp_path / "file", b"new")
        assert (tmp_path / "victim").read_bytes() == b"precious"

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
    def test_a_strangers_link_is_not_followed(self, tmp_path: Path) -> None:
        rule = Path("/proc/sys/fs/protected_symlinks")
        if not rule.exists() or rule.read_text().strip() != "1":
            pytest.skip("this system lets strangers' links be followed")
        (tmp_path / "victim").write_bytes(b"precious")
        everybodys = tmp_path / "tmp"
        everybodys.mkdir()
        everybodys.chmod(0o1777)
        link = everybodys / "model.json"
        link.symlink_to(tmp_path / "victim")
        os.chown(link, NOBODY, NOBODY, follow_symlinks=False)
        with pytest.raises(PermissionError, match=r"model\.json"):
            write_atomically(link, b"new")
        assert (tmp_path / "victim").read_bytes() == b"precious"


# -------------------------------------------------------------------------- pipes and devices


@pytest.fixture
def device(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A device of our own: should a test of it fail, those in /dev are still there."""
    path = tmp_path / "device"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, request.param))
        path.open("wb").close()
    except (AttributeError, PermissionError):
        pytest.skip("only root may make devices")
    return path


NULL = pytest.mark.parametrize("device", [3], indirect=True, ids=["null"])
FULL = pytest.mark.parametrize("device", [7], indirect=True, ids=["full"])


class TestStreams:
    """To put a file in the place of a device would be the end of the device."""

    def test_a_pipe(self, tmp_path: Path) -> None:
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        try:
            write_atomically(pipe, b"new" * 10_000)
            assert os.read(reader, 10**6) == b"new" * 10_000
        finally:
            os.close(reader)
        assert pipe.is_fifo()
        assert hidden(tmp_path) == []

    def test_a_terminal(self) -> None:
        ours, theirs = os.openpty()
        try:
            name = os.ttyname(theirs)
            write_atomically(name, b"new")
            assert os.read(ours, 100) == b"new"
            assert Path(name).is_char_device()
        finally:
            os.close(ours)
            os.close(theirs)

    @NULL
    @pytest.mark.parametrize("linked", [False, True])
    def test_nowhere(self, tmp_path: Path, device: Path, linked: bool) -> None:
        path = tmp_path / "link" if linked else device
        if linked:
            path.symlink_to(device)
        write_atomically(path, b"new")
        assert device.is_char_device()
        assert path.is_symlink() is linked
        assert hidden(tmp_path) == []

    @FULL
    def test_a_device_that_is_full(self, device: Path) -> None:
        with pytest.raises(OSError, match="device") as caught:
            write_atomically(device, b"new")
        assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(device))
        assert device.is_char_device()

    @pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
    def test_what_is_open_already_is_written_to(self, tmp_path: Path, name: str) -> None:
        """As in ``-o /dev/stdout >> log``: the log is neither replaced nor cut off."""
        if not Path(name).exists():
            pytest.skip(f"there is no {name}")
        if name == "/dev/stdout" and os.geteuid() == 0:
            pytest.skip("root would lose it, should this fail")
        log = tmp_path / "log"
        log.write_bytes(b"before, ")
        number = log.stat().st_ino
        code = f"from llrcal.files.atomic import *; write_atomically({name!r}, b'new')"
        with log.open("ab") as file:
            subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
        assert log.read_bytes() == b"before, new"
        assert log.stat().st_ino == number


# ----------------------------------------------------------------------- full disks and kills

WRITE_TOO_MUCH = """
import resource, sys
from llrcal.files.atomic import write_atomically
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    write_atomically(sys.argv[1], b"new" * 100_000)
except OSError as problem:
    print("refused:", problem.errno)
"""


@pytest.mark.parametrize("exists", [True, False])
def test_the_old_file_stays_when_the_disk_takes_no_more(tmp_path: Path, exists: bool) -> None:
    pytest.importorskip("resource")
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
from llrcal.files.atomic import write_atomically
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


# -------------------------------------------------------------------- places that are no good


def test_a_folder_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(IsADirectoryError, match="file"):
        write_atomically(tmp_path / "file", b"new")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_failures_at_the_last_step_leave_nothing_behind(tmp_path: Path) -> None:
    """A folder has come to stand where the file should go: the rename itself fails."""
    with pytest.raises(IsADirectoryError) as caught, atomic_file(tmp_path / "file"):
        (tmp_path / "file" / "inside").mkdir(parents=True)
    assert caught.value.filename == str(tmp_path / "file")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file" / "inside").is_dir()


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "file"
    with pytest.raises(FileNotFoundError) as caught:
        write_atomically(path, b"")
    assert caught.value.filename == str(path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_goes_away_while_a_file_is_written(tmp_path: Path) -> None:
    path = tmp_path / "home" / "file"
    path.parent.mkdir()
    with pytest.raises(FileNotFoundError) as caught, atomic_file(path):
        shutil.rmtree(path.parent)
    assert caught.value.filename == str(path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_goes_away_while_a_folder_is_filled(tmp_path: Path) -> None:
    path = tmp_path / "home" / "out"
    path.parent.mkdir()

    def fill_what_is_gone() -> None:
        with atomic_folder(path) as folder:
            write_atomically(folder / "a", b"new")
            shutil.rmtree(path.parent)
            write_atomically(folder / "b", b"new")

    with pytest.raises(FileNotFoundError) as caught:
        fill_what_is_gone()
    assert caught.value.filename == str(path / "b")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def not_ours() -> Iterator[Path]:
    """A folder that we may look into and not write to."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        put(folder / "file", b"old")
        put(folder / "out", {"old": b"old"})
        (folder / "file").chmod(0o666)
        folder.chmod(0o555)
        user = os.geteuid()
        if user == 0:  # who may write everywhere
            os.seteuid(NOBODY)
        yield folder
        os.seteuid(user)
        folder.chmod(0o700)


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="needs users")
def test_a_folder_that_may_not_be_written_keeps_the_old_file(not_ours: Path) -> None:
    with pytest.raises(PermissionError) as caught:
        write_atomically(not_ours / "file", b"new")
    assert caught.value.filename == str(not_ours / "file")
    with pytest.raises(PermissionError), atomic_folder(not_ours / "out", force=True):
        pass
    assert contents(not_ours) == {"file": b"old", "out/old": b"old"}
    assert hidden(not_ours) == []


def test_errors_of_others_stay_as_they_are(tmp_path: Path) -> None:
    """Only what is written here is called by the name of the file."""
    for problem in (
        FileNotFoundError(errno.ENOENT, "not there", "the input"),
        BrokenPipeError(errno.EPIPE, "nobody reads"),
        ValueError("(os error 2)"),
    ):
        with pytest.raises(type(problem)) as caught, atomic_file(tmp_path / "file"):
            raise problem
        assert caught.value is problem
    assert list(tmp_path.iterdir()) == []


# -------------------------------------------------------------------------------- interrupts


@pytest.fixture
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """To be interrupted a thousand times need not wear out the disk."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def interrupt_at(place: int, work: Callable[[], None]) -> bool:
    """Whether work was interrupted, at the n-th instruction of what writes."""
    ours = {files.__file__, candid_file.__file__, contextlib.__file__}
    instructions = count()

    def trace(frame: Any, event: str, _: Any) -> Any:
        if frame.f_code.co_filename not in ours:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode" and next(instructions) == place:
            sys.settrace(None)
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    try:
        sys.settrace(trace)
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


# A file that is opened and not yet in hand is closed by Python, which says so.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.usefixtures("quick_disk")
def test_an_interrupt_at_any_moment_of_writing_a_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    found = set()
    for place in count():
        put(path, b"old")
        interrupted = interrupt_at(place, lambda: write_atomically(path, b"new"))
        assert hidden(tmp_path) == [], place
        found.add(contents(path))
        if not interrupted:
            break
    assert place > 100
    assert found == {b"old", b"new"}


@pytest.mark.usefixtures("quick_disk")
@pytest.mark.parametrize("in_one_step", [True, False])
def test_an_interrupt_at_any_moment_of_replacing_a_folder(
    tmp_path: Path, in_one_step: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not in_one_step:
        monkeypatch.setattr(files, "exchanged", lambda *_: False)
    old, new = {"old": b"old"}, {"new": b"new"}
    out = tmp_path / "out"

    def replace() -> None:
        with atomic_folder(out, force=True) as folder:
            (folder / "new").write_bytes(b"new")

    for place in count():
        put(out, old)
        interrupted = interrupt_at(place, replace)
        assert contents(out) in (old, new), place
        for name in hidden(tmp_path):  # at most the old one, on its way out
            assert (contents(tmp_path / name), contents(out)) == (old, new), place
            shutil.rmtree(tmp_path / name)
        if not interrupted:
            break
    assert place > 100


# -------------------------------------------------------------------------- a second writer

WRITE_OFTEN = """
import sys
from llrcal.files.atomic import atomic_folder, write_atomically
path, letter = sys.argv[1], sys.argv[2].encode()
for number in range(300):
    write_atomically(path + ".txt", letter * (100_000 + number))
for number in range(100):
    with atomic_folder(path, force=True) as folder:
        for name in ("one", "two", "three"):
            (folder / name).write_bytes(letter * number)
"""


def test_two_writers_at_once(tmp_path: Path) -> None:
    """Whoever reads meanwhile finds one of them, whole, and never nothing."""
    out, text = tmp_path / "out", tmp_path / "out.txt"
    put(text, b"0" * 100_000)
    put(out, dict.fromkeys(("one", "two", "three"), b""))
    seen = set()
    with ThreadPoolExecutor(2) as pool:
        writers = [pool.submit(child, WRITE_OFTEN, out, letter, cwd=tmp_path) for letter in "AB"]
        while not all(writer.done() for writer in writers):
            content = text.read_bytes()
            assert len(content) >= 100_000
            assert len(set(content)) == 1
            seen.add(content[0])
            assert out.is_dir()
    for writer in writers:
        assert writer.result().returncode == 0, writer.result().stderr
    assert seen >= set(b"AB")
    found = contents(out)
    assert isinstance(found, dict)
    assert list(found) == ["one", "three", "two"]
    assert set(found.values()) in ({b"A" * 99}, {b"B" * 99})
    assert hidden(tmp_path) == []


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

    def test_a_folder_that_came_meanwhile_is_kept(self, tmp_path: Path) -> None:
        with pytest.raises(OptionError, match="exists already"), atomic_folder(tmp_path / "out"):
            put(tmp_path / "out", {"a": b"somebody else's"})
        assert contents(tmp_path / "out") == {"a": b"somebody else's"}
        assert hidden(tmp_path) == []

    @pytest.mark.usefixtures("usual_umask")
    @pytest.mark.parametrize("empty", [True, False])
    def test_a_folder_keeps_its_mode(self, tmp_path: Path, empty: bool) -> None:
        out = tmp_path / "out"
        with atomic_folder(out) as folder:
            assert mode(folder) == 0o700
        assert mode(out) == 0o755
        put(out / "old", None if empty else b"old")
        out.chmod(0o750)
        with atomic_folder(out, force=True):
            pass
        assert mode(out) == 0o750

    @pytest.mark.usefixtures("usual_umask")
    def test_a_folder_shared_by_a_group_stays_so(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o2755)
        with atomic_folder(tmp_path / "out"):
            pass
        assert mode(tmp_path / "out") == 0o2755

    @pytest.mark.parametrize("exists", [True, False])
    def test_a_link_stays_and_its_folder_is_replaced(self, tmp_path: Path, exists: bool) -> None:
        far = tmp_path / "far" / "results"
        put(far if exists else far.parent, {"old": b"old"})
        (tmp_path / "out").symlink_to(Path("far") / "results")
        with atomic_folder(tmp_path / "out", force=True) as folder:
            put(folder / "new", b"new")
        assert (tmp_path / "out").is_symlink()
        assert contents(far) == {"new": b"new"}
        assert hidden(tmp_path) == hidden(far.parent) == []

    @pytest.mark.parametrize("out", [".", "..", "../here"])
    def test_nobody_loses_the_folder_they_are_in(
        self, tmp_path: Path, out: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(tmp_path / "here", {"precious": b"1"})
        monkeypatch.chdir(tmp_path / "here")
        with (
            pytest.raises(OptionError, match="folder that you are in"),
            atomic_folder(out, force=True),
        ):
            pass
        assert contents(tmp_path) == {"here/precious": b"1"}

    def test_a_mount_point_is_refused_before_any_work(self) -> None:
        """As in a container, where ``/results`` is a volume: it cannot be renamed."""
        if not Path("/dev/shm").is_mount():  # noqa: S108
            pytest.skip("there is no /dev/shm")
        with (
            pytest.raises(OptionError, match="is a mount point"),
            atomic_folder(
                "/dev/shm",  # noqa: S108
                force=True,
            ),
        ):
            pytest.fail("too late")

    def test_half_of_an_old_folder_is_never_put_back(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An old folder that was moved aside, though the new one is in place, is deleted."""
        out = tmp_path / "out"
        put(out, {"new": b"new"})
        old = aside(out)
        put(old, {"old": b"old"})
        with atomic_folder(out, force=True):
            assert not old.exists()
            assert len(hidden(tmp_path)) == 1

    def test_a_move_that_fails_is_taken_back(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Where folders cannot change places, and the new one is gone when its turn comes."""
        out = tmp_path / "out"
        put(out, {"old": b"old"})

        def missing(one: Path, _: Path) -> bool:
            shutil.rmtree(one)
            return False

        monkeypatch.setattr(files, "exchanged", missing)
        with pytest.raises(FileNotFoundError), atomic_folder(out, force=True):
            pass
        assert contents(out) == {"old": b"old"}
        assert hidden(tmp_path) == []
