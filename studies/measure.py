"""Seconds and peak memory of a piece of work, and what machine it ran on."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


@dataclass(frozen=True)
class Measured:
    """The best of several runs."""

    seconds: float
    megabytes: float
    """Peak resident memory above what was resident before; NaN where it cannot be told."""
    answer: Any


def measure(work: Callable[[], Any], *, repeat: int = 1) -> Measured:
    """Run some work, several times if wished; the fastest time, the largest peak."""
    seconds, peaks, answer = [], [], None
    for _ in range(repeat):
        answer = None
        before = _reset_peak()
        start = time.perf_counter()
        answer = work()
        seconds.append(time.perf_counter() - start)
        peaks.append(_status("VmHWM") - before)
    return Measured(min(seconds), max(peaks), answer)


def machine() -> dict[str, Any]:
    """What the numbers were measured on."""
    model = "unknown processor"
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        model = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), model)
    return {
        "processor": model,
        "vectors": _vectors(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30),
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }


def _vectors() -> str:
    """The widest vectors of the processor, on which numpy.sort depends most of all."""
    cpuinfo = Path("/proc/cpuinfo")
    flags = set(cpuinfo.read_text().split()) if cpuinfo.exists() else set()
    names = {"avx512f": "512 bits", "avx2": "256 bits", "sse2": "128 bits", "asimd": "128 bits"}
    return next((width for flag, width in names.items() if flag in flags), "unknown")


def peak() -> float:
    """The largest amount of resident memory of this process so far, in megabytes."""
    return _status("VmHWM")


def _reset_peak() -> float:
    """Set the peak back to what is resident now, and return that."""
    if _CLEAR.exists():
        _CLEAR.write_text("5")
    return _status("VmRSS")


def _status(field: str) -> float:
    if not _STATUS.exists():
        return float("nan")
    line = next(x for x in _STATUS.read_text().splitlines() if x.startswith(field))
    return int(line.split()[1]) / 1024
