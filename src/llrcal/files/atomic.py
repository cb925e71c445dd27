"""Files and folders that appear whole or not at all.

Everything is written under a hidden name beside its target, ``.llrcal-...``, brought to disk, and
renamed once it is complete. A failure deletes it. A run that is killed leaves it behind: nothing
reads it, and it can be deleted by hand.

Only what llrcal wrote is replaced: a file that has the mark of its kind (:mod:`llrcal.files.marks`)
and a folder whose hidden list (``MARKER``) names everything in it, as it is.
"""

from __future__ import annotations

import errno
import io
import json
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from llrcal.errors import OptionError
from llrcal.files.names import all_in, output_name
from llrcal.files.overwriting import is_edited, refuse_to_overwrite
from llrcal.messages import Setting
from llrcal.notes import Note, warn

PathLike = str | os.PathLike[str]
MARKER = ".llrcal-folder.json"
"""The file in a folder of ours that lists the others."""
_NAMED = 3  # files in a message
_ENOUGH = 2**24  # bytes at the beginning of a file in which its mark is looked for

# Folders in which a name stands for what a process has open already, such as /dev/stdout.
_OPEN_FILES = re.compile(r"/dev(/fd)?|/proc/\d+(/task/\d+)?/fd")


def write_atomically(path: PathLike, content: bytes, mark: bytes | None = None) -> None:
    """Write a file that appears whole or not at all; see :func:`atomic_file`."""
    with atomic_file(path, mark) as file:
        file.write(content)


@contextmanager
def atomic_file(path: PathLike, mark: bytes | None = None) -> Iterator[IO[bytes]]:
    """Open a file for writing that appears at ``path`` when the block ends without an error.

    A file that is there already is replaced if it is empty, or if ``mark`` is the pattern of what
    llrcal writes and it matches. The new one takes over its mode. Symbolic links to files are
    followed. Pipes and devices cannot be replaced, so they are written to directly.

    Raises
    ------
    OSError
        If the file cannot be written; the error names ``path``, never the hidden file.
    OptionError
        If the run that writes it has read it, or the file that is there is not one of ours.
    """
    refuse_to_overwrite(path)
    target, mode = place_of_file(path, mark)
    if mode is not None and _is_stream(path, mode):
        with _Stream(io.FileIO(path, "a")) as stream:  # "w" would empty what /dev/stdout leads to
            yield stream
        return
    bits = 0o666 if mode is None else mode & 0o777
    with _hidden_beside(target, display_name=path) as hidden:
        raw = io.FileIO(hidden, "x", opener=lambda name, flags: os.open(name, flags, bits))
        with _File(raw) as file:
            yield file
            _keep_mode(hidden, mode)
            file.flush()
            file.told(os.fsync, file.fileno())
        place_of_file(path, mark)  # or refuse what came meanwhile
        hidden.replace(target)
    _sync_folder(target.parent)


@contextmanager
def atomic_folder(path: PathLike, *, force: bool = False) -> Iterator[Path]:
    """Make a folder to fill, which appears at ``path`` when the block ends without an error.

    With ``force``, a folder of ours that is there already is moved aside, the new one takes its
    place, and the files of the old one are deleted. If the process is killed between the two moves,
    nothing is at ``path``, but both folders are whole beside it: the old one is
    ``.llrcal-...-old``.

    Raises
    ------
    OptionError
        If a folder with content is at ``path`` and ``force`` is not set, or something in it was
        not written by llrcal or was changed since; if no folder can be put there; or if the run
        that makes it has read a file in it.
    """
    target, mode = _target_of_folder(path, force=force)
    with _hidden_beside(target, display_name=path) as hidden:
        hidden.mkdir(0o777 if mode is None else mode & 0o777 | stat.S_IRWXU)
        yield hidden
        refuse_to_overwrite(path)  # what was read meanwhile
        (hidden / MARKER).write_text(json.dumps([*_contents(hidden).values()], indent=0))
        _keep_mode(hidden, mode)
        _sync_folder(hidden)
        old = hidden.with_name(f"{hidden.name}-old")
        try:
            while not _renamed(hidden, target):
                _target_of_folder(path, force=force)  # refuse what has come in the meantime
                _delete_ours(old)  # another run has already replaced it
                with suppress(FileNotFoundError):
                    target.rename(old)
                    _refuse_folder_of_others(path, old)  # what came until it was moved
            _sync_folder(target.parent)
        except BaseException:
            with suppress(OSError):  # if it was not moved, or the new one is in place
                old.rename(target)
            raise
        _delete_ours(old)
        if os.path.lexists(old):
            text = f"{path} is replaced, but something in the old folder could not be deleted: "
            warn([Note.warning("old folder", f"{text}it is now {old}")])


