"""What every figure takes: one thing to draw or several by label, and axes or none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from matplotlib.axes import Axes

from llrcal.calibrations import Calibration
from llrcal.errors import OptionError
from llrcal.evaluation import Evaluation

_Drawable = TypeVar("_Drawable", Evaluation, Calibration)


def evaluations_by_label(given: Evaluation | Mapping[str, Evaluation]) -> dict[str, Evaluation]:
    """The evaluations to draw; one alone needs no label."""
    if isinstance(given, Evaluation):
        return {"LLRs": given}
    return _checked(given, Evaluation, "an Evaluation, which llrcal.evaluate(tar, non) gives")


def calibrations_by_label(given: Calibration | Mapping[str, Calibration]) -> dict[str, Calibration]:
    """The calibrations to draw; one alone is called after its method."""
    if isinstance(given, Calibration):
        return {given.method: given}
    return _checked(given, Calibration, "a calibration, which llrcal.fit(tar, non) gives")


def _checked(given: Mapping[str, _Drawable], kind: type[Any], needed: str) -> dict[str, _Drawable]:
    """A dict of a kind of values by label; anything else is refused."""
    needed = f"give {needed}, or a dict of them by label"
    if not isinstance(given, Mapping):
        raise OptionError(f"a value of type {type(given).__name__} cannot be drawn here; {needed}")
    if not given:
        raise OptionError(f"there is nothing to draw; {needed}")
    for label, value in given.items():
        if not isinstance(label, str):
            raise OptionError(f"the label {label!r} is not a string; {needed}")
        if not isinstance(value, kind):
            name = type(value).__name__
            raise OptionError(f"{label!r} is of type {name}, which cannot be drawn here; {needed}")
    return dict(given)


def axes_or_new(ax: Axes | None, *, square: bool = False) -> Axes:
    """The axes; without any, pyplot's current ones if nothing is drawn there, or else new ones."""
    if isinstance(ax, Axes):
        return ax
    if ax is not None:
        raise OptionError(f"ax is a {type(ax).__name__}; give axes of matplotlib, or nothing")
    from matplotlib import pyplot as plt

    if plt.get_fignums() and not (plt.gcf().axes and plt.gca().has_data()):
        return plt.gca()
    width, height = plt.rcParams["figure.figsize"]
    size = (width, width) if square else (width, height)
    return plt.subplots(figsize=size, layout="constrained")[1]
