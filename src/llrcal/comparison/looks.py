"""What figures and the report share: looks of calibrations, the score axis, and formats.

The colour, dashes and marker of each calibration come from the table of methods. There, the three
weights of a linear method, and the three generative methods, which share a figure, go from dark to
light, so that they can be distinguished in greyscale prints. All colours can be distinguished by
colour-blind readers too, and no two calibrations share dashes or a marker.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.errors import OptionError
from llrcal.messages import Setting
from llrcal.method_table import ALPHAS, DEFAULT, TABLE, Entry, Look

# For other labels: any colour but black and grey, which are used for minima and references.
_SPARE_COLOURS = (
    ("#a3162a", "#ff7a7a"),
    ("#7a5c3e", "#c9a888"),
    ("#2f7f7a", "#6fd0c8"),
    ("#9a4fd0", "#d2a0ff"),
    ("#4d5c12", "#b6c95a"),
)
_SPARE_DASHES = ((), (6, 1.5), (3, 1.5), (6, 1.5, 1.5, 1.5), (1.5, 1.5))
FUSION = "fusion"
"""The label of a fusion of several systems."""
_BAYES, _DOTS = "-bayes", (1.0, 1.4)  # with parameters integrated out
_ADAPTED, _DEEPER = "-adapted", 0.35  # as far towards black, on a white page
_WHITE, _BLACK = "#ffffff", "#000000"
_SPARE = tuple(product(_SPARE_DASHES, ("p", "d", "h", "8")))


def looks(labels: Iterable[str]) -> dict[str, Look]:
    """The look of each label of one figure.

    Methods have the look given in the table, also with a weight, such as ``logistic-0.5``. With a
    weight that is not in the table, a method gets a colour between those of its family. With its
    parameters integrated out, it has another shade of its colour, and is dotted; adapted to other
    scores, it has a deeper one. Any other label gets a colour that depends on its name, unless
    another label of the figure has it already. Dashes and markers that are not in the table depend
    on the others, too, to avoid repetition.

    Examples
    --------
    >>> from llrcal.comparison.looks import looks
    >>> looks(["pav", "my own"])["pav"].marker
    'X'
    """
    out: dict[str, Look] = {}
    for label in labels:
        unmoved = label.removesuffix(_ADAPTED)
        plain = unmoved.removesuffix(_BAYES)
        entry, log_odds = _method_and_weight(plain)
        known = _known_weights(entry) if entry else {}
        if plain == label and log_odds in known:
            out[label] = known[log_odds]
            continue
        look = _free(label, [*out.values()])
        if entry:
            bayes, adapted = plain != unmoved, unmoved != label
            light, dark = _colours(known, log_odds, bayes=bayes, adapted=adapted)
            dashes = _DOTS if bayes else look.dashes
            look = replace(look, light=light, dark=dark, dashes=dashes)
        out[label] = look
    return out


def _method_and_weight(label: str) -> tuple[Entry | None, float]:
    """The method of a label, if there is one, and the log-odds of its weight (by default 0.5)."""
    if label == FUSION:  # which is never beside the default method
        label = DEFAULT
    if label in TABLE:
        return TABLE[label], 0.0
    for name, entry in TABLE.items():
        log_odds = _log_odds(label.removeprefix(f"{name}-"))
        if "alpha" in entry.options and label.startswith(f"{name}-") and math.isfinite(log_odds):
            return entry, log_odds
    return None, math.nan


def _log_odds(weight: str) -> float:
    """The log-odds of a weight as it is written in labels; NaN if it is not a weight.

    Targets are rare, so the empirical weight is treated as about 0.001.
    """
    if weight == "empirical":
        return -7.0
    try:
        alpha = float(weight)
    except ValueError:
        return math.nan
    return math.log(alpha) - math.log1p(-alpha) if 0 < alpha < 1 else math.nan


def _known_weights(entry: Entry) -> dict[float, Look]:
    """The looks of a method by the log-odds of their weights."""
    weights = [str(alpha) for alpha in ALPHAS] if len(entry.looks) > 1 else ["0.5"]
    return {_log_odds(w): look for w, look in zip(weights, entry.looks, strict=True)}


def _free(label: str, others: Sequence[Look]) -> Look:
    """A look that is not in the table, with what is unused as long as there is any."""
    number = zlib.crc32(label.encode(errors="surrogatepass"))
    signs = [(one.dashes, one.marker) for one in others]
    dashes, marker = _first_free(_SPARE, number // len(_SPARE_COLOURS), signs)
    colours = [(one.light, one.dark) for one in others]
    light, dark = _first_free(_SPARE_COLOURS, number, colours)
    return Look(light, dark, marker, dashes)


def _first_free(choices: Sequence[Any], number: int, taken: Sequence[Any]) -> Any:
    """The first that is not taken, beginning with that of a number; or else that one."""
    start = number % len(choices)
    ordered = [*choices[start:], *choices[:start]]
    return next((one for one in ordered if one not in taken), ordered[0])


def _colours(
    known: Mapping[float, Look], log_odds: float, *, bayes: bool, adapted: bool
) -> Iterator[str]:
    """The colours of a variant of a method, on a white page and on a black one."""
    # The least and greatest luminance of another shade that is told from the page.
    pages = ("light", _WHITE, _BLACK, 0.0, 0.29), ("dark", _BLACK, _WHITE, 0.14, 1.0)
    for name, page, away, least, most in pages:
        colour = _mixed(log_odds, {place: getattr(one, name) for place, one in known.items()})
        if bayes:
            half = _mixed(0.5, {0.0: colour, 1.0: page})
            linear = (np.array([*bytes.fromhex(half[1:])]) / 255) ** 2.2
            luminance = float((linear * [0.2126, 0.7152, 0.0722]).sum())
            seen = least < luminance < most
            colour = half if seen else _mixed(0.5, {0.0: colour, 1.0: away})
        yield _mixed(_DEEPER, {0.0: colour, 1.0: away}) if adapted else colour


def _mixed(place: float, colours: Mapping[float, str]) -> str:
    """The colour at a position between others."""
    known = [bytes.fromhex(colour[1:]) for colour in colours.values()]
    mixed = [round(np.interp(place, [*colours], part)) for part in zip(*known, strict=True)]
    return "#" + bytes(mixed).hex()


_PRIORS = 1001  # of a curve over priors: closer than the dots of a printer in one column
_WITHOUT_A_RULE = (-7.0, 7.0)
_MARGIN = 0.08  # of the range, shown beyond either limit


def drawn_priors(limits: tuple[float, float]) -> Floats:
    """The prior log-odds at which errors are drawn, given where the rule of 30 ends, if it does."""
    low, high = limits
    if not -math.inf < low < high < math.inf:
        return np.linspace(*_WITHOUT_A_RULE, _PRIORS)
    margin = _MARGIN * (high - low)
    return np.linspace(low - margin, high + margin, _PRIORS)


FIGURE_FORMATS = ("png", "pdf", "svg")
"""For the screen, for print and for editing."""


def figure_formats(names: Sequence[str]) -> Sequence[str]:
    """The formats, each known."""
    for name in names:
        if name not in FIGURE_FORMATS:
            known = ", ".join(FIGURE_FORMATS)
            raise OptionError(Setting("formats"), f" is one of {known}, or several, not {name!r}")
    return names


_FURTHEST = 1e300  # with larger values, differences in plotting programs overflow
_NARROWEST = 1e-12  # relative to the scores; narrower bins would have no width after rounding


def finite_part(scores: Array) -> Array:
    """The finite scores; without a copy if all are finite."""
    finite = np.isfinite(scores)
    return scores if finite.all() else scores[finite]


def evenly(low: float, high: float, count: int) -> Floats:
    """Evenly spaced numbers, even if ``high - low`` would overflow."""
    return 2 * np.linspace(low / 2, high / 2, count)


def is_narrow(low: float, high: float) -> bool:
    """Whether there is no room for bins between two scores."""
    return high - low <= max(_NARROWEST * max(abs(low), abs(high)), 1 / _FURTHEST)


def drawable(low: float, high: float) -> tuple[float, float]:
    """A range of scores, cut if it is too wide to be drawn, and widened if it is too narrow."""
    low, high = (min(max(end, -_FURTHEST), _FURTHEST) for end in (low, high))
    if not is_narrow(low, high):
        return low, high
    room = max(0.5, 1e-3 * abs(low))
    return low - room, high + room
