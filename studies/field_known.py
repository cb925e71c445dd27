"""Families of known truth: whether adaptation harms, and whether its intervals hold."""

from __future__ import annotations

from studies.field_run import (
    Cell,
    Judge,
    Options,
    Part,
    Row,
    adapted,
    counted,
    fit,
    markdown,
    unique,
    values,
    where,
    worst,
)
from studies.field_sets import FAMILIES, Shift, random

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
FRESH = 20_000  # of each class, to judge by
LIMIT = 0.02


def simulated_cells(options: Options) -> list[Cell]:
    shifts = [*SOME_SHIFTS, "scale 1.6"] if options.quick else list(SHIFTS)
    sizes = TRAINING[:2] if options.quick else TRAINING
    return [(family, size, shift) for family in FAMILIES for size in sizes for shift in shifts]


def simulated_rows(options: Options, family: str, size: int, shift: str) -> list[Row]:
    """One training set and one place of a family, by every method."""
    drawn, rng = FAMILIES[family].drawn, random("simulated", family, size, shift)
    train, place = drawn(rng, size, 10 * size), SHIFTS[shift]
    judge = Judge(drawn(rng, FRESH, FRESH, place))
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


SIMULATED = Part(simulated_cells, simulated_rows, simulated_table)
