"""LLRs by the best rising transformation of the scores themselves."""

from __future__ import annotations

import numpy as np

from llrcal.arrays import Array, ArrayLike, Counts, Floats
from llrcal.evaluation.evaluating import evaluated
from llrcal.inputs.scores import as_scores


def optimal_llrs(tar: ArrayLike, non: ArrayLike) -> tuple[Floats, Floats]:
    """The LLRs of these scores by the best rising transformation, infinities kept.

    The Cllr of the result is the minCllr of the scores. For new scores, fit ``pav`` instead.
    """
    tar = as_scores(tar, "target", allow_infinite=True)
    non = as_scores(non, "non-target", allow_infinite=True)
    evaluation = evaluated(tar, non)
    edges = evaluation.groups.edges[evaluation.hull.first_group]
    llrs = evaluation.hull.llrs

    def apply(scores: Array) -> Floats:
        block: Counts = np.searchsorted(edges, scores, side="right") - 1
        return np.asarray(llrs[block])

    return apply(tar), apply(non)
