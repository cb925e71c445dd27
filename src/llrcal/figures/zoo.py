"""Zoo plots: which speakers are hard to recognize, and which are mistaken for others."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from llrcal.arrays import Floats
from llrcal.errors import OptionError
from llrcal.evaluation import Evaluation
from llrcal.evaluation.zoo import CORNERS, Animal
from llrcal.figures.curves import (
    ZOO_COLOURS,
    ZOO_MARKERS,
    Range,
    Speakers,
    with_margin,
    zoo_quarters,
    zoo_speakers,
)
from llrcal.figures.drawing import Canvas, Style, Units, logarithm
from llrcal.figures.style import MINIMUM, REFERENCE, WORDS, thin

_MARGINS = {"llr_tar": 0.04, "llr_non": 0.1}
_LEAST, _MOST = 0.5, 5.0  # areas of points, in those of markers
_NAMED = 5  # speakers, at most
_LONGEST = 12  # letters of a name
_APART = (0.15, 0.05)  # shares of the frame between names


def zoo(
    evaluation: Evaluation, *, ax: Axes | None = None, units: Units = "nats", legend: bool = True
) -> Axes:
    """Draw the mean target LLR of each speaker against the mean non-target LLR.

    Means that are better are further to the right, and further up: the vertical axis falls. Lines
    set apart the quarters of the speakers with the lowest and the highest means. In the corners are
    the animals of Yager and Dunstone (2010): worms, chameleons, phantoms and doves. Markers show
    those of Doddington (1998): goats, lambs and wolves. Beside their number is how many there would
    be by chance, and a star if there are more than that. The area of a point grows with the share
    of the speaker in Cllr, and those who cost most are named. See :mod:`llrcal.evaluation.zoo`.

    Parameters
    ----------
    evaluation
        Of trials in memory whose speakers are known.
    ax
        Axes to draw on. By default, pyplot's current ones if they are empty, or new ones.
    units
        Those of the LLRs on the axes: natural, common or binary logarithms.
    legend
        Whether to put a legend above the axes.

    Raises
    ------
    OptionError
        If this is no evaluation, its speakers are not known or its LLRs not in memory, or the units
        are unknown.
    """
    if not isinstance(evaluation, Evaluation):
        raise OptionError(
            f"a {type(evaluation).__name__} cannot be drawn here; give an Evaluation, which "
            "llrcal.evaluate(trials) gives"
        )
    unit, _, name = logarithm(units)
    found = evaluation.zoo
    speakers = zoo_speakers(found)
    x, y = (_frame(speakers, side, unit) for side in _MARGINS)
    canvas = Canvas(ax, x, y[::-1], (f"mean target {name}", f"mean non-target {name}"))
    vertical, horizontal = zoo_quarters(found)
    grey: Style = {"color": REFERENCE, "linewidth": thin(), "linestyle": MINIMUM, "zorder": 0}
    for place in vertical:
        canvas.ax.axvline(place / unit, **grey)
    for place in horizontal:
        canvas.ax.axhline(place / unit, **grey)
    size = mpl.rcParams["lines.markersize"] ** 2
    most = max((float(one.shares.max()) for one in speakers), default=1.0)
    for one in speakers:
        canvas.ax.scatter(
            one.llr_tar / unit,
            one.llr_non / unit,
            s=size * np.fmax(_MOST * one.shares / most, _LEAST),
            marker=one.look.marker,
            color=one.look.light,
            alpha=0.75,
            linewidths=0,
            label=f"{one.corner}, {one.kind}",
        )
    _name_animals(canvas, {one.kind: one for one in found.animals})
    _name_worst(canvas.ax, speakers, unit)
    return canvas.done(legend=legend)


def _frame(speakers: list[Speakers], side: str, unit: float) -> Range:
    """What holds all means, with room for words above and below."""
    every = np.concatenate([getattr(one, side) for one in speakers] or [np.zeros(1)])
    low, high = with_margin(float(every.min()), float(every.max()), _MARGINS[side])
    return low / unit, high / unit


def _name_worst(ax: Axes, speakers: list[Speakers], unit: float) -> None:
    """Write the names of those who cost most beside their points, unless names would touch."""
    every = [
        (-float(share), str(name), (float(x) / unit, float(y) / unit))
        for one in speakers
        for share, name, x, y in zip(one.shares, one.names, one.llr_tar, one.llr_non, strict=True)
    ]
    named: list[Floats] = []
    for _, name, point in sorted(every)[:_NAMED]:
        place = ax.transAxes.inverted().transform(ax.transData.transform(point))
        if all((np.abs(place - other) > _APART).any() for other in named):
            named.append(place)
            ax.annotate(
                name if len(name) <= _LONGEST else f"{name[:5]}…{name[-6:]}",
                point,
                xytext=(3, 3),
                textcoords="offset points",
                fontsize=mpl.rcParams["legend.fontsize"],
                color=WORDS,
                parse_math=False,
                bbox={"facecolor": ax.get_facecolor(), "alpha": 0.7, "linewidth": 0, "pad": 0.3},
            )


def _name_animals(canvas: Canvas, animals: dict[str, Animal]) -> None:
    """Name Doddington's animals in the legend, and the others in their corners."""
    for kind, one in animals.items():
        text = f"{one.plural}: {one.count}, chance {one.expected:.1f}{' *' if one.found else ''}"
        if kind in CORNERS:
            good, bad = CORNERS[kind][0] > 1, CORNERS[kind][1] > 1
            canvas.ax.annotate(
                text,
                (float(good), float(not bad)),
                xycoords="axes fraction",
                xytext=(-3 if good else 3, 3 if bad else -3),
                textcoords="offset points",
                ha="right" if good else "left",
                va="bottom" if bad else "top",
                fontsize=mpl.rcParams["legend.fontsize"],
                color=ZOO_COLOURS[kind][0],
                bbox={"facecolor": canvas.ax.get_facecolor(), "linewidth": 0, "pad": 0.5},
            )
        else:
            style: Style = {"marker": ZOO_MARKERS[kind], "color": "black", "linestyle": "none"}
            canvas.name_line(text, **style, markeredgewidth=0)
