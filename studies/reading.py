"""A Kaldi score file and its key of 10 million lines each: us, polars alone, and a Python loop.

Every contender runs in a process of its own, which tells its peak memory, and they take turns.
Run it with ``make bench-reading``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import llrcal
from studies.measure import machine, measure

SCORES, KEY, SHUFFLED = "scores.txt", "key.txt", "key-shuffled.txt"
_MODELS = 5000
_FORM: dict[str, Any] = {"has_header": False, "separator": " "}


def write_files(folder: Path, lines: int, seed: int = 0) -> None:
    """Trials of every model against every recording, two in a hundred of them targets."""
    rng = np.random.default_rng(seed)
    target = rng.random(lines) < 0.02
    number = np.arange(lines)
    frame = pl.DataFrame(
        {
            "model": number % _MODELS,
            "recording": number // _MODELS,
            "score": np.round(rng.standard_normal(lines) + 3 * target, 5),
            "target": target,
        }
    ).select(
        pl.format("spk{}-enrol", "model").alias("enrol"),
        pl.format("id{}-utt-{}", "recording", pl.col("recording") % 17).alias("test"),
        "score",
        pl.when("target").then(pl.lit("target")).otherwise(pl.lit("nontarget")).alias("label"),
    )
    shuffled = frame.sample(fraction=1, shuffle=True, seed=seed)
    for name, table, last in (
        (SCORES, frame, "score"),
        (KEY, frame, "label"),
        (SHUFFLED, shuffled, "label"),
    ):
        table.select("enrol", "test", last).write_csv(
            folder / name, separator=" ", include_header=False
        )


def polars_read(folder: Path, key: str = KEY) -> tuple[pl.DataFrame, pl.DataFrame]:
    return (
        pl.read_csv(folder / SCORES, new_columns=["enrol", "test", "score"], **_FORM),
        pl.read_csv(folder / key, new_columns=["enrol", "test", "label"], **_FORM),
    )


def polars_join(folder: Path) -> pl.DataFrame:
    scores, key = polars_read(folder, SHUFFLED)
    return scores.join(key, on=["enrol", "test"], how="left", maintain_order="left")


def dictionary_loop(folder: Path) -> tuple[list[float], list[float]]:
    """What most scripts do."""
    with (folder / SHUFFLED).open() as file:
        label = {(enrol, test): word for enrol, test, word in map(str.split, file)}
    tar: list[float] = []
    non: list[float] = []
    with (folder / SCORES).open() as file:
        for enrol, test, score in map(str.split, file):
            (tar if label[enrol, test] == "target" else non).append(float(score))
    return tar, non


CONTENDERS: dict[str, Callable[[Path], Any]] = {
    "polars: read both": polars_read,
    "llrcal: same order": lambda f: llrcal.read_trials(f / SCORES, f / KEY),
    "polars: read and join": polars_join,
    "llrcal: shuffled": lambda f: llrcal.read_trials(f / SCORES, f / SHUFFLED),
    "Python dictionary": dictionary_loop,
}


def run(name: str, folder: Path) -> dict[str, float]:
    """Seconds and megabytes of one contender in a process of its own."""
    command = [sys.executable, "-m", "studies.reading", "--one", name, "--folder", str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.one:
        llrcal.read_trials  # noqa: B018  loaded before the clock starts, as polars is
        took = measure(lambda: CONTENDERS[told.one](told.folder))
        print(json.dumps({"seconds": took.seconds, "megabytes": took.megabytes}))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, told.lines)
        results: dict[str, list[dict[str, float]]] = {name: [] for name in CONTENDERS}
        for turn in range(told.rounds):
            for contender in CONTENDERS:
                if turn == 0 or contender != "Python dictionary":
                    results[contender].append(run(contender, folder))
    print(json.dumps({"lines": told.lines, "machine": machine(), "polars": pl.__version__}))
    yardsticks = ["polars: read both"] * 2 + ["polars: read and join"] * 3
    for contender, yardstick in zip(CONTENDERS, yardsticks, strict=True):
        seconds, memory = (
            min(r[unit] for r in results[contender]) for unit in ("seconds", "megabytes")
        )
        base_seconds, base_memory = (
            min(r[unit] for r in results[yardstick]) for unit in ("seconds", "megabytes")
        )
        print(
            f"{contender:<24} {seconds:7.2f} s ({seconds / base_seconds:5.2f} x) "
            f"{memory:7.0f} MB ({memory / base_memory:4.2f} x) against {yardstick}"
        )


if __name__ == "__main__":
    main()
