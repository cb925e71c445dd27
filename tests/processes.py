"""Fresh interpreters."""

from __future__ import annotations

import subprocess
import sys


def python(code: str) -> list[str]:
    """The words that a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.split()
