"""The style ends with its block; saved figures are the same bytes for the same data."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

from llrcal.figures import bayes_error, column_figure, column_style, save
from tests.figures.drawing import some

SUFFIXES = ("png", "pdf", "svg")


def test_the_style_ends_with_the_block() -> None:
    before = dict(mpl.rcParams)
    with column_style():
        assert mpl.rcParams["text.parse_math"] is False
        assert mpl.rcParams["legend.fontsize"] >= 6
        assert mpl.rcParams["axes.labelsize"] == 7
    assert dict(mpl.rcParams) == before


def test_a_figure_is_one_column_wide() -> None:
    figure, ax = column_figure(height=50)
    assert figure.get_size_inches() == pytest.approx([85 / 25.4, 50 / 25.4])
    assert ax.figure is figure


def test_a_formula_in_a_title_is_no_formula() -> None:
    with column_style():
        figure, ax = column_figure()
        ax.set_title(r"costs $\frac{")
        figure.canvas.draw()
    assert ax.title.get_parse_math() is False


def draw(folder: Path) -> dict[str, bytes]:
    with column_style():
        figure, ax = column_figure()
        bayes_error(some("pav", "nig"), ax=ax)
        save(figure, folder, "errors")
    return {suffix: (folder / f"errors.{suffix}").read_bytes() for suffix in SUFFIXES}


@pytest.mark.slow
def test_saved_figures(tmp_path: Path) -> None:
    """Three files whose text stays text, and which tell neither date nor program."""
    before = dict(mpl.rcParams)
    found = draw(tmp_path / "new" / "folder")
    assert dict(mpl.rcParams) == before
    assert len(list((tmp_path / "new" / "folder").iterdir())) == 3
    assert found["png"].startswith(b"\x89PNG")
    assert found["pdf"].startswith(b"%PDF")
    assert b">prior log-odds</text>" in found["svg"]
    assert b"/FontFile2" in found["pdf"]  # TrueType
    assert b"/Type3" not in found["pdf"]
    for content in found.values():
        for word in (b"Matplotlib v", b"CreationDate", b"<dc:date>", b"Software\x00Matplotlib"):
            assert word not in content
    code = f"from tests.figures.test_style import draw, Path; draw(Path({str(tmp_path)!r}))"
    environment = {**os.environ, "PYTHONHASHSEED": "7", "SOURCE_DATE_EPOCH": "86400"}
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root, env=environment)
    for suffix in SUFFIXES:
        assert found[suffix] == (tmp_path / f"errors.{suffix}").read_bytes(), suffix


def test_nothing_is_written_when_drawing_fails(tmp_path: Path) -> None:
    figure, ax = column_figure()
    ax.set_title(r"$\nonsense{$")
    with pytest.raises(ValueError, match="nonsense"):
        save(figure, tmp_path, "broken")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_files_do_not_depend_on_settings_of_matplotlib(tmp_path: Path) -> None:
    """A file of settings, and a backend that is not installed, as Jupyter hands down its own."""
    (tmp_path / "matplotlibrc").write_text(
        "text.usetex: True\nsavefig.bbox: tight\nlines.linestyle: :\naxes.facecolor: red\n"
        "xtick.direction: in\naxes.prop_cycle: cycler('color', ['r'])\nlegend.loc: center\n"
        "axes.formatter.use_locale: True\nsavefig.format: ps\naxes.xmargin: 0.3\n"
    )
    np.savez(tmp_path / "llrs.npz", tar=[1.0, 2, 3, -0.5], non=[-3.0, -2, -1, 0.5])
    theirs = {"MPLBACKEND": "module://matplotlib_inline.not_installed", "MATPLOTLIBRC": "."}
    pictures = []
    for name, settings in (("plain", {}), ("theirs", theirs)):
        environment = {key: value for key, value in os.environ.items() if key != "MPLBACKEND"}
        command = [sys.executable, "-m", "llrcal", "evaluate", "llrs.npz", "--figures", name]
        subprocess.run(command, cwd=tmp_path, env=environment | settings, check=True)
        pictures.append({file.name: file.read_bytes() for file in (tmp_path / name).glob("[!.]*")})
    assert pictures[0] == pictures[1]
    assert len(pictures[0]) >= 15


def test_an_installed_backend_stays_that_of_pyplot() -> None:
    code = "import llrcal.figures, matplotlib; print(matplotlib.rcParams['backend'])"
    environment = os.environ | {"MPLBACKEND": "svg"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["svg"]
