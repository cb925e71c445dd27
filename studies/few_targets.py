"""Few targets: how good every method is with plain formulas and with the defaults.

    python -m studies.few_targets [--draws 40] [--sizes 5 10] [--methods nig pav]

Draws of T targets and 10 T non-targets (at least 100) from real sets train every method; it is
tested on the whole set. The table gives the mean Cllr, the mean of the worst tenth of the draws,
and how many exceed 1, which is the Cllr of knowing nothing.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

import llrcal
from llrcal.arrays import Floats
from llrcal.method_table import MethodName
from studies.evidence import Pair, stored

SIZES = (5, 10, 20, 50, 200)
SETS = {
    "sre08 phone-phone": ("nist_sre08", "cond_phonecall_phn-phonecall_phn_"),
    "sre08 interview-interview": ("nist_sre08", "cond_interview_mic-interview_mic_"),
    "voxceleb lda_cosine": ("voxceleb1_three_systems", "lda_cosine_"),
    "voxceleb plda": ("voxceleb1_three_systems", "plda_"),
    "asvspoof eval": ("asvspoof2019_asv", "eval_"),
    "bssr1 face C": ("nist_bssr1", "face_C_"),
}
SETTINGS = ("plain", "default")
_TESTED = 20_000  # of either class


def draws(pair: Pair, size: int, count: int) -> Iterator[tuple[Pair, Pair]]:
    """Training and test scores."""
    tar, non = pair
    rng = np.random.default_rng([size, len(tar), len(non)])
    for _ in range(count):
        train = rng.choice(tar, size, replace=False), rng.choice(non, max(10 * size, 100))
        yield train, tuple(rng.permutation(side)[:_TESTED] for side in pair)  # type: ignore[misc]


def cllrs(
    sets: Iterable[tuple[str, str]], methods: list[MethodName], size: int, count: int
) -> tuple[dict[tuple[str, str], list[float]], float]:
    """Cllr of every draw by method and settings; and by how much LLRs exceed what counts carry."""
    found: dict[tuple[str, str], list[float]] = {}
    furthest = -np.inf
    for folder, prefix in sets:
        for train, test in draws(stored(folder, prefix), size, count):
            for method in methods:
                try:
                    after = llrcal.fit(*train, method=method)
                except llrcal.DegenerateError:
                    continue
                limits = replace(after.bounds, policy="range", eer_score=None)
                for name, cal in zip(SETTINGS, (replace(after, bounds=limits), after), strict=True):
                    llrs = cal(test[0]), cal(test[1])
                    found.setdefault((method, name), []).append(_cllr(*llrs))
                least, greatest = after.supported_llrs
                every = np.concatenate(llrs)
                furthest = max(furthest, least - every.min(), every.max() - greatest)
    return found, float(furthest)


def _cllr(tar: Floats, non: Floats) -> float:
    costs = np.logaddexp(0, -tar).mean() + np.logaddexp(0, non).mean()
    return float(costs / (2 * np.log(2)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--methods", nargs="+", default=[*llrcal.METHODS])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    numbers = ("mean", "worst tenth", "above 1")
    heads = " | ".join(f"{setting}: {one}" for setting in SETTINGS for one in numbers)
    print(f"| T | method | {heads} |\n|---|---|{'---|' * 6}")
    beyond = -np.inf
    for size in options.sizes:
        found, furthest = cllrs(SETS.values(), options.methods, size, options.draws)
        for method in options.methods:
            cells = [_cell(found.get((method, name), [])) for name in SETTINGS]
            print(f"| {size} | {method} | {' | '.join(cells)} |", flush=True)
        beyond = max(beyond, furthest)
    print(f"\n| furthest beyond the counts, nats |\n|---|\n| {beyond:.3f} |")


def _cell(values: list[float]) -> str:
    if not values:
        return "refused | | "
    ordered = np.sort(values)
    worst = ordered[-max(len(ordered) // 10, 1) :].mean()
    return f"{ordered.mean():.4g} | {worst:.4g} | {int((ordered > 1).sum())} of {len(ordered)}"


if __name__ == "__main__":
    main()
