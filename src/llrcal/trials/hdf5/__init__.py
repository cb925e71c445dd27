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

import polars as pl

from llrcal.trials.hdf5.container import is_hdf5, opened
from llrcal.trials.hdf5.matrix import Cells
from llrcal.trials.hdf5.pairs import Pairs
from llrcal.trials.hdf5.sheets import key_in, pairs_of, scores_in
from llrcal.trials.hdf5.writing import write_hdf5_key, write_hdf5_scores
from llrcal.trials.request import Request

__all__ = ["is_hdf5", "read_hdf5", "write_hdf5_key", "write_hdf5_scores"]


def read_hdf5(path: str, request: Request) -> tuple[pl.DataFrame, str]:
    """The trials of a file of scores, a key, or both in one, and how it was read, in a few words.

    Returns
    -------
    frame, reading
        Columns ``enrol`` and ``test``, and ``score`` or ``label`` (True for targets) or both, row
        by row.
    """
    with opened(path) as file:
        scores, key = scores_in(file), key_in(file)
        matrices = (*(scores.matrices if scores else ()), *(key.matrices if key else ()))
        if not matrices:
            raise file.error(
                f"holds {file.contents()}; expected scores and score_mask, or trial_mask, as "
                "BOSARIS and SIDEKIT write them"
            )
        who, pairs = pairs_of(file, matrices)
        found = {}
        if scores:
            found["score"] = scores.cells(pairs, request)
        if key:
            found["label"] = key.cells(pairs)
        if scores and key and not found["score"].agree_with(found["label"]):
            raise file.error(
                f"has scores for {len(found['score']):,} trials and labels for "
                f"{len(found['label']):,}, not all of them the same; make two files of it"
            )
    return _frame(found, pairs), f"{who} {_reading(found)} among {pairs}"


def _frame(found: dict[str, Cells], pairs: Pairs) -> pl.DataFrame:
    where = next(iter(found.values()))
    sides = {
        "enrol": pairs.enrol.gather(where.rows),
        "test": pairs.test.gather(where.columns),
    }
    return pl.DataFrame({**sides, **{name: cells.values for name, cells in found.items()}})


def _reading(found: dict[str, Cells]) -> str:
    what, counts = [], []
    if "score" in found:
        what.append("scores")
        counts.append(f"{len(found['score']):,} scores")
    if "label" in found:
        targets = int(found["label"].values.sum())
        what.append("key")
        counts.append(f"{targets:,} targets and {len(found['label']) - targets:,} non-targets")
    return f"{' and '.join(what)} (HDF5), {', '.join(counts)}"
