"""The most misleading trials, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from llrcal.evaluation.llrs import WholeLLRs

if TYPE_CHECKING:
    import polars as pl


def worst_trials(llrs: WholeLLRs, count: int) -> pl.DataFrame:
    """The trials whose LLRs are furthest on the wrong side: see :meth:`Evaluation.worst`."""
    import polars as pl

    frames = []
    sides = zip((llrs.tar, llrs.non), llrs.speakers or (None, None), (True, False), strict=True)
    for side, speakers, targets in sides:
        support = side if targets else -side
        most = min(count, len(side))
        # Equal LLRs in the order of the trials.
        limit = np.partition(support, most - 1)[most - 1]
        among = np.flatnonzero(support <= limit)
        places = among[np.argsort(support[among], kind="stable")[:most]]
        label = "target" if targets else "non-target"
        columns = {
            "label": [label] * most,
            "llr": side[places].astype(np.float64),
            "index": places,
        }
        frame = pl.DataFrame(columns)
        ids = llrs.names.of_trials(places, targets=targets, tar_count=len(llrs.tar))
        if ids is not None:
            frame = pl.concat([frame, ids], how="horizontal")
        if speakers is not None:
            names = llrs.names.of_speakers(speakers[places])
            frame = frame.with_columns(
                pl.Series("enrol_speaker", names[:, 0]), pl.Series("test_speaker", names[:, 1])
            )
        frames.append(frame)
    misleading = pl.when(pl.col("label") == "target").then(-pl.col("llr")).otherwise("llr")
    return pl.concat(frames).sort(misleading, descending=True, maintain_order=True).head(count)
