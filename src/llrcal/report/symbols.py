"""What Python and the page both know of plots: objects of JSON, and the names of markers."""

from __future__ import annotations

from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]
"""An object of JSON, but for arrays."""

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
