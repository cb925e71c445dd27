"""Draws the figures of docs/how-it-works.md and works out the numbers that its text quotes.

Run by `make docs`, from any folder: ``python docs/figures/how_it_works.py [FOLDER]``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

from llrcal.arrays import Floats
from llrcal.densities.student_t import StudentT
from llrcal.evaluation import evaluate
from llrcal.figures.style import NON_TARGET, REFERENCE, TARGET, column_figure, column_style, thin
from llrcal.fitting import likelihood
from llrcal.onepass.grid import PLACE_BITS, SIZE, Grid
from llrcal.onepass.hull import Hull
from llrcal.onepass.summary import EXACT_UP_TO, Summary
from llrcal.onepass.two_classes import InArrays
from llrcal.scale import passes
from llrcal.scale.folds import MOST_KEPT

TAR = np.array([-0.1, 0.5, 0.7, 0.9, 1.0, 1.6, 2.2, 2.3, 3.1, 3.5, 3.5, 3.9])
# fmt: off
NON = np.array([
    -4.9, -4.5, -4.4, -3.2, -3.0, -2.7, -2.5, -2.5, -2.0, -1.7, -1.7, -1.6, -1.5, -1.5,
    -1.4, -1.3, -1.3, -1.3, -1.2, -1.1, -1.1, -1.0, -0.9, -0.9, -0.8, -0.8, -0.7, -0.6,
    -0.6, -0.5, -0.4, 0.0, 0.3, 0.5, 0.8, 0.8, 0.8, 0.9, 2.0, 2.5])
# fmt: on
WIDE_BINS = Grid(origin=-1.0, unit=1.0, bin_bits=2)
"""The grid of the non-targets, with four bins per octave instead of 1,024."""
FOLLOWED = -2.7
"""The score whose bits are shown."""

BLOCKS = ("#1b3a6b", "#5a78b8", "#8d5aa0", "#b94a62", "#d9730d")
"""One colour per block, from that of the non-targets to that of the targets."""
FAINT, SOFT = "#e9edf4", "#444444"
CENTRED: dict[str, Any] = {"ha": "center", "va": "center"}
SMALL, SMALLER = 6.0, 5.5  # points


def million() -> Floats:
    """A million scores, distributed much like the non-targets."""
    return np.asarray(np.random.default_rng(52).standard_t(5, 1_000_000) * 1.3 - 1.2)


# --- Bins and points ------------------------------------------------------------------------------


def bins_figure() -> Figure:
    """The bits of one score, and all scores with their bins and points."""
    figure, (top, bottom) = _panels(58.0, [1.0, 2.0])
    _draw_bits(top)
    _draw_bins(bottom)
    return figure


def _draw_bits(ax: Axes) -> None:
    """The double 1 + |x - origin| / unit of one score; of the long fields, the leading bits."""
    double = 1 + abs(FOLLOWED - WIDE_BINS.origin) / WIDE_BINS.unit
    bits = f"{np.float64(double).view(np.int64):064b}"
    number, place = WIDE_BINS.number_and_place(np.array([FOLLOWED]))
    outward = int(WIDE_BINS.side - 1 - number[0])
    first = 12 + WIDE_BINS.bin_bits
    last = first + PLACE_BITS
    fields = (
        (bits[:1], "white", "sign"),
        (bits[1:12], "#c8d3e6", "exponent"),
        (bits[12:first], "#c8d3e6", f"{WIDE_BINS.bin_bits} bits"),
        (bits[first : first + 12] + "…", "#f6dcc3", f"30 bits: place {place[0] / 2**30:.1f}"),
        (bits[last : last + 3] + "…", "white", "rounded"),
    )
    start = 0.0
    for text, colour, name in fields:
        for i, digit in enumerate(text):
            ax.add_patch(Rectangle((start + i, 0), 1, 1.8, fc=colour, ec="#999999", lw=0.3))
            ax.text(start + i + 0.5, 0.85, digit, size=SMALLER, **CENTRED)
        ax.text(start + len(text) / 2, -0.9, name, size=SMALLER, **CENTRED)
        start += len(text) + 0.5
    ax.plot([1.7, 14.8], [-2.2, -2.2], color=NON_TARGET, lw=thin())
    octave, quarter = divmod(outward, 1 << WIDE_BINS.bin_bits)
    name = f"octave {octave}, quarter {quarter}: bin {outward}"
    ax.text(8.2, -3.1, name, size=SMALLER, color=NON_TARGET, **CENTRED)
    ax.text(0, 2.4, f"1 + |−{-FOLLOWED} − (−1)| / 1 = {double:g}, as a double", va="bottom")
    ax.set(xlim=(-0.5, start), ylim=(-4.2, 4.4))
    ax.axis("off")


def _draw_bins(ax: Axes) -> None:
    grid, points = WIDE_BINS, binned(NON, WIDE_BINS).points()
    near = np.arange(grid.side - 12, grid.side + 12)  # three octaves on either side
    inner, width = grid.bins(near)
    edges = grid.origin + np.unique([inner, inner + width]) * grid.unit
    ax.vlines(edges, -2.6, 2.5, color="#cccccc", lw=0.4, zorder=0)
    followed = int(np.flatnonzero(near == grid.number(np.array([FOLLOWED])))[0])
    ends = inner[followed] + np.array([0, width[followed]])
    ax.axvspan(*(grid.origin + ends * grid.unit), color=FAINT, lw=0, zorder=0)
    ax.plot(*_stacked(NON, 0.45, 0.75), "o", ms=2.6, mew=0.5, mfc="white", mec=NON_TARGET)
    # The two points of a bin with one distinct score coincide, but for rounding.
    at, index = np.unique(np.round(points.values, 3), return_inverse=True)
    at, depth = grid.origin + at * grid.unit, -0.72 * len(NON) * np.bincount(index, points.weights)
    ax.vlines(at, depth, 0, color=NON_TARGET, lw=1.0)
    ax.plot(at, depth, "o", ms=2.0, color=NON_TARGET)
    ax.axhline(0, color="black", lw=0.6)
    label: dict[str, Any] = {"ha": "right", "size": SMALL}
    label["bbox"] = {"fc": "white", "ec": "none", "pad": 1.0}
    ax.text(5.1, 1.8, f"{len(NON)} scores", **label)
    ax.text(5.1, -2.2, f"{len(points.values)} weighted points,\ntwo per bin", **label)
    ax.set(xlim=(-6.2, 5.2), ylim=(-2.6, 2.5), yticks=[], xlabel="score")
    ax.spines[["left", "right", "top"]].set_visible(False)


def binned(scores: Floats, grid: Grid) -> Summary:
    """Summary by bins; ``Summary.of`` would keep so few scores one by one."""
    number, place = grid.number_and_place(scores)
    used, index = np.unique(number, return_inverse=True)
    sums = [np.bincount(index, w) for w in (None, place, place * place >> PLACE_BITS)]
    ends = float(scores.min()), float(scores.max())
    return Summary(grid, len(scores), *ends, None, used, np.array(sums).astype(np.int64))


# --- One point or two -----------------------------------------------------------------------------


def error_figure() -> Figure:
    """Error of the log-likelihood against the number of bins, with one point or two in each."""
    figure, ax = column_figure(height=56.0)
    bits = range(11)
    bins = 2.0 ** np.array(bits)
    one, two = errors(million(), bits)
    ax.loglog(bins, one, "o-", color=REFERENCE, mfc="white")
    ax.loglog(bins, two, "o-", color=NON_TARGET)
    ax.text(40, 8e-4, "one point per bin", color=REFERENCE)
    ax.text(0.9, 2e-9, "two points per bin", color=NON_TARGET)
    for start, order in ((one[4], 2), (two[4], 4)):
        guide = start * 0.25 * (bins / bins[4]) ** -order
        ax.loglog(bins[4:8], guide[4:8], "-", color="black", lw=thin())
        name = f"∝ width{_superscript(order)}"
        ax.text(bins[5], guide[5] / 2, name, ha="right", va="top", size=SMALL)
    ax.set_xscale("log", base=2)
    ax.set_xticks(bins[::2], [f"{count:,.0f}" for count in bins[::2]])
    powers = range(-14, 1, 2)
    ax.set_yticks([10.0**power for power in powers], [f"10{_superscript(p)}" for p in powers])
    ax.set_yticks([], minor=True)
    ax.set(xlabel="bins per octave", ylabel="error, nats per score", ylim=(3e-15, 1))
    ax.spines[["right", "top"]].set_visible(False)
    return figure


def errors(scores: Floats, bin_bits: Iterable[int]) -> tuple[Floats, Floats]:
    """Errors of the mean log-likelihood of a fitted T, with one point and with two per bin."""
    grid = Grid.of(scores)
    density, _ = likelihood.maximum_likelihood(StudentT, Summary.of(scores, grid))
    exact = math.fsum(density.logpdf(scores)) / len(scores)

    def error(values: Floats, weights: Floats) -> float:
        return abs(math.fsum(weights * density.logpdf(grid.origin + values * grid.unit)) - exact)

    one, two = [], []
    for bits in bin_bits:
        points = Summary.of(scores, replace(grid, bin_bits=bits)).points()
        two.append(error(points.values, points.weights))
        means = points.values.reshape(2, -1).mean(axis=0)
        one.append(error(means, points.weights.reshape(2, -1).sum(axis=0)))
    return np.array(one), np.array(two)


# --- Groups and hull ------------------------------------------------------------------------------


def hull_figure() -> Figure:
    """The ROC with its hull, and the steps of PAV in the same colours."""
    figure, (top, bottom) = _panels(108.0, [1.35, 1.0])
    _draw_roc(top)
    _draw_steps(bottom)
    return figure


def _draw_roc(ax: Axes) -> None:
    evaluation = evaluate(TAR, NON)
    hull, rate = evaluation.hull, evaluation.eer
    ax.plot(*evaluation.roc(), "o-", color="#9a9a9a", lw=thin(), ms=1.8)
    ax.plot([0, 0.35], [0, 0.35], ":", color="black", lw=thin())
    for i, colour in enumerate(BLOCKS):
        edge = np.array([hull.pfa[i : i + 2], hull.pmiss[i : i + 2]])
        ax.plot(*edge, "o-", color=colour, lw=1.6, ms=3, clip_on=False, zorder=3)
        along = 0.15 if i == 1 else 0.5  # the EER takes the middle of the second edge
        at = (1 - along) * edge[:, 0] + along * edge[:, 1]
        number = {"text": str(i + 1), "color": colour, "weight": "bold", **CENTRED}
        shift = (0, 7) if i == 0 else (-8, -6)
        ax.annotate(xy=(at[0], at[1]), xytext=shift, textcoords="offset points", **number)
    ax.plot(rate, rate, "D", ms=3.5, mfc="white", mec="black", mew=0.8, zorder=4)
    leader = {"arrowstyle": "-", "lw": 0.4, "shrinkB": 3}
    name = f"EER {100 * rate:.1f} %"
    ax.annotate(name, (rate, rate), (0.28, rate), va="center", arrowprops=leader)
    legend = "grey: the ROC, one corner per group\ncolours: its convex hull, one edge per block"
    ax.text(1, 1, legend, ha="right", va="top", size=SMALL)
    ax.set(xlim=(-0.08, 1), ylim=(-0.06, 1), xlabel="false-alarm rate", ylabel="miss rate")
    ax.spines[["right", "top"]].set_visible(False)


def _draw_steps(ax: Axes) -> None:
    pooled = InArrays(TAR, NON).groups
    hull = Hull.of(pooled)
    edges = [-7.2, *pooled.low[hull.first_group][1:].tolist(), 4.6]
    levels = np.clip(hull.llrs, -1.4, 3.2)  # infinities at the ends of the axis
    for i, colour in enumerate(BLOCKS):
        pale = tuple(0.88 + 0.12 * part for part in to_rgb(colour))
        ax.axvspan(edges[i], edges[i + 1], color=pale, lw=0, zorder=0)
        ax.hlines(levels[i], edges[i], edges[i + 1], color=colour, lw=1.8)
        middle = (edges[i] + edges[i + 1]) / 2
        ax.text(middle, levels[i] + 0.45, str(i + 1), color=colour, weight="bold", **CENTRED)
    for scores, name, colour, y in (
        (TAR, "targets", TARGET, -2.3),
        (NON, "non-targets", NON_TARGET, -3.05),
    ):
        ax.plot(*_stacked(scores, y, -0.27), "o", ms=1.9, color=colour)
        ax.text(-7.1, y, name, color=colour, va="center", size=SMALL)
    ax.set_yticks([-1.4, 0, 1, 2, 3.2], ["−∞", "0", "1", "2", "∞"])
    ax.set(xlim=(-7.2, 4.6), ylim=(-3.95, 4.0), xlabel="score", ylabel="LLR")
    ax.spines[["right", "top"]].set_visible(False)


# --- Passes ---------------------------------------------------------------------------------------


def passes_figure() -> Figure:
    """The flow of the passes, with the names of the work on a piece and of what it gives."""
    figure, ax = column_figure(height=96.0)
    ax.set(xlim=(0, 85), ylim=(4, 100))
    ax.axis("off")
    left, middle, right = 17.5, 45.0, 71.5
    _pass(ax, middle, 93, "glance", "Glance.at → Glance", every=2)
    _arrow(ax, (middle, 86.5), (middle, 79.5), "Plan: bins, and which class is rarer")
    _pass(ax, middle, 73, "survey", "SideFold → Side")
    for x, found, taken in (
        (left, "summaries, and\nsamples of all scores", "other bins"),
        (middle, "scores of the\nrarer class", "Distinct"),
        (right, "both classes\nover 8 million: samples", "cuts"),
    ):
        _arrow(ax, (middle, 66.5), (x, 59.5))
        ax.text(x, 56, found, size=SMALL, **CENTRED)
        _arrow(ax, (x, 52.5), (x, 45), taken)
    _pass(ax, left, 38.5, "survey again", "SideFold → Side", rare=True)
    _pass(ax, middle, 38.5, "count", "CountAmong → Counted")
    _pass(ax, right, 38.5, "sort by ranges", "pool_range → Pooled", rare=True, share=0.35)
    ax.plot([4.5, 2.5, 2.5], [56, 56, 20], color="black", lw=0.6)
    _arrow(ax, (2.5, 20), (4.7, 20))
    ax.text(1.3, 38.5, "same bins", rotation=90, size=SMALLER, color=SOFT, **CENTRED)
    both = (middle + right) / 2
    _arrow(ax, (left, 32), (left, 22.5))
    _arrow(ax, (middle, 32), (both - 5, 22.5), "groups_of", side=-12)
    _arrow(ax, (right, 32), (both + 5, 22.5), "Stretch.pooled,\njoined", side=2.6)
    for x, value, use in (
        (left, "Summary of each class", "Points:\nparametric fits"),
        (both, "Groups", "Hull:\nPAV, evaluation"),
    ):
        ax.text(x, 20, value, size=SMALL, **CENTRED)
        _arrow(ax, (x, 17.5), (x, 11))
        ax.text(x, 7.5, use, size=SMALL, **CENTRED)
    return figure


def _pass(
    ax: Axes,
    x: float,
    y: float,
    name: str,
    work: str,
    *,
    rare: bool = False,
    every: int = 1,
    share: float = 1.0,
) -> None:
    """A box for one pass, with a bar for each piece: which are read, and how much is taken."""
    shape = FancyBboxPatch((x - 13, y - 6.5), 26, 13, "round,pad=0,rounding_size=1.2")
    shape.set(fc="white" if rare else FAINT, ec=NON_TARGET, ls="--" if rare else "-", lw=0.7)
    ax.add_patch(shape)
    ax.text(x, y + 4.2, name, weight="bold", size=SMALL, **CENTRED)
    ax.text(x, y + 0.6, work, size=SMALLER, **CENTRED)
    for i in range(16):
        corner = (x - 12 + i * 24 / 16, y - 5.0)
        ax.add_patch(Rectangle(corner, 1.0, 2.6, fc=FAINT, ec=NON_TARGET, lw=0.3))
        if i % every == 0:
            ax.add_patch(Rectangle(corner, 1.0, 2.6 * share, color=NON_TARGET, lw=0.3))


def _arrow(
    ax: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    text: str = "",
    *,
    side: float = 1.2,
) -> None:
    style = {"arrowstyle": "-|>,head_length=0.25,head_width=0.12", "fc": "black", "lw": 0.6}
    ax.annotate("", end, start, arrowprops=style | {"shrinkA": 0, "shrinkB": 0})
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    ax.text(x + side, y, text, va="center", size=SMALLER, color=SOFT)


# --- All of them, and the numbers -----------------------------------------------------------------

FIGURES: dict[str, Callable[[], Figure]] = {
    "how-bins": bins_figure,
    "how-error": error_figure,
    "how-hull": hull_figure,
    "how-passes": passes_figure,
}


def draw(folder: Path) -> None:
    """Write every figure into a folder."""
    with column_style():
        for name, figure in FIGURES.items():
            figure().savefig(folder / f"{name}.png", dpi=300, metadata={"Software": None})


def quoted() -> list[str]:
    """Phrases and table rows of the page whose numbers no example on it shows."""
    scores = million()
    summary = Summary.of(scores)
    points = summary.points()
    (one,), (two,) = errors(scores, [summary.grid.bin_bits])
    bound = 10.0 ** math.ceil(math.log10(two))
    starts = len(StudentT.starts(points.values, points.weights))
    pooled = InArrays(TAR, NON).groups
    group = np.arange(len(pooled.tar))
    block = np.searchsorted(Hull.of(pooled).first_group, group, side="right")
    words = {3: "three", 6: "six", 8: "eight", 10: "ten"}
    return [
        f"the error is {one:.1e} nats per score with one point and below {bound:.0e} with two",
        f"{len(summary.number):,} bins and become {len(points.values):,} points",
        f"Up to {_power_of_two(EXACT_UP_TO)} scores",
        f"the {_power_of_two(SIZE)} distinct scores with the smallest keys",
        f"{words[starts]} for the T",
        f"at most {likelihood._COARSE} points of equal weight and the {likelihood._EXTREMES} outer",
        f"The best {words[likelihood._FINALISTS]} distinct ends",
        f"glance, at up to {words[passes._LOOKED_AT]} pieces",
        f"more than {_power_of_two(MOST_KEPT)} scores",
        _row("`low`", pooled.low),
        _row("`excludes_low`", ["yes" if excluded else "" for excluded in pooled.excludes_low]),
        _row("`tar`", pooled.tar),
        _row("`non`", pooled.non),
        _row("block", block),
    ]


def _panels(height: float, ratios: list[float]) -> tuple[Figure, Any]:
    """A figure with panels one above the other."""
    figure, ax = column_figure(height=height)
    ax.remove()
    return figure, figure.subplots(len(ratios), 1, height_ratios=ratios)


def _stacked(scores: Floats, base: float, step: float) -> tuple[Floats, Floats]:
    """A dot for each score, equal ones on top of each other."""
    values, counts = np.unique(scores, return_counts=True)
    height = np.concatenate([np.arange(count) for count in counts])
    return np.repeat(values, counts), base + step * height


def _power_of_two(number: int) -> str:
    return f"2{_superscript(number.bit_length() - 1)}"


def _superscript(number: int) -> str:
    return str(number).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _row(name: str, values: Iterable[object]) -> str:
    """A row of a table, with single blanks."""
    return " ".join(f"| {name} | {' | '.join(map(str, values))} |".split())


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
