"""Saved figures: three formats, the same bytes for the same data, text that stays text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import pytest

from llrcal.figures import bayes_error, column_figure, column_style, save
from tests.figures.drawing import some

pytestmark = pytest.mark.slow

SUFFIXES = ("png", "pdf", "svg")


def draw(folder: Path, name: str = "errors") -> None:
    with column_style():
        figure, ax = column_figure()
        bayes_error(some("pav", "nig"), ax=ax)
        save(figure, folder, name)


def contents(folder: Path) -> dict[str, bytes]:
    return {suffix: (folder / f"errors.{suffix}").read_bytes() for suffix in SUFFIXES}


def test_three_files_and_nothing_else(tmp_path: Path) -> None:
    draw(tmp_path / "new" / "folder")
    found = contents(tmp_path / "new" / "folder")
    assert found["png"].startswith(b"\x89PNG")
    assert found["pdf"].startswith(b"%PDF")
    assert b"<svg" in found["svg"]
    assert len(list((tmp_path / "new" / "folder").iterdir())) == 3


def test_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    draw(tmp_path / "here")
    code = (
        f"from tests.figures.test_save import draw, Path; draw(Path({str(tmp_path / 'there')!r}))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7", "SOURCE_DATE_EPOCH": "86400"}
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root, env=environment)
    here, there = contents(tmp_path / "here"), contents(tmp_path / "there")
    for suffix in SUFFIXES:
        assert here[suffix] == there[suffix], suffix


def test_neither_date_nor_program_is_told(tmp_path: Path) -> None:
    draw(tmp_path)
    for content in contents(tmp_path).values():
        for word in (b"Matplotlib v", b"CreationDate", b"<dc:date>", b"Software"):
            assert word not in content


def test_text_stays_text_and_fonts_are_embedded(tmp_path: Path) -> None:
    draw(tmp_path)
    found = contents(tmp_path)
    assert b">prior log-odds</text>" in found["svg"]
    assert b"/FontFile2" in found["pdf"]  # TrueType
    assert b"/Type3" not in found["pdf"]


def test_it_leaves_no_settings_behind(tmp_path: Path) -> None:
    before = dict(mpl.rcParams)
    draw(tmp_path)
    assert dict(mpl.rcParams) == before


def test_nothing_is_written_when_drawing_fails(tmp_path: Path) -> None:
    figure, ax = column_figure()
    ax.set_title(r"$\nonsense{$")
    with pytest.raises(ValueError, match="nonsense"):
        save(figure, tmp_path, "broken")
    assert not list(tmp_path.iterdir())
