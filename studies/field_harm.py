"""The harm that adaptation does: where nothing has moved, and where the pool is a lie."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from llrcal.arrays import Array
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
    pooled,
    told_shares,
    unique,
    values,
    where,
    worst,
)
from studies.field_sets import (
    FAMILIES,
    HALVED,
    SIMULATED,
    SYSTEMS,
    Classes,
    halves,
    place,
    random,
)

JUDGED = 1_000_000  # non-targets, at most
FRESH = 20_000
SHARES = (0.002, 0.01, 0.1, 0.5)
POOLS = (500, 5_000, 100_000, 3_000_000)
LARGEST = POOLS[-1]  # for Speech Commands only
LEAST_TRAINING = 100
FOR_ALL_METHODS = ("plda", "II", "speech cos", "gaussian 1000", "gamma 1000", "tied 1000")
_ENOUGH = 60_000  # scores of each class of a family, for the largest pool
LIED_TO = (
    *(*SYSTEMS, "II", "IP", "PP", "asvspoof eval", "gaussian 1000", "gamma 1000", "tied 1000"),
    *("PI", "PM", "bssr1 face", "bssr1 finger", "laplace 1000", "skew-normal 1000"),
    *("bimodal targets 300", "bimodal non-targets 300", "lognormal 300", "student-t 1000"),
    *("speech cos", "speech plda", "listeners", "nig 1.5 700", "nig 2 200", "bounded 500"),
    *("skew-normal 150", "laplace 150", "student-t 400", "bimodal targets 1000", "gamma 250"),
)
# Tried once, after all constants were chosen.
HELD_OUT = (
    *("lda_plda swapped", "IP swapped", "PM swapped", "bssr1 finger swapped"),
    *("asvspoof eval swapped", "speech cos swapped"),
    *("gumbel 120", "weibull 450", "logistic 800", "three heaps 350", "triangular 220"),
    *("levels 600", "weibull 150", "gumbel 1500"),
)
RARE = 0.05  # the share of pools about whose share a lie is told


def alike(options: Options, name: str) -> tuple[Classes, Classes]:
    """Scores to train on and others like them: of a real set, or of a family, as ``gamma 100``."""
    family, _, size = name.rpartition(" ")
    if family not in SIMULATED:
        return halves(options.scores, name.removesuffix(" swapped"), name.endswith(" swapped"))
    rng, count = random("alike", name), int(size)
    drawn = SIMULATED[family].drawn
    return drawn(rng, count, 10 * count), drawn(rng, _ENOUGH, 2 * _ENOUGH)


def unshifted_cells(options: Options) -> list[Cell]:
    real = ["plda", "II", "bssr1 face"] if options.quick else HALVED[::-1]
    sizes = (100,) if options.quick else (100, 1000)
    names = [*real, *(f"{family} {size}" for family in FAMILIES for size in sizes)]
    cells = [(name, method) for name in names for method in options.methods]
    if not options.quick:
        cells += [(name, method) for name in FOR_ALL_METHODS for method in options.others]
    return cells


def unshifted_rows(options: Options, name: str, method: str) -> list[Row]:
    """Every share and size of the pool, and what is said of the share."""
    train, test = alike(options, name)
    if len(train.tar) < LEAST_TRAINING:
        return []
    judge, cal = Judge(test.thinned(JUDGED)), fit(train, method)
    before = judge.cllr(cal)
    rows = []
    for share, size in _pools(options, name, method, test):
        rng = random("unshifted", name, share, size)
        targets = max(1, round(share * size))
        drawn = test.drawn(rng, targets, size - targets)
        labelled = test.drawn(rng, 30, 30)._asdict()
        pool = pooled(drawn.pool)
        ways: dict[str, dict[str, object]] = {
            told: {"p_target": p} for told, p in told_shares(drawn.share).items()
        }
        ways["30 + 30"] = {"p_target": drawn.share, **labelled}
        ways["30 + 30, not told"] = {"p_target": None, **labelled}
        for told, given in ways.items():
            row = adapted(cal, pool, judge, **given)
            row |= {"set": name, "method": method, "share": share, "size": size, "told": told}
            rows.append(row | {"before": before, "harm": row["cllr"] - before})
    return rows


def _pools(options: Options, name: str, method: str, test: Classes) -> Iterator[tuple[float, int]]:
    if method not in options.methods:
        yield 0.1, 5_000
        return
    for size in POOLS[:2] if options.quick else POOLS:
        if size == LARGEST and not name.startswith("speech"):
            continue
        for share in SHARES:
            enough = share * size <= len(test.tar) and (1 - share) * size <= len(test.non)
            if enough and share * size >= 1:
                yield share, size


def unshifted_table(rows: list[Row]) -> str:
    """Harm in thousandths of a bit, worst and mean."""
    tables = [
        _harms(where(rows, method=method), method, keys)
        for method in unique(rows, "method")
        for keys in (("told",), ("share",), ("size",), ("set",))
    ]
    return "\n".join(tables)


def _harms(rows: list[Row], method: str, keys: tuple[str, ...]) -> str:
    lines = []
    for these in unique(rows, *keys):
        some = where(rows, **dict(zip(keys, (these,), strict=True)))
        harm, at = worst(some, "harm", "set", "share", "size", "told")
        mean = 1000 * float(values(some, "harm").mean())
        lines.append([these, len(some), mean, 1000 * harm, at, counted(some)])
    return markdown([f"{method}: {keys[0]}", "n", "mean harm", "worst", "where", "choices"], lines)


class Lie(NamedTuple):
    """A pool that is not what it is said to be."""

    pool: Array
    p_target: float | None
    test: Classes
    """Where the harm is done."""


def lies(options: Options, name: str, test: Classes) -> Iterator[tuple[str, Lie]]:
    """Every lie about one set, and some truths to compare with."""
    rng = random("lies", name)
    targets = min(int(RARE / (1 - RARE) * len(test.non)), len(test.tar))
    rare = test.drawn(rng, targets, round((1 / RARE - 1) * targets))
    pool, share = rare.pool, rare.share
    low, high = float(pool.min()), float(pool.max())
    turned = Classes(*(low + high - side for side in test))
    other = another(options, name)
    yield "the truth", Lie(pool, share, test)
    yield "the truth, 100 scores", Lie(rng.choice(pool, 100, replace=False), share, test)
    yield "the truth, 30 scores", Lie(rng.choice(pool, 30, replace=False), share, test)
    for told, p in {"told .15": 0.15, "told .01": 0.01, "not told": None}.items():
        yield f"only non-targets, {told}", Lie(test.non, p, test)
        yield f"only targets, {told}", Lie(test.tar, p, test)
    yield "share told ten times too high", Lie(pool, 10 * share, test)
    yield "share told ten times too low", Lie(pool, share / 10, test)
    for told, p in {"told .1": 0.1, "not told": None}.items():
        noise = rng.uniform(low, high, 5000)
        yield f"uniform noise, {told}", Lie(noise, p, test)
        yield f"another recognizer, {told}", Lie(other, p, test)
    for told, p in {"told": share, "not told": None}.items():
        yield f"reversed, {told}", Lie(low + high - pool, p, test)
        yield f"reversed, {told}, and so is the test", Lie(low + high - pool, p, turned)


def another(options: Options, name: str) -> Array:
    """Scores of another recognizer, one in ten of a target."""
    name = name.removesuffix(" swapped")
    if name in SYSTEMS:
        other = SYSTEMS[(SYSTEMS.index(name) + 1) % len(SYSTEMS)]
        found = halves(options.scores, other)[1]
    elif name.rpartition(" ")[0] in SIMULATED:
        tar, non = FAMILIES["laplace"].drawn(random("another", name), 500, 4500)
        return Classes(20 * tar + 50, 20 * non + 50).pool
    else:
        found = place(options.scores, "asvspoof dev" if name != "asvspoof eval" else "PP")
    return found.drawn(random("another", name), 300, 2700).pool


def lies_cells(options: Options) -> list[Cell]:
    names = ("plda", "II", "gaussian 1000") if options.quick else LIED_TO
    return [(name, method) for name in names for method in options.methods]


def held_out_cells(options: Options) -> list[Cell]:
    return [(name, method) for name in HELD_OUT for method in options.methods]


def lies_rows(options: Options, name: str, method: str) -> list[Row]:
    """The harm of every lie."""
    train, test = alike(options, name)
    test = Classes(test.tar[:FRESH], test.non[:FRESH])
    cal, rows = fit(train, method), []
    for said, lie in lies(options, name, test):
        judge = Judge(lie.test)
        before = judge.cllr(cal)
        row = adapted(cal, lie.pool, judge, p_target=lie.p_target)
        row |= {"set": name, "method": method, "lie": said, "before": before}
        rows.append(row | {"harm": row["cllr"] - before, "warned": bool(row["warnings"])})
    return rows


def lies_table(rows: list[Row]) -> str:
    """By lie: harm in thousandths of a bit, and how often there was a warning."""
    tables = []
    for method in unique(rows, "method"):
        lines = []
        for lie in unique(rows, "lie"):
            some = where(rows, method=method, lie=lie)
            harm, at = worst(some, "harm", "set")
            means = [float(values(some, key).mean()) for key in ("before", "harm")]
            warned = f"{sum(row['warned'] for row in some)} of {len(some)}"
            words = counted(some, "warnings")
            lines.append([lie, means[0], 1000 * means[1], 1000 * harm, at, warned, words])
            lines[-1].append(counted(some))
        head = [method, "Cllr before", "mean harm", "worst", "where", "warned", "of", "choices"]
        tables.append(markdown(head, lines))
    return "\n".join(tables)


UNSHIFTED = Part(unshifted_cells, unshifted_rows, unshifted_table)
LIES = Part(lies_cells, lies_rows, lies_table)
HELD_OUT_LIES = Part(held_out_cells, lies_rows, lies_table)
