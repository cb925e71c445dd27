"""What holds for every figure: it draws on what it is given, whatever the labels and LLRs."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from matplotlib.axes import Axes

from llrcal import evaluate, figures
from llrcal.arrays import ArrayLike
from tests.figures.drawing import NON, TAR, calibrations, evaluations
from tests.processes import python
from tests.trial_sets import normal

pytestmark = pytest.mark.slow

Draw = Callable[..., Axes]
det_with_points = partial(figures.det, p_target=0.01)


EVERY_FIGURE = pytest.mark.parametrize(
    "draw",
    [figures.bayes_error, figures.tippett, figures.ece, det_with_points, figures.reliability],
)
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


@EVERY_FIGURE
@pytest.mark.parametrize("kind", LLRS)
def test_hostile_llrs_and_labels(draw: Draw, kind: str) -> None:
    with figures.column_style():
        figure, ax = figures.column_figure(height=100)
        assert draw(dict.fromkeys(LABELS, evaluate(*LLRS[kind])), ax=ax) is ax
        figure.draw_without_rendering()
    assert np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all()


@EVERY_FIGURE
def test_everything_lies_within_the_column(draw: Draw) -> None:
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


def test_calibrations_with_hostile_labels() -> None:
    with figures.column_style():
        figure, ax = figures.column_figure(height=100)
        figures.transforms(dict.fromkeys(LABELS, calibrations()["pav"]), ax=ax)
        figures.densities(calibrations()["nig"], ax=ax, tar=TAR, non=NON)
        figure.draw_without_rendering()


def test_figures_keep_their_hands_off_pyplot_where_they_have_axes() -> None:
    code = """
import sys, llrcal
ev = llrcal.evaluate([1.0, 2.0], [-1.0, 0.5, 1.5])
print("matplotlib" in sys.modules)
from llrcal import figures
figure, ax = figures.column_figure()
print(figures.bayes_error(ev, ax=ax) is ax)
print("matplotlib" in sys.modules, "matplotlib.pyplot" in sys.modules)
"""
    assert python(code) == ["False", "True", "True", "False"]


def test_the_exported_names_exist_in_order() -> None:
    assert figures.__all__ == sorted(figures.__all__)
    assert all(callable(getattr(figures, name)) for name in figures.__all__)
