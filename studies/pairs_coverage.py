"""How often jackknife intervals of counted pairs hold the truth, on simulated speakers.

    python -m studies.pairs_coverage [--repetitions 200] [--speakers 50 200] [--groups 5 10 20]

Speakers differ: some vary more than others, some are closer to all others, and each has a session
effect. The calibration is a line that was fixed before. The truth is that of 3,000 other speakers.
Shares have a standard error of up to 1.5 points.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from numpy.random import Generator

import llrcal
from llrcal.arrays import Array, Floats
from llrcal.evaluation import OperatingPoint

DIMENSIONS, UTTERANCES = 24, 8
POINT = OperatingPoint(0.05)
FMR = 0.01


def embeddings(speakers: int, rng: Generator) -> tuple[Array, Array]:
    """Vectors of some speakers, and who speaks."""
    who = np.repeat(np.arange(speakers), UTTERANCES)
    common = rng.normal(0.0, 0.25, (speakers, 1)) * np.eye(1, DIMENSIONS) * np.sqrt(DIMENSIONS)
    centre = rng.normal(size=(speakers, DIMENSIONS)) + common
    spread = np.exp(rng.normal(-0.3, 0.3, (speakers, 1)))
    session = rng.normal(0.0, 0.5, (2 * speakers, DIMENSIONS))
    of = 2 * who + np.arange(len(who)) % 2
    return centre[who] + session[of] + spread[who] * rng.normal(size=(len(who), DIMENSIONS)), who


def line(scores: Array) -> Floats:
    """LLRs, somewhat off."""
    return 16.0 * (scores - 0.42)


def numbers(counts: llrcal.Counts) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """Numbers and their intervals."""
    ev = llrcal.evaluate(counts.mapped(line))
    found = ev.intervals([POINT]) if counts.without else None
    at = ev.threshold(pfa=FMR)
    values = {
        "Cllr": ev.cllr,
        "minCllr": ev.min_cllr,
        "EER": ev.eer,
        "actDCF": ev.act_dcf(POINT.p_target),
        "FNMR at FMR 1 %": at.pmiss,
        "threshold": at.value,
    }
    if found is None:
        return values, {}
    return values, {
        "Cllr": found["cllr"],
        "minCllr": found["min_cllr"],
        "EER": found["eer"],
        "actDCF": found[f"act_dcf_{POINT.name}"],
        "FNMR at FMR 1 %": at.pmiss_interval,
        "threshold": at.interval,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--speakers", type=int, nargs="+", default=[50, 200])
    parser.add_argument("--groups", type=int, nargs="+", default=[5, 10, 20])
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    truth, _ = numbers(llrcal.pairs(*embeddings(3000, np.random.default_rng(7)), groups=0))
    print(f"truth: {', '.join(f'{name} {value:.4f}' for name, value in truth.items())}\n")
    columns = ("speakers", "groups", *truth, "width, Cllr")
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}", flush=True)
    for speakers in given.speakers:
        for groups in given.groups:
            held = dict.fromkeys(truth, 0)
            width = 0.0
            for seed in range(given.repetitions):
                rng = np.random.default_rng([seed, speakers])
                _, intervals = numbers(llrcal.pairs(*embeddings(speakers, rng), groups=groups))
                for name, (low, high) in intervals.items():
                    held[name] += low <= truth[name] <= high
                low, high = intervals["Cllr"]
                width += (high - low) / given.repetitions
            shares = " | ".join(f"{count / given.repetitions:.1%}" for count in held.values())
            print(f"| {speakers} | {groups} | {shares} | {width:.4f} |", flush=True)


if __name__ == "__main__":
    main()
