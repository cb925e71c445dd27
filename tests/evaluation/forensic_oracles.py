"""Figures of merit of forensic science by brute force, straight from their definitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import mpmath

from tests.oracles import blocks, grouped

DIGITS = 40
ROUNDING = 1e-12  # of LLRs that would meet a bound exactly


def elub(tar: Sequence[float], non: Sequence[float]) -> tuple[float, float]:
    """Bounds in nats: every stretch between neighbouring LLRs is solved on its own."""
    lower = _lower(tar, non)
    return lower, -_lower([-x for x in non], [-x for x in tar])


def _lower(tar: Sequence[float], non: Sequence[float]) -> float:
    """The supremum of the thresholds up to one at which LRs cost more than no evidence."""
    values = sorted({x for x in (*tar, *non) if -math.inf < x < 0})
    with mpmath.workdps(DIGITS):
        starts = [mpmath.mpf(0), *(mpmath.exp(x) for x in values)]
        ends = [*starts[1:], mpmath.mpf(1)]
        found = mpmath.mpf(0)
        for value, start, end in zip([-math.inf, *values], starts, ends, strict=True):
            # Thresholds above this value, and below the next one.
            missed = sum(x <= value for x in tar)
            alarms = sum(x > value for x in non)
            # They cost more where missed + t alarms > t, both with one more trial.
            rest = 1 - Fraction(alarms + 1, len(non) + 1)
            lost = Fraction(missed + 1, len(tar) + 1)
            crossing = mpmath.inf if rest == 0 else mpmath.mpf(lost.numerator) / lost.denominator
            if rest:
                crossing = crossing * rest.denominator / rest.numerator
            if crossing > start * (1 + ROUNDING):
                found = max(found, min(crossing, end))
        return float(mpmath.log(found))


def dev_pav(tar: Sequence[float], non: Sequence[float]) -> float:
    """Mean distance in log10 between the polyline of PAV and the identity, piece by piece."""
    groups = grouped(tar, non)
    found = blocks([g.tar for g in groups], [g.non for g in groups])
    edges = [first for first, _, _ in found] + [len(groups)]
    points = []
    for (first, t, n), after in zip(found, edges[1:], strict=True):
        if t and n:
            llr = math.log(t * len(non)) - math.log(n * len(tar))
            points += [(groups[i].score, llr) for i in range(first, after)]
    if not points:
        return math.nan
    if any(math.isinf(x) for x, _ in points):
        return math.inf
    if len(points) == 1:
        return abs(points[0][1] - points[0][0]) / math.log(10)
    area = 0.0
    for (x0, y0), (x1, y1) in pairwise(points):
        # Exact on each side of the place where the line crosses the identity.
        cuts = [0.0, 1.0]
        before, after_ = y0 - x0, y1 - x1
        if before * after_ < 0:
            cuts.insert(1, before / (before - after_))
        at = [before + (after_ - before) * cut for cut in cuts]
        area += (x1 - x0) * sum(
            (abs(a) + abs(b)) / 2 * (v - u)
            for a, b, u, v in zip(at, at[1:], cuts, cuts[1:], strict=False)
        )
    return area / (points[-1][0] - points[0][0]) / math.log(10)
