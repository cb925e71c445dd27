"""Files and folders appear whole or not at all: real failures, real kills, real modes."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import secrets
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from llrcal.errors import LlrcalWarning, OptionError
from llrcal.files import atomic
from llrcal.files.atomic import atomic_file, atomic_folder, write_atomically
from tests.stopping import child, contents, hidden, put

pytestmark = pytest.mark.slow

NOBODY = 65534
ANY = b"."


@pytest.fixture
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("name", ["ä b.json", "n" * 250 + ".json", "模" * 83 + ".json"])
def test_content_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Under names as long as the file system allows, and whatever a path is given as."""
    monkeypatch.chdir(tmp_path)
    for path, content in (
        (name, b"1\r\n\0"),
        (str(tmp_path / name), b""),
        (Path(name), b"x" * 10**6),
    ):
        write_atomically(path, content, ANY)
        assert contents(tmp_path) == {name: content}


@pytest.mark.usefixtures("usual_umask")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_a_new_file_has_the_mode_that_the_umask_allows(tmp_path: Path, umask: int) -> None:
    os.umask(umask)
    write_atomically(tmp_path / "file", b"")
    assert mode(tmp_path / "file") == 0o666 & ~umask


@pytest.mark.usefixtures("usual_umask")
@pytest.mark.parametrize("bits", [0o400, 0o600, 0o644, 0o666])
def test_a_file_keeps_its_mode_and_is_never_more_open(tmp_path: Path, bits: int) -> None:
    path = tmp_path / "file"
    put(path, b"old")
    path.chmod(bits)
    with atomic_file(path, ANY) as file:
        file.write(b"new")
        (name,) = hidden(tmp_path)
        assert mode(tmp_path / name) & ~bits == 0
    assert path.read_bytes() == b"new"
    assert mode(path) == bits


class TestLinks:
    """A link stays a link, as with ``>`` and ``cp``, and what it points at is replaced."""

    def test_what_it_points_at_is_written(self, tmp_path: Path) -> None:
        put(tmp_path / "far", {"file": b"old"})
        (tmp_path / "near").symlink_to("link")
        (tmp_path / "link").symlink_to(Path("far") / "file")
        write_atomically(tmp_path / "near", b"new", ANY)
        assert (tmp_path / "far" / "file").read_bytes() == b"new"
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "near").is_symlink()
        assert hidden(tmp_path) == hidden(tmp_path / "far") == []

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
        """Even where somebody knows the hidden name beforehand."""
        put(tmp_path / "victim", b"precious")
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
        put(tmp_path / "victim", b"precious")
        everybodys = tmp_path / "tmp"
        everybodys.mkdir()
        everybodys.chmod(0o1777)
        link = everybodys / "model.json"
        link.symlink_to(tmp_path / "victim")
        os.chown(link, NOBODY, NOBODY, follow_symlinks=False)
        with pytest.raises(PermissionError, match=r"model\.json"):
            write_atomically(link, b"new")
        assert (tmp_path / "victim").read_bytes() == b"precious"


