"""Which way scores run."""

from __future__ import annotations

import numpy as np

from llrcal.arrays import Array

_SAMPLE = 100_000


def targets_score_lower(tar: Array, non: Array) -> bool:
    """Whether the middle of the targets lies below that of the non-targets.

    Large arrays are sampled evenly, which is enough to tell which way they run. A middle between
    the two infinities is nowhere, and lies below nothing.
    """
    with np.errstate(invalid="ignore"):
        tar_middle, non_middle = (
            np.median(scores[:: max(1, len(scores) // _SAMPLE)]) for scores in (tar, non)
        )
    return bool(tar_middle < non_middle)
