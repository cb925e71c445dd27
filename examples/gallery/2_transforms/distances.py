"""
Distances
=========

If lower scores are better, say so. Everything else stays as it is.
"""

import numpy as np

import llrcal

rng = np.random.default_rng(1)
same, other = rng.gamma(4, 0.1, 500), rng.gamma(20, 0.06, 10_000)
cal = llrcal.fit(same, other, lower_is_better=True)
ax = llrcal.figures.transforms(cal, level=0.95)
ax.set_xlabel("distance")
