"""Few targets: excess error of every calibration against the number of training targets.

    python -m studies.few_smooth [--draws 20]

Draws of T targets and 100 T non-targets (or all there are) from the training half of each set of
``studies.unshifted`` train every calibration, with default settings; it is tested on the whole
test half. The table is over all sets with T targets to draw from, the figure over those that have
enough for its right end.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import llrcal
from llrcal.figures.drawing import legend_above
from llrcal.figures.learning_curve import counts_axis
from llrcal.figures.looks import looks
from llrcal.figures.style import column_figure, column_style, dashes_of
from studies.evidence import REAL, ROOT, Experiment, Pair
from studies.unshifted import HALVED, TUNED, Judge, given, halves

TABLE = (50, 200, 1_000)
CURVE = (20, 50, 100, 200, 500, 1_000, 2_000, 5_000)
FIGURE = ROOT / "docs/figures/few-targets.png"
_RATIO = 100  # non-targets for each target
_SCALE = (1.2, 80.0)  # of the figure, in per cent
_MARGIN = 1.15

Draws = Mapping[str, Sequence[float]]
"""Excess of each draw by calibration."""
Found = dict[str, dict[str, dict[str, list[float]]]]
"""Draws by number of targets and set."""


def sets() -> Iterator[Experiment]:
    """Every set once."""
    yield from given()
    if REAL.exists():
        yield from (halves(name, seed=0) for name in HALVED)


def drawn(train: Pair, size: int, draws: int) -> Iterator[Pair]:
    """Random parts of the training scores."""
    rng = np.random.default_rng([size, *map(len, train)])
    counts = size, min(_RATIO * size, len(train[1]))
    for _ in range(draws):
        tar, non = (
            side[rng.choice(len(side), count, replace=False, shuffle=False)]
            for side, count in zip(train, counts, strict=True)
        )
        yield tar, non


def found_by(draws: int) -> Found:
    """Excess of every calibration on every draw."""
    found: Found = {str(size): {} for size in CURVE}
    for name, train, test in sets():
        judge = Judge.of(test)
        for size in CURVE:
            if size > len(train[0]):
                break
            rows = found[str(size)][name] = {}
            for part in drawn(train, size, draws):
                every = llrcal.fit_all(*part, methods=(*llrcal.PAPER, "smooth"))
                for label, calibration in every.items():
                    rows.setdefault(label, []).append(judge.excess(calibration))
        print(f"{name}: {len(train[0]):,} targets, {len(train[1]):,} non-targets", flush=True)
    return found


def means(rows: Mapping[str, Draws]) -> dict[str, float]:
    """Mean over sets of the mean over draws."""
    labels = next(iter(rows.values()))
    return {label: _mean(np.mean(draws[label]) for draws in rows.values()) for label in labels}


def best_per_set(rows: Mapping[str, Draws]) -> float:
    """Mean over sets of the calibration of the ten that is best in the mean over its draws."""
    return _mean(min(np.mean(draws[m]) for m in draws if m != "smooth") for draws in rows.values())


def best_per_draw(rows: Mapping[str, Draws]) -> float:
    """The same, with the best of the ten chosen for each draw."""
    return _mean(
        np.mean(np.min([draws[m] for m in draws if m != "smooth"], axis=0))
        for draws in rows.values()
    )


def _mean(values: Iterator[Any]) -> float:
    return float(np.mean(list(values)))


def table(found: Found) -> str:
    """Mean excess of every calibration, for all sets and for those not used to choose defaults."""
    columns = {}
    for size in map(str, TABLE):
        rows = found[size]
        unused = {name: draws for name, draws in rows.items() if name not in TUNED}
        for title, part in ((f"T = {int(size):,}", rows), ("not used", unused)):
            columns[f"{title} ({len(part)} sets)", size] = {
                **dict(reversed(means(part).items())),
                "best of ten per set": best_per_set(part),
                "best of ten per draw": best_per_draw(part),
            }
    lines = ["| | " + " | ".join(title for title, _ in columns) + " |"]
    lines += ["|---" * (len(columns) + 1) + "|"]
    for label in next(iter(columns.values())):
        cells = " | ".join(f"{column[label]:.2f}" for column in columns.values())
        lines.append(f"| {label} | {cells} |")
    return "\n".join(lines)


def draw(found: Found, path: Path) -> list[str]:
    """The mean excess against the number of targets; returns the sets that it is the mean of."""
    names = list(found[str(CURVE[-1])])
    curves = [means({name: found[str(size)][name] for name in names}) for size in CURVE]
    with column_style():
        figure, ax = column_figure(height=80)
        chosen = looks(curves[0])
        dashes = {label: dashes_of(look, of=len(chosen)) for label, look in chosen.items()}
        entries = []
        for label, look in reversed(chosen.items()):
            (line,) = ax.plot(
                CURVE,
                [curve[label] for curve in curves],
                color=look.light,
                linestyle=dashes[label],
                marker=look.marker,
                linewidth=2 if label == "smooth" else None,
            )
            entries.append((label, line))
        ax.set_yscale("log")
        ax.set_ylim(*_SCALE)
        ax.yaxis.set_major_formatter("{x:g}")
        ax.set_yticks([2, 5, 10, 20, 50])
        ax.yaxis.set_minor_formatter("")
        counts_axis(ax)
        ax.set_xlim(CURVE[0] / _MARGIN, CURVE[-1] * _MARGIN)
        ax.set_xlabel("training targets")
        ax.set_ylabel("mean excess over the minimum, per cent")
        legend_above(ax, entries)
        figure.savefig(path, dpi=200, metadata={"Software": None})
    return names


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--results", type=Path, default=ROOT / "studies/results/few_smooth.json")
    parser.add_argument("--draw-only", action="store_true", help="from the results of before")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if not options.draw_only:
        options.results.parent.mkdir(parents=True, exist_ok=True)
        options.results.write_text(json.dumps(found_by(options.draws)) + "\n")
    found: Found = json.loads(options.results.read_text())
    print(table(found))
    print("figure of " + ", ".join(draw(found, FIGURE)))


if __name__ == "__main__":
    main()
