"""Two paths changing places in one step, for which Python has no word, nor every system a way."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_SWAP = 2  # RENAME_EXCHANGE in linux/fs.h, RENAME_SWAP in macOS's sys/stdio.h
_FROM_HERE = -100  # AT_FDCWD of Linux; the paths are absolute anyway


def exchanged(one: Path, other: Path) -> bool:
    """Whether two paths have changed places; there was no moment at which one of them was missing.

    Where the answer is no, the system cannot do it and nothing has changed.
    """
    if sys.platform == "win32":
        return False
    import ctypes

    names = os.fsencode(one), os.fsencode(other)
    system = ctypes.CDLL(None)
    try:
        if sys.platform == "darwin":
            return bool(system.renamex_np(*names, _SWAP) == 0)
        return bool(system.renameat2(_FROM_HERE, names[0], _FROM_HERE, names[1], _SWAP) == 0)
    except AttributeError:  # a C library that does not know it
        return False
