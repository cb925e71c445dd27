"""What the tests of figures share: axes to draw on, and ways to read them back."""

from __future__ import annotations

from functools import cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.methods import label, method_and_options
from llrcal.figures import column_figure
from llrcal.figures.looks import looks
from tests.trial_sets import normal

TAR, NON = normal(400, 2.5, 1.5), normal(3000, -1.5, 1.2)
TEST_TAR, TEST_NON = normal(300, 2.3, 1.6), normal(2500, -1.4, 1.3)
FIXED = looks(label(*method_and_options(entry)) for entry in llrcal.PAPER)
"""The looks of the calibrations of the paper."""


@cache
def calibrations() -> dict[str, llrcal.Calibration]:
    return llrcal.fit_all(TAR, NON)


@cache
def evaluations() -> dict[str, llrcal.Evaluation]:
    return {
        label: llrcal.evaluate(calibration(TEST_TAR), calibration(TEST_NON))
        for label, calibration in calibrations().items()
    }


def some(*labels: str) -> dict[str, llrcal.Evaluation]:
    return {label: evaluations()[label] for label in labels}


def axes() -> Axes:
    return column_figure()[1]


def lines(ax: Axes) -> dict[str, Line2D]:
    return {str(line.get_label()): line for line in ax.get_lines()}


def data(line: Line2D) -> tuple[Floats, Floats]:
    return np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)


def legend_of(ax: Axes) -> Legend:
    legend = ax.get_legend()
    assert legend is not None
    return legend


def legend_names(ax: Axes) -> list[str]:
    return [text.get_text() for text in legend_of(ax).get_texts()]
