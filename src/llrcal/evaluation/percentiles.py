"""Intervals from the numbers of drawn sets."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from llrcal.arrays import ArrayLike, Floats

Interval = tuple[float, float]


def interval(drawn: Floats, level: float = 0.95) -> list[Interval]:
    """Intervals that leave out equally many of the least and of the greatest drawn numbers."""
    found = np.sort(drawn, axis=0)
    # Order statistics, not interpolated: between a finite and an infinite Cllr there is nothing.
    rank = max(int((len(drawn) + 1) * (1 - level) / 2 + 1e-9), 1)
    return list(zip(found[rank - 1].tolist(), found[-rank].tolist(), strict=True))


def bias_corrected(drawn: Floats, numbers: Floats, level: float) -> list[Interval]:
    """Percentile intervals (of each column) that are corrected for the bias of drawn sets.

    If a share p of the drawn sets lies below the number itself, with z0 the normal quantile of p,
    the ends are not the quantiles of drawn sets at -z and z, but at 2 z0 - z and 2 z0 + z (Efron
    and Tibshirani, section 14.3, without acceleration). More than one deviation is not corrected
    for, and the number itself is always inside.
    """
    equal = np.isclose(drawn, numbers, rtol=1e-12, atol=1e-15)  # but for rounding
    below = ((drawn < numbers) & ~equal).mean(axis=0) + equal.mean(axis=0) / 2
    z0, z = np.clip(ndtri(below), -1, 1), ndtri((1 + level) / 2)
    found, places = np.sort(drawn, axis=0), np.arange(len(numbers))
    low, high = (ndtr(2 * z0 + end) * (len(drawn) + 1) for end in (-z, z))
    last = len(drawn) - 1
    least = found[np.clip(np.floor(low + 1e-9).astype(int) - 1, 0, last), places]
    most = found[np.clip(np.ceil(high - 1e-9).astype(int) - 1, 0, last), places]
    ends = np.minimum(least, numbers), np.maximum(most, numbers)
    return list(zip(*(end.tolist() for end in ends), strict=True))


def centred(replicates: Floats, numbers: ArrayLike) -> Floats:
    """Replicates (rows) shifted so that each column's mean is its number; never below zero.

    Columns with an infinite value are not shifted.
    """
    with np.errstate(invalid="ignore"):
        bias = replicates.mean(axis=0) - np.asarray(numbers)
    return np.maximum(replicates - np.where(np.isfinite(bias), bias, 0), 0)
