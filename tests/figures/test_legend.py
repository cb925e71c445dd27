"""Legends: above the axes, with every name as it is."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from llrcal.figures import column_figure, column_style
from llrcal.figures.legend import Entry, legend_above
from tests.figures.drawing import legend_names, legend_of


def entries(names: list[str]) -> list[Entry]:
    return [(name, Line2D([], [])) for name in names]


NAMES = [r"$\frac{", "a$b", "_private", "%s {}", "same", "same"]


def test_names_are_shown_as_they_are() -> None:
    figure, ax = column_figure(width=200, height=200)  # in any style
    legend_above(ax, entries(NAMES))
    assert legend_names(ax) == NAMES
    figure.draw_without_rendering()
    assert not any(text.get_parse_math() for text in legend_of(ax).get_texts())


@pytest.mark.parametrize("length", [3, 25, 39, 400])
def test_it_lies_above_the_axes_and_within_the_figure(length: int) -> None:
    with column_style():
        figure, ax = column_figure()
        ax.set_ylabel("cost")
        legend_above(ax, entries([letter * length for letter in "abcde"]))
        figure.draw_without_rendering()
        box = legend_of(ax).get_window_extent()
    assert box.y0 >= ax.get_window_extent().y1
    assert box.x1 <= figure.bbox.x1
    assert box.y1 <= figure.bbox.y1


def test_it_goes_inside_where_there_is_no_room_above() -> None:
    with column_style():
        figure = Figure()  # without a layout
        ax = figure.add_subplot()
        legend_above(ax, entries(["one row"]))
        assert legend_of(ax).get_window_extent().y0 >= ax.get_window_extent().y1
        legend_above(ax, entries([f"{i} of many rows with long names" for i in range(20)]))
        figure.draw_without_rendering()
    inside, frame = legend_of(ax).get_window_extent(), ax.get_window_extent()
    assert frame.y0 <= inside.y0 < inside.y1 <= frame.y1


def test_very_long_names_keep_their_ends() -> None:
    _, ax = column_figure()
    legend_above(ax, entries(["first/" + "x" * 100 + "/last"]))
    (name,) = legend_names(ax)
    assert len(name) < 40
    assert name.startswith("first/")
    assert name.endswith("/last")
