"""Answers by brute force: slow, exact where they can be, and written straight from definitions.

A trial is accepted when its LLR is at or above the threshold: a miss is a target below it, a false
alarm a non-target at or above it. Equal scores cannot be told apart, so they form one group.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import NamedTuple

import mpmath


class Group(NamedTuple):
    """One distinct score, and how many scores of each class equal it."""

    score: float
    tar: int
    non: int


class Point(NamedTuple):
    """One operating point, as numbers of errors."""

    misses: int
    false_alarms: int


def grouped(tar: Sequence[float], non: Sequence[float]) -> list[Group]:
    """Every distinct score in rising order."""
    return [
        Group(score, sum(t == score for t in tar), sum(n == score for n in non))
        for score in sorted({*tar, *non})
    ]


def isotonic(tar: Sequence[int], non: Sequence[int]) -> list[Fraction]:
    """Best rising target share of each group, by the min-max formula.

    The share of group i is the largest, over first groups a <= i, of the smallest, over last
    groups b >= i, share of all trials in the groups from a to b.
    """
    size = len(tar)

    def share(a: int, b: int) -> Fraction:
        targets = sum(tar[a : b + 1])
        return Fraction(targets, targets + sum(non[a : b + 1]))

    shares = [[share(a, b) if a <= b else Fraction(0) for b in range(size)] for a in range(size)]
    return [max(min(shares[a][i:]) for a in range(i + 1)) for i in range(size)]


def blocks(tar: Sequence[int], non: Sequence[int]) -> list[tuple[int, int, int]]:
    """First group, targets and non-targets of each run of groups with the same isotonic share."""
    out: list[tuple[int, int, int]] = []
    before: Fraction | None = None
    for i, share in enumerate(isotonic(tar, non)):
        if share == before:
            first, t, n = out.pop()
            out.append((first, t + tar[i], n + non[i]))
        else:
            out.append((i, tar[i], non[i]))
        before = share
    return out


def blocks_by_stack(tar: Sequence[int], non: Sequence[int]) -> list[tuple[int, int, int]]:
    """The same blocks in linear time: pool with the block before as long as shares do not rise."""
    out: list[tuple[int, int, int]] = []
    for i, counts in enumerate(zip(tar, non, strict=True)):
        first, (t, n) = i, counts
        while out and t * (out[-1][1] + out[-1][2]) <= out[-1][1] * (t + n):
            first, before_t, before_n = out.pop()
            t, n = t + before_t, n + before_n
        out.append((first, t, n))
    return out


def log_ratio(share: Fraction, tar_count: int, non_count: int) -> float:
    """logit of a target share less that of all trials, infinite where a class is missing."""
    if share == 0:
        return -math.inf
    if share == 1:
        return math.inf
    ratio = share / (1 - share) * Fraction(non_count, tar_count)
    with mpmath.workdps(40):
        return float(mpmath.log(ratio.numerator) - mpmath.log(ratio.denominator))


def pav_llrs(tar: Sequence[float], non: Sequence[float]) -> dict[float, float]:
    """Best rising LLR of each distinct score, infinities kept."""
    groups = grouped(tar, non)
    shares = isotonic([group.tar for group in groups], [group.non for group in groups])
    return {
        group.score: log_ratio(share, len(tar), len(non))
        for group, share in zip(groups, shares, strict=True)
    }


def pav_llrs_with_dummies(tar: Sequence[float], non: Sequence[float]) -> dict[float, float]:
    """The same after one more target at -inf and one more non-target at +inf."""
    return pav_llrs([-math.inf, *tar], [*non, math.inf])


def cllr(tar: Iterable[float], non: Iterable[float]) -> float:
    """Cllr in bits, at forty digits."""
    with mpmath.workdps(40):

        def mean_cost(llrs: Iterable[float], sign: int) -> mpmath.mpf:
            costs = [
                mpmath.log1p(mpmath.exp(sign * mpmath.mpf(llr))) / mpmath.log(2) for llr in llrs
            ]
            return mpmath.fsum(costs) / len(costs)

        return float((mean_cost(tar, -1) + mean_cost(non, 1)) / 2)


def min_cllr(tar: Sequence[float], non: Sequence[float]) -> float:
    llrs = pav_llrs(tar, non)
    return cllr([llrs[t] for t in tar], [llrs[n] for n in non])


def errors_at(tar: Iterable[float], non: Iterable[float], threshold: float) -> Point:
    return Point(sum(t < threshold for t in tar), sum(n >= threshold for n in non))


def roc(tar: Sequence[float], non: Sequence[float]) -> list[Point]:
    """Errors at every distinct threshold, from accepting all to rejecting all."""
    accepting = [errors_at(tar, non, threshold) for threshold in sorted({*tar, *non})]
    return [*accepting, Point(len(tar), 0)]


def normalised_error(pmiss: float, pfa: float, prior_log_odds: float) -> float:
    """(p pmiss + (1 - p) pfa) / min(p, 1 - p)."""
    with mpmath.workdps(40):
        p = 1 / (1 + mpmath.exp(-mpmath.mpf(prior_log_odds)))
        return float((p * pmiss + (1 - p) * pfa) / min(p, 1 - p))


def bayes_error(tar: Sequence[float], non: Sequence[float], prior_log_odds: float) -> float:
    """Normalised error of deciding at the threshold -x."""
    misses, false_alarms = errors_at(tar, non, -prior_log_odds)
    return normalised_error(misses / len(tar), false_alarms / len(non), prior_log_odds)


def min_bayes_error(tar: Sequence[float], non: Sequence[float], prior_log_odds: float) -> float:
    """Normalised error at the best of all thresholds."""
    return min(
        normalised_error(misses / len(tar), false_alarms / len(non), prior_log_odds)
        for misses, false_alarms in roc(tar, non)
    )


def eer(tar: Sequence[float], non: Sequence[float]) -> float:
    """Lowest point at which a line between two points of the ROC meets pmiss = pfa."""
    rates = [(Fraction(m, len(tar)), Fraction(f, len(non))) for m, f in roc(tar, non)]
    best = Fraction(1)
    for pmiss, pfa in rates:
        if pmiss == pfa:
            best = min(best, pmiss)
        for other_pmiss, other_pfa in rates:
            gap, other_gap = pmiss - pfa, other_pmiss - other_pfa
            if gap < 0 < other_gap:
                share = -gap / (other_gap - gap)
                best = min(best, pmiss + share * (other_pmiss - pmiss))
    return float(best)


def hull_vertices(tar: Sequence[float], non: Sequence[float]) -> list[Point]:
    """Points of the ROC that lie below every line from an earlier to a later point."""
    points = list(dict.fromkeys(roc(tar, non)))

    def is_below(point: Point, a: Point, b: Point) -> bool:
        run, drop = b.misses - a.misses, a.false_alarms - b.false_alarms
        return run * (a.false_alarms - point.false_alarms) > drop * (point.misses - a.misses)

    return [
        point
        for i, point in enumerate(points)
        if all(is_below(point, a, b) for a in points[:i] for b in points[i + 1 :])
    ]


def rule_of_30(tar: Sequence[float], non: Sequence[float]) -> tuple[float, float]:
    """Lowest and highest prior log-odds at which a vertex with 30 errors of each kind is best."""
    vertices = hull_vertices(tar, non)
    lows: list[float] = []
    highs: list[float] = []
    for i, (misses, false_alarms) in enumerate(vertices):
        if misses < 30 or false_alarms < 30:
            continue
        # With more weight on misses, the vertex before, which has fewer, becomes as good.
        highs.append(_equal_cost(vertices[i - 1], vertices[i], len(tar), len(non)))
        lows.append(_equal_cost(vertices[i], vertices[i + 1], len(tar), len(non)))
    if not lows:
        return math.nan, math.nan
    return min(lows), max(highs)


def _equal_cost(one: Point, other: Point, tar_count: int, non_count: int) -> float:
    """Prior log-odds at which two operating points cost the same."""
    misses = Fraction(other.misses - one.misses, tar_count)
    false_alarms = Fraction(one.false_alarms - other.false_alarms, non_count)
    return math.log(false_alarms / misses)


def bias_corrected(drawn: Sequence[float], number: float, level: float) -> tuple[float, float]:
    """Efron's interval without acceleration, one rank after the other."""
    normal, ordered = NormalDist(), sorted(drawn)
    tied = [math.isclose(value, number, rel_tol=1e-12, abs_tol=1e-15) for value in drawn]
    below = [value < number and not tie for value, tie in zip(drawn, tied, strict=True)]
    share = (sum(below) + sum(tied) / 2) / len(drawn)
    z0 = 1.0 if share == 1 else -1.0 if share == 0 else max(min(normal.inv_cdf(share), 1), -1)
    z, count = normal.inv_cdf((1 + level) / 2), len(drawn) + 1
    low = math.floor(normal.cdf(2 * z0 - z) * count + 1e-9)
    high = math.ceil(normal.cdf(2 * z0 + z) * count - 1e-9)
    least, most = ordered[max(low, 1) - 1], ordered[min(high, len(drawn)) - 1]
    return min(least, number), max(most, number)
