"""Names for what is not whole yet, and the end of those that a killed run has left behind."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

_PREFIX = ".llrcal-"


def temporary_beside(target: Path) -> Path:
    """A new name in the folder of ``target``, which says for what it is and whose."""
    return target.with_name(f"{_ours(target)}{os.getpid()}-{secrets.token_hex(8)}")


def aside(target: Path) -> Path:
    """The one name under which a folder may wait while another takes its place."""
    return target.with_name(f"{_PREFIX}{_digest(target.name)}-replaced")


def sweep(target: Path) -> None:
    """Delete what was to become ``target``, had its process not been killed.

    Only a process of the same system is known to be dead, so that what was written from another
    machine or container into the same folder is left alone. No file is locked for this: locks
    hang where a network file system has none.
    """
    if not _system():
        return
    ours = _ours(target)
    with suppress(OSError), os.scandir(target.parent) as entries:  # there may be a million of them
        for entry in entries:
            process = entry.name.removeprefix(ours).partition("-")[0]
            if entry.name.startswith(ours) and _is_dead(process):
                delete(Path(entry.path))


def delete(path: Path) -> None:
    """Delete a file or a folder, as far as that is possible."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def _ours(target: Path) -> str:
    return f"{_PREFIX}{_digest(target.name)}-{_digest(_system())}-"


def _digest(text: str) -> str:
    """A few letters that stand for a name of any length."""
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:8]


def _system() -> str:
    """Where a process number means the same: one run of one machine, one container in it.

    Empty where that cannot be known, which is everywhere but on Linux.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text()
        return boot + str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def _is_dead(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except (OSError, ValueError, OverflowError):
        return False
    return False
