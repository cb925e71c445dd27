"""How the line of each calibration looks, on light and on dark paper.

A method has its colour and its marker, whichever others it is compared with; weights of one
method differ by their dashes. The colours differ for colour-blind readers too (checked in the
tests with three simulated deficiencies), and all stand out from the page at 3 : 1 or more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypedDict

LIGHT_PAGE, DARK_PAGE = "#ffffff", "#171c24"

_COLOURS = {
    "linear-gaussian": ("#3495f3", "#91aee2", "triangle-up"),
    "logistic": ("#ca831b", "#c27d2e", "square"),
    "pav": ("#195742", "#58fddc", "x"),
    "gaussian": ("#585108", "#f6e308", "triangle-down"),
    "student-t": ("#f95194", "#ef4075", "diamond"),
    "nig": ("#5300df", "#bf5dfe", "circle"),
}
_OTHERS = tuple(_COLOURS.values())
# Not "dash": that is the minimum's.
_DASHES = ("solid", "dashdot", "dot", "longdashdot")


class Style(TypedDict):
    """A line: its colour on light and on dark paper, its dashes, and its markers."""

    light: str
    dark: str
    dash: str
    symbol: str


def styles(methods: Iterable[str]) -> Iterator[Style]:
    """A style for each method in turn; a method may come several times, with other weights."""
    seen: dict[str, int] = {}
    for method in methods:
        before = seen.get(method, 0)
        seen[method] = before + 1
        # An unknown method borrows a colour, and dashes that tell it from the lender.
        strange = method not in _COLOURS
        other = _OTHERS[list(seen).index(method) % len(_OTHERS)]
        light, dark, symbol = _COLOURS.get(method, other)
        dash = _DASHES[(before + 3 * strange) % len(_DASHES)]
        yield Style(light=light, dark=dark, dash=dash, symbol=symbol)
