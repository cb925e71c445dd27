"""Pairs one by one, with labels looked at and scores as whole numbers of Python's size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from llrcal.arrays import Array

BITS = 31  # of 52, which are left out


def integers(vectors: Array) -> Array:
    """Unit vectors times 2^26, rounded."""
    wide = vectors.astype(np.longdouble)
    unit = wide / np.sqrt((wide**2).sum(axis=1))[:, None]
    return np.rint(unit * 2**26).astype(np.int64)


def steps(enrol: Array, test: Array) -> Array:
    """Products of integers in steps of 2^-21, to the nearest, ties to even, without a float."""
    products = enrol @ test.T
    down, rest = products >> BITS, products & (2**BITS - 1)
    up = (rest > 2 ** (BITS - 1)) | ((rest == 2 ** (BITS - 1)) & (down % 2 == 1))
    return down + up


def counted(
    found: Array, is_trial: Callable[[int, int], bool], is_target: Callable[[int, int], bool]
) -> dict[int, tuple[int, int]]:
    """Targets and non-targets for each step, of the trials among all pairs of rows and columns."""
    kinds: tuple[Counter[int], Counter[int]] = Counter(), Counter()
    for i, row in enumerate(found.tolist()):
        for j, step in enumerate(row):
            if is_trial(i, j):
                kinds[not is_target(i, j)][step] += 1
    return {step: (kinds[0][step], kinds[1][step]) for step in sorted(kinds[0] | kinds[1])}


def of(counts: Any, unit: float = 1.0) -> dict[int, tuple[int, int]]:
    """The same of counts."""
    places = np.rint(counts.scores / unit * 2**21).astype(int).tolist()
    both = zip(counts.targets.tolist(), counts.nontargets.tolist(), strict=True)
    return dict(zip(places, both, strict=True))


def coarse(fine: dict[int, tuple[int, int]]) -> dict[int, tuple[int, int]]:
    """Steps rounded to 512 of them, as counts without a group are."""
    kinds: tuple[Counter[int], Counter[int]] = Counter(), Counter()
    for step, both in fine.items():
        for kind, count in zip(kinds, both, strict=True):
            kind[(step + 256) // 512 * 512] += count
    return {step: (kinds[0][step], kinds[1][step]) for step in sorted(kinds[0] | kinds[1])}
