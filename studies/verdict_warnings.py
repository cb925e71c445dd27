"""What a straight line gains on LLRs, and which warnings ``evaluate`` gives.

A part of :mod:`studies.verdict_study`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import llrcal
from llrcal.evaluation.evaluate import evaluate_quietly
from studies.evidence import REAL, Experiment, Pair, asvspoof, speech_commands, sre08, stored
from studies.unshifted import HALVED, halves

RAW = {
    "voxceleb1 lda_cosine": ("voxceleb1_three_systems", "lda_cosine_"),
    "voxceleb1 plda": ("voxceleb1_three_systems", "plda_"),
    "voxceleb1 lda_plda": ("voxceleb1_three_systems", "lda_plda_"),
    "bssr1 face C": ("nist_bssr1", "face_C_"),
    "bssr1 finger": ("nist_bssr1", "finger_right_"),
}
SUBMITTED = (
    "phonecall_phn-phonecall_phn",
    "interview_mic-interview_mic",
    "interview_mic-phonecall_phn",
    "phonecall_phn-interview_mic",
)
METHODS = ("nig", "logistic", "pav")


def gains(_: int) -> Iterator[str]:
    """What a line gains on LLRs of many kinds, as a share of what it leaves."""
    if not REAL.exists():
        yield "There are no real scores beside the repository."
        return
    yield "| LLRs | gain | warning |"
    yield "|---|---|---|"
    for name, pair in _scores():
        yield _row(name, *_gain(pair))
    for name, train, test in _shifted():
        yield _row(f"nig, {name}", *_gain(_llrs("nig", train, test)))
    for method in METHODS:
        found = {}
        for name in HALVED:
            pairs = halves(name, 0)[1:]
            found[name] = _gain(_llrs(method, *pairs))
        quiet = {name: gain for name, (gain, code) in found.items() if not code}
        for name, one in found.items():
            if name not in quiet:
                yield _row(f"{method}, other half of {name}", *one)
        yield (
            f"| {method}, other halves of {len(quiet)} sets | {min(quiet.values()):.2f} to "
            f"{max(quiet.values()):.2f} | none |"
        )


def _row(name: str, gain: float, code: str) -> str:
    return f"| {name} | {gain:.2g} | {code or 'none'} |"


def _scores() -> Iterator[tuple[str, Pair]]:
    """Raw scores, and LLRs as they were submitted."""
    for name, train, test in (*speech_commands(), *asvspoof()):
        source, _, sets = name.partition(", ")
        first, second = sets.split(" to ") if sets else ("dev", "eval")
        if second == "eval":
            yield f"{source}, raw, {first}", train
        yield f"{source}, raw, {second}", test
    for name, place in RAW.items():
        yield f"{name}, raw", stored(*place)
    for name in SUBMITTED:
        yield f"sre08 {name}, as submitted", stored("nist_sre08", f"cond_{name}_")


def _shifted() -> Iterator[Experiment]:
    yield from (one for one in speech_commands() if one[0].startswith("speech commands cos"))
    yield next(iter(sre08()))
    yield from asvspoof()


def _llrs(method: str, train: Pair, test: Pair) -> Pair:
    (cal,) = llrcal.fit_all(*train, methods=[method]).values()
    tar, non = (cal.without_warnings(side) for side in test)
    return tar, non


def _gain(llrs: Pair) -> tuple[float, str]:
    """What the best line through LLRs gains, and the code of the warning."""
    ev = evaluate_quietly(*llrs)
    line = llrcal.fit(*llrs, method="logistic", bounds="none", rising=False)
    left = evaluate_quietly(*map(line.without_warnings, llrs)).cllr
    return ev.cllr / left - 1, ", ".join(note.code for note in ev.notes)


def quiet(repetitions: int) -> Iterator[str]:
    """How many simulated sets of calibrated LLRs, of 5 to 3,000 targets, get a warning."""
    warned = 0
    for seed in range(repetitions):
        rng = np.random.default_rng(seed)
        targets = int(np.exp(rng.uniform(np.log(5), np.log(3_000))))
        mean = rng.uniform(0.5, 6)
        tar = rng.normal(mean, np.sqrt(2 * mean), targets)
        non = rng.normal(-mean, np.sqrt(2 * mean), 10 * targets)
        warned += bool(evaluate_quietly(tar, non).notes)
    yield "| calibrated LLRs | with a warning |"
    yield "|---|---|"
    yield f"| {repetitions:,} simulated sets | {warned} |"
