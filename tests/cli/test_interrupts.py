"""Ctrl-C where Python would lose it, or break: inside a callback, and inside an import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

START = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from llrcal.cli.interrupts import listen_for_interrupts
listen_for_interrupts()

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000): pass  # where Python raises it

try:
    {code}
    print("went on", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    print("interrupted")
"""

CALLBACK = "Fallen = type('Fallen', (), {'__del__': lambda self: interrupt()}); Fallen()"
IMPORT = "sys.modules['main'] = sys.modules['__main__']; import interrupted"


@pytest.mark.parametrize("code", [CALLBACK, IMPORT])
def test_it_comes_again_where_it_does_no_harm(code: str, tmp_path: Path) -> None:
    (tmp_path / "interrupted.py").write_text("import main; main.interrupt()")
    path = f"sys.path.insert(0, {str(tmp_path)!r}); "
    program = [sys.executable, "-c", START.format(code=path + code)]
    ran = subprocess.run(program, capture_output=True, text=True, check=True, timeout=30)
    assert (ran.stdout.split("\n")[:2], ran.stderr) == (["went on", "interrupted"], "")
