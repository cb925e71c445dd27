"""The style: column width, legible type, no formulas, and nothing left behind."""

from __future__ import annotations

import matplotlib as mpl
import pytest

from llrcal.figures import column_figure, column_style


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
