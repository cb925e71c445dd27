"""Few trials: estimated parameters, and parameters that are integrated out.

    python -m benchmarks.few_bayes [--draws 40] [--sizes 5 10] [--methods nig] [--other-sets]

Draws of T targets and 10 T non-targets (at least 100) from real sets train every method that has
both; up to 20,000 scores a class of the whole set test it. The tables give the mean Cllr and
the mean of the worst tenth of the draws, both as means over the sets, and the greatest LLR on the
wrong side. Bounds are ``range``, so that what the counts support hides nothing; ``--bounds counts``
shows the defaults.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

import llrcal
from benchmarks.evidence import stored
from benchmarks.few_targets import OTHER_SETS, SETS, draws
from llrcal.arrays import Floats
from llrcal.method_table import TABLE

SIZES = (5, 10, 20, 50, 200)
FIVE = tuple(name for name in SETS if name != "bssr1 face C")
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    name: (name, {}) for name, entry in TABLE.items() if entry.bayes
} | {"logistic-empirical": ("logistic", {"alpha": "empirical"})}


def cllrs(
    sets: Iterable[tuple[str, str]],
    names: Iterable[str],
    size: int,
    count: int,
    bounds: Any,
) -> tuple[dict[tuple[str, bool], list[list[float]]], dict[tuple[str, bool], float]]:
    """Cllr of every draw of each set by method, and the greatest LLR on the wrong side."""
    found: dict[tuple[str, bool], list[list[float]]] = {}
    worst: dict[tuple[str, bool], float] = {}
    for folder, prefix in sets:
        for name in names:
            for bayes in (False, True):
                found.setdefault((name, bayes), []).append([])
        for train, test in draws(stored(folder, prefix), size, count, 0):
            for name in names:
                method, options = METHODS[name]
                for bayes in (False, True):
                    try:
                        cal = llrcal.fit(
                            *train, method=method, bayes=bayes, bounds=bounds, **options
                        )
                    except llrcal.DegenerateError:
                        continue
                    tar, non = cal.quietly(test[0]), cal.quietly(test[1])
                    found[name, bayes][-1].append(_cllr(tar, non))
                    wrong = max(float(-tar.min()), float(non.max()))
                    worst[name, bayes] = max(worst.get((name, bayes), 0.0), wrong)
    return found, worst


def _cllr(tar: Floats, non: Floats) -> float:
    costs = np.logaddexp(0, -tar).mean() + np.logaddexp(0, non).mean()
    return float(costs / (2 * np.log(2)))


def _cell(sets: list[list[float]]) -> str:
    if not all(sets):
        return "refused"
    worst = [np.sort(cllrs)[-max(len(cllrs) // 10, 1) :].mean() for cllrs in sets]
    return f"{np.mean([np.mean(cllrs) for cllrs in sets]):.4g} / {np.mean(worst):.4g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--bounds", default="range")
    parser.add_argument("--other-sets", action="store_true")
    options = parser.parse_args()
    sets = list(OTHER_SETS.values()) if options.other_sets else [SETS[name] for name in FIVE]
    warnings.simplefilter("ignore")
    print("| T | method | estimated: mean / worst tenth | integrated out | wrong side: both |")
    print("|---|---|---|---|---|")
    for size in options.sizes:
        found, worst = cllrs(sets, options.methods, size, options.draws, options.bounds)
        for name in options.methods:
            cells = [_cell(found.get((name, bayes), [])) for bayes in (False, True)]
            wrong = " / ".join(f"{worst.get((name, bayes), 0.0):.3g}" for bayes in (False, True))
            print(f"| {size} | {name} | {' | '.join(cells)} | {wrong} |", flush=True)


if __name__ == "__main__":
    main()
