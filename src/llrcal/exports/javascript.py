"""A table of pieces as JavaScript: a script for a page, which Node can require as well."""

from __future__ import annotations

import json

from llrcal.exports.piece_table import PieceTable

_SOURCE = """\
/* {description}
 */
const {name} = (() => {{
  // Where pieces begin, on an axis of (score - {origin!r}) * {per_unit!r}.
  const starts = {starts};
  // p, y, a, b: a piece is y + (z - p) * (a + b * |z - p|).
  const pieces = {pieces};
  return (score) => {{
    const z = Math.min(Math.max((score - {origin!r}) * {per_unit!r}, {first!r}), {last!r});
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {{
      const middle = (low + high) >> 1;
      if (z < starts[middle]) high = middle;
      else low = middle;
    }}
    const [p, y, a, b] = pieces[low];
    const d = z - p;
    return y + d * (a + b * Math.abs(d));
  }};
}})();
if (typeof module !== "undefined") module.exports = {{ {name} }};
"""


def javascript(table: PieceTable, name: str, description: list[str]) -> bytes:
    """Source code of a function of one score."""
    pieces = table.pieces
    return _SOURCE.format(
        description="\n * ".join(description),
        name=name,
        origin=table.origin,
        per_unit=table.per_unit,
        starts=json.dumps(pieces.knots[:-1].tolist()),
        pieces="[\n" + ",\n".join(f"    {row}" for row in pieces.rows.tolist()) + ",\n  ]",
        first=float(pieces.knots[0]),
        last=float(pieces.knots[-1]),
    ).encode()
