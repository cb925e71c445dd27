"""Which way LLRs run, against all pairs of trials."""

from __future__ import annotations

import numpy as np


def share_of_pairs(tar: list[float], non: list[float]) -> float:
    """Pairs whose target has the higher LLR; ties are half a pair."""
    differences = np.subtract.outer(tar, non)
    return float((differences > 0).mean() + (differences == 0).mean() / 2)
