"""What holds for every figure: what it takes, where it draws, and its legend."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from llrcal import OptionError, evaluate, figures
from llrcal.arrays import ArrayLike
from llrcal.figures import column_figure, column_style
from llrcal.figures.drawing import Entry, legend_above
from llrcal.figures.table import TABLE
from tests.figures.drawing import (
    NON,
    TAR,
    axes,
    calibrations,
    data,
    evaluations,
    legend_names,
    legend_of,
)
from tests.processes import python
from tests.trial_sets import normal

det_with_points = partial(figures.det, p_target=0.01)

OF_EVALUATIONS = pytest.mark.parametrize(
    "draw",
    [
        det_with_points,
        *(entry.draw for entry in TABLE.values() if entry.of == "evaluations"),
    ],
)


def watch(calibration: Any, **options: Any) -> Axes:
    return figures.watch(calibration, np.concatenate([TAR[:100], NON]) + 1, **options)


def densities(calibration: Any, **options: Any) -> Axes:
    return figures.densities(calibration, tar=TAR, non=NON, **options)


EVERY: dict[str, tuple[Callable[..., Axes], Callable[[], Any]]] = {
    "bayes_error": (figures.bayes_error, lambda: evaluations()["nig"]),
    "det": (figures.det, lambda: evaluations()["nig"]),
    "tippett": (figures.tippett, lambda: evaluations()["nig"]),
    "ece": (figures.ece, lambda: evaluations()["nig"]),
    "reliability": (figures.reliability, lambda: evaluations()["nig"]),
    "transforms": (figures.transforms, lambda: calibrations()["nig"]),
    "densities": (densities, lambda: calibrations()["nig"]),
    "watch": (watch, lambda: calibrations()["nig"]),
}
EVERY_FIGURE = pytest.mark.parametrize("name", EVERY)


@pytest.fixture(autouse=True)
def _pyplot() -> Iterator[None]:
    with mpl.rc_context({"backend": "agg"}):
        yield
    plt.close("all")


@EVERY_FIGURE
def test_axes_are_those_given_or_pyplots_empty_ones_or_new(name: str) -> None:
    draw, data = EVERY[name]
    ax = axes()
    assert draw(data(), ax=ax, legend=False) is ax
    assert ax.get_legend() is None
    assert not plt.get_fignums()
    with pytest.raises(OptionError, match="ax is a Figure; give axes of matplotlib"):
        draw(data(), ax=ax.figure)
    _, (left, right) = plt.subplots(1, 2)
    plt.sca(left)
    assert draw(data()) is left
    assert not right.has_data()
    other = draw(data())
    assert other.figure is not left.figure
    assert plt.gca() is other
    plt.gcf().draw_without_rendering()


@OF_EVALUATIONS
def test_what_cannot_be_drawn_is_named_with_what_can(draw: Callable[..., Axes]) -> None:
    ev, cal = evaluations()["nig"], calibrations()["nig"]
    needed = r"give an Evaluation, which llrcal.evaluate\(tar, non\) gives, or a dict"
    wrong = {
        "list": [ev],
        "str": "nig",
        "ndarray": np.zeros(3),
        "NIGCalibration": cal,
        "NoneType": None,
        "{'yours': 'Evaluation', 'mine': 'NIGCalibration'}": {"yours": ev, "mine": cal},
        "{1: 'Evaluation'}": {1: ev},
        "{}": {},
    }
    for words, given in wrong.items():
        with pytest.raises(OptionError, match=f"^{words} cannot be drawn here; {needed}"):
            draw(given, ax=axes())
    with pytest.raises(TypeError, match="positional"):
        draw(ev, axes())


def test_an_evaluation_is_no_calibration() -> None:
    ev = evaluations()["nig"]
    for given in (ev, [calibrations()["nig"]], "nig", {"nig": ev}):
        with pytest.raises(OptionError, match=r"give a calibration, which llrcal.fit\(tar, non\)"):
            figures.transforms(given, ax=axes())  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="Evaluation has no densities"):
        densities(ev, ax=axes())


def test_nothing_is_drawn_where_an_argument_is_wrong() -> None:
    with pytest.raises(OptionError):
        figures.bayes_error([])  # type: ignore[arg-type]
    with pytest.raises(OptionError):
        figures.transforms(calibrations(), low=2, high=1)
    with pytest.raises(OptionError):
        figures.transforms(calibrations()["pav"], level=1.5)
    assert not plt.get_fignums()


def test_figures_follow_the_style_of_the_moment() -> None:
    with mpl.rc_context({"lines.linewidth": 3, "axes.linewidth": 2}):
        ax = figures.tippett(evaluations()["nig"], ax=axes())
    widths = {str(line.get_label()): line.get_linewidth() for line in ax.get_lines()}
    assert widths["targets of LLRs"] == 3
    assert min(widths.values()) == 2


INF = math.inf
LLRS: dict[str, tuple[ArrayLike, ArrayLike]] = {
    "one each": ([1.0], [0.0]),
    "all equal": ([0.0] * 3, [0.0] * 5),
    "inverted": ([-1.0, -2.0], [1.0, 2.0, 3.0]),
    "infinite and right": ([INF, INF], [-INF]),
    "infinite and wrong": ([-INF, 1.0, 2.0], [INF, 0.0]),
    "absurd": ([-1e308, 1.0], [1e308, 0.0]),
    "far from zero": ([1e9 + 1e-3, 1e9], [1e9 - 1e-3, 1e9]),
    "single precision": (normal(50, 2, 2).astype(np.float32), normal(90, -2, 2).astype(np.float32)),
}
LABELS = [r"$\frac{", "_private", "minimum", "logistic-0.01", "x" * 100]


@pytest.mark.slow
@OF_EVALUATIONS
@pytest.mark.parametrize("kind", LLRS)
def test_hostile_llrs_and_labels(draw: Callable[..., Axes], kind: str) -> None:
    with figures.column_style():
        figure, ax = figures.column_figure(height=100)
        assert draw(dict.fromkeys(LABELS, evaluate(*LLRS[kind])), ax=ax) is ax
        figure.draw_without_rendering()
    assert np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all()


@pytest.mark.slow
@OF_EVALUATIONS
def test_everything_lies_within_the_column(draw: Callable[..., Axes]) -> None:
    with figures.column_style():
        figure, ax = figures.column_figure(height=110)  # a square and six rows of a legend
        draw(evaluations(), ax=ax)
        figure.draw_without_rendering()
        box = ax.get_tightbbox()
    assert box is not None
    edge = figure.bbox
    assert box.x0 >= edge.x0 - 1
    assert box.x1 <= edge.x1 + 1
    assert box.y0 >= edge.y0 - 1
    assert box.y1 <= edge.y1 + 1
    assert ax.get_xlabel()
    assert ax.get_ylabel()


@pytest.mark.slow
def test_figures_keep_their_hands_off_pyplot_where_they_have_axes() -> None:
    code = """
