"""Arrays as JSON numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeAlias

Numbers: TypeAlias = list[float | None]


def numbers(values: Iterable[float], *, digits: int | None = None) -> Numbers:
    """Plain numbers, null where JSON has none; to the last bit, or to some digits.

    Examples
    --------
    >>> from llrcal.report.numbers import numbers
    >>> numbers([1 / 3, float("inf")]), numbers([1 / 3], digits=3)
    ([0.3333333333333333, None], [0.333])
    """
    plain = (float(value) for value in values)
    if digits is not None:
        plain = (float(f"{value:.{digits}g}") for value in plain)
    return [value if math.isfinite(value) else None for value in plain]
