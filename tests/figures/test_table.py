"""Every figure of the table is drawn wherever it should be; this needs no word on a new one."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

from llrcal import figures
from llrcal.evaluation.operating_points import OperatingPoint
from llrcal.figures.folder import draw_evaluation
from llrcal.figures.table import TABLE, Entry, of_evaluations
from llrcal.report.pictures import pictures
from tests.figures.drawing import axes, evaluations, legend_names, some
from tests.report.comparisons import small

OF_EVALUATIONS = [name for name, entry in TABLE.items() if entry.of == "evaluations"]


def test_every_figure_is_in_the_table_and_public() -> None:
    declared = {entry.draw.__name__ for entry in TABLE.values()}
    for module in pkgutil.iter_modules(figures.__path__, "llrcal.figures."):
        for name, draw in inspect.getmembers(importlib.import_module(module.name)):
            ax = inspect.signature(draw).parameters.get("ax") if inspect.isfunction(draw) else None
            if ax and ax.kind is ax.KEYWORD_ONLY and not name.startswith(("_", "draw_")):
                assert name in declared
    assert declared == {entry.draw.__name__ for entry in TABLE.values()}  # these brought none
    assert declared < {*figures.__all__}
    for entry in TABLE.values():
        assert getattr(figures, entry.draw.__name__) is entry.draw
        assert entry.title
        assert entry.caption.endswith(".")


@pytest.mark.parametrize("name", OF_EVALUATIONS)
def test_figures_of_evaluations(name: str) -> None:
    """One, or several in one frame, each named in the legend."""
    draw = TABLE[name].draw
    assert "LLRs" in legend_names(draw(evaluations()["nig"], ax=axes()))
    assert {"nig", "pav"} <= {*legend_names(draw(some("nig", "pav"), ax=axes()))}
    drawn = of_evaluations(some("nig"), units="bits", nonsense=1)[name]
    assert drawn(ax=axes()).lines


def test_all_of_them_are_files_and_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(TABLE, "new", Entry("New plot", "Something new.", TABLE["ece"].draw))
    draw_evaluation(some("nig"), tmp_path, [OperatingPoint(0.01)])
    names = {*OF_EVALUATIONS, "new"}
    assert {path.name for path in tmp_path.glob("*.*")} == {
        f"{name}.{suffix}" for name in names for suffix in ("png", "pdf", "svg")
    }
    page = pictures(some("nig"), lambda entry: entry.title == "New plot")
    assert page.count("<img") == 1
    assert "Something new." in page
    assert "new" in figures.table.of_comparison(small())
