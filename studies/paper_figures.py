"""The paper's six figures, of other scores, and how wide a range of priors each curve covers.

    python -m studies.paper_figures

Figures are written into docs/figures: of a simulated recognizer at the paper's size, and of a real
one, Speech Commands by cosine scores, if shared/scores is there. Calibrations have the settings of
the paper. A curve covers a prior at which its error exceeds the minimum by no more than a tenth;
the range is that of the rule of 30.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes

import llrcal
from llrcal.comparison.axes import drawn_priors
from llrcal.evaluation import Evaluation
from llrcal.figures import bayes_error, column_figure, column_style, densities, transforms
from llrcal.figures.curves import visible_range
from studies.evidence import CURVE, REAL, ROOT, Experiment, Pair, excess, simulated, speech_commands

FOLDER = ROOT / "docs" / "figures"
GROUPS = {
    "bayes-error-linear-gaussian": (
        "linear-gaussian-empirical",
        "linear-gaussian-0.5",
        "linear-gaussian-0.92",
    ),
    "bayes-error-logistic": ("logistic-empirical", "logistic-0.5", "logistic-0.92"),
    "bayes-error-pav": ("pav",),
    "bayes-error-generative": ("gaussian", "student-t", "nig"),
}
"""What the paper's figures 1 to 4 show together."""
_PLAIN: Any = {"bounds": "none", "rising": False}
_RARE = 0.001  # the weight of the line in the paper's figure 5
_COVERED = 0.1  # most excess


def sets() -> Iterator[tuple[str, Experiment]]:
    """What the names of the files of each set begin with, and the set."""
    yield from (("", one) for one in simulated(full=True))
    if REAL.exists():
        yield from (("speech-commands-", one) for one in islice(speech_commands(), 1))


def drawings(
    ten: Mapping[str, llrcal.Calibration],
    evaluations: Mapping[str, Evaluation],
    train: Pair,
    test: Pair,
) -> Iterator[tuple[str, Callable[..., Axes]]]:
    """The six figures, by name."""
    frame = drawn_priors(llrcal.evaluate(*test).rule_of_30)
    for name, labels in GROUPS.items():
        chosen = {label: evaluations[label] for label in labels}
        yield name, partial(bayes_error, chosen, x=frame)
    line = llrcal.fit(*train, method="logistic", alpha=_RARE, **_PLAIN)
    others = {label: ten[label] for label in ("pav", *GROUPS["bayes-error-generative"])}
    low, high = visible_range(train, margin=0.2)
    steps = max(map(abs, ten["pav"].llr_range))  # as far as the counts of trials reach
    yield (
        "transforms",
        partial(transforms, {"logistic-0.001": line} | others, low=low, high=high, limit=2 * steps),
    )
    tar, non = train
    yield "densities-nig-log", partial(densities, ten["nig"], tar=tar, non=non, log=True)


def draw(path: Path, drawing: Callable[..., Axes]) -> None:
    """One figure, at column width."""
    with column_style():
        figure, ax = column_figure()
        drawing(ax=ax)
        figure.savefig(path, dpi=180, metadata={"Software": None})


def covered(evaluation: Evaluation, raw: Evaluation) -> float:
    """The share of the range in which the excess is small, in per cent."""
    x = np.linspace(*raw.rule_of_30, 3 * CURVE)
    return float(100 * (excess(evaluation, raw, x) <= _COVERED).mean())


def table(columns: Mapping[str, Mapping[str, float]]) -> str:
    """Shares by calibration and set."""
    lines = ["| calibration | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for label in next(iter(columns.values())):
        cells = " | ".join(f"{column[label]:.0f}" for column in columns.values())
        lines.append(f"| {label} | {cells} |")
    return "\n".join(lines)


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    warnings.simplefilter("ignore")
    columns = {}
    for prefix, (name, train, test) in sets():
        ten = llrcal.fit_all(*train, **_PLAIN)
        evaluations = {label: llrcal.evaluate(*map(one, test)) for label, one in ten.items()}
        for figure, drawing in drawings(ten, evaluations, train, test):
            draw(FOLDER / f"{prefix}{figure}.png", drawing)
        raw = llrcal.evaluate(*test)
        columns[name] = {label: covered(one, raw) for label, one in evaluations.items()}
    print(table(columns))


if __name__ == "__main__":
    main()
