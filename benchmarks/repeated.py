"""Looking for repeated trials in a set that is read in pieces: time, memory, and what is found.

    python -m benchmarks.repeated [--trials 20000000]

Makes Parquet files with ids, once, under benchmarks/results/repeated.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl

_HOME = Path(__file__).parent / "results" / "repeated"
_PART = 5_000_000
_MODELS = 5_000
_RUN = """
import re, sys
from pathlib import Path
from llrcal.cli import main
sys.argv = ["llrcal", *sys.argv[1:]]
try:
    main()
finally:
    peak = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]
    print(f"peak {int(peak) / 1024:.0f} MB", file=sys.stderr)
"""


def frame(start: int, count: int) -> pl.DataFrame:
    """Trials of which no two have the same ids."""
    number = np.arange(start, start + count)
    rng = np.random.default_rng(start)
    is_target = rng.random(count) < 0.01
    ids = pl.DataFrame({"enrol": number % _MODELS, "test": number // _MODELS})
    return ids.select(
        pl.format("spk{}-model", "enrol").alias("enrol"),
        pl.format("utt{}.wav", "test").alias("test"),
    ).with_columns(
        pl.Series("score", rng.normal(size=count) + 3 * is_target),
        pl.Series("label", is_target),
    )


def made(trials: int) -> tuple[Path, Path]:
    """A folder without repeated trials, and one with three of them, in the last file."""
    clean, repeated = _HOME / f"clean-{trials}", _HOME / f"repeated-{trials}"
    if not repeated.exists():
        for folder in (clean, repeated):
            folder.mkdir(parents=True)
        starts = range(0, trials, _PART)
        for number, start in enumerate(starts):
            part = frame(start, min(_PART, trials - start))
            part.write_parquet(clean / f"{number}.parquet")
            if number == len(starts) - 1:
                part = pl.concat([part, frame(123, 3)])
            part.write_parquet(repeated / f"{number}.parquet")
    return clean, repeated


def measured(*arguments: str) -> tuple[float, str, str]:
    """Seconds, peak memory and the last words of a command."""
    begin = time.perf_counter()
    command = [sys.executable, "-c", _RUN, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - begin
    peak = re.search(r"peak .*", done.stderr)
    words = [line for line in done.stderr.splitlines() if not line.startswith("peak")]
    return seconds, peak[0] if peak else "", words[-1] if words else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=20_000_000)
    trials = parser.parse_args().trials
    clean, repeated = made(trials)
    fit = ("fit", "--method", "nig", "--in-pieces", "-o", str(_HOME / "model.json"))
    for name, folder, options in (
        ("without the check", clean, ["--duplicates", "all"]),
        ("with the check", clean, []),
        ("without the check, again", clean, ["--duplicates", "all"]),
        ("with the check, again", clean, []),
        ("three repeated trials", repeated, []),
    ):
        seconds, peak, words = measured(*fit, str(folder), *options)
        print(f"{name}: {seconds:.1f} s, {peak}; {words}")


if __name__ == "__main__":
    main()
