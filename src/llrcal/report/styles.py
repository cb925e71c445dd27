"""How the line of each calibration looks on the page: as in the figures, in the words of plotly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from llrcal.comparison.looks import looks

SYMBOLS = {
    "o": "circle",
    "s": "square",
    "^": "triangle-up",
    "v": "triangle-down",
    "<": "triangle-left",
    ">": "triangle-right",
    "D": "diamond",
    "d": "diamond-tall",
    "P": "cross",
    "X": "x",
    "*": "star",
    "p": "pentagon",
    "h": "hexagon2",
    "8": "octagon",
}
"""Plotly's names of matplotlib's markers."""


class Style(TypedDict):
    """A line: its colour on light and on dark pages, its dashes in line widths, and its markers."""

    light: str
    dark: str
    dashes: list[float]
    symbol: str


def styles(labels: Iterable[str]) -> list[Style]:
    """A style for each label."""
    return [
        Style(light=look.light, dark=look.dark, dashes=[*look.dashes], symbol=SYMBOLS[look.marker])
        for look in looks(labels).values()
    ]
