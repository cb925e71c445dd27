"""What figures take: one thing or several by label, axes or none, and no wrong thing in silence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from llrcal import OptionError, figures
from tests.figures.drawing import NON, TAR, axes, calibrations, evaluations, legend_names
from tests.processes import python

OF_EVALUATIONS = pytest.mark.parametrize(
    "draw",
    [figures.bayes_error, figures.det, figures.tippett, figures.ece, figures.reliability],
)


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
}
EVERY_FIGURE = pytest.mark.parametrize("name", EVERY)


@pytest.fixture(autouse=True)
def _pyplot() -> Iterator[None]:
    with mpl.rc_context({"backend": "agg"}):
        yield
    plt.close("all")


@EVERY_FIGURE
def test_one_without_axes_gets_a_figure_of_its_own(name: str) -> None:
    draw, data = EVERY[name]
    first = draw(data())
    second = draw(data())
    assert first.figure is not second.figure
    assert plt.gca() is second
    assert len(plt.get_fignums()) == 2
    plt.gcf().draw_without_rendering()


@EVERY_FIGURE
def test_empty_axes_of_pyplot_are_used(name: str) -> None:
    draw, data = EVERY[name]
    figure = plt.figure()
    assert draw(data()).figure is figure
    _, (left, right) = plt.subplots(1, 2)
    plt.sca(left)
    assert draw(data()) is left
    assert not right.has_data()
    assert len(plt.get_fignums()) == 2


@EVERY_FIGURE
def test_axes_that_are_given_are_used_and_returned(name: str) -> None:
    draw, data = EVERY[name]
    ax = axes()
    assert draw(data(), ax=ax) is ax
    assert not plt.get_fignums()
    with pytest.raises(OptionError, match="ax is a Figure; give axes of matplotlib"):
        draw(data(), ax=ax.figure)


@EVERY_FIGURE
def test_the_legend_can_be_left_out(name: str) -> None:
    draw, data = EVERY[name]
    assert draw(data(), ax=axes(), legend=False).get_legend() is None


@OF_EVALUATIONS
def test_one_evaluation_needs_no_label(draw: Callable[..., Axes]) -> None:
    assert legend_names(draw(evaluations()["nig"], ax=axes()))[0] == "LLRs"
    assert legend_names(draw({"nig": evaluations()["nig"]}, ax=axes()))[0] == "nig"


def test_one_calibration_is_called_after_its_method() -> None:
    assert legend_names(figures.transforms(calibrations()["pav"], ax=axes()))[0] == "pav"


@OF_EVALUATIONS
def test_what_cannot_be_drawn_is_named_with_what_can(draw: Callable[..., Axes]) -> None:
    ev, cal = evaluations()["nig"], calibrations()["nig"]
    needed = r"give an Evaluation, which llrcal.evaluate\(tar, non\) gives, or a dict"
    wrong = {
        "of type list": [ev],
        "of type str": "nig",
        "of type ndarray": np.zeros(3),
        "of type NIGCalibration": cal,
        "of type NoneType": None,
        "'mine' is of type NIGCalibration": {"yours": ev, "mine": cal},
        "label 1 is not a string": {1: ev},
        "nothing to draw": {},
    }
    for words, given in wrong.items():
        with pytest.raises(OptionError, match=f"{words}.*{needed}"):
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


@pytest.mark.slow
def test_importing_chooses_no_backend() -> None:
    code = """
import matplotlib
import llrcal.figures
print(matplotlib.rcParams._get_backend_or_none())
"""
    assert python(code) == ["None"]


def test_figures_follow_the_style_of_the_moment() -> None:
    with mpl.rc_context({"lines.linewidth": 3, "axes.linewidth": 2}):
        ax = figures.tippett(evaluations()["nig"], ax=axes())
    widths = {str(line.get_label()): line.get_linewidth() for line in ax.get_lines()}
    assert widths["targets of LLRs"] == 3
    assert min(widths.values()) == 2
