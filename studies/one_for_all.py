"""One method for all: excess error of every calibration on sets without a change of condition.

    python -m studies.one_for_all [--splits 8]

All calibrations have their default settings. Means are over the sets, each of which counts once,
however often it was split; the best of the ten is chosen for each set, with hindsight.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

import llrcal
from studies.unshifted import TUNED, Judge, unshifted

Excesses = Mapping[str, Mapping[str, float]]
"""Excess in per cent by set and calibration."""


def excesses(splits: int) -> tuple[dict[str, dict[str, float]], Counter[str]]:
    """Excess of the ten and of smooth on every set; and splits without a rule of 30."""
    found: dict[str, list[dict[str, float]]] = {}
    without_rule: Counter[str] = Counter()
    for name, train, test in unshifted(splits):
        judge = Judge.of(test)
        without_rule[name] += not judge.by_rule_of_30
        every = llrcal.fit_all(*train, methods=(*llrcal.PAPER, "smooth"))
        found.setdefault(name, []).append({m: judge.excess(cal) for m, cal in every.items()})
    means = {
        name: {m: float(np.mean([row[m] for row in rows])) for m in rows[0]}
        for name, rows in found.items()
    }
    return means, without_rule


def best_of_ten(row: Mapping[str, float]) -> str:
    """The calibration of the paper with the least excess."""
    return min((m for m in row if m != "smooth"), key=row.__getitem__)


def table(found: Excesses) -> str:
    """One line a set, and the means over the sets; the column with the least mean comes first."""
    groups = {
        "mean of all": list(found),
        "mean of those not used": [name for name in found if name not in TUNED],
        "mean of those used (*)": [name for name in found if name in TUNED],
    }
    means = {title: _means([found[name] for name in names]) for title, names in groups.items()}
    labels = sorted(next(iter(found.values())), key=means["mean of all"].__getitem__)
    lines = ["| set | best of ten | " + " | ".join(labels) + " |"]
    lines += ["|---" * (len(labels) + 2) + "|"]
    for name, row in found.items():
        best = best_of_ten(row)
        mark = "*" if name in TUNED else ""
        lines.append(f"| {name}{mark} | {row[best]:.2f} ({best}) | {_cells(row, labels)} |")
    for title, row in means.items():
        lines.append(f"| **{title}** | {row['best']:.2f} | {_cells(row, labels)} |")
    return "\n".join(lines)


def _means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Mean over sets of each calibration, and of the best of the ten of each."""
    best = float(np.mean([row[best_of_ten(row)] for row in rows]))
    return {label: float(np.mean([row[label] for row in rows])) for label in rows[0]} | {
        "best": best
    }


def _cells(row: Mapping[str, float], labels: Sequence[str]) -> str:
    return " | ".join(f"{row[label]:.2f}" for label in labels)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=8)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found, without_rule = excesses(options.splits)
    print(table(found))
    for name, count in (+without_rule).items():
        print(f"{name}: {count} splits without a range by the rule of 30")


if __name__ == "__main__":
    main()
