"""The example in the README runs, and prints what the README says it prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import llrcal
from llrcal.method_table import TABLE
from llrcal.sklearn import LLRCalibrator

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.slow
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


@pytest.mark.slow
def test_figures_of_the_example_are_drawn(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    example, drawing = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    code = f"{example}\n{drawing}\nfrom matplotlib import pyplot; print(pyplot.get_fignums())"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
        env={**os.environ, "MPLBACKEND": "agg"},
    )
    assert ran.stdout.endswith("[1, 2, 3]\n")


@pytest.mark.slow
def test_quickstart_runs() -> None:
    ran = subprocess.run(
        [sys.executable, ROOT / "examples" / "quickstart.py"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "nig" in ran.stdout
    assert ran.stderr == ""


def test_the_table_of_methods_is_that_of_the_package() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \|(?:[^|\n]*\|){2}([^|\n]*)\|$", text, re.MULTILINE)
    listed = {name: tuple(re.findall(r"`(\w+)`", options)) for name, options in rows}
    assert listed == {name: entry.options for name, entry in TABLE.items()}
    assert list(listed) == list(TABLE)


@pytest.mark.parametrize("text", [llrcal.fit.__doc__, LLRCalibrator.__doc__])
def test_every_method_is_named_where_one_is_chosen(text: str) -> None:
    for name in TABLE:
        assert f"``{name}``" in text, name


@pytest.mark.slow
def test_no_machine_is_named() -> None:
    # What is committed must make sense on any machine.
    for path in ROOT.rglob("*"):
        parts = path.relative_to(ROOT).parts
        skipped = parts[0].startswith((".git", ".venv", ".hypothesis")) or "corpus" in parts
        if path.suffix in {".py", ".md", ".toml", ".txt"} and not skipped:
            assert "/work/" + "main" not in path.read_text(encoding="utf-8"), path
