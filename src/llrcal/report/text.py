"""Names and numbers as a reader may see them: the one way by which they enter the page.

Names come from files and from callers. Characters that steer the display instead of standing
for something are spelled out, long names lose their middle, and HTML is escaped.
"""

from __future__ import annotations

import html
import math

from llrcal.comparison.tables import NAME, SENTENCE, shown

_LARGE = 1e5  # from here on in powers of ten
MINUS = "\u2212"
INFINITY = "\u221e"
MISSING = "\u2013"


def escaped(name: str, *, limit: int = NAME) -> str:
    """A name as HTML text or as the value of a quoted attribute."""
    return html.escape(shown(name, limit=limit))


def sentence(text: str) -> str:
    """A sentence, which may quote names, as HTML text."""
    return escaped(text, limit=SENTENCE)


def decimal(value: float, *, digits: int = 4) -> str:
    """A number for a table; report.js writes its numbers in the same way.

    Examples
    --------
    >>> from llrcal.report.text import decimal
    >>> decimal(0.123456), decimal(-0.00001), decimal(float("inf")), decimal(123456.0)
    ('0.1235', '0.0000', '∞', '1.235e+5')
    """
    if math.isnan(value):
        return MISSING
    if math.isinf(value):
        return INFINITY if value > 0 else MINUS + INFINITY
    if abs(value) >= _LARGE:
        mantissa, exponent = f"{value:.3e}".split("e")
        return f"{mantissa}e{int(exponent):+d}".replace("-", MINUS)
    rounded = round(value, digits) + 0.0  # no negative zeros
    return f"{rounded:.{digits}f}".replace("-", MINUS)
