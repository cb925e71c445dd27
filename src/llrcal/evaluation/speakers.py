"""Who makes the errors: what each speaker does to the LLRs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.evaluation.costs import costs_of
from llrcal.evaluation.llrs import WholeLLRs
from llrcal.inputs.beside_scores import numbered

if TYPE_CHECKING:
    import polars as pl


def speaker_table(llrs: WholeLLRs) -> pl.DataFrame:
    """A row for each speaker: see :meth:`llrcal.Evaluation.speakers`."""
    import polars as pl

    speakers = llrs.speakers or ()
    (tar_pairs, non_pairs), count = numbered(*speakers)
    numbers = np.unique(np.concatenate([side.ravel() for side in speakers]))
    tar_counts, tar_means, tar_costs = _side(llrs.tar, tar_pairs, count, -1.0)
    non_counts, non_means, non_costs = _side(llrs.non, non_pairs, count, 1.0)
    costs = tar_costs + non_costs
    if np.isinf(costs).any():  # beside which others are nothing
        costs = np.isinf(costs).astype(np.float64)
    with np.errstate(invalid="ignore"):
        columns: dict[str, Any] = {
            "speaker": llrs.names.of_speakers(numbers),
            "tar_count": tar_counts,
            "non_count": non_counts,
            "llr_tar": tar_means,
            "llr_non": non_means,
            "share": costs / costs.sum(),
        }
    table = pl.DataFrame(columns, nan_to_null=True)
    return table.sort("share", "speaker", descending=[True, False], nulls_last=True)


def _side(llrs: Array, pairs: Array, count: int, sign: float) -> tuple[Counts, Floats, Floats]:
    """How many trials of a class each speaker has, their mean LLR, and what they cost.

    Two speakers of a trial share its cost. The mean is NaN without trials.
    """
    order = np.lexsort((pairs[:, 1], pairs[:, 0], llrs))  # sums depend on nothing but the trials
    values, who = llrs[order].astype(np.float64), pairs[order].astype(np.int64)
    alone = who[:, 0] == who[:, 1]
    who[alone, 1] = count  # counts once for its only speaker
    costs = costs_of(values, sign) / np.where(alone, 1, 2)

    def sums(values: Floats | None) -> Array:
        each = None if values is None else np.repeat(values, 2)
        return np.bincount(who.ravel(), each, count + 1)[:-1]

    counts = sums(None)
    with np.errstate(invalid="ignore"):
        return counts, sums(values) / counts, sums(costs) / len(costs)
