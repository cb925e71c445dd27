"""A Kaldi score file and its key of five million lines each: us, polars alone, and a Python loop.

Every contender runs in a process of its own, which tells its peak memory, and they take turns.
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
from studies.measure import measure

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


READ, JOINED = "polars: both files read", "polars: both files read, and a left join on the ids"
# What each does, and what it is compared with.
CONTENDERS: dict[str, tuple[Callable[[Path], Any], str]] = {
    READ: (polars_read, READ),
    "llrcal, key in the same order": (lambda f: llrcal.read_trials(f / SCORES, f / KEY), READ),
    JOINED: (polars_join, JOINED),
    "llrcal, key shuffled": (lambda f: llrcal.read_trials(f / SCORES, f / SHUFFLED), JOINED),
    "a loop over lines with a Python dictionary": (dictionary_loop, JOINED),
}


def run(name: str, folder: Path) -> dict[str, float]:
    """Seconds and megabytes of one contender in a process of its own."""
    command = [sys.executable, "-m", "studies.reading", "--one", name, "--folder", str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.one:
        llrcal.read_trials  # noqa: B018  loaded before the clock starts, as polars is
        took = measure(lambda: CONTENDERS[told.one][0](told.folder))
        print(json.dumps({"seconds": took.seconds, "megabytes": took.megabytes}))
        return
    best: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_files(folder, told.lines)
        for turn in range(told.rounds):
            for name, (work, _) in CONTENDERS.items():
                if turn == 0 or work is not dictionary_loop:
                    found = run(name, folder)
                    before = best.get(name, found)
                    best[name] = {unit: min(found[unit], before[unit]) for unit in found}
    print(f"{told.lines:,} lines, polars {pl.__version__}\n")
    print("| | seconds | relative to polars | peak MB | relative to polars |")
    print("|---|---|---|---|---|")
    for name, found in best.items():
        base = best[CONTENDERS[name][1]]
        cells = []
        for unit, shown in (("seconds", ".2f"), ("megabytes", ",.0f")):
            relative = "" if base is found else f"{found[unit] / base[unit]:.2f} x"
            cells += [f"{found[unit]:{shown}}", relative]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