class _File(io.BufferedWriter):
    """A file whose errors carry its name, and are raised even if a library hides them.

    Libraries that write to it may lose the reason: polars reports a full disk without the name of
    the file, or as a "transport error".
    """

    _problem: OSError | None = None

    def write(self, data: Any, /) -> Any:
        return self.told(super().write, data)

    def flush(self) -> None:
        self.told(super().flush)

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any, /) -> None:
        super().__exit__(kind, error, trace)
        if isinstance(error, Exception) and self._problem and self._problem is not error:
            raise self._problem from error

    def told(self, act: Callable[..., Any], *arguments: Any) -> Any:
        """What ``act`` gives; an error gets the name of the file."""
        try:
            return act(*arguments)
        except OSError as problem:
            problem.filename = str(self.name)
            self._problem = problem
            raise


class _Stream(_File):
    """A pipe or a device: archives must not go back in it, although /dev/null says they can."""

    def tell(self) -> int:
        raise io.UnsupportedOperation("tell")


@contextmanager
def _hidden_beside(target: Path, *, display_name: PathLike) -> Iterator[Path]:
    """A new name in the folder of ``target``; what still has it in the end is deleted.

    Errors about it name the path that the user gave.
    """
    hidden = target.with_name(f".llrcal-{secrets.token_hex(8)}")
    try:
        yield hidden
    except OSError as problem:
        name = str(problem.filename)
        if not name.startswith(str(hidden)):
            raise
        name = os.fspath(display_name) + name.removeprefix(str(hidden))
        raise OSError(problem.errno, problem.strerror, name) from problem
    finally:
        _delete(hidden)


def _target(path: PathLike) -> tuple[Path, int | None]:
    """Where to write, with links followed, and the mode of what is there, if anything is.

    The system is asked first: it refuses links that go in circles, and strangers' links in /tmp.
    """
    name, mode = output_name(path), None
    with suppress(FileNotFoundError, NotADirectoryError):
        mode = os.stat(name).st_mode  # noqa: PTH116
    if mode is None and Path(name).is_symlink():
        raise OptionError(f"{name} is a link to what does not exist; delete it, or name another")
    return Path(os.path.realpath(name)), mode


def place_of_file(
    path: PathLike, mark: bytes | None = None, *, force: bool = True
) -> tuple[Path, int | None]:
    """The same for a file, or an OptionError if none can be written there.

    A file that is there is replaced if it is empty; or with ``force``, if it has the mark of ours.
    """
    target, mode = _target(path)
    if os.fspath(path).endswith(("/", os.sep)) or (mode is not None and stat.S_ISDIR(mode)):
        raise OptionError(f"{path} is a folder; name a file in it")
    if mode is None or _is_stream(path, mode):
        return target, mode
    start = b""
    with suppress(FileNotFoundError), target.open("rb") as file:
        start = file.read(_ENOUGH)
    if start and not (is_edited(path) or (mark and re.match(mark, start, re.DOTALL))):
        raise OptionError(
            f"{path} exists already, and llrcal cannot tell that it wrote it; choose another name, "
            "or delete it first"
        )
    if start and not force:
        message = f"{path} exists already; choose another name, or replace it with "
        raise OptionError(message, Setting("force", True))
    return target, mode


