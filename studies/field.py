"""Calibrations in the field: what ``llrcal.adapt`` and ``llrcal.watch`` are worth, and their harm.

    python -m studies.field PART [--scores DIR] [--jobs N] [--quick] [--json OUT] [--method M ...]

PART is one of

pairs      loss on shifted pairs of places, adapted without labels
labelled   the same with a few labelled scores, beside the others and alone
simulated  ten families with known truth, shifted in every way
fresh      the same on six others, which had no part in any choice
lies       pools that are not what they are said to be
held_out   the same on sets that had no part in any choice
unshifted  places where nothing has moved
intervals  how often 95 % intervals hold the truth
watch      alarms, false and true, and their price

It needs NumPy, SciPy and llrcal, and for the real sets ``shared/scores``. All is seeded, and the
rows do not depend on the number of jobs, but for the seconds. ``--from`` prints the tables of rows
that ``--json`` wrote.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

from studies.field_harm import HELD_OUT_LIES, LIES, UNSHIFTED
from studies.field_known import FRESH_SIMULATED, INTERVALS, SIMULATED
from studies.field_pairs import LABELLED, PAIRS
from studies.field_run import METHODS, OTHERS, Cell, Options, Row
from studies.field_sets import REAL, make_speech_scores
from studies.field_watch import WATCH

PARTS = {
    "pairs": PAIRS,
    "labelled": LABELLED,
    "simulated": SIMULATED,
    "fresh": FRESH_SIMULATED,
    "lies": LIES,
    "held_out": HELD_OUT_LIES,
    "unshifted": UNSHIFTED,
    "intervals": INTERVALS,
    "watch": WATCH,
}


def one_cell(job: tuple[str, Options, int, Cell]) -> tuple[int, list[Row]]:
    """The rows of a cell, and its number."""
    part, options, number, cell = job
    warnings.simplefilter("ignore")
    return number, PARTS[part].rows(options, *cell)


def every_row(part: str, options: Options, jobs: int, only: str) -> list[Row]:
    """The rows of all cells, in their order, whatever the number of jobs."""
    cells = [cell for cell in PARTS[part].cells(options) if only in " ".join(map(str, cell))]
    work = [(part, options, number, cell) for number, cell in enumerate(cells)]
    found: dict[int, list[Row]] = {}
    start = time.perf_counter()
    for number, rows in _done(work, jobs):
        found[number] = rows
        spent = time.perf_counter() - start
        print(
            f"\r{part}: {len(found)} of {len(work)} cells, {spent:.0f} s", end="", file=sys.stderr
        )
    print(file=sys.stderr)
    return [row for number in sorted(found) for row in found[number]]


def _done(work: list[tuple[str, Options, int, Cell]], jobs: int) -> Iterator[tuple[int, list[Row]]]:
    if jobs == 1:
        yield from map(one_cell, work)
        return
    os.environ.update(OPENBLAS_NUM_THREADS="1", LLRCAL_THREADS="1")  # for the processes to come
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(one_cell, work)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--scores", type=Path, default=REAL)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="a few cells of every kind")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--only", default="", help="cells whose names contain this")
    parser.add_argument("--json", type=Path, help="where to write the rows")
    parser.add_argument("--from", dest="rows", type=Path, help="rows to print again")
    parser.add_argument("--method", nargs="+", help="instead of those of the part")
    given = parser.parse_args()
    if given.rows:
        print(PARTS[given.part].table(json.loads(given.rows.read_text())))
        return
    options = Options(
        given.scores.resolve(),
        tuple(given.method or METHODS),
        () if given.method else OTHERS,
        given.quick,
        given.draws,
    )
    if given.scores.exists():
        make_speech_scores(options.scores)
    warnings.simplefilter("ignore")
    rows = every_row(given.part, options, given.jobs, given.only)
    if given.json:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(rows, indent=0) + "\n")
    print(PARTS[given.part].table(rows))


if __name__ == "__main__":
    main()
