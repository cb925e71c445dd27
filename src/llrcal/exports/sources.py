"""A curve as source code: a search for its piece, and five operations."""

from __future__ import annotations

from collections.abc import Iterable

from llrcal.calibrations.curve import Curve

_C = """\
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

_JAVASCRIPT = """\
/* {description}
 */
const {name} = (() => {{
  // Where pieces begin, on an axis of (score - {origin!r}) * {per_unit!r}.
  const starts = [
{starts}
  ];
  // p, y, a, b: a piece is y + (z - p) * (a + b * |z - p|).
  const pieces = [
{pieces}
  ];
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


FORMS = {"c": (_C, "{}"), "js": (_JAVASCRIPT, "[]")}
"""Templates, and what is around each row of numbers. C is C++ as well: ``double name(double)``; the
script is a function of one score, for a page, which Node can require as well."""


def source(language: str, curve: Curve, name: str, description: list[str]) -> bytes:
    """A function of the score in some language."""
    form, around = FORMS[language]
    return form.format(
        description="\n * ".join(description),
        name=name,
        origin=float(curve.origin),
        per_unit=curve.per_unit,
        count=len(curve.rows),
        starts=_lines(map(repr, curve.knots[:-1].tolist())),
        pieces=_lines(
            f"{around[0]}{', '.join(map(repr, row))}{around[1]}" for row in curve.rows.tolist()
        ),
        first=float(curve.knots[0]),
        last=float(curve.knots[-1]),
    ).encode()


def _lines(entries: Iterable[str]) -> str:
    return "\n".join(f"    {entry}," for entry in entries)
