"""How calibrations are drawn, in figures and in the report alike: a palette, by position.

Methods have the looks of their places in the table of methods, in every figure. Any other label
begins at a place that depends on its name, and takes the first look that is free. No two looks of
the palette share dashes or a marker, so colours need not be told apart; all stand out from light
and dark pages. Black and grey are those of minima and references.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain, count

from llrcal.method_table import ALPHAS, TABLE


@dataclass(frozen=True)
class Look:
    """How one calibration is drawn, in figures and in the report alike."""

    light: str
    """Colour on a light page, as ``#rrggbb``, with a contrast to white of at least 3 : 1."""
    dark: str
    """Colour on the dark page of the report."""
    marker: str
    """One of matplotlib's filled markers: ``o s ^ v < > D d P X * p h 8``."""
    dashes: tuple[float, ...] = ()
    """Lengths on and off, in line widths; a solid line if empty."""


PALETTE = (
    Look("#300048", "#a84890", "p", (20, 2)),
    # The three weights of a linear method go from dark to light.
    Look("#124a83", "#4b7fdf", "o", (7, 2)),
    Look("#286ec1", "#8aadf3", "s", (4, 1.5)),
    Look("#4499de", "#c3d5ff", "^", (1.2, 1.2)),
    Look("#592101", "#c1672b", "D", (7, 1.5, 1.2, 1.5)),
    Look("#85400b", "#e59738", "v", (4, 1.2, 1.2, 1.2, 1.2, 1.2)),
    Look("#ce7d40", "#fcc689", "P", (1.2, 2.5)),
    Look("#003927", "#40f2ca", "X"),
    Look("#b29000", "#feea19", "<", (2.5, 1)),
    Look("#d60872", "#ff5b72", "*", (5, 1.2, 1.2, 1.2)),
    Look("#5802c5", "#844cea", ">", (10, 1.5)),
    Look("#a3162a", "#ff7a7a", "d", (6, 1.5)),
    Look("#2f7f7a", "#6fd0c8", "h", (3, 1.5)),
    Look("#4d5c12", "#b6c95a", "8", (6, 1.5, 1.5, 1.5)),
)
_STEP = 5  # places from a colour to the marker and dashes that go with it when it comes again


def looks(labels: Iterable[str]) -> dict[str, Look]:
    """The look of each label of one figure; a method alone looks as with its usual weight.

    Examples
    --------
    >>> from llrcal.figures import looks
    >>> looks(["pav", "my own"])["pav"].marker
    'X'
    """
    wanted, methods = list(labels), _places_of_methods()
    places = {label: methods[label] for label in wanted if label in methods}
    size = len(PALETTE)
    for label in wanted:
        if label not in places:
            start = zlib.crc32(label.encode(errors="surrogatepass")) % size
            order = chain(range(start, size), range(start), count(size))
            places[label] = next(place for place in order if place not in places.values())
    return {label: _look(places[label]) for label in wanted}


def _places_of_methods() -> dict[str, int]:
    """The place of each method, or of each of its weights, by the label that it has by default."""
    names = []
    for name, entry in TABLE.items():
        names += [f"{name}-{one}" for one in ALPHAS] if "alpha" in entry.options else [name]
    places = {name: place for place, name in enumerate(names)}
    return places | {name: places[f"{name}-0.5"] for name in TABLE if name not in places}


def _look(place: int) -> Look:
    """The look of a place; beyond the palette, its colours with other markers and dashes."""
    again, first = divmod(place, len(PALETTE))
    drawn = PALETTE[(first + again * _STEP) % len(PALETTE)]
    return replace(PALETTE[first], marker=drawn.marker, dashes=drawn.dashes)
