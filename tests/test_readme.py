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


def python(*arguments: str | Path, cwd: Path = ROOT) -> str:
    """What a program prints, without a word on standard error."""
    env = {**os.environ, "MPLBACKEND": "agg"}
    ran = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, cwd=cwd, check=True, env=env
    )
    assert ran.stderr == ""
    return ran.stdout


@pytest.mark.slow
def test_example_prints_its_output_and_draws_its_figures(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    example, drawing = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (expected,) = re.findall(r"```python\n.*?```\n\n```\n(.*?)```", text, re.DOTALL)
    code = f"{example}\n{drawing}\nfrom matplotlib import pyplot; print(pyplot.get_fignums())"
    assert python("-c", code, cwd=tmp_path) == f"{expected}[1, 2, 3]\n"
    assert (tmp_path / "nig.json").exists()


@pytest.mark.slow
def test_quickstart_runs() -> None:
    assert "nig" in python(ROOT / "examples" / "quickstart.py")


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
