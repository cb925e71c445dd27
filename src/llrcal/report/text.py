"""Names and numbers as a reader may see them: the one way by which they enter the page.

Names come from files and from callers. Characters that steer the display instead of standing
for something are spelled out, long names lose their middle, and HTML is escaped.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence

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


def table(
    caption: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    foot: Sequence[str] = (),
    attributes: str = "",
) -> str:
    """A table of cells that are HTML already; the first cell of a row is its heading.

    A row of one cell is a heading of the rows below it.
    """
    head = "".join(f'<th scope="col">{cell}</th>' for cell in heads)
    body = ""
    for cells in rows:
        heading = f'<tr><th scope="rowgroup" colspan="{len(heads)}">{cells[0]}</th></tr>'
        body += row(cells) if len(cells) > 1 else f"</tbody><tbody>{heading}"
    body = f"<tbody>{body}</tbody>".replace("<tbody></tbody>", "")
    below = f"<tfoot>{row(foot)}</tfoot>" if foot else ""
    content = (
        f'<table {attributes}><caption class="hidden">{caption}</caption>'
        f"<thead><tr>{head}</tr></thead>{body}{below}</table>"
    )
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}">{content}</div>'


def fields(rows: Mapping[str, str]) -> str:
    """Names and what they are, as HTML; what is missing is said to be so."""
    missing = '<span class="none">not stated</span>'
    cells = (f"<dt>{name}</dt><dd>{text or missing}</dd>" for name, text in rows.items())
    return f'<dl class="fields">{"".join(cells)}</dl>'


Tile = tuple[str, str, list[str]]
"""A number to see first: what it is, how it is written, and lines of small print."""


def tiles(numbers: Iterable[Tile]) -> str:
    """Numbers to see first, side by side; all texts are HTML already."""
    parts = []
    for name, value, small in numbers:
        lines = "".join(f"<small>{line}</small>" for line in small)
        parts.append(f"<div><dt>{name}</dt><dd>{value}{lines}</dd></div>")
    return f'<dl class="tiles">{"".join(parts)}</dl>'


def section(name: str, heading: str, content: str) -> str:
    """A section of the page, which links can lead to by its name."""
    return (
        f'<section id="{name}" aria-labelledby="{name}-heading">\n'
        f'<h2 id="{name}-heading">{heading}</h2>\n{content}\n</section>\n'
    )


def row(cells: Sequence[str]) -> str:
    """A row of a table."""
    first, *others = cells
    return f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in others)}</tr>'
