"""Scores in some files and a key in others, joined by ids in bounded memory, and fitted.

Trials are numbered; scores and key list them in orders of their own. The same trials with their
labels beside their scores need no join and must give the same bits. Polars joins the same files in
a process of its own, which may have most of the machine's memory. ``python -m studies.joining
--trials 200000000`` writes 4 GB to a temporary folder, and as much again while it joins.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy.special import ndtri

import llrcal
from llrcal import Calibration
from llrcal.arrays import Counts, Floats
from studies.measure import machine, measure, peak

_PART = 2**22
_TESTS = 5_000  # for each enrolled model
Columns = dict[str, Any]
Cost = tuple[float, float]


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


def fitted(folder: Path, *, key: Path | None) -> tuple[Calibration, Cost]:
    """NIG of a folder of trials; seconds, and peak memory of this process so far."""
    keys = None if key is None else str(key)
    found = measure(lambda: llrcal.fit(llrcal.open_trials(str(folder), keys), method="nig"))
    return found.answer, (found.seconds, peak())


def joined_by_polars(scores: str, key: str) -> None:
    """Scores and labels in memory; of the trials that have both."""

    def join() -> pl.DataFrame:
        every = pl.scan_parquet(scores).join(pl.scan_parquet(key), on=["enrol", "test"])
        return every.select("score", "label").collect(engine="streaming")

    print(json.dumps((measure(join).seconds, peak())))


def beside_polars(scores: Path, key: Path) -> Cost | None:
    """The same join in another process, with nine tenths of the machine's memory at most."""
    most = int(0.9 * 2**30 * machine()["memory_gb"])
    child = subprocess.run(
        [sys.executable, "-m", "studies.joining", "--polars", str(scores), str(key)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (most, most)),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    return None if child.returncode else json.loads(child.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=20_000_000)
    parser.add_argument("--polars", nargs=2, metavar=("SCORES", "KEY"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.polars:
        joined_by_polars(*options.polars)
        return
    total = options.trials
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
        beside, its_cost = fitted(home / "labelled", key=None)
        joined, our_cost = fitted(home / "scores", key=home / "key")
        polars_cost = beside_polars(home / "scores", home / "key")
    same = repr(joined.to_model()) == repr(beside.to_model())
    rows = {
        "labels beside scores, no join": (its_cost, ""),
        "scores and key joined by their ids, and fitted": (our_cost, "same" if same else "OTHER"),
        "polars, streaming: joined, not fitted": (polars_cost, ""),
    }
    print(f"| {total:,} trials | s | peak GB | bits |\n|---|---|---|---|")
    for way, (cost, bits) in rows.items():
        shown = "does not fit | " if cost is None else f"{cost[0]:.1f} | {cost[1] / 1000:.1f}"
        print(f"| {way} | {shown} | {bits} |")


if __name__ == "__main__":
    main()
