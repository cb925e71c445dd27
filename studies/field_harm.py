"""The harm that adaptation does: where nothing has moved, and where the pool is a lie."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from llrcal.arrays import Array
from studies.field_run import (
    METHODS,
    Cell,
    Judge,
    Options,
    Part,
    Row,
    adapted,
    by_harm,
    fit,
    groups,
    markdown,
    mean,
    pooled,
    rounded,
    thousandths,
    told_shares,
    unique,
    where,
)
from studies.field_sets import (
    FAMILIES,
    HALVED,
    REAL,
    SIMULATED,
    SYSTEMS,
    VOXCELEB,
    Classes,
    halves,
    place,
    random,
)

JUDGED = 1_000_000  # non-targets, at most
FRESH = 20_000
SHARES = (0.002, 0.01, 0.1, 0.5)
POOLS = (500, 5_000, 100_000, 3_000_000)  # the last for Speech Commands only
LEAST_TRAINING = 100
LABELLED = "30 + 30 labelled"
WORST_HALVES: list[Cell] = [
    ("speech plda noisy", "smooth", 0.002, 100_000),
    ("speech plda noisy swapped", "smooth", 0.002, 100_000),
    ("plda 2", "smooth", 0.1, 5_000),
]
"""Where the largest harm was seen when all cells were tried: these are always among them."""
TWENTY, OTHERS = "20 speakers", "of more speakers, or at random"
_ENOUGH = 60_000  # scores of each class of a family, for the largest pool
LIED_TO = (
    *(*SYSTEMS, "II", "IP", "PP", "asvspoof eval", "gaussian 1000", "gamma 1000", "tied 1000"),
    *("PI", "PM", "bssr1 face", "bssr1 finger", "laplace 1000", "skew-normal 1000"),
    *("bimodal targets 300", "bimodal non-targets 300", "lognormal 300", "student-t 1000"),
    *("speech cos", "listeners", "nig 1.5 700", "nig 2 200", "bounded 500"),
    *("skew-normal 150", "laplace 150", "student-t 400", "bimodal targets 1000", "gamma 250"),
)
WORST = "speech plda"
# Tried once, after all constants were chosen.
HELD_OUT = (
    *("lda_plda swapped", "IP swapped", "PM swapped", "bssr1 finger swapped"),
    *("asvspoof eval swapped", "speech cos swapped"),
    *("gumbel 120", "weibull 450", "logistic 800", "three heaps 350", "triangular 220"),
    *("levels 600", "weibull 150", "gumbel 1500"),
)
RARE = 0.05  # the share of pools about whose share a lie is told


@lru_cache(maxsize=2)
def alike(name: str) -> tuple[Classes, Classes]:
    """Scores to train on and others like them: of a real set, or of a family, as ``gamma 100``."""
    family, _, size = name.rpartition(" ")
    if family not in SIMULATED:
        return halves(REAL, name.removesuffix(" swapped"), name.endswith(" swapped"))
    rng, count = random("alike", name), int(size)
    drawn = SIMULATED[family].drawn
    return drawn(rng, count, 10 * count), drawn(rng, _ENOUGH, 2 * _ENOUGH)


def unshifted_cells(options: Options) -> list[Cell]:
    """Sets with enough targets, and pools that can be drawn from them."""
    names = [*HALVED, *(f"{family} {size}" for family in FAMILIES for size in (100, 1000))]
    found = []
    for name in names:
        train, test = alike(name)
        if len(train.tar) >= LEAST_TRAINING:
            pools = [*_pools(name, test)]
            found += [(name, method, *pool) for method in options.methods for pool in pools]
    return [*WORST_HALVES, *options.sampled([cell for cell in found if cell not in WORST_HALVES])]


def _pools(name: str, test: Classes) -> Iterator[tuple[float, int]]:
    sizes = POOLS if name.startswith("speech") else POOLS[:-1]
    for size, share in itertools.product(sizes, SHARES):
        enough = share * size <= len(test.tar) and (1 - share) * size <= len(test.non)
        if enough and share * size >= 1:
            yield share, size


def unshifted_rows(name: str, method: str, share: float, size: int) -> list[Row]:
    """What is done if the share is told in every way, and with labels."""
    train, test = alike(name)
    judge, cal = Judge(test.thinned(JUDGED)), fit(train, method)
    before = judge.cllr(cal)
    rng = random("unshifted", name, share, size)
    targets = max(1, round(share * size))
    drawn = test.drawn(rng, targets, size - targets)
    labelled = test.drawn(rng, 30, 30)._asdict()
    pool = pooled(drawn.pool)
    ways: dict[str, dict[str, object]] = {
        told: {"p_target": p} for told, p in told_shares(drawn.share).items()
    }
    ways[f"right, {LABELLED}"] = {"p_target": drawn.share, **labelled}
    ways[f"not told, {LABELLED}"] = {"p_target": None, **labelled}
    rows = []
    for told, given in ways.items():
        row = adapted(cal, pool, judge, **given)
        row |= {"set": name, "method": method, "share": share, "scores": size, "told": told}
        row["halves"] = TWENTY if name in VOXCELEB else OTHERS
        rows.append(row | {"labelled": LABELLED in told, "harm": row["cllr"] - before})
    return rows


def unshifted_tables(rows: list[Row]) -> str:
    """By what was said of the share, and by the pool: harm in thousandths of a bit."""
    order = (*unique(rows, "told"), *METHODS, TWENTY, OTHERS)
    keys = ("halves", "told", "scores", "share", "method")
    found = groups(where(rows, labelled=False), *keys, order=order)
    found = {"all without labels": found.pop("all"), **found}
    found |= {f"told: {told}": where(rows, told=told) for told in unique(rows, "told")}
    lines = []
    for one, some in found.items():
        worst, *others = by_harm(some)
        other = [thousandths(x["harm"]) for x in others if _same(x) != _same(worst)]
        same = 100 * sum(row["choice"] == "as it was" for row in some) / len(some)
        harms = [thousandths(mean(some, "harm")), thousandths(worst["harm"]), _where(worst)]
        lines.append([one, len(some), rounded(same, 0), *harms, *(other or [""])[:1]])
    head = ["n", "left as it was, %", "mean harm", "largest harm", "where", "in another set"]
    return markdown(["", *head], lines)


def _where(row: Row) -> str:
    return str(row["set"]) if float(thousandths(row["harm"])) > 0 else ""


def _same(row: Row) -> str:
    return str(row["set"]).removesuffix(" swapped")


class Lie(NamedTuple):
    """A pool that is not what it is said to be."""

    pool: Array
    p_target: float | None
    test: Classes
    """Where the harm is done."""


def lies(name: str, test: Classes) -> Iterator[tuple[str, Lie]]:
    """Every lie about one set, and some truths to compare with."""
    rng = random("lies", name)
    targets = min(int(RARE / (1 - RARE) * len(test.non)), len(test.tar))
    rare = test.drawn(rng, targets, round((1 / RARE - 1) * targets))
    pool, share = rare.pool, rare.share
    low, high = float(pool.min()), float(pool.max())
    turned = Classes(*(low + high - side for side in test))
    other = another(name)
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


def another(name: str) -> Array:
    """Scores of another recognizer, one in ten of a target."""
    name = name.removesuffix(" swapped")
    if name in SYSTEMS:
        other = SYSTEMS[(SYSTEMS.index(name) + 1) % len(SYSTEMS)]
        found = halves(REAL, other)[1]
    elif name.rpartition(" ")[0] in SIMULATED:
        tar, non = FAMILIES["laplace"].drawn(random("another", name), 500, 4500)
        return Classes(20 * tar + 50, 20 * non + 50).pool
    else:
        found = place(REAL, "asvspoof dev" if name != "asvspoof eval" else "PP")
    return found.drawn(random("another", name), 300, 2700).pool


def lies_cells(options: Options) -> list[Cell]:
    """The worst is always among them."""
    names = [(name, method) for name in LIED_TO for method in options.methods]
    return [*((WORST, method) for method in options.methods), *options.sampled(names)]


def held_out_cells(options: Options) -> list[Cell]:
    return options.sampled([(name, method) for name in HELD_OUT for method in options.methods])


def lies_rows(name: str, method: str) -> list[Row]:
    """The harm of every lie."""
    train, test = alike(name)
    test = Classes(test.tar[:FRESH], test.non[:FRESH])
    cal, rows = fit(train, method), []
    for said, lie in lies(name, test):
        judge = Judge(lie.test)
        row = adapted(cal, lie.pool, judge, p_target=lie.p_target)
        row |= {"set": name, "method": method, "lie": said, "warned": bool(row["warnings"])}
        before = judge.cllr(cal)
        rows.append(row | {"before": before, "harm": row["cllr"] - before})
    return rows


def lies_tables(rows: list[Row]) -> str:
    """By lie: harm in thousandths of a bit, and how often there was a warning."""
    lines = []
    for lie in unique(rows, "lie"):
        some = by_harm(where(rows, lie=lie))
        harms = [*(thousandths(row["harm"]) for row in some), ""]
        warned = sum(row["warned"] for row in some)
        unwarned = [row["harm"] for row in some if not row["warned"]]
        most = thousandths(max(unwarned)) if unwarned else ""
        place = _where(some[0])
        before = rounded(some[0]["before"], 2) if place else ""
        lines.append([lie, len(some), harms[0], place, before, harms[1], warned, most])
    head = ["lie", "n", "largest harm", "where", "Cllr before", "next", "warned"]
    head.append("largest without a warning")
    return markdown(head, lines)


UNSHIFTED = Part(unshifted_cells, unshifted_rows, unshifted_tables)
LIES = Part(lies_cells, lies_rows, lies_tables)
HELD_OUT_LIES = Part(held_out_cells, lies_rows, lies_tables)
