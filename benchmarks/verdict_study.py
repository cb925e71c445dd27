"""How often the verdict of a comparison is wrong, and how often it sees what is there.

Run with ``python -m benchmarks.verdict_study``; docs/verdict.md tells of the results. Four parts:

equal
    Calibrations that are equal by construction: how often is one called worse than another?
alike
    The paper's ten, trained and tested on draws of one population: how often is one called worse
    than the best that is as good in the population, or better?
power
    Two calibrations of which one is truly worse: seen as often as theory predicts?
shift
    Real scores, from like to like and from one condition to another: is any called fit?
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from statistics import NormalDist

import numpy as np

from benchmarks.evidence import REAL, Pair, asvspoof, speech_commands, sre08, stored
from llrcal.arrays import Array
from llrcal.comparison import OperatingPoint, compare
from llrcal.comparison.criterion import CRITERIA, Criterion, CriterionName
from llrcal.comparison.differences import differences
from llrcal.comparison.judged_range import CURVE
from llrcal.evaluation.bootstrap import Replicates
from llrcal.evaluation.evaluation import evaluated
from llrcal.evaluation.paired import PairedBootstrap
from llrcal.trials import Trials

TARGETS, NON_TARGETS = 120, 800
POINTS = (OperatingPoint(0.01), OperatingPoint(0.1))
RANGE = (-3.0, 3.0)
SPEAKERS = 40
HALVES = 20


def drawn_numbers(
    llrs: list[Pair], speakers: tuple[Array, Array] | None = None
) -> dict[str, Replicates]:
    """Numbers of several sets of LLRs, by their place, in the same drawn sets."""
    draws = PairedBootstrap(
        llrs[0],
        speakers,
        prior_log_odds=[point.prior_log_odds for point in POINTS],
        curve=np.linspace(*RANGE, CURVE),
        replicates=200,
    )
    for tar, non in llrs:
        draws.add(tar, non)
    return {str(i): replicates for i, replicates in enumerate(draws.replicates())}


def calls(found: dict[str, Replicates], name: CriterionName) -> list[str]:
    """Which of several sets of LLRs are called worse than the best."""
    criterion = Criterion(name, POINTS, RANGE)
    values = {
        label: float(criterion.drawn(replace(replicates, numbers=replicates.actual[None]))[0])
        for label, replicates in found.items()
    }
    drawn = {label: criterion.drawn(replicates) for label, replicates in found.items()}
    others = differences(values, drawn)
    return [label for label, other in others.items() if other.is_seen]


# ------------------------------------------------------------------------------ equal methods


def by_trial(rng: np.random.Generator) -> tuple[Pair, None]:
    """Calibrated LLRs of independent trials."""
    return (rng.normal(2, 2, TARGETS), rng.normal(-2, 2, NON_TARGETS)), None


def by_speaker(rng: np.random.Generator) -> tuple[Pair, tuple[Array, Array]]:
    """LLRs that share an effect of their speakers."""
    effect = rng.normal(0, 1, SPEAKERS)
    same = np.repeat(np.arange(SPEAKERS), TARGETS // SPEAKERS)
    enrol = rng.integers(SPEAKERS, size=NON_TARGETS)
    test = (enrol + rng.integers(1, SPEAKERS, size=NON_TARGETS)) % SPEAKERS
    tar = rng.normal(2, 1.7, TARGETS) + effect[same]
    non = rng.normal(-2, 1.4, NON_TARGETS) + effect[enrol] + effect[test]
    return (tar, non), (np.column_stack([same, same]), np.column_stack([enrol, test]))


def equal(repetitions: int) -> Iterator[str]:
    """LLRs with noise of the same size: exchangeable, so that no number of them differs."""
    yield "| drawn by | calibrations | criterion | sets with a difference seen |"
    yield "|---|---|---|---|"
    for kind in (by_trial, by_speaker):
        wrong = {(count, name): 0 for count in (2, 10) for name in CRITERIA}
        for seed in range(repetitions):
            rng = np.random.default_rng(seed)
            (tar, non), speakers = kind(rng)
            noisy = [
                (tar + rng.normal(0, 0.5, len(tar)), non + rng.normal(0, 0.5, len(non)))
                for _ in range(10)
            ]
            found = drawn_numbers(noisy, speakers)
            for count, name in wrong:
                some = {str(i): found[str(i)] for i in range(count)}
                wrong[count, name] += bool(calls(some, name))
        for (count, name), times in wrong.items():
            share, by = 100 * times / repetitions, kind.__name__.removeprefix("by_")
            yield f"| {by} | {count} | {name} | {times} of {repetitions} ({share:.1f} %) |"


# -------------------------------------------------------------------------- one population


def population(rng: np.random.Generator, targets: int, non_targets: int) -> Trials:
    return Trials(rng.normal(3, 1.3, targets), rng.gamma(4, 0.7, non_targets) - 4)


def alike(repetitions: int) -> Iterator[str]:
    """Every claim of a verdict, held against 400,000 trials of the same population."""
    large = population(np.random.default_rng(12345), 200_000, 200_000)
    columns = ("sets", "claims", "wrong", "unfit", "equals")
    tally = {name: dict.fromkeys(columns, 0) for name in CRITERIA}
    for seed in range(repetitions):
        rng = np.random.default_rng(seed)
        train, test = (population(rng, TARGETS, NON_TARGETS) for _ in range(2))
        whole = compare(train, test, points=POINTS)
        truly = {
            label: evaluated(large.mapped(candidate.calibration))
            for label, candidate in whole.candidates.items()
        }
        for name, counts in tally.items():
            found = replace(whole, criterion_name=name, asked_for_points=name == "points")
            truth = {label: found.criterion.value(ev) for label, ev in truly.items()}
            verdict = found.verdict
            worse = {*truth} - {verdict.best, *verdict.equals}
            wrong = [label for label in worse if truth[label] <= truth[verdict.best]]
            counts["sets"] += bool(wrong)
            counts["claims"] += len(worse)
            counts["wrong"] += len(wrong)
            counts["unfit"] += not verdict.fit
            counts["equals"] += len(verdict.equals)
    yield "| criterion | sets with a wrong claim | claims | wrong claims | called unfit | as good |"
    yield "|---|---|---|---|---|---|"
    for name, counts in tally.items():
        share = 100 * counts["sets"] / repetitions
        yield (
            f"| {name} | {counts['sets']} of {repetitions} ({share:.1f} %) | {counts['claims']:,} "
            f"| {counts['wrong']} | {counts['unfit']} | {counts['equals'] / repetitions:.1f} |"
        )


# ---------------------------------------------------------------------------------- power


def power(repetitions: int) -> Iterator[str]:
    """Calibrated LLRs beside the same LLRs with an offset, by their Cllr."""
    yield "| offset | trials | true difference of Cllr | predicted | seen |"
    yield "|---|---|---|---|---|"
    for offset, factor in ((0.3, 1), (0.5, 1), (0.7, 1), (0.2, 8), (0.3, 8)):
        targets, non_targets = factor * TARGETS, factor * NON_TARGETS
        difference, error = _offset_cost(offset, targets, non_targets)
        normal = NormalDist()
        least = normal.inv_cdf(0.975)
        predicted = 1 - normal.cdf(least - difference / error)
        seen = 0
        for seed in range(repetitions):
            rng = np.random.default_rng(seed)
            tar, non = rng.normal(2, 2, targets), rng.normal(-2, 2, non_targets)
            found = drawn_numbers([(tar, non), (tar + offset, non + offset)])
            seen += calls(found, "cllr") == ["1"]
        yield (
            f"| {offset} nats | {targets:,} + {non_targets:,} | {difference:.5f} | "
            f"{100 * predicted:.0f} % | {100 * seen / repetitions:.0f} % |"
        )


def _offset_cost(offset: float, targets: int, non_targets: int) -> tuple[float, float]:
    """What an offset adds to the Cllr of N(2, 2^2) against N(-2, 2^2), and its standard error.

    By quadrature: Cllr is half the sum of two means, and so is the difference of two.
    """
    z = np.linspace(-9, 9, 20_001)
    weight = np.exp(-z * z / 2)
    weight /= weight.sum()
    mean = variance = 0.0
    for sign, count in ((1.0, targets), (-1.0, non_targets)):
        llr = 2 * sign + 2 * z
        cost = np.logaddexp(0, -sign * (llr + offset)) - np.logaddexp(0, -sign * llr)
        cost /= 2 * math.log(2)
        first = float((weight * cost).sum())
        mean += first
        variance += float((weight * (cost - first) ** 2).sum()) / count
    return mean, math.sqrt(variance)


# ---------------------------------------------------------------------------------- shift


def shift(_: int) -> Iterator[str]:
    """Verdicts on real scores: pairs from one condition to another, and random halves."""
    if not REAL.exists():
        yield "There are no real scores beside the repository."
        return
    yield "| from, to | fit | error, and above the minimum | targets, non-targets moved by |"
    yield "|---|---|---|---|"
    for source in (speech_commands, sre08, asvspoof):
        for name, train, test in source():
            yield _shifted(name, _thinned(train), _thinned(test))
    yield ""
    yield "| halves of | called unfit |"
    yield "|---|---|"
    for name, (tar, non) in _whole_sets():
        unfit = 0
        for seed in range(HALVES):
            rng = np.random.default_rng(seed)
            chosen = [rng.random(len(side)) < 0.5 for side in (tar, non)]
            one = Trials(tar[chosen[0]], non[chosen[1]])
            other = Trials(tar[~chosen[0]], non[~chosen[1]])
            unfit += not compare(one, other).verdict.fit
        yield f"| {name} ({len(tar):,} + {len(non):,}) | {unfit} of {HALVES} |"


def _thinned(pair: Pair) -> Pair:
    """At most some 300,000 non-targets: enough to see any of this."""
    tar, non = pair
    return tar, non[:: max(1, len(non) // 300_000)]


def _shifted(name: str, train: Pair, test: Pair) -> str:
    found = compare(Trials(*train), Trials(*test))
    verdict, least = found.verdict, found.criterion.least(found.raw)
    value = found.ranking.values[verdict.best]
    moved = [
        (float(new.mean()) - float(old.mean())) / float(old.std())
        for old, new in zip(train, test, strict=True)
    ]
    return (
        f"| {name} | {'yes' if verdict.fit else '**no**'} | {verdict.best} {value:.3f}, "
        f"{100 * (value / least - 1):.0f} % | {moved[0]:+.2f}, {moved[1]:+.2f} |"
    )


def _whole_sets() -> Iterator[tuple[str, Pair]]:
    for name in ("phonecall_phn-phonecall_phn", "interview_mic-interview_mic"):
        yield f"sre08 {name}", stored("nist_sre08", f"cond_{name}_")
    for name in ("phonecall_phn-interview_mic", "interview_mic-phonecall_phn"):
        yield f"sre08 {name}", stored("nist_sre08", f"cond_{name}_")
    for name in ("lda_cosine", "plda"):
        yield f"voxceleb1 {name}", stored("voxceleb1_three_systems", f"{name}_")
    for name in ("dev", "eval"):
        yield f"asvspoof 2019 {name}", stored("asvspoof2019_asv", f"{name}_")
    yield "bssr1 finger", stored("nist_bssr1", "finger_right_")
    yield "bssr1 face C", stored("nist_bssr1", "face_C_")
    yield "deepface vggface", stored("deepface_pairs", "vggface_cosine_")
    yield "human listeners", stored("human_listeners", "")


PARTS: dict[str, Callable[[int], Iterator[str]]] = {
    "equal": equal,
    "alike": alike,
    "power": power,
    "shift": shift,
}


def main() -> None:
    """Run the parts that are named, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="which parts to run")
    parser.add_argument("--repetitions", type=int, default=200)
    options = parser.parse_args()
    for name in options.parts or PARTS:
        print(f"\n### {name}\n", flush=True)
        for line in PARTS[name](options.repetitions):
            print(line, flush=True)


if __name__ == "__main__":
    main()