import sys, llrcal
ev = llrcal.evaluate([1.0, 2.0], [-1.0, 0.5, 1.5])
print("matplotlib" in sys.modules)
from llrcal import figures
figure, ax = figures.column_figure()
print(figures.bayes_error(ev, ax=ax) is ax)
print("matplotlib" in sys.modules, "matplotlib.pyplot" in sys.modules)
print(sys.modules["matplotlib"].rcParams._get_backend_or_none())
"""
    assert python(code) == ["False", "True", "True", "False", "None"]


def entries(names: list[str]) -> list[Entry]:
    return [(name, Line2D([], [])) for name in names]


NAMES = [r"$\frac{", "a$b", "_private", "%s {}", "same", "same"]


def test_names_are_shown_as_they_are() -> None:
    figure, ax = column_figure(width=200, height=200)  # in any style
    legend_above(ax, entries([*NAMES, "first/" + "x" * 100 + "/last"]))
    *names, cut = legend_names(ax)
    assert names == NAMES
    assert len(cut) < 40
    assert (cut[:6], cut[-5:]) == ("first/", "/last")
    figure.draw_without_rendering()
    assert not any(text.get_parse_math() for text in legend_of(ax).get_texts())


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


# ------------------------------------------------------------------------------------- units


@pytest.mark.parametrize(
    ("draw", "quantity", "in_nats"),
    [
        (figures.bayes_error, "prior odds", "prior log-odds"),
        (figures.ece, "prior odds", "prior log-odds"),
        (figures.tippett, "likelihood-ratio", "log-likelihood-ratio"),
        (figures.reliability, "likelihood-ratio", "log-likelihood-ratio"),
    ],
)
def test_curves_in_other_logarithms(draw: Callable[..., Axes], quantity: str, in_nats: str) -> None:
    drawn = {}
    for units, sign in (("nats", ""), ("log10", "log₁₀"), ("bits", "log₂")):
        ax = draw(evaluations()["nig"], ax=axes(), units=units)
        assert ax.get_xlabel() == (f"{sign} {quantity}" if sign else in_nats)
        drawn[units] = [np.array(ax.get_xlim()), *(data(line)[0] for line in ax.get_lines())]
    for units, unit in (("log10", math.log(10)), ("bits", math.log(2))):
        for one, other in zip(drawn[units], drawn["nats"], strict=True):
            np.testing.assert_allclose(one * unit, other, atol=1e-12)
    with pytest.raises(OptionError, match="units are 'dB'; choose one of nats, log10, bits"):
        draw(evaluations()["nig"], ax=axes(), units="dB")
