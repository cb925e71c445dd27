"""Processes that end where we want them to: at a step of writing, or at a byte of a file.

In the child, Python's own audit events say what is about to be done to files; only ``os.fsync``,
which has no such event, is wrapped. Nothing of llrcal is replaced.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from llrcal.files.atomic import MARKER

HOME = Path(__file__).resolve().parents[1]
LLRCAL = "from llrcal.cli import main; main()"

_ALWAYS = {"os.chmod", "os.remove", "os.rmdir", "shutil.rmtree"}
_IF_HIDDEN = {"open", "os.mkdir", "os.rename"}
Ran = subprocess.CompletedProcess[str]
Content = bytes | dict[str, bytes] | None


def stop_at(place: int | str, sent: int = signal.SIGKILL) -> None:
    """Send this process a signal before its n-th step of writing, or its first of a kind.

    Which kind of step it was is told on standard error.
    """
    counter = count()
    really_sync = os.fsync

    def step(kind: str) -> None:
        if place in (next(counter), kind):
            os.write(2, f"{kind}\n".encode())
            os.kill(os.getpid(), sent)

    def audit(kind: str, arguments: tuple[Any, ...]) -> None:
        if kind in _ALWAYS or (kind in _IF_HIDDEN and ".llrcal-" in str(arguments)):
            step(kind)

    def sync(handle: int) -> None:
        step("os.fsync")
        really_sync(handle)

    sys.addaudithook(audit)
    os.fsync = sync  # type: ignore[assignment]


def limit_files(size: int, *, deadly: bool) -> None:
    """Let no file of this process grow beyond a size: the write fails, or the system ends us."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    if deadly:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it otherwise


def child(code: str, *arguments: str | Path, cwd: Path, prepared: str = "") -> Ran:
    """A fresh interpreter that runs code, after something that prepares it for its end."""
    prepared = f"from tests.stopping import *\n{prepared}\n" if prepared else ""
    return subprocess.run(
        [sys.executable, "-c", prepared + code, *map(str, arguments)],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def environment() -> dict[str, str]:
    # Byte code is a file, too, and would be in the way of a limit; threads would only take turns.
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(HOME), os.environ.get("PYTHONPATH", "")]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "LLRCAL_THREADS": "1",
    }


def killed_at_every_step(code: str, *arguments: str | Path, cwd: Path) -> Iterator[str]:
    """Run code again and again, each time killed one step later, until it comes to its end.

    Yields the kind of each step once the process is dead, and then deletes what it left behind.
    """
    for step in count():
        ran = child(code, *arguments, cwd=cwd, prepared=f"stop_at({step})")
        if ran.returncode == 0:
            return
        assert ran.returncode == -signal.SIGKILL, ran.stderr
        yield ran.stderr.splitlines()[-1]
        for name in hidden(cwd):
            put(cwd / name, None)


def contents(path: Path) -> Content:
    """All that is at a path: of a file, or of a folder with everything in it; None for nothing.

    The list that says which files of a folder are llrcal's is not mentioned.
    """
    if path.is_dir():
        files = sorted(one for one in path.rglob("*") if one.is_file() and one.name != MARKER)
        return {inner.relative_to(path).as_posix(): inner.read_bytes() for inner in files}
    return path.read_bytes() if path.exists() else None


def put(path: Path, content: Content) -> None:
    """Put this at a path, in place of whatever is there."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    for name, inner in content.items() if isinstance(content, dict) else ():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(inner)


def hidden(folder: Path) -> list[str]:
    """What is there under a hidden name."""
    return sorted(path.name for path in folder.iterdir() if path.name.startswith(".llrcal-"))
