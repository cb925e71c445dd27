"""Few trials: estimated parameters, and parameters that are integrated out.

    python -m studies.few_bayes [--draws 15] [--sizes 5 10] [--methods nig]

Draws of T targets and 10 T non-targets (at least 100) from real sets train every method that has
both, and ``smooth``; up to 20,000 scores a class of the whole set test it. The table gives the mean
Cllr and that of the worst tenth of the draws, as means over the sets, and the greatest LLR on the
wrong side: with the bounds ``range``, so that what the counts support hides nothing, and with the
default ones.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

import llrcal
from llrcal.arrays import Floats
from llrcal.method_table import TABLE, MethodName
from studies.evidence import stored
from studies.few_targets import SETS, draws

Key = tuple[str, str, bool]
POLICIES = ("range", "counts")
SIZES = (5, 10, 20, 50)
FIVE = tuple(name for name in SETS if name != "bssr1 face C")
METHODS: dict[str, tuple[MethodName, dict[str, Any]]] = {
    name: (name, {}) for name in llrcal.METHODS if TABLE[name].bayes or name == "smooth"
}


def cllrs(
    sets: Iterable[tuple[str, str]], names: Iterable[str], size: int, count: int
) -> tuple[dict[Key, list[list[float]]], dict[Key, float]]:
    """Cllr of every draw of each set, and the greatest LLR on the wrong side."""
    found: dict[Key, list[list[float]]] = {}
    worst: dict[Key, float] = {}
    for folder, prefix in sets:
        for key in product(names, POLICIES, (False, True)):
            found.setdefault(key, []).append([])
        for train, test in draws(stored(folder, prefix), size, count):
            for name, bayes in product(names, (False, True)):
                method, options = METHODS[name]
                if bayes and not TABLE[method].bayes:
                    continue
                try:
                    cal = llrcal.fit(*train, method=method, bayes=bayes, **options)
                except llrcal.DegenerateError:
                    continue
                for policy in POLICIES:
                    bounded = replace(cal, bounds=replace(cal.bounds, policy=policy))
                    tar, non = bounded.without_warnings(test[0]), bounded.without_warnings(test[1])
                    key = name, policy, bayes
                    found[key][-1].append(_cllr(tar, non))
                    wrong = max(float(-tar.min()), float(non.max()))
                    worst[key] = max(worst.get(key, 0.0), wrong)
    return found, worst


def _cllr(tar: Floats, non: Floats) -> float:
    costs = np.logaddexp(0, -tar).mean() + np.logaddexp(0, non).mean()
    return float(costs / (2 * np.log(2)))


def _cell(sets: list[list[float]]) -> str:
    if not all(sets):  # a method that has nothing to integrate, or refuses so few trials
        return ""
    means = [np.mean(cllrs) for cllrs in sets]
    worst = [np.sort(cllrs)[-max(len(cllrs) // 10, 1) :].mean() for cllrs in sets]
    return " / ".join(f"{np.mean(values):.4g}" for values in (means, worst))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=15)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    options = parser.parse_args()
    sets = [SETS[name] for name in FIVE]
    warnings.simplefilter("ignore")
    bayes = "estimated", "integrated out"
    print(f"| T | method | {' | '.join(bayes)} | wrong side: both | ", end="")
    print(
        " | ".join(f"{one}, default bounds" for one in bayes) + " |\n|---|---|---|---|---|---|---|"
    )
    for size in options.sizes:
        found, worst = cllrs(sets, options.methods, size, options.draws)
        for name in options.methods:
            plain, default = ([(name, policy, b) for b in (False, True)] for policy in POLICIES)
            wrong = " / ".join(f"{worst[key]:.3g}" for key in plain if key in worst)
            cells = [_cell(found[key]) for key in plain], [_cell(found[key]) for key in default]
            row = [size, name, *cells[0], wrong, *cells[1]]
            print(f"| {' | '.join(map(str, row))} |", flush=True)


if __name__ == "__main__":
    main()
