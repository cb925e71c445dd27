"""Scores and keys as HDF5, the way BOSARIS, SIDEKIT and hyperion keep them.

All of them hold matrices with a row for each model and a column for each test segment, and the
ids of both: ``ID/row_ids`` and ``ID/column_ids`` in BOSARIS and hyperion, ``modelset`` and
``segset`` in SIDEKIT.

========  ============================================================================
scores    ``scores``, and ``score_mask``: 1 where there is one
key       ``trial_mask``: 1 for targets, -1 for non-targets, 0 where there is no trial
old key   ``target_mask`` and ``nontarget_mask``: 1 where there is one
index     ``trial_mask``: 1 where there is a trial, without its label
========  ============================================================================
"""

from __future__ import annotations

from typing import Any

import polars as pl

from llrcal.trials.hdf5.container import opened
from llrcal.trials.hdf5.score_matrices import label_cells, matrix, read_sides, score_cells
from llrcal.trials.hdf5.writing import write_hdf5_key, write_hdf5_scores
from llrcal.trials.request import Request

__all__ = ["read_hdf5", "write_hdf5_key", "write_hdf5_scores"]


def read_hdf5(path: str, request: Request) -> tuple[pl.DataFrame, str]:
    """The trials of a file of scores, a key, or both in one, and how it was read, in a few words.

    Returns
    -------
    frame, reading
        Columns ``enrol`` and ``test``, and ``score`` or ``label`` (True for targets) or both, row
        by row.
    """
    what, counts, found = [], [], []
    with opened(path) as file:
        old, new = file.has("target_mask") or file.has("nontarget_mask"), file.has("trial_mask")
        if old and new:
            raise file.error("has a trial_mask and a target_mask; remove one of the two keys")
        scores: tuple[Any, ...] = ()
        if file.has("scores"):
            scores = matrix(file, "scores", kinds="fiu"), matrix(file, "score_mask")
        names = ("target_mask", "nontarget_mask") if old else ("trial_mask",) if new else ()
        key = tuple(matrix(file, name) for name in names)
        if not scores and not key:
            raise file.error(
                f"holds {file.contents()}; expected scores and score_mask, or trial_mask, as "
                "BOSARIS and SIDEKIT write them"
            )
        who, sides = read_sides(file, (*scores, *key))
        if scores:
            cells = score_cells(file, scores, sides, request)
            what, counts, found = ["scores"], [f"{len(cells):,} scores"], [cells]
        if key:
            cells = label_cells(file, key, sides)
            targets = int(cells["label"].sum())
            what.append("key")
            counts.append(f"{targets:,} targets and {len(cells) - targets:,} non-targets")
            found.append(cells)
        places, *others = (part.select("row", "column") for part in found)
        if not all(places.equals(other) for other in others):
            raise file.error(
                f"has scores for {len(found[0]):,} trials and labels for {len(found[1]):,}, not "
                "all of them the same; make two files of it"
            )
    ids = {"enrol": sides.enrol.gather(places["row"]), "test": sides.test.gather(places["column"])}
    frame = pl.DataFrame(ids | {part.columns[-1]: part.to_series(-1) for part in found})
    return frame, f"{who} {' and '.join(what)} (HDF5), {', '.join(counts)} among {sides}"
