"""Writing so that a crash leaves what was there, or the whole of the new, never half of it.

What is written has a hidden name of its own beside the target, ``.llrcal-...``, is brought to disk,
and takes the target's name in one step. A run that is killed leaves the hidden one behind; nothing
reads it, and on Linux the next run on that machine with the same target deletes it.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from llrcal.errors import OptionError
from llrcal.files.candid_file import CandidFile
from llrcal.files.exchange import exchanged
from llrcal.files.leftovers import aside, delete, sweep, temporary_beside

# Where names stand for what a process has open already, such as /dev/stdout.
_OPEN_ALREADY = re.compile(r"/dev(/fd)?|/proc/\d+(/task/\d+)?/fd")
_ASKING_THE_UMASK = threading.Lock()


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write ``content`` to ``path`` by way of a temporary file in the same folder."""
    with atomic_file(path) as file:
        file.write(content)


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write to, which takes its place under ``path`` only once it is whole.

    Nobody else can read it before that; then it has the mode of the file that it replaces, or what
    the umask leaves. A symbolic link stays, and the file that it points at is replaced. A pipe or a
    device stays as well and is written to, as it comes: nothing could be put in its place.

    Raises
    ------
    OSError
        If the file cannot be written: with the name ``path``, never that of the temporary one.
    """
    if _is_stream(Path(path)):
        # Appended to, so that what /dev/stdout leads to is not cut off.
        with CandidFile(Path(path), "a") as stream, stream.reasons():
            yield stream
        return
    target = _followed(path)
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    sweep(target)
    temporary = temporary_beside(target)
    with _cleaned_up(temporary, path):
        # Within, for an interrupt may come as soon as there is a file.
        with CandidFile(temporary, "x", opener=_private) as file:
            with file.reasons():
                yield file
            file.flush()  # before anybody may read it
            # The open file rather than its name, where the system can.
            place = file.fileno() if os.chmod in os.supports_fd else temporary
            _set_mode(place, _mode_for(target, 0o666))
            file.sync()
        temporary.replace(target)
    _sync_folder(target.parent)


@contextmanager
def atomic_folder(path: str | os.PathLike[str], *, force: bool = False) -> Iterator[Path]:
    """A folder to fill, which takes its place under ``path`` only once it is whole.

    With ``force``, old and new change places in one step, where the system can (Linux, macOS; not
    every network file system). Elsewhere the old folder is moved aside first; should the process be
    killed right then, there is neither at ``path``, and the next call puts the old one back.

    Raises
    ------
    OptionError
        If there is something at ``path`` already, unless ``force`` allows to replace it; or if
        there is no folder to put it in, or no way to replace the one that is there.
    """
    target = _followed(path)
    _recover(target)
    _refuse(path, target, force=force)
    sweep(target)
    temporary = temporary_beside(target)
    with _cleaned_up(temporary, path):
        temporary.mkdir(0o700)
        yield temporary
        inherited = temporary.stat().st_mode & stat.S_ISGID  # the folder around it has that, too
        _set_mode(temporary, _mode_for(target, 0o777) | inherited)
        _sync_folder(temporary)
        try:
            temporary.rename(target)  # to nothing, or to an empty folder
        except OSError as problem:
            if problem.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            _refuse(path, target, force=force)  # there may be one now that was not there before
            _replace_folder(temporary, target)
        _sync_folder(target.parent)  # before the old one is deleted


@contextmanager
def _cleaned_up(temporary: Path, path: str | os.PathLike[str]) -> Iterator[None]:
    """Delete what is temporary in the end: the new that failed, or the old that was replaced.

    Errors in it are told by the name that the user knows.
    """
    try:
        yield
    except OSError as problem:
        name = str(problem.filename)
        if not name.startswith(str(temporary)):
            raise
        told = os.fspath(path) + name.removeprefix(str(temporary))
        raise OSError(problem.errno, problem.strerror, told) from problem
    finally:
        delete(temporary)


def _refuse(path: str | os.PathLike[str], target: Path, *, force: bool) -> None:
    """Raise an OptionError where no folder can be put, or none should be."""
    if not target.parent.is_dir():
        raise OptionError(f"{path} cannot be made: {target.parent} is not a folder")
    if not target.exists():
        return
    if not target.is_dir():
        raise OptionError(f"{path} exists already, and is no folder; choose another name")
    if not force and any(target.iterdir()):
        raise OptionError(f"{path} exists already; choose another folder, or force its replacement")
    if Path.cwd().is_relative_to(target.resolve()):
        raise OptionError(
            f"{path} is the folder that you are in, or one around it, and would be replaced; "
            "choose another"
        )
    if target.is_mount():
        raise OptionError(f"{path} is a mount point and cannot be replaced; name a folder in it")


def _replace_folder(temporary: Path, target: Path) -> None:
    """Put one folder in the place of another, which has the temporary name then."""
    if exchanged(temporary, target):
        return
    old = aside(target)
    try:
        target.rename(old)
        temporary.rename(target)
    except BaseException:
        with suppress(OSError):  # which it is if the new one is in place already
            old.rename(target)
        raise
    old.rename(temporary)


def _recover(target: Path) -> None:
    """Put back a folder whose replacement was cut short, or delete it if it was not."""
    old = aside(target)
    with suppress(OSError):
        if target.exists():
            doomed = temporary_beside(target)
            old.rename(doomed)  # first, so that half of it is never put back
            delete(doomed)
        else:
            old.rename(target)


def _is_stream(path: Path) -> bool:
    """Whether there is a pipe or a device, or a name of something that is open (/dev/stdout)."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISREG(mode):
        return _OPEN_ALREADY.fullmatch(os.path.realpath(path.absolute().parent)) is not None
    return not stat.S_ISDIR(mode)


def _followed(path: str | os.PathLike[str]) -> Path:
    """Where to write: what a link points at, unless the system forbids to follow it."""
    target = Path(path).absolute()
    if not target.is_symlink():
        return target
    with suppress(FileNotFoundError):
        target.stat()  # fails on a stranger's link in /tmp, and on links that go in circles
    return Path(os.path.realpath(target))


def _private(name: str, flags: int) -> int:
    """A new file that nobody else may read, whatever the umask."""
    return os.open(name, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)


def _mode_for(target: Path, new: int) -> int:
    """The mode of what is replaced, or what the umask leaves of a new one's."""
    with suppress(OSError):
        return target.stat().st_mode & 0o777
    return new & ~_umask()


def _umask() -> int:
    with _ASKING_THE_UMASK:  # which is to set it; files made meanwhile are rather too private
        umask = os.umask(0o077)
        os.umask(umask)
    return umask


def _set_mode(place: int | Path, mode: int) -> None:
    with suppress(OSError):  # some network file systems have none; the file stays private there
        os.chmod(place, mode)  # noqa: PTH101


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where the system lets a folder be synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
