"""Families of known truth: whether adaptation harms, and whether its intervals hold."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import numpy as np

import llrcal
from studies.field_run import (
    CHOICES,
    METHODS,
    Cell,
    Judge,
    Options,
    Part,
    Row,
    adaptation,
    adapted,
    fit,
    groups,
    markdown,
    mean,
    rounded,
    values,
)
from studies.field_sets import EVERY_FAMILY, FAMILIES, FRESH_FAMILIES, Shift, random
from studies.field_sets import SIMULATED as EVERY

SHIFTS = {
    "none": Shift(),
    **{f"location {at:+g}": Shift(at) for at in (0.5, 1, 2, 3)},
    **{f"scale {factor:g}": Shift(scale=factor) for factor in (0.6, 1.6)},
    **{f"distance {factor:g}": Shift(distance=factor) for factor in (0.5, 1.6)},
    **{f"targets {at:+g}": Shift(targets=at) for at in (-1, 1)},
    "location -2, scale 0.6": Shift(-2, 0.6),
    "location +1, scale 1.6": Shift(1, 1.6),
    "location +2, distance 0.5": Shift(2, distance=0.5),
    "location +1, targets -1": Shift(1, targets=-1),
    "all": Shift(3, 1.6, 0.7),
}
TRAINING = (30, 100, 1000)  # targets, with ten times as many non-targets
POOLS = {"3,000 at .1, told": (300, 2700), "20,000 at .02, not told": (400, 19_600)}
FRESH = (60, 300)  # the same, of families that had no part in any choice
JUDGED = 20_000  # of each class
LIMIT = 0.02  # bits above both the old calibration and none
MOVES = {
    "none": Shift(),
    "location +1": Shift(1),
    "scale 1.4": Shift(scale=1.4),
    "distance 0.7": Shift(distance=0.7),
    "all three": Shift(1, 1.4, 0.7),
}
POOL = (500, 4500)
TRUTH = 100_000  # of each class
PREDICTED = {"cllr": "Cllr", "cllr_before": "Cllr before", "eer": "EER", "dcf": "cost"}


def _cells(options: Options, families: Iterable[str], sizes: Iterable[int]) -> list[Cell]:
    names = itertools.product(families, sizes, SHIFTS, options.methods)
    return options.sampled([tuple(name) for name in names])


def simulated_cells(options: Options) -> list[Cell]:
    return _cells(options, FAMILIES, TRAINING)


def fresh_cells(options: Options) -> list[Cell]:
    return _cells(options, FRESH_FAMILIES, FRESH)


def simulated_rows(family: str, size: int, shift: str, method: str) -> list[Row]:
    """One training set and one place of a family."""
    drawn, rng = EVERY[family].drawn, random("simulated", family, size, shift)
    train, place = drawn(rng, size, 10 * size), SHIFTS[shift]
    judge = Judge(drawn(rng, JUDGED, JUDGED, place))
    cal = fit(train, method)
    before = judge.cllr(cal)
    rows = []
    for name, counts in POOLS.items():
        pool = drawn(rng, *counts, place)
        told = None if name.endswith("not told") else pool.share
        row = adapted(cal, pool.pool, judge, p_target=told)
        row |= {"family": family, "T": size, "shift": shift, "method": method, "pool": name}
        row |= {"before": before, "excess": row["cllr"] - max(before, 1.0)}
        rows.append(row | {"harm": row["cllr"] - before})
    return rows


def simulated_tables(rows: list[Row]) -> str:
    """Violations, gains and choices: of all; by pool, size, shift, family and method."""
    order = (*POOLS, *SHIFTS, *EVERY, *METHODS)
    found = groups(rows, "pool", "T", "shift", "family", "method", order=order)
    return markdown(["", *_SUMMARY], [[one, *_summary(some)] for one, some in found.items()])


_SUMMARY = (
    "n",
    f"above both by {LIMIT:g}",
    "most above both",
    "Cllr before",
    "Cllr after",
    "most above before",
    *CHOICES,
)


def _summary(rows: list[Row]) -> list[object]:
    violations = sum(row["excess"] > LIMIT for row in rows)
    means = [rounded(mean(rows, key), 2) for key in ("before", "cllr")]
    excess, harm = (rounded(values(rows, key).max(), 3) for key in ("excess", "harm"))
    choices = [sum(row["choice"] == choice for row in rows) for choice in CHOICES]
    return [len(rows), violations, excess, *means, harm, *choices]


def intervals_cells(options: Options) -> list[Cell]:
    names = itertools.product(
        EVERY_FAMILY, (100, 1000), MOVES, range(options.draws), options.methods
    )
    return options.sampled([tuple(name) for name in names])


def intervals_rows(family: str, size: int, move: str, draw: int, method: str) -> list[Row]:
    """Whether each interval of the calibration that was returned holds the truth."""
    drawn, rng = EVERY_FAMILY[family].drawn, random("intervals", family, size, move, draw)
    train, place = drawn(rng, size, 10 * size), MOVES[move]
    judge = Judge(drawn(rng, TRUTH, TRUTH, place))
    pool, cal, rows = drawn(rng, *POOL, place), fit(train, method), []
    for told in (pool.share, None):
        row, new = adaptation(cal, pool.pool, judge, p_target=told)
        row |= {"family": family, "T": size, "move": move, "method": method}
        row["share"] = "told" if told else "not told"
        if new is None or new.adapted is None:
            continue
        seen = llrcal.evaluate(*(new.without_warnings(side) for side in judge.test))
        truth = {"cllr": seen.cllr, "cllr_before": judge.cllr(cal), "eer": seen.eer}
        if told:
            truth["dcf"] = seen.bayes_error(math.log(told / (1 - told)))
        for name, value in truth.items():
            found = getattr(new.adapted, name)
            row[f"held {name}"] = bool(found.low <= value <= found.high)
            row[f"width {name}"] = found.high - found.low
        rows.append(row)
    return rows


def intervals_tables(rows: list[Row]) -> str:
    """How often intervals hold, in per cent, and how wide those of Cllr are."""
    lines: list[list[object]] = []
    order = ("told", "not told", *MOVES, *EVERY)
    for one, some in groups(rows, "share", "T", "move", "family", order=order).items():
        lines.append([one, len(some)])
        for key in PREDICTED:
            known = [row for row in some if f"held {key}" in row]
            lines[-1].append(rounded(100 * mean(known, f"held {key}"), 0) if known else "")
        lines[-1].append(rounded(float(np.median(values(some, "width cllr"))), 2))
    return markdown(["", "n", *PREDICTED.values(), "median width, Cllr"], lines)


SIMULATED = Part(simulated_cells, simulated_rows, simulated_tables)
FRESH_SIMULATED = Part(fresh_cells, simulated_rows, simulated_tables)
INTERVALS = Part(intervals_cells, intervals_rows, intervals_tables)
