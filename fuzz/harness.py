"""What every target shares: a place for files, what may be raised, and what may be used up.

A target is a module with a function ``check``, which is given bytes and raises what is a finding:
an error that is none of llrcal's, or a :class:`Finding` where an answer is wrong.
"""

from __future__ import annotations

import importlib
import resource
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from llrcal.errors import LlrcalError

TARGETS = (
    "text",
    "hdf5",
    "model",
    "key",
    "npy",
    "rewriting",
    "packed",
    "parquet",
    "options",
)
"""The most used readers first."""

LONGEST = 2**16
"""Bytes of an input; what is longer is not tried."""
SECONDS = 5.0
"""Of all cores together, for one input."""
MEGABYTES = 256.0
"""Of memory that one input may take beyond what was taken before it."""

_MEMORY = Path("/dev/shm")  # noqa: S108, files are synced to disk, which takes long, but not here
_CLEAR = Path("/proc/self/clear_refs")

Check = Callable[[bytes], None]


class Finding(AssertionError):  # noqa: N818, it is not llrcal that says so
    """Something happened that must not happen, whatever is in a file."""


def check_of(target: str) -> Check:
    """The function that tries an input on a target, with an eye on time and memory."""
    check: Check = importlib.import_module(f"fuzz.{target}").check
    return watched(check)


def watched(check: Check) -> Check:
    """The same check, which also minds warnings, time and memory."""

    def run(data: bytes) -> None:
        if len(data) > LONGEST:
            return
        before, start = _reset_peak(), time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check(data)
        seconds, megabytes = time.process_time() - start, peak() - before
        if seconds > SECONDS:
            raise Finding(f"{len(data)} bytes took {seconds:.1f} s")
        if megabytes > MEGABYTES:
            raise Finding(f"{len(data)} bytes took {megabytes:.0f} MB")

    return run


def answer(call: Callable[..., Any], *arguments: Any, **options: Any) -> Any | None:
    """What a call returns, or None where it refuses.

    Raises
    ------
    Finding
        If it refuses in any other way than by an error of llrcal that says something.
    """
    try:
        return call(*arguments, **options)
    except LlrcalError as problem:
        if not str(problem):
            raise Finding(f"{type(problem).__name__} without a word") from problem
        return None
    except pl.exceptions.PanicException as problem:  # a BaseException, which few expect
        raise Finding(f"polars panics: {problem}") from problem


def require(is_so: Any, sentence: str) -> None:
    """Raise a Finding with this sentence unless something is so."""
    if not is_so:
        raise Finding(sentence)


def same_numbers(one: Any, other: Any) -> bool:
    """Whether two arrays are of the same shape and hold the same numbers, bit by bit."""
    one, other = np.asarray(one, np.float64), np.asarray(other, np.float64)
    return bool(one.shape == other.shape and one.tobytes() == other.tobytes())


def as_file(data: bytes, name: str = "input") -> str:
    """The name of a file with this content."""
    path = folder() / name
    path.write_bytes(data)
    return str(path)


def free_place() -> str:
    """The name of a file that is not there: tables are not replaced."""
    path = folder() / "out"
    path.unlink(missing_ok=True)
    return str(path)


@cache
def folder() -> Path:
    """Where the files are put, which is emptied in the end."""
    place = str(_MEMORY) if _MEMORY.is_dir() else None
    made = tempfile.TemporaryDirectory(prefix="llrcal-fuzz-", dir=place)
    _KEPT.append(made)
    return Path(made.name)


_KEPT: list[Any] = []


def _reset_peak() -> float:
    """Forget the largest amount of memory that was taken, where the system can; what it is now."""
    if _CLEAR.exists():
        _CLEAR.write_text("5")
    return peak()


def peak() -> float:
    """The most megabytes that were taken, since this was last reset for an input."""
    if (
        _CLEAR.exists()
    ):  # getrusage never says less than what the process that started this one took
        status = Path("/proc/self/status").read_text("utf-8")
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
