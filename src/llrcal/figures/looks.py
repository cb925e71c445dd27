"""Which colour, line style and marker each calibration has, in every figure.

The three weights of a linear method, and the three generative methods, which the paper draws
together, go from dark to light, so that a greyscale print tells them apart. All ten colours stay
apart for colour-blind readers too. No two calibrations share dashes or a marker.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np

Dashes: TypeAlias = tuple[float, ...]


@dataclass(frozen=True)
class Look:
    """How one calibration is drawn. Dashes are in line widths, on and off; none is solid."""

    colour: str
    dashes: Dashes
    marker: str

    @property
    def line(self) -> Literal["solid"] | tuple[float, Dashes]:
        """The dashes in the words of matplotlib."""
        return (0.0, self.dashes) if self.dashes else "solid"


FIXED: Mapping[str, Look] = MappingProxyType(
    {
        "linear-gaussian-empirical": Look("#08306b", (7, 2), "o"),
        "linear-gaussian-0.5": Look("#2f7fbf", (4, 1.5), "s"),
        "linear-gaussian-0.92": Look("#74b9e8", (1.2, 1.2), "^"),
        "logistic-empirical": Look("#67290a", (7, 1.5, 1.2, 1.5), "D"),
        "logistic-0.5": Look("#cf5208", (4, 1.2, 1.2, 1.2, 1.2, 1.2), "v"),
        "logistic-0.92": Look("#f0982a", (1.2, 2.5), "P"),
        "pav": Look("#0f5c43", (), "X"),
        "gaussian": Look("#b0aa55", (2.5, 1), "<"),
        "student-t": Look("#bb4a80", (5, 1.2, 1.2, 1.2), "*"),
        "nig": Look("#6a0fbf", (10, 1.5), ">"),
    }
)
_ALIASES = {"linear-gaussian": "linear-gaussian-0.5", "logistic": "logistic-0.5"}

# Labels that nobody foresaw: any colour but black and grey, which minima and references have.
_SPARE_COLOURS = ("#a3162a", "#7a5c3e", "#3f8f8a", "#9a4fd0", "#4d5c12")
_SPARE_DASHES: tuple[Dashes, ...] = ((), (6, 1.5), (3, 1.5), (6, 1.5, 1.5, 1.5), (1.5, 1.5))
_SPARE_MARKERS = ("p", "d", "h", "x", "+")
_SPARE = tuple(product(_SPARE_DASHES, _SPARE_MARKERS))

_WEIGHTED = re.compile(r"(linear-gaussian|logistic)-(0?\.\d+(?:e-\d+)?|\d(?:\.\d+)?e-\d+)")
_WEIGHTS = ("empirical", "0.5", "0.92")
# Targets are rare: a weight of about 0.001 takes the place of the empirical one.
_LOG_ODDS = (-7.0, 0.0, math.log(0.92 / 0.08))


def looks(labels: Iterable[str]) -> dict[str, Look]:
    """The look of each label of one figure.

    The labels of the paper's calibrations have fixed looks. A linear method at another weight
    takes a colour between those of its family; any other label takes a colour of its own name's
    choice. Colours never depend on what else is in the figure. Dashes and marker of such labels
    do only where they would clash.
    """
    out: dict[str, Look] = {}
    taken: set[tuple[Dashes, str]] = set()
    for label in labels:
        look = FIXED.get(_ALIASES.get(label, label))
        out[label] = look or _free(label, taken)
        taken.add((out[label].dashes, out[label].marker))
    return out


def _free(label: str, taken: set[tuple[Dashes, str]]) -> Look:
    """A look for a label without a fixed one; dashes and marker as yet untaken, while there are."""
    number = zlib.crc32(label.encode())
    first = number // len(_SPARE_COLOURS) % len(_SPARE)
    ordered = [*_SPARE[first:], *_SPARE[:first]]
    dashes, marker = next((pair for pair in ordered if pair not in taken), ordered[0])
    look = Look(_SPARE_COLOURS[number % len(_SPARE_COLOURS)], dashes, marker)
    weighted = _WEIGHTED.fullmatch(label)
    return replace(look, colour=_between(*weighted.groups())) if weighted else look


def _between(family: str, weight: str) -> str:
    """The colour of a linear method, from the three of its family, by its weight."""
    alpha = float(weight)
    if not 0 < alpha < 1:
        return FIXED[f"{family}-0.5"].colour
    log_odds = math.log(alpha) - math.log1p(-alpha)
    known = [bytes.fromhex(FIXED[f"{family}-{name}"].colour[1:]) for name in _WEIGHTS]
    mixed = [round(np.interp(log_odds, _LOG_ODDS, channel)) for channel in zip(*known, strict=True)]
    return "#" + bytes(mixed).hex()
