"""Which proper scoring rule pays where: logistic regression by two rules and several weights.

    python -m studies.scoring_rules

Real sets, each trained and tested on trials of the same kind: halves, or dev and eval. Given is the
excess of the Bayes error over its minimum, in per cent: its mean over the range of the rule of 30,
over the lowest tenth of that (few false alarms), and over the highest tenth (few misses).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

import llrcal
from llrcal.arrays import Floats
from studies.evidence import CURVE, Experiment, asvspoof, excess, speech_commands, stored

ALPHAS = (0.01, 0.1, 0.5, 0.9)
RULES = ("log", "brier")
PLACES = ("all", "low", "high")
DUELS = (
    ("all", (0.1, "log"), (0.1, "brier")),
    ("low", (0.1, "brier"), (0.1, "log")),
    ("low", (0.1, "brier"), (0.01, "log")),
    ("high", (0.9, "brier"), (0.9, "log")),
)
"""Where two weights and rules are compared."""
HALVES = {
    "voxceleb1 lda_cosine": ("voxceleb1_three_systems", "lda_cosine_"),
    "voxceleb1 plda": ("voxceleb1_three_systems", "plda_"),
    "voxceleb1 lda_plda": ("voxceleb1_three_systems", "lda_plda_"),
    "sre08 phone": ("nist_sre08", "cond_phonecall_phn-phonecall_phn_"),
    "sre08 interview": ("nist_sre08", "cond_interview_mic-interview_mic_"),
    "sre08 phone-interview": ("nist_sre08", "cond_phonecall_phn-interview_mic_"),
    "sre08 interview-phone": ("nist_sre08", "cond_interview_mic-phonecall_phn_"),
}

Excesses = dict[tuple[float, str], dict[str, float]]


def experiments() -> Iterator[Experiment]:
    """Every set, to train and to test on."""
    for name, (folder, prefix) in HALVES.items():
        tar, non = stored(folder, prefix)
        yield name, (tar[::2], non[::2]), (tar[1::2], non[1::2])
    yield from asvspoof()
    yield from (one for one in speech_commands() if not one[0].endswith("evalnoisy"))


def places(low: float, high: float) -> dict[str, Floats]:
    """Prior log-odds of each place."""
    ends = {"all": (0.0, 1.0), "low": (0.0, 0.1), "high": (0.9, 1.0)}
    return {
        name: np.linspace(low + start * (high - low), low + end * (high - low), CURVE)
        for name, (start, end) in ends.items()
    }


def excesses(experiment: Experiment) -> Excesses:
    """Excess of every weight and rule at every place, in per cent; NaN if there is no minimum."""
    _, train, test = experiment
    raw = llrcal.evaluate(*test)
    pairs = list(product(ALPHAS, RULES))
    methods: list[Any] = [("logistic", {"alpha": alpha, "rule": rule}) for alpha, rule in pairs]
    fitted = llrcal.fit_all(*train, methods=methods, bounds="none", rising=False).values()
    found = {}
    for (alpha, rule), cal in zip(pairs, fitted, strict=True):
        ev = llrcal.evaluate(cal(test[0]), cal(test[1]))
        missing = any(note.code == "no minimum" for note in cal.report.notes)
        found[alpha, rule] = {
            name: np.nan if missing else 100 * float(excess(ev, raw, x).mean())
            for name, x in places(*raw.rule_of_30).items()
        }
    return found


def table(results: Sequence[Excesses], place: str) -> Iterator[str]:
    """Mean over sets: a row for each weight, a column for each rule."""
    yield f"| `alpha` | {' | '.join(f'`{rule}`' for rule in RULES)} |"
    yield "|---" * (len(RULES) + 1) + "|"
    for alpha in ALPHAS:
        means = [np.mean([one[alpha, rule][place] for one in results]) for rule in RULES]
        yield f"| {alpha} | {' | '.join(f'{mean:.1f}' for mean in means)} |"


def main() -> None:
    warnings.simplefilter("ignore")
    results = {experiment[0]: excesses(experiment) for experiment in experiments()}
    every = list(results.values())
    for place in PLACES:
        print(f"\nmean of {len(every)} sets, {place}\n\n" + "\n".join(table(every, place)))
    print("\n| where | one | other | one is better on sets |\n|---|---|---|---|")
    for place, one, other in DUELS:
        wins = sum(result[one][place] < result[other][place] for result in every)
        words = (f"`{rule}` at {alpha}" for alpha, rule in (one, other))
        print(f"| {place} | {' | '.join(words)} | {wins} of {len(every)} |")
    print("\n| everywhere | `log` at 0.1 | `brier` at 0.1 |\n|---|---|---|")
    for name, result in results.items():
        cells = (f"{result[0.1, rule]['all']:.1f}" for rule in RULES)
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
