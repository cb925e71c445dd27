"""A table of pieces as C, which is C++ as well."""

from __future__ import annotations

from collections.abc import Iterable

from llrcal.exports.piece_table import PieceTable

_SOURCE = """\
/* {description}
 */
#include <stddef.h>

#ifdef __cplusplus
extern "C"
#endif
double {name}(double score);

/* Where pieces begin, on an axis of (score - {origin!r}) * {per_unit!r}. */
static const double {name}_starts[{count}] = {{
{starts}
}};

/* p, y, a, b: a piece is y + (z - p) * (a + b * |z - p|). */
static const double {name}_pieces[{count}][4] = {{
{pieces}
}};

double {name}(double score)
{{
    double z = (score - {origin!r}) * {per_unit!r};
    size_t low = 0, high = {count};
    if (z != z)
        return z; /* NaN */
    if (z < {first!r})
        z = {first!r};
    if (z > {last!r})
        z = {last!r};
    while (high - low > 1) {{
        size_t middle = low + (high - low) / 2;
        if (z < {name}_starts[middle])
            high = middle;
        else
            low = middle;
    }}
    {{
        const double *piece = {name}_pieces[low];
        double d = z - piece[0];
        return piece[1] + d * (piece[2] + piece[3] * (d < 0 ? -d : d));
    }}
}}
"""


def c_source(table: PieceTable, name: str, description: list[str]) -> bytes:
    """Source code of ``double name(double score)``."""
    pieces = table.pieces
    return _SOURCE.format(
        description="\n * ".join(description),
        name=name,
        origin=table.origin,
        per_unit=table.per_unit,
        count=len(pieces.rows),
        starts=_lines(f"{start!r}," for start in pieces.knots[:-1].tolist()),
        pieces=_lines(f"{{{', '.join(map(repr, row))}}}," for row in pieces.rows.tolist()),
        first=float(pieces.knots[0]),
        last=float(pieces.knots[-1]),
    ).encode()


def _lines(entries: Iterable[str]) -> str:
    return "\n".join(f"    {entry}" for entry in entries)
