"""Every reader fuzzed, one after the other: ``python -m fuzz [--seconds 600] [TARGET ...]``.

Ends with a table, and with status 1 if anything was found. What was found is in ``fuzz/found``.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from fuzz.harness import LONGEST, TARGETS
from fuzz.outcome import FOUND, Outcome, table

HANGS = 60
"""Seconds by the clock after which an input hangs; the harness minds those of the cores."""
ALL_MEGABYTES = 1024
"""Of memory for the whole process, whichever input it is at."""
RUNS = 40_000
"""After so many a target starts afresh, for atheris keeps some of what watched lines compare."""
DEATHS = 10
"""So many are enough for one day: the next will be of the same cause."""

_HERE = Path(__file__).parent


def main() -> None:
    """Fuzz the targets that are named, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=600, help="for each target (600)")
    parser.add_argument("--jobs", type=int, default=1, help="targets at the same time (1)")
    said = parser.parse_args()
    if unknown := set(said.targets) - set(TARGETS):
        parser.error(f"{', '.join(sorted(unknown))}: the targets are {', '.join(TARGETS)}")
    if find_spec("atheris") is None:
        parser.error("needs atheris: pip install --editable '.[fuzz]'")
    with ThreadPoolExecutor(said.jobs) as pool:
        work = partial(outcome, seconds=said.seconds)
        outcomes = list(pool.map(work, said.targets or TARGETS))
    print("\n".join(table(outcomes)))  # noqa: T201
    if found := sum(one.findings for one in outcomes):
        sys.exit(f"{found} found: see {FOUND}, and fuzz/README.md for what to do about it")


def outcome(target: str, *, seconds: int) -> Outcome:
    """Fuzz a target for some time; where an input kills it, it is started again."""
    log, start, deaths = FOUND / target / "log", time.monotonic(), 0
    log.with_name("inputs").mkdir(parents=True, exist_ok=True)
    log.write_text("")
    print(f"{target}: {seconds} s, {log}", flush=True)  # noqa: T201
    while (lasted := time.monotonic() - start) < seconds - 0.5 and deaths < DEATHS:
        deaths += not _survived(target, log, seconds - lasted)
    said = log.read_text(errors="replace")
    return Outcome.of(said, target=target, seconds=lasted, deaths=deaths)


def _survived(target: str, log: Path, seconds: float) -> bool:
    """Whether nothing kills a target before it ends by itself."""
    with log.open("ab") as file:
        ended = subprocess.run(  # noqa: S603, it is this very program
            [sys.executable, "-m", "fuzz.run", target, *_options(target, seconds)],
            cwd=_HERE.parent,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            env={**os.environ, "POLARS_MAX_THREADS": "1"},  # files this small need no more
            check=False,
        )
    return ended.returncode == 0


def _options(target: str, seconds: float) -> Iterator[str]:
    yield f"-max_total_time={max(1, round(seconds))}"  # 0 would be no limit
    yield f"-runs={RUNS}"
    yield f"-timeout={HANGS}"
    yield f"-rss_limit_mb={ALL_MEGABYTES}"
    yield f"-max_len={LONGEST}"
    yield f"-dict={_HERE / 'words.dict'}"
    yield f"-artifact_prefix={FOUND / target}/"
    yield "-print_final_stats=1"
    yield str(FOUND / target / "inputs")  # the first folder is where new ones are put
    yield str(_HERE / "corpus" / target)


if __name__ == "__main__":
    main()
