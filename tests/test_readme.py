"""The example in the README runs, and prints what the README says it prints."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_example_prints_its_output(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", text, re.DOTALL)
    assert found
    code, expected = found.groups()
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert ran.stdout == expected
    assert (tmp_path / "nig.json").exists()


def test_quickstart_runs() -> None:
    ran = subprocess.run(
        [sys.executable, ROOT / "examples" / "quickstart.py"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "nig" in ran.stdout
    assert ran.stderr == ""


def test_no_machine_is_named() -> None:
    # What is committed must make sense on any machine.
    for path in ROOT.rglob("*"):
        skipped = {".git", ".venv", ".hypothesis", "__pycache__", "corpus"} & set(path.parts)
        if path.suffix in {".py", ".md", ".toml", ".txt"} and not skipped:
            assert "/work/" + "main" not in path.read_text(encoding="utf-8"), path