def _is_stream(path: PathLike, mode: int) -> bool:
    """Whether there is a pipe or a device, or a name of a file that is open already."""
    if stat.S_ISREG(mode):
        return _OPEN_FILES.fullmatch(os.path.realpath(Path(path).absolute().parent)) is not None
    return not stat.S_ISDIR(mode)


def _target_of_folder(path: PathLike, *, force: bool) -> tuple[Path, int | None]:
    """The same for a folder, or an OptionError if none can be put there, or none should be."""
    target, mode = _target(path)
    if mode is None:
        return target, mode
    if not stat.S_ISDIR(mode):
        raise OptionError(f"{path} exists already and is not a folder; choose another name")
    here = Path.cwd()
    with suppress(FileNotFoundError):  # while another run is replacing it
        if any(map(target.samefile, (here, *here.parents))):
            raise OptionError(
                f"{path} is the current folder, or contains it, and would be replaced; choose "
                "another"
            )
    if os.path.ismount(target):  # where Path.is_mount fails if another run is replacing it
        raise OptionError(f"{path} is a mount point and cannot be replaced; choose a folder in it")
    _refuse_folder_of_others(path, target)
    if not force and any(target.iterdir()):
        message = f"{path} exists already; choose another folder, or replace it with "
        raise OptionError(message, Setting("force", True))
    return target, mode


def _refuse_folder_of_others(path: PathLike, folder: Path) -> None:
    """Refuse to replace a folder with anything in it that is not in its list, as it is now."""
    listed, others = _listed(folder), list[str]()
    with suppress(FileNotFoundError):
        found = _contents(folder).items()
        others = [str(inner.relative_to(folder)) for inner, line in found if line not in listed]
    if listed != _listed(folder):  # another run has replaced it meanwhile
        _refuse_folder_of_others(path, folder)
    elif others:
        raise OptionError(
            f"{path} exists already, and holds what llrcal did not write, or what was changed "
            f"since: {', '.join(others[: -_NAMED - 1 : -1])}{', ...' if others[_NAMED:] else ''}; "
            "choose another folder, or delete it by hand"
        )


def _contents(folder: Path) -> dict[Path, str]:
    """All that is in a folder, folders after what is in them, and how the list says what it is.

    That is its name; of files also the size and the time. The list itself is an empty line in it.
    Links are not followed.
    """
    found = {}
    for path in reversed(all_in(folder)):
        name, state = path.relative_to(folder).as_posix(), path.lstat()
        if stat.S_ISDIR(state.st_mode):
            found[path] = f"{name}/"
        else:
            found[path] = f"{name} {state.st_size} {state.st_mtime_ns}" * (name != MARKER)
    return found


def _listed(folder: Path) -> set[str]:
    """What llrcal wrote into a folder, as its list says it."""
    with suppress(OSError, ValueError, TypeError, RecursionError):
        return {"", *json.loads((folder / MARKER).read_bytes())}
    return set()


def _delete_ours(folder: Path) -> None:
    """Delete what is in the list of a folder, and the folder, if nothing else is in it."""
    listed = _listed(folder)
    for path, line in _contents(folder).items():
        if line in listed:
            with suppress(OSError):
                path.rmdir() if line.endswith("/") else path.unlink()
    with suppress(OSError):
        folder.rmdir()


def _renamed(folder: Path, target: Path) -> bool:
    """Whether a folder could be renamed; not if another folder with content has the name."""
    try:
        folder.rename(target)
    except OSError as problem:
        if problem.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        return False
    return True


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def _keep_mode(path: Path, mode: int | None) -> None:
    """Give what is new the mode of what it replaces."""
    if mode is not None:
        with suppress(OSError):  # some network file systems have no modes
            path.chmod(mode & (0o2777 if stat.S_ISDIR(mode) else 0o777))


def _sync_folder(folder: Path) -> None:
    """Bring the names in a folder to disk, if the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
