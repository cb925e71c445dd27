"""Calibrations in the field: what ``llrcal.adapt`` and ``llrcal.watch`` are worth, and their harm.

    python -m studies.field PART [--methods M ...] [--cells N] [--draws N] [--jobs N] [--rows FILE]

PART is one of

pairs      loss on shifted pairs of places, adapted without labels
labelled   the same with a few labelled scores, beside the others and alone
simulated  ten families of densities of known truth, shifted in every way
fresh      the same on six others, which had no part in any choice
lies       pools that are not what they are said to be
held_out   the same on sets that had no part in any choice
unshifted  places where nothing has moved
intervals  how often 95 % intervals hold the truth
watch      alarms, false and true, and their price

It needs NumPy, SciPy and llrcal, and for the real sets ``shared/scores``. All is seeded, and the
tables do not depend on the number of jobs, but for the seconds. Without options, a part may take
hours: ``--cells`` tries so many of its cases, drawn at random.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from studies.field_harm import HELD_OUT_LIES, LIES, UNSHIFTED
from studies.field_known import FRESH_SIMULATED, INTERVALS, SIMULATED
from studies.field_pairs import LABELLED, PAIRS
from studies.field_run import METHODS, Cell, Options, Row
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


def one_cell(part: str, cell: Cell) -> list[Row]:
    """The rows of a cell."""
    warnings.simplefilter("ignore")
    return PARTS[part].rows(*cell)


def every_row(part: str, options: Options, jobs: int) -> list[Row]:
    """The rows of all cells, in their order, whatever the number of jobs."""
    cells, rows = PARTS[part].cells(options), []
    for number, found in enumerate(_done(partial(one_cell, part), cells, jobs), 1):
        rows += found
        print(f"\r{part}: {number} of {len(cells)} cells", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return rows


def _done(work: partial[list[Row]], cells: list[Cell], jobs: int) -> Iterator[list[Row]]:
    if jobs == 1:
        yield from map(work, cells)
        return
    os.environ.update(OPENBLAS_NUM_THREADS="1", LLRCAL_THREADS="1")  # for the processes to come
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap(work, cells)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--methods", nargs="+", default=["smooth"], help="or all")
    parser.add_argument("--cells", type=int, help="how many to try, instead of all")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--rows", type=Path, help="a file for all rows, as JSON")
    given = parser.parse_args()
    if REAL.exists():
        make_speech_scores(REAL)
    methods = METHODS if given.methods == ["all"] else tuple(given.methods)
    rows = every_row(given.part, Options(methods, given.cells, given.draws), given.jobs)
    if given.rows:
        given.rows.write_text(json.dumps(rows, indent=0) + "\n")
    print(PARTS[given.part].tables(rows))


if __name__ == "__main__":
    main()
