"""Adaptation where the truth is known, where there is nothing to find, and from every start.

    python -m studies.adaptation_checks simulated | nonsense SCORES | starts

``simulated``: shifts of known size: how often intervals hold the truth, by the share of targets.
``nonsense``: scores to which no calibration can be adapted: what is said, and what becomes of it.
``starts``: random problems: whether all starts end in the same optimum.
"""

from __future__ import annotations

import argparse
import math
import warnings
from pathlib import Path

import numpy as np

import llrcal
from llrcal.adaptation.adapt import adaptation
from llrcal.adaptation.given import Given
from llrcal.adaptation.hypotheses import averaged, starts
from llrcal.adaptation.move import densities_of, place_of
from llrcal.adaptation.objective import Objective
from llrcal.arrays import Floats
from llrcal.errors import LlrcalError
from llrcal.fitting.optimizer import minimise
from studies.adaptation import Classes, _classes, loss

SHARES = ((0.001, 0.01), (0.01, 0.1), (0.1, 0.5))
SHIFTS, PROBLEMS = 50, 500


def simulated(count: int) -> None:
    """Gaussian classes whose locations, scales and distance have moved; shares told wrong."""
    rng = np.random.default_rng(3)
    old = llrcal.fit(rng.normal(3, 1.4, 2000), rng.normal(-1, 1, 20_000), method="gaussian")
    for low, high in SHARES:
        hits: dict[str, list[bool]] = {}
        errors = []
        for _ in range(count):
            share = math.exp(rng.uniform(math.log(low), math.log(high)))
            shift, scale = rng.normal(), math.exp(rng.normal(0, 0.3))
            apart, wider = math.exp(rng.normal(0, 0.25)), math.exp(rng.normal(0, 0.2))
            tar_at, non_at = shift - 1 + 4 * apart, shift - 1
            sds = 1.4 * scale * wider, scale
            tar_count = int(rng.binomial(20_000, share))
            pool = np.append(
                rng.normal(tar_at, sds[0], tar_count),
                rng.normal(non_at, sds[1], 20_000 - tar_count),
            )
            new = adaptation(old, pool, p_target=min(share * 2 ** rng.normal(), 0.9), force=True)
            tar, non = rng.normal(tar_at, sds[0], 20_000), rng.normal(non_at, sds[1], 20_000)
            seen = llrcal.evaluate(new.without_warnings(tar), new.without_warnings(non))
            truth = {
                "tar_shift": tar_at - 3,
                "tar_widening": scale * wider,
                "non_shift": shift,
                "non_widening": scale,
                "share": tar_count / 20_000,
                "cllr": seen.cllr,
                "eer": seen.eer,
            }
            for name, value in truth.items():
                found = getattr(new.adapted, name)
                hits.setdefault(name, []).append(found.low <= value <= found.high)
            errors.append(abs(getattr(new.adapted, "cllr").value / seen.cllr - 1))  # noqa: B009
        rates = "; ".join(f"{name} {np.mean(hit):.2f}" for name, hit in hits.items())
        middle, far = np.quantile(errors, [0.5, 0.9])
        print(f"share {low:g} to {high:g}: {rates}; predicted Cllr off by {middle:.2f}, {far:.2f}")


def nonsense(scores: Path) -> None:
    """A calibration of phone calls, and scores it should not be adapted to."""
    sre = scores / "nist_sre08"
    here = _classes(sre / "cond_phonecall_phn-phonecall_phn")
    there = _classes(sre / "cond_phonecall_phn-interview_mic")
    other = _classes(scores / "voxceleb1_three_systems" / "plda")
    cal = llrcal.fit(*here, method="nig")
    rng = np.random.default_rng(1)
    half = rng.choice(there.tar, 2400, replace=False)
    balanced = Classes(half, rng.choice(there.non, 2400, replace=False))
    turned = Classes(-there.tar, -there.non)
    cases: dict[str, tuple[Floats, float, Classes]] = {
        "scores of another recognizer": (other.pool, other.share, other),
        "scores whose sign has turned": (-there.pool, there.share, turned),
        "non-targets only": (there.non, 0.05, there),
        "targets only": (there.tar, 0.05, there),
        "half are targets, told 1 %": (balanced.pool, 0.01, balanced),
        "34 % are targets, told 0.7 %": (there.pool, there.share / 50, there),
        "20 scores": (rng.choice(there.pool, 20), there.share, there),
        "all scores the same": (np.full(1000, 1.5), 0.05, there),
        "uniform noise": (rng.uniform(-50, 50, 5000), 0.05, there),
    }
    for name, (pool, share, test) in cases.items():
        least = llrcal.evaluate(*test).min_cllr
        before = loss(cal.without_warnings, test, least)
        try:
            new = adaptation(cal, pool, p_target=share)
        except LlrcalError as refusal:
            print(f"{name} | refused: {refusal} | {before:.1f} | {before:.1f}")
            continue
        said = ", ".join(note.code for note in new.report.notes) or "nothing"
        kept = "" if new.adapted and new.adapted.applied else " (left)"
        print(
            f"{name} | {said} | {before:.1f} | {loss(new.without_warnings, test, least):.1f}{kept}"
        )


def from_every_start(problems: int) -> None:
    """Random problems of all three families."""
    rng = np.random.default_rng(0)
    several = failed = unreported = 0
    for number in range(problems):
        method = ("gaussian", "student-t", "nig")[number % 3]
        tar = rng.normal(rng.uniform(1, 5), rng.uniform(0.5, 3), 500)
        cal = llrcal.fit(tar, rng.standard_t(8, 5000), method=method)
        count, share = int(10 ** rng.uniform(2, 4)), 10 ** rng.uniform(-2.5, -0.3)
        targets = rng.normal(rng.uniform(0, 6), rng.uniform(0.4, 3), max(2, int(count * share)))
        scores = np.append(targets, rng.standard_t(6, count)) * math.exp(rng.normal(0, 0.4))
        place = place_of(*densities_of(cal))
        data = Given.of(cal, scores + rng.normal(0, 2), None, None).evidence(place, share)
        found = averaged(data, math.log(2))
        free = Objective(data, found.hypotheses[0].deviations)
        lower, upper = place.bounds
        ends = [
            minimise(free, np.clip(start, lower, upper), lower=lower, upper=upper)
            for start in starts(data)
            if np.isfinite(free(np.clip(start, lower, upper)).value)
        ]
        failed += not all(end.converged for end in ends)
        differ = float(np.ptp([end.value for end in ends])) > 1e-5
        several += differ
        unreported += differ and found.optima == 1
    print(f"{problems} problems: {failed} with a search that did not converge, {several} with")
    print(f"more than one optimum, {unreported} of them not reported")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=("simulated", "nonsense", "starts"))
    parser.add_argument("scores", type=Path, nargs="?")
    parser.add_argument("--count", type=int)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.part == "simulated":
        simulated(options.count or SHIFTS)
    elif options.part == "nonsense":
        nonsense(options.scores)
    else:
        from_every_start(options.count or PROBLEMS)


if __name__ == "__main__":
    main()
