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

from llrcal.trials.hdf5.reading import read_hdf5
from llrcal.trials.hdf5.writing import write_hdf5

__all__ = ["read_hdf5", "write_hdf5"]
