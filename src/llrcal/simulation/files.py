"""Simulated trials in Parquet files: any number of trials, ten million at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from llrcal.files.atomic import atomic_file
from llrcal.simulation.recognizer import PAPER_TRAIN, simulate

PART = 10_000_000
"""Trials in a file."""
_TARGET_SHARE = PAPER_TRAIN[0] / sum(PAPER_TRAIN)


def write_parts(
    folder: Path,
    trials: int,
    *,
    seed: int = 0,
    condition: Literal["train", "test"] = "train",
    compression: Literal["zstd", "uncompressed"] = "zstd",
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> None:
    """Write trials to files ``part-00000.parquet`` and so on, with columns score and label.

    Each file has other speakers, and its trials are in random order.
    """
    folder.mkdir(parents=True, exist_ok=True)
    starts = range(0, trials, PART)
    seeds = np.random.SeedSequence(seed).generate_state(len(starts))
    for number, (start, day) in enumerate(zip(starts, seeds.tolist(), strict=True)):
        count = min(PART, trials - start)
        targets = max(round(count * _TARGET_SHARE), 1)
        made = simulate(
            targets=targets, nontargets=max(count - targets, 1), seed=day, condition=condition
        )
        scores = np.concatenate([made.tar, made.non]).astype(np.float64)
        order = np.random.default_rng(day).permutation(len(scores))
        frame = pl.DataFrame({"score": scores[order], "label": order < len(made.tar)})
        with atomic_file(folder / f"part-{number:05}.parquet") as file:
            frame.write_parquet(file, compression=compression)
        progress(start + count, trials)
