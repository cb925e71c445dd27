"""What the defaults change on full sets: excess error with plain formulas, and with the defaults.

    python -m studies.safe_defaults

The experiments and the excess are those of docs/studies/evidence.md: mean actual Bayes error over
the mean minimum one in the range of the rule of 30, less one, in per cent.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

import llrcal
from llrcal.calibrations.bounds import UNBOUNDED
from llrcal.evaluation import Evaluation
from studies.evidence import CURVE, Experiment, Pair, excess, experiments

_WORTH_A_LINE = 0.005  # points


def changes(experiment: Experiment) -> dict[str, tuple[float, float]]:
    """Excess of every calibration with plain formulas, and with the defaults."""
    _, train, test = experiment
    raw = llrcal.evaluate(*test)
    x = np.linspace(*raw.rule_of_30, CURVE)

    def percent(calibration: llrcal.Calibration) -> float:
        return 100 * float(excess(_evaluated(calibration, test), raw, x).mean())

    return {
        label: (percent(replace(cal, bounds=UNBOUNDED)), percent(cal))
        for label, cal in llrcal.fit_all(*train).items()
    }


def _evaluated(calibration: llrcal.Calibration, test: Pair) -> Evaluation:
    return llrcal.evaluate(calibration(test[0]), calibration(test[1]))


def main() -> None:
    warnings.simplefilter("ignore")
    worst, count = -np.inf, 0
    print("| experiment | calibration | plain | defaults |\n|---|---|---|---|")
    for experiment in experiments(full=False):
        found = changes(experiment)
        worst = max(worst, *(after - before for before, after in found.values()))
        count += len(found)
        for label, (before, after) in found.items():
            if abs(after - before) > _WORTH_A_LINE:
                print(f"| {experiment[0]} | {label} | {before:.2f} | {after:.2f} |", flush=True)
    print(f"\n| calibrations | largest growth, points |\n|---|---|\n| {count} | {worst:.3f} |")


if __name__ == "__main__":
    main()
