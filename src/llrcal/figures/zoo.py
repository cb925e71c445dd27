"""Zoo plots: which speakers are hard to recognize, and which are mistaken for others."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from llrcal.arrays import Floats
from llrcal.errors import OptionError
from llrcal.evaluation import Evaluation
from llrcal.figures.curves import with_margin, zoo_speakers
from llrcal.figures.drawing import Canvas, Units, logarithm
from llrcal.figures.style import REFERENCE, WORDS
from llrcal.figures.table import figure

_LEAST, _MOST = 0.5, 5.0  # areas of points, in those of markers
_NAMED = 5  # speakers, at most
_LONGEST = 12  # letters of a name
_APART = (0.15, 0.05)  # shares of the frame between names


@figure(
    "Zoo plot",
    "Mean logarithms of the LRs of each speaker. Larger points have a larger share of Cllr.",
    of="speakers",
    interactive=True,
)
def zoo(evaluation: Evaluation, *, ax: Axes | None = None, units: Units = "nats") -> Axes:
    """Draw the mean target LLR of each speaker against the mean non-target LLR.

    Means that are better are further to the right, and further up: the vertical axis falls. The
    area of a point grows with the share of the speaker in Cllr, and those who cost most are named:
    see :meth:`llrcal.Evaluation.speakers`.

    Parameters
    ----------
    evaluation
        Of trials in memory whose speakers are known.
    ax
        Axes to draw on. By default, pyplot's current ones if they are empty, or new ones.
    units
        Those of the LLRs on the axes: natural, common or binary logarithms.

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
    speakers = zoo_speakers(evaluation)
    points = speakers.select("llr_tar", "llr_non").to_numpy() / unit
    ends = points if len(points) else np.zeros((1, 2))
    (left, low), (right, high) = ends.min(axis=0), ends.max(axis=0)
    x, y = with_margin(left, right, 0.04), with_margin(low, high, 0.1)
    canvas = Canvas(ax, x, y[::-1], (f"mean target {name}", f"mean non-target {name}"))
    shares = speakers["share"].to_numpy()
    areas = np.fmax(_MOST * shares / shares.max(initial=0.0), _LEAST)
    canvas.ax.scatter(
        points[:, 0],
        points[:, 1],
        s=areas * mpl.rcParams["lines.markersize"] ** 2,
        color=REFERENCE,
        alpha=0.75,
        linewidths=0,
    )
    named: list[Floats] = []
    for who, point in zip(speakers["speaker"].head(_NAMED), points.tolist(), strict=False):
        place = canvas.ax.transAxes.inverted().transform(canvas.ax.transData.transform(point))
        if any((np.abs(place - other) <= _APART).all() for other in named):
            continue
        named.append(place)
        label = str(who)
        canvas.ax.annotate(
            label if len(label) <= _LONGEST else f"{label[:5]}…{label[-6:]}",
            point,
            xytext=(3, 3),
            textcoords="offset points",
            fontsize=mpl.rcParams["legend.fontsize"],
            color=WORDS,
            parse_math=False,
            bbox={"facecolor": canvas.ax.get_facecolor(), "alpha": 0.7, "linewidth": 0, "pad": 0.3},
        )
    return canvas.ax
