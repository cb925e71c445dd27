"""Families of known truth: whether adaptation harms, and whether its intervals hold."""

from __future__ import annotations

import itertools
import math

import numpy as np

import llrcal
from studies.field_run import (
    Cell,
    Judge,
    Options,
    Part,
    Row,
    adaptation,
    adapted,
    counted,
    fit,
    markdown,
    unique,
    values,
    where,
    worst,
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
SOME_SHIFTS = ("location +2", "distance 0.5", "all")  # for methods other than the main ones
TRAINING = (30, 100, 1000)  # targets, with ten times as many non-targets
POOLS = {"3,000 at .1": (300, 2700), "20,000 at .02": (400, 19_600)}
FRESH = (60, 300)  # the same, of families that had no part in any choice
JUDGED = 20_000  # of each class
LIMIT = 0.02
MOVES = {
    "none": Shift(),
    "location +1": Shift(1),
    "scale 1.4": Shift(scale=1.4),
    "distance 0.7": Shift(distance=0.7),
    "all three": Shift(1, 1.4, 0.7),
}
POOL = (500, 4500)
TRUTH = 100_000  # of each class
PREDICTED = ("cllr", "cllr_before", "eer", "dcf")


def simulated_cells(options: Options) -> list[Cell]:
    shifts = [*SOME_SHIFTS, "scale 1.6"] if options.quick else list(SHIFTS)
    sizes = TRAINING[:2] if options.quick else TRAINING
    return [(family, size, shift) for family in FAMILIES for size in sizes for shift in shifts]


def fresh_cells(options: Options) -> list[Cell]:
    shifts = [*SOME_SHIFTS, "scale 1.6"] if options.quick else list(SHIFTS)
    return [
        (family, size, shift) for family in FRESH_FAMILIES for size in FRESH for shift in shifts
    ]


def simulated_rows(options: Options, family: str, size: int, shift: str) -> list[Row]:
    """One training set and one place of a family, by every method."""
    drawn, rng = EVERY[family].drawn, random("simulated", family, size, shift)
    train, place = drawn(rng, size, 10 * size), SHIFTS[shift]
    judge = Judge(drawn(rng, JUDGED, JUDGED, place))
    pools = {name: drawn(rng, *counts, place) for name, counts in POOLS.items()}
    rows = []
    extra = options.others if shift in SOME_SHIFTS and size > 30 and not options.quick else ()
    for method in (*options.methods, *extra):
        cal = fit(train, method)
        before = judge.cllr(cal)
        for name, pool in pools.items():
            first = name == next(iter(POOLS))
            if not first and (method in extra or options.quick):
                continue
            for told in (pool.share, None) if first else (pool.share,):
                row = adapted(cal, pool.pool, judge, p_target=told)
                row |= {"family": family, "T": size, "shift": shift, "method": method}
                row |= {"pool": name, "told": "right" if told else "not told", "before": before}
                row["excess"] = row["cllr"] - max(before, 1.0)
                row["harm"] = row["cllr"] - before
                row["loss"] = row["cllr"] - judge.least
                rows.append(row)
    return rows


def simulated_table(rows: list[Row]) -> str:
    """Violations, gains and choices: by method, size and share; by family; by shift."""
    tables = []
    for keys in (("method", "told", "pool"), ("method", "T"), ("family",), ("shift",)):
        lines = []
        for these in unique(rows, *keys):
            one = dict(zip(keys, (these,) if len(keys) == 1 else these, strict=True))
            lines.append([*one.values(), *_summary(where(rows, **one))])
        tables.append(markdown([*keys, *SUMMARY], lines))
    seconds = values([row for row in rows if "seconds" in row], "seconds")
    mean = seconds.mean() if len(seconds) else 0
    return "\n".join([*tables, f"{len(rows)} adaptations, {mean:.2f} s each"])


SUMMARY = [
    "n",
    f"over max(before, 1) + {LIMIT:g}",
    "worst excess",
    "where",
    "Cllr before",
    "after",
    "loss after",
    "worst harm",
    "choices",
]


def _summary(rows: list[Row]) -> list[object]:
    excess, at = worst(rows, "excess", "family", "T", "shift", "method", "told")
    violations = sum(row["excess"] > LIMIT for row in rows)
    means = [float(values(rows, key).mean()) for key in ("before", "cllr", "loss")]
    harm = float(values(rows, "harm").max())
    return [len(rows), violations, excess, at, *means, harm, counted(rows)]


def intervals_cells(options: Options) -> list[Cell]:
    moves = list(MOVES)[::4] if options.quick else list(MOVES)
    sizes = (100,) if options.quick else (100, 1000)
    draws = range(1 if options.quick else options.draws)
    names = itertools.product(EVERY_FAMILY, sizes, moves, draws)
    return [tuple(name) for name in names]


def intervals_rows(options: Options, family: str, size: int, move: str, draw: int) -> list[Row]:
    """Whether each interval of the calibration that was returned holds the truth."""
    drawn, rng = EVERY_FAMILY[family].drawn, random("intervals", family, size, move, draw)
    train, place = drawn(rng, size, 10 * size), MOVES[move]
    judge = Judge(drawn(rng, TRUTH, TRUTH, place))
    pool = drawn(rng, *POOL, place)
    rows = []
    for method in options.methods:
        cal = fit(train, method)
        for told in (pool.share, None):
            row, new = adaptation(cal, pool.pool, judge, p_target=told)
            row |= {"family": family, "T": size, "move": move, "draw": draw, "method": method}
            row["told"] = "right" if told else "not told"
            if new is not None and new.adapted is not None:
                seen = llrcal.evaluate(*(new.without_warnings(side) for side in judge.test))
                truth = {"cllr": seen.cllr, "cllr_before": judge.cllr(cal), "eer": seen.eer}
                if told:
                    truth["dcf"] = seen.bayes_error(math.log(told / (1 - told)))
                for name, value in truth.items():
                    found = getattr(new.adapted, name)
                    row[f"true {name}"], row[f"found {name}"] = value, list(found)
                    row[f"held {name}"] = bool(found.low <= value <= found.high)
                    row[f"width {name}"] = found.high - found.low
            rows.append(row)
    return rows


def intervals_table(rows: list[Row]) -> str:
    """How often intervals hold, and how wide those of Cllr are."""
    tables, found = [], [row for row in rows if "held cllr" in row]
    for keys in (("method", "told", "T"), ("method", "move"), ("method", "family")):
        lines = []
        for these in unique(found, *keys):
            some = where(found, **dict(zip(keys, these, strict=True)))
            held = []
            for name in PREDICTED:
                known = [row for row in some if f"held {name}" in row]
                held.append(float(values(known, f"held {name}").mean()) if known else "")
            widths = [float(np.median(values(some, f"width {name}"))) for name in PREDICTED[:2]]
            lines.append([*these, len(some), *held, *widths])
        head = [*keys, "n", *PREDICTED, "median width of cllr", "of cllr_before"]
        tables.append(markdown(head, lines))
    return "\n".join([*tables, f"{len(rows) - len(found)} refused; choices: {counted(rows)}"])


SIMULATED = Part(simulated_cells, simulated_rows, simulated_table)
FRESH_SIMULATED = Part(fresh_cells, simulated_rows, simulated_table)
INTERVALS = Part(intervals_cells, intervals_rows, intervals_table)
