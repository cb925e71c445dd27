"""Both classes of trials for property tests: small, full of ties, infinite where that is legal."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st
from scipy.special import ndtri

from llrcal.arrays import Floats

Sets = tuple[list[float], list[float]]

# Few values make many ties; all of them are exact in binary.
FEW_VALUES = st.sampled_from([-3.0, -1.5, -0.25, 0.0, 0.5, 1.0, 2.75])
MANY_VALUES = st.floats(-20, 20)
INFINITE = st.sampled_from([-math.inf, math.inf])


def classes(values: st.SearchStrategy[float], *, most: int = 12) -> st.SearchStrategy[Sets]:
    """Target and non-target scores, at least one of each."""
    scores = st.lists(values, min_size=1, max_size=most)
    return st.tuples(scores, scores)


FINITE = classes(FEW_VALUES) | classes(FEW_VALUES | MANY_VALUES)
ANY = FINITE | classes(FEW_VALUES | INFINITE) | classes(FEW_VALUES | MANY_VALUES | INFINITE)


def normal(count: int, mean: float, deviation: float) -> Floats:
    """Evenly spaced quantiles of a Gaussian, shuffled always in the same way."""
    scores = mean + deviation * ndtri((np.arange(count) + 0.5) / count)
    return np.asarray(np.random.default_rng(count).permutation(scores), np.float64)
