"""Writing so that a crash leaves what was there, or the whole of the new, never half of it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from llrcal.errors import OptionError

_PREFIX = ".llrcal-"


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write ``content`` to ``path`` by way of a temporary file in the same folder."""
    with atomic_file(path) as file:
        file.write(content)


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write to, which takes its place under ``path`` only once it is whole."""
    target = Path(path).absolute()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=_PREFIX)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            temporary.chmod(_mode_for(target))
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


@contextmanager
def atomic_folder(path: str | os.PathLike[str], *, force: bool = False) -> Iterator[Path]:
    """A folder to fill, which takes its place under ``path`` only once it is whole.

    Raises
    ------
    OptionError
        If there is something at ``path`` already, unless ``force`` allows to replace it; or if
        there is no folder to put it in.
    """
    target = Path(path).absolute()
    taken = target.exists() and not (target.is_dir() and not any(target.iterdir()))
    if taken and (not force or not target.is_dir()):
        raise OptionError(f"{path} exists already; choose another folder, or force its replacement")
    if not target.parent.is_dir():
        raise OptionError(f"{path} cannot be made: {target.parent} is not a folder")
    temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=_PREFIX))
    try:
        yield temporary
        temporary.chmod(0o777 & ~_umask())
        old = None
        if target.exists():
            old = Path(tempfile.mkdtemp(dir=target.parent, prefix=_PREFIX))
            target.replace(old)
        temporary.replace(target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    if old is not None:
        shutil.rmtree(old, ignore_errors=True)
    _sync_folder(target.parent)


def _mode_for(target: Path) -> int:
    """The mode of the file that is replaced, or what the umask leaves of 0o666."""
    with suppress(OSError):
        return target.stat().st_mode & 0o777
    return 0o666 & ~_umask()


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where the system lets a folder be synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
