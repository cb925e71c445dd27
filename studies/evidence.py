"""The paper's claims, answered from simulated scores at paper size and from real recognizers.

The ten calibrations have the settings of the paper, and decide the claims; `smooth`, which is not
the paper's, stands beside them with its defaults.

Run with ``python -m studies.evidence``. Real scores are looked for in a folder ``shared/scores``
beside the repository; sets that are not there are left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import trapezoid

import llrcal
from llrcal.arrays import Array, Floats
from llrcal.calibrations.methods.densities import Generative
from llrcal.densities.density import Density
from llrcal.evaluation import Evaluation
from llrcal.simulation.recognizer import DEMO_TEST, DEMO_TRAIN, PAPER_TEST, PAPER_TRAIN, simulate
from studies.claims import CLAIMS, REMARKS, claims_table

ROOT = Path(__file__).resolve().parents[1]
REAL = ROOT.parent / "shared" / "scores"
CURVE = 301
_NEAR_ZERO = 0.5  # prior log-odds
_TAIL = 1e-3  # share of the non-targets that score highest

Pair = tuple[Array, Array]
Experiment = tuple[str, Pair, Pair]


def simulated(*, full: bool) -> Iterator[Experiment]:
    """The simulated recognizer, train to test."""
    sizes = (PAPER_TRAIN, PAPER_TEST) if full else (DEMO_TRAIN, DEMO_TEST)
    (tar, non), (tar_test, non_test) = sizes
    train = simulate(targets=tar, nontargets=non, condition="train")
    test = simulate(targets=tar_test, nontargets=non_test, condition="test")
    name = "simulated, paper size" if full else "simulated, demo size"
    yield name, (train.tar, train.non), (test.tar, test.non)


def stored(folder: str, prefix: str) -> Pair:
    """Two arrays of a folder of real scores."""
    tar, non = (np.load(REAL / folder / f"{prefix}{kind}.npy") for kind in ("tar", "non"))
    return tar, non


def speech_commands() -> Iterator[Experiment]:
    """Millions of trials of a real recognizer, clean and noisy."""
    for system in ("cos", "plda"):
        with tempfile.TemporaryDirectory() as folder:
            script = REAL / "make_speech_scores.py"
            command = [sys.executable, str(script), folder, "--system", system]
            subprocess.run(command, check=True, capture_output=True)
            sets = {
                name: tuple(np.load(Path(folder) / f"{name}_{kind}.npy") for kind in ("tar", "non"))
                for name in ("dev", "eval", "evalnoisy")
            }
        for test in ("eval", "evalnoisy"):
            yield f"speech commands {system}, dev to {test}", sets["dev"], sets[test]


def asvspoof() -> Iterator[Experiment]:
    """Another train and test pair, with other speakers."""
    folder = "asvspoof2019_asv"
    yield "asvspoof 2019, dev to eval", stored(folder, "dev_"), stored(folder, "eval_")


def sre08() -> Iterator[Experiment]:
    """From one channel condition to another."""
    conditions = (
        "phonecall_phn-phonecall_phn",
        "interview_mic-interview_mic",
        "phonecall_phn-interview_mic",
    )
    for train, test in zip(conditions, (*conditions[1:], conditions[0]), strict=True):
        sets = (stored("nist_sre08", f"cond_{name}_") for name in (train, test))
        yield f"sre08, {train} to {test}", *sets  # type: ignore[misc]


def voxceleb() -> Iterator[Experiment]:
    """Every other trial to train on, the rest to test on."""
    for system in ("lda_cosine", "plda", "lda_plda"):
        tar, non = stored("voxceleb1_three_systems", f"{system}_")
        yield f"voxceleb1 {system}, halves", (tar[::2], non[::2]), (tar[1::2], non[1::2])


def experiments(*, full: bool) -> Iterator[Experiment]:
    """Every experiment that there are data for."""
    yield from simulated(full=full)
    if REAL.exists():
        for source in (speech_commands, asvspoof, sre08, voxceleb):
            yield from source()


def excess(evaluation: Evaluation, raw: Evaluation, x: Floats) -> Floats:
    """Actual over minimum Bayes error of the raw scores, less one."""
    return np.asarray(evaluation.bayes_error(x) / raw.min_bayes_error(x) - 1)


def share_above(density: Density, score: float) -> float:
    """The share of scores that a density expects above a score."""
    u = np.linspace(0, 40, 20_001)  # far enough for any tail, in units that grow
    at = score + density.scale * np.sinh(u)
    heights = np.exp(density.logpdf(at)) * density.scale * np.cosh(u)
    return float(trapezoid(heights, u))


def experiment(name: str, train: Pair, test: Pair) -> dict[str, Any]:
    """Excess error of each calibration in the left, middle and right third of the range."""
    raw = llrcal.evaluate(*test)
    low, high = raw.rule_of_30
    thirds = np.linspace(low, high, 4)
    regions = {
        "far left": np.linspace(low, low + 0.1 * (high - low), CURVE),
        "left": np.linspace(thirds[0], thirds[1], CURVE),
        "middle": np.linspace(thirds[1], thirds[2], CURVE),
        "right": np.linspace(thirds[2], thirds[3], CURVE),
        "zero": np.linspace(-_NEAR_ZERO, _NEAR_ZERO, CURVE),
        "all": np.linspace(low, high, 3 * CURVE),
    }

    seen = llrcal.evaluate(*train)
    top = np.quantile(train[1], 1 - _TAIL)

    def row(calibration: llrcal.Calibration) -> dict[str, float]:
        ev = llrcal.evaluate(calibration(test[0]), calibration(test[1]))
        everywhere = excess(ev, raw, regions["all"])
        return {
            **{place: float(excess(ev, raw, x).mean()) for place, x in regions.items()},
            "worst": float(everywhere.max()),
            "best at": float(regions["all"][everywhere.argmin()]),
            "cllr": ev.cllr,
        } | _asides(calibration)

    def _asides(calibration: llrcal.Calibration) -> dict[str, float]:
        """What single remarks are about."""
        if calibration.method == "pav":
            own = llrcal.evaluate(calibration(train[0]), calibration(train[1]))
            x = np.linspace(*seen.rule_of_30, CURVE)
            return {"worst in training": float(excess(own, seen, x).max())}
        if isinstance(calibration, Generative):
            return {"tail": share_above(calibration.non, float(top)) / _TAIL}
        return {}

    ten = llrcal.fit_all(*train, bounds="none", rising=False)
    return {
        "name": name,
        "train": [len(side) for side in train],
        "test": [len(side) for side in test],
        "range": [low, high],
        "min_cllr": raw.min_cllr,
        "eer": raw.eer,
        "empirical_alpha_log_odds": float(np.log(len(train[0]) / len(train[1]))),
        "rows": {label: row(calibration) for label, calibration in ten.items()},
        "beside": {"smooth": row(llrcal.fit(*train, method="smooth"))},
    }


def markdown(result: dict[str, Any]) -> str:
    """One experiment as a table of excess errors in per cent."""
    lines = [
        f"### {result['name']}",
        "",
        "| calibration | Cllr | far left | left | middle | right | all | worst |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for label, row in (result["rows"] | result["beside"]).items():
        places = ("far left", "left", "middle", "right", "all", "worst")
        cells = " | ".join(f"{100 * row[place]:.1f}" for place in places)
        lines.append(f"| {label} | {row['cllr']:.4f} | {cells} |")
    return "\n".join(lines)


def sets_table(results: list[dict[str, Any]]) -> str:
    """What each experiment was tested on."""
    lines = [
        "| experiment | targets | non-targets | EER, % | minCllr | rule of 30 from | to |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in results:
        tar, non = one["test"]
        low, high = one["range"]
        numbers = f"{tar:,} | {non:,} | {100 * one['eer']:.2f} | {one['min_cllr']:.4f}"
        lines.append(f"| {one['name']} | {numbers} | {low:.2f} | {high:.2f} |")
    return "\n".join(lines)


def main() -> None:
    """Run every experiment there is data for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--demo-size", action="store_true", help="simulate fewer trials")
    parser.add_argument("--output", type=Path, default=ROOT / "studies/results/evidence.json")
    options = parser.parse_args()
    results = []
    for name, train, test in experiments(full=not options.demo_size):
        results.append(experiment(name, train, test))
        print(markdown(results[-1]) + "\n", flush=True)
    print(claims_table(results, CLAIMS) + "\n")
    print(claims_table(results, REMARKS) + "\n")
    print(sets_table(results))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