@pytest.fixture
def device(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A device of our own, so that a failing test does not replace one in /dev."""
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
    """Pipes and devices are written to, not replaced."""

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

    @NULL
    @pytest.mark.parametrize("linked", [False, True])
    def test_a_device(self, tmp_path: Path, device: Path, linked: bool) -> None:
        path = tmp_path / "link" if linked else device
        if linked:
            path.symlink_to(device)
        write_atomically(path, b"new")
        assert device.is_char_device()
        assert path.is_symlink() is linked
        assert hidden(tmp_path) == []

    @pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
    def test_what_is_open_already(self, tmp_path: Path, name: str) -> None:
        """As in ``-o /dev/stdout >> log``: the log is neither replaced nor emptied."""
        if not Path(name).exists():
            pytest.skip(f"there is no {name}")
        if name == "/dev/stdout" and os.geteuid() == 0:
            pytest.skip("root would lose it if this failed")
        log = tmp_path / "log"
        put(log, b"before, ")
        number = log.stat().st_ino
        code = f"from llrcal.files.atomic import *; write_atomically({name!r}, b'new')"
        with log.open("ab") as file:
            subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
        assert log.read_bytes() == b"before, new"
        assert log.stat().st_ino == number


class TestReasons:
    """The error of a write names the file and says why, whatever a library makes of it."""

    @FULL
    @pytest.mark.parametrize("size", [1, 10**6], ids=["at the end", "at once"])
    def test_a_device_that_is_full(self, device: Path, size: int) -> None:
        with pytest.raises(OSError, match="device") as caught:
            write_atomically(device, bytes(size))
        assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(device))

    @FULL
    @pytest.mark.parametrize("error", [RuntimeError("transport error"), OSError("only words")])
    def test_a_reason_that_a_library_lost(self, device: Path, error: Exception) -> None:
        def write() -> None:
            with atomic_file(device) as file:
                try:
                    file.write(bytes(3 * 10**6))  # too much for the buffer
                except OSError:
                    raise error from None

        with pytest.raises(OSError, match="device") as caught:
            write()
        assert caught.value.errno == errno.ENOSPC

    def test_what_cannot_be_brought_to_disk(self) -> None:
        ours, theirs = os.openpty()
        try:
            name = os.ttyname(theirs)
            with atomic._File(io.FileIO(name, "a")) as file, pytest.raises(OSError, match=name):
                file.told(os.fsync, file.fileno())
        finally:
            os.close(ours)
            os.close(theirs)

    @pytest.mark.parametrize(
        "problem",
        [
            FileNotFoundError(errno.ENOENT, "not there", "the input"),
            BrokenPipeError(errno.EPIPE, "nobody reads"),
            ValueError("(os error 2)"),
        ],
        ids=lambda problem: type(problem).__name__,
    )
    def test_errors_of_others_stay_as_they_are(self, tmp_path: Path, problem: Exception) -> None:
        with pytest.raises(type(problem)) as caught, atomic_file(tmp_path / "file"):
            raise problem
        assert caught.value is problem
        assert caught.value.__cause__ is None
        assert list(tmp_path.iterdir()) == []


class TestPlaces:
    """Where nothing can be written, what is there stays, and the error names what was asked for."""

    def test_a_folder_is_not_replaced_by_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "file").mkdir()
        with pytest.raises(OptionError, match="file is a folder"):
            write_atomically(tmp_path / "file", b"new")
        assert [p.name for p in tmp_path.iterdir()] == ["file"]

    def test_a_folder_that_appears_while_a_file_is_written(self, tmp_path: Path) -> None:
        with pytest.raises(OptionError, match="is a folder"), atomic_file(tmp_path / "file"):
            put(tmp_path / "file", {"inside": b"1"})
        assert contents(tmp_path) == {"file/inside": b"1"}

    @pytest.mark.parametrize("there", [None, b"a file"], ids=["missing", "a file"])
    def test_no_folder_to_write_to(self, tmp_path: Path, there: bytes | None) -> None:
        put(tmp_path / "nowhere", there)
        path = tmp_path / "nowhere" / "file"
        with pytest.raises(OptionError, match="nowhere is not a folder"):
            write_atomically(path, b"")
        with pytest.raises(OptionError, match="nowhere is not a folder"), atomic_folder(path):
            pytest.fail("too late")

    def test_a_folder_that_goes_away_meanwhile(self, tmp_path: Path) -> None:
        path = tmp_path / "home" / "out"
        path.parent.mkdir()
        with pytest.raises(OptionError, match="home is not a folder"), atomic_file(path):
            shutil.rmtree(path.parent)
        path.parent.mkdir()
        with pytest.raises(FileNotFoundError) as caught, atomic_folder(path) as folder:  # noqa: PT012
            shutil.rmtree(path.parent)
            (folder / "b").write_bytes(b"new")
        assert caught.value.filename == str(path / "b")

    @pytest.mark.skipif(not hasattr(os, "seteuid"), reason="needs users")
    def test_a_folder_that_may_not_be_written(self, not_ours: Path) -> None:
        with pytest.raises(PermissionError) as caught:
            write_atomically(not_ours / "file", b"new", ANY)
        assert caught.value.filename == str(not_ours / "file")
        with pytest.raises(PermissionError), atomic_folder(not_ours / "out", force=True):
            pytest.fail("too late")
        assert contents(not_ours) == {"file": b"old", "out/old": b"old"}

    @pytest.fixture
    def not_ours(self) -> Iterator[Path]:
        """A folder that we may look into and not write to."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            put(folder / "file", b"old")
            with atomic_folder(folder / "out") as out:
                put(out / "old", b"old")
            (folder / "file").chmod(0o666)
            folder.chmod(0o555)
            user = os.geteuid()
            if user == 0:  # who may write everywhere
                os.seteuid(NOBODY)
            yield folder
            os.seteuid(user)
            folder.chmod(0o700)


class TestFolders:
    def test_it_is_replaced_only_by_force(self, tmp_path: Path) -> None:
        out = tmp_path / "out"
        with atomic_folder(out) as folder:
            put(folder / "old", b"old")
        with pytest.raises(OptionError, match=r"exists already; choose another") as caught:
            atomic_folder(out).__enter__()
        assert str(caught.value).endswith(" force=True")
        assert caught.value.on_command_line.endswith(" --force")
        assert contents(tmp_path) == {"out/old": b"old"}
        with atomic_folder(out, force=True) as folder:
            put(folder / "new", b"new")
            assert contents(out) == {"old": b"old"}
        assert contents(tmp_path) == {"out/new": b"new"}

    def test_an_empty_folder_is_filled(self, tmp_path: Path) -> None:
        (tmp_path / "out").mkdir()
        with atomic_folder(tmp_path / "out") as folder:
            put(folder / "a.txt", b"a")
        assert contents(tmp_path) == {"out/a.txt": b"a"}

    def test_a_file_is_never_replaced_by_a_folder(self, tmp_path: Path) -> None:
        put(tmp_path / "out", b"a file")
        with (
            pytest.raises(OptionError, match="exists already and is not a folder"),
            atomic_folder(tmp_path / "out", force=True),
        ):
            pytest.fail("too late")
        with pytest.raises(NotADirectoryError), atomic_folder(tmp_path / "new", force=True):
            put(tmp_path / "new", b"another")
        assert contents(tmp_path) == {"new": b"another", "out": b"a file"}

    def test_what_came_into_a_folder_of_ours_meanwhile_is_kept(self, tmp_path: Path) -> None:
        out = tmp_path / "out"
        with atomic_folder(out) as folder:
            put(folder / "old", b"old")
        with pytest.raises(OptionError, match="mine"), atomic_folder(out, force=True):
            (out / "mine").write_bytes(b"mine")
        assert contents(tmp_path) == {"out/mine": b"mine", "out/old": b"old"}

    def test_what_comes_while_a_folder_is_moved_is_kept(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The old folder is put back if that can be, or else stays beside the new one."""
        out, moved = tmp_path / "out", Path.rename

        def rename(path: Path, target: Path) -> Path:
            place = moved(path, target)
            if place.name.endswith(when):
                (tmp_path / hidden(tmp_path)[-1] / "mine").write_bytes(b"mine")
            return place

        for when in ("-old", "out"):
            put(out, None)
            with atomic_folder(out) as folder:
                put(folder / "old", b"old")
            error = pytest.raises(OptionError, match="mine")
            warning = pytest.warns(LlrcalWarning, match="something in the old folder")
            with error if when == "-old" else warning, atomic_folder(out, force=True) as folder:
                put(folder / "new", b"new")
                monkeypatch.setattr(Path, "rename", rename)
            monkeypatch.undo()
            found = contents(tmp_path)
            assert isinstance(found, dict)
            assert b"mine" in found.values()
            put_back = {"old": b"old", "mine": b"mine"}
            assert contents(out) == (put_back if when == "-old" else {"new": b"new"})

    def test_a_folder_that_came_meanwhile_is_kept(self, tmp_path: Path) -> None:
        with pytest.raises(OptionError, match="exists already"), atomic_folder(tmp_path / "out"):
            put(tmp_path / "out", {"a": b"somebody else's"})
        assert contents(tmp_path) == {"out/a": b"somebody else's"}

    @pytest.mark.usefixtures("usual_umask")
    @pytest.mark.parametrize("bits", [0o555, 0o700, 0o777, 0o2750])
    def test_it_keeps_its_mode_and_is_never_more_open(self, tmp_path: Path, bits: int) -> None:
        out = tmp_path / "out"
        with atomic_folder(out) as folder:
            put(folder / "old", b"old")
        assert mode(out) == 0o755
        out.chmod(bits)
        with atomic_folder(out, force=True) as folder:
            assert mode(folder) & 0o077 & ~bits == 0
            put(folder / "new", b"new")
        assert mode(out) == bits

    @pytest.mark.usefixtures("usual_umask")
    def test_a_folder_shared_by_a_group_stays_so(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o2755)
        with atomic_folder(tmp_path / "out"):
            pass
        assert mode(tmp_path / "out") == 0o2755

    def test_a_link_stays_and_its_folder_is_replaced(self, tmp_path: Path) -> None:
        far = tmp_path / "far" / "results"
        far.parent.mkdir()
        with atomic_folder(far) as folder:
            put(folder / "old", b"old")
        (tmp_path / "out").symlink_to(Path("far") / "results")
        with atomic_folder(tmp_path / "out", force=True) as folder:
            put(folder / "new", b"new")
        assert (tmp_path / "out").is_symlink()
        assert contents(far) == {"new": b"new"}
        assert hidden(tmp_path) == hidden(far.parent) == []

    def test_nobody_loses_the_folder_they_are_in(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Nor if it is empty, or all of it was written by llrcal."""
        with atomic_folder(tmp_path / "here") as folder:
            put(folder / "inner" / "ours", {"file": b"1"})
        (tmp_path / "here" / "inner" / "empty").mkdir()
        for inside in ("inner/ours", "inner/empty"):
            monkeypatch.chdir(tmp_path / "here" / inside)
            for out in (Path.cwd(), tmp_path / "here"):
                with (
                    pytest.raises(OptionError, match="is the current folder, or contains it"),
                    atomic_folder(out, force=True),
                ):
                    pytest.fail("too late")
        assert contents(tmp_path) == {"here/inner/ours/file": b"1"}

    def test_a_mount_point_is_refused_before_any_work(self) -> None:
        """As in a container, where ``/results`` is a volume: it cannot be renamed."""
        memory = Path("/dev/shm")  # noqa: S108
        if not memory.is_mount():
            pytest.skip("there is no /dev/shm")
        with pytest.raises(OptionError, match="mount point"), atomic_folder(memory, force=True):
            pytest.fail("too late")


# -------------------------------------------------------------------------------- interrupts


@pytest.fixture
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """To be interrupted a thousand times need not wear out the disk."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def interrupt_at(place: int, work: Callable[[], None]) -> bool:
    """Whether work was interrupted, at the n-th instruction of what writes."""
    ours = {atomic.__file__, contextlib.__file__}
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
        interrupted = interrupt_at(place, lambda: write_atomically(path, b"new", ANY))
        assert hidden(tmp_path) == [], place
        found.add(contents(path))
        if not interrupted:
            break
    assert place > 100
    assert found == {b"old", b"new"}


@pytest.mark.usefixtures("quick_disk")
def test_an_interrupt_at_any_moment_of_replacing_a_folder(tmp_path: Path) -> None:
    old, new = {"old": b"old"}, {"new": b"new"}
    out = tmp_path / "out"

    def replace() -> None:
        with atomic_folder(out, force=True) as folder:
            (folder / "new").write_bytes(b"new")

    for place in count():
        put(out, None)
        with atomic_folder(out) as folder:
            put(folder / "old", b"old")
        interrupted = interrupt_at(place, replace)
        assert contents(out) in (old, new), place
        for name in hidden(tmp_path):  # at most the old one, on its way out
            left = contents(tmp_path / name)
            assert isinstance(left, dict)
            assert left == old or (contents(out) == new and not left), place
            shutil.rmtree(tmp_path / name)
        if not interrupted:
            break
    assert place > 100


# -------------------------------------------------------------------------- a second writer

WRITE_OFTEN = """
import sys
from llrcal.files.atomic import atomic_folder, write_atomically
path, letter = sys.argv[1], sys.argv[2].encode()
for number in range(100):
    write_atomically(path + ".txt", letter * (100_000 + number), b".")
for number in range(100):
    with atomic_folder(path, force=True) as folder:
        for name in ("one", "two", "three"):
            (folder / name).write_bytes(letter * number)
"""


def test_two_writers_at_once(tmp_path: Path) -> None:
    """Whoever reads a file meanwhile finds one of them, whole; in the end there is one folder."""
    out, text = tmp_path / "out", tmp_path / "out.txt"
    put(text, b"0" * 100_000)
    seen = set()
    with ThreadPoolExecutor(2) as pool:
        writers = [pool.submit(child, WRITE_OFTEN, out, letter, cwd=tmp_path) for letter in "AB"]
        while not all(writer.done() for writer in writers):
            content = text.read_bytes()
            assert len(content) >= 100_000
            assert len(set(content)) == 1
            seen.add(content[0])
    for writer in writers:
        assert writer.result().returncode == 0, writer.result().stderr
    assert seen >= set(b"AB")
    found = contents(out)
    assert isinstance(found, dict)
    assert list(found) == ["one", "three", "two"]
    assert set(found.values()) in ({b"A" * 99}, {b"B" * 99})
    assert hidden(tmp_path) == []
