"""The page that explains the code: its examples run, and its numbers and names are the code's."""

from __future__ import annotations

import doctest
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "how-it-works.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "figures" / "how_it_works.py"))


def test_examples_run(script: dict[str, Any]) -> None:
    code = TEXT.replace("```", "")  # or a closing fence would count as output
    page = doctest.DocTestParser().get_doctest(code, {}, PAGE.name, str(PAGE), 0)
    runner = doctest.DocTestRunner()
    runner.run(page, clear_globs=False)
    assert runner.summarize().failed == 0
    assert page.globs["tar"].tolist() == script["TAR"].tolist()
    assert page.globs["non"].tolist() == script["NON"].tolist()


@pytest.mark.slow
def test_figures_are_drawn_and_shown(script: dict[str, Any], tmp_path: Path) -> None:
    script["draw"](tmp_path)
    drawn = {path.name for path in tmp_path.iterdir()}
    assert drawn == set(re.findall(r"figures/(how-[a-z]+\.png)", TEXT))
    for name in drawn:
        assert (PAGE.parent / "figures" / name).exists()


def test_numbers_in_the_text_are_computed(script: dict[str, Any]) -> None:
    text = " ".join(TEXT.split())
    for phrase in script["quoted"]():
        assert phrase in text


def test_names_are_those_of_the_code() -> None:
    package = ROOT / "src" / "llrcal"
    for place in re.findall(r"`([a-z]+/[a-z_/.]+)`", TEXT):
        assert (package / place).exists() or place == "src/llrcal", place
    code = "\n".join(path.read_text("utf-8") for path in package.rglob("*.py"))
    named = {name for names in re.findall(r"`([A-Za-z_.]+)`", TEXT) for name in names.split(".")}
    assert not {name for name in named if not re.search(rf"\b{name}\b", code)}
