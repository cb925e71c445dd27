"""Scores in some files and a key in others, joined by ids in bounded memory, and fitted.

Trials are numbered; scores and key list them in orders of their own. The same trials with their
labels beside their scores need no join and must give the same bits. ``python -m benchmarks.joining
--trials 200000000`` writes 7 GB to a temporary folder, and as much again while it joins.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy.special import ndtri

from benchmarks.measure import machine, measure, peak
from llrcal import Calibration, out_of_core
from llrcal.arrays import Counts, Floats

_PART = 2**22
_TESTS = 5_000  # for each enrolled model
Columns = dict[str, Any]


def scores(trials: Counts) -> Floats:
    """Of each trial: Gaussian, from its scrambled number."""
    bits = trials.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    even = (((bits ^ (bits >> np.uint64(29))) >> np.uint64(11)).astype(float) + 0.5) / 2**53
    found: Floats = ndtri(even) + 3.0 * labels(trials)
    return found


def labels(trials: Counts) -> Counts:
    """One trial in a hundred is a target trial."""
    return np.asarray(trials % 101 == 0, np.int64)


def ids(trials: Counts) -> Columns:
    """Of both sides of each trial."""
    numbers = pl.Series(trials)
    enrol = "model-" + (numbers // _TESTS).cast(pl.String)
    return {"enrol": enrol, "test": "test-" + (numbers % _TESTS).cast(pl.String)}


def write(folder: Path, total: int, *, step: int, columns: Callable[[Counts], Columns]) -> None:
    """All trials in files, in an order that goes ``step`` trials further each time."""
    folder.mkdir()
    step = next(s for s in range(step, total) if math.gcd(s, total) == 1)
    for part, first in enumerate(range(0, total, _PART)):
        trials = np.arange(first, min(first + _PART, total)) * step % total
        file = folder / f"{part:05}.parquet"
        pl.DataFrame(columns(trials)).write_parquet(file, compression="lz4")


def fitted(folder: Path, *, key: Path | None) -> Calibration:
    """NIG of a folder of trials; seconds and peak memory are printed."""
    keys = None if key is None else str(key)
    found = measure(lambda: out_of_core.fit(str(folder), key=keys, method="nig"))
    how = "labels beside scores" if key is None else "joined"
    print(f"{how}: {found.seconds:.0f} s, peak {peak():.0f} MB", flush=True)
    answer: Calibration = found.answer
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=20_000_000)
    total = parser.parse_args().trials
    print(json.dumps(machine()))
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        step = int(total * 0.618)
        write(
            home / "labelled",
            total,
            step=1,
            columns=lambda t: {"score": scores(t), "label": labels(t)},
        )
        write(home / "scores", total, step=step, columns=lambda t: {**ids(t), "score": scores(t)})
        write(home / "key", total, step=step // 7, columns=lambda t: {**ids(t), "label": labels(t)})
        size = sum(file.stat().st_size for file in home.rglob("*.parquet"))
        print(f"{total:,} trials, {size / 1e9:.1f} GB written", flush=True)
        beside = fitted(home / "labelled", key=None)
        joined = fitted(home / "scores", key=home / "key")
        same = repr(joined.to_model()) == repr(beside.to_model())
        print(f"{joined.tar_count + joined.non_count:,} trials: {'same' if same else 'OTHER'} bits")


if __name__ == "__main__":
    main()
