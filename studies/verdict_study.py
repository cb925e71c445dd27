"""How often the verdict of a comparison is wrong, and how often it sees what is there.

Run with ``python -m studies.verdict_study``; docs/studies/verdict.md has the results. Its parts:

equal
    Calibrations that are equal by construction: how often is one called worse than another?
alike
    All methods, trained and tested on draws of one population: how often is one called worse than
    the best that is as good in the population, or better?
power
    Two calibrations of which one is truly worse: seen as often as theory predicts?
shift
    Real scores, from one condition to another: is any calibration called fit?
halves
    Random halves of real sets, by speaker where speakers are known: is any called unfit?
gains, quiet
    What a line gains on LLRs of many kinds, and whether ``evaluate`` warns.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from statistics import NormalDist

import numpy as np

from llrcal.arrays import Array
from llrcal.calibrations import Calibration
from llrcal.comparison import OperatingPoint, compare
from llrcal.comparison.ranking import CRITERIA, CURVE, Criterion, CriterionName, differences
from llrcal.evaluation.bootstrap import Bootstrap, Replicates
from llrcal.evaluation.evaluate import evaluate_quietly
from llrcal.evaluation.llrs import WholeLLRs
from llrcal.evaluation.measures import Asked
from llrcal.evaluation.statistics import cost_statistic
from llrcal.trials import Trials
from studies.evidence import REAL, Pair, asvspoof, speech_commands, sre08
from studies.verdict_halves import MOST_NON_TARGETS, halves
from studies.verdict_warnings import gains, quiet

TARGETS, NON_TARGETS = 120, 800
POINTS = (OperatingPoint(0.01), OperatingPoint(0.1))
RANGE = (-3.0, 3.0)
SPEAKERS = 40
OFFSETS = ((0.3, 1), (0.5, 1), (0.7, 1), (1.0, 1), (0.2, 8), (0.3, 8), (0.5, 8))
"""Offsets in nats, and by how many times there are more trials."""


def drawn_numbers(
    llrs: list[Pair], speakers: tuple[Array, Array] | None = None
) -> dict[str, Replicates]:
    """Numbers of several sets of LLRs, by their place, in the same drawn sets."""
    tar_order, non_order = (np.argsort(side, kind="stable") for side in llrs[0])
    if speakers is not None:
        speakers = speakers[0][tar_order], speakers[1][non_order]
    asked = Asked(tuple(POINTS), range=np.linspace(*RANGE, CURVE))
    statistics = [
        cost_statistic(WholeLLRs(tar[tar_order], non[non_order]).sides, asked) for tar, non in llrs
    ]
    found = Bootstrap(200, speakers=speakers).replicates(statistics)
    return {str(i): replicates for i, replicates in enumerate(found)}


def calls(found: dict[str, Replicates], name: CriterionName, llrs: list[Pair]) -> list[str]:
    """Which of several sets of LLRs are called worse than the best."""
    criterion = Criterion(name, POINTS, RANGE)
    values = {
        label: float(
            criterion.drawn(replace(one, drawn={k: v[None] for k, v in one.actual.items()}))[0]
        )
        for label, one in found.items()
    }
    drawn = {label: criterion.drawn(replicates) for label, replicates in found.items()}
    every = {label: evaluate_quietly(*llrs[int(label)]) for label in found}
    best = every[min(values, key=lambda label: values[label])]
    one_trial = {label: criterion.cost_of_one_trial(best, one) for label, one in every.items()}
    others = differences(values, drawn, one_trial)
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
                wrong[count, name] += bool(calls(some, name, noisy))
        for (count, name), times in wrong.items():
            by = kind.__name__.removeprefix("by_")
            yield f"| {by} | {count} | {name} | {times} of {repetitions} |"


# -------------------------------------------------------------------------- one population


Population = Callable[[np.random.Generator, int, int], Pair]
"""Draws so many targets and non-targets."""

SIZES = ((20, 160), (50, 400))
ENDLESS = 60_000  # trials of either class
CHOSEN: dict[str, Population] = {
    "normal and gamma": lambda r, t, n: (r.normal(3, 1.3, t), r.gamma(4, 0.7, n) - 4),
    "normal": lambda r, t, n: (r.normal(2, 2, t), r.normal(-2, 2, n)),
    "student": lambda r, t, n: (2 * r.standard_t(4, t) + 3, 1.5 * r.standard_t(5, n) - 1),
    "poor": lambda r, t, n: (r.normal(1, 1, t), r.normal(0, 1, n)),
}
"""The populations on which the allowance for trials that were not seen was chosen."""
OTHERS: dict[str, Population] = {
    "mixture": lambda r, t, n: (
        np.where(r.random(t) < 0.3, r.normal(0, 1, t), r.normal(4, 1, t)),
        r.normal(-1, 1.2, n),
    ),
    "gumbel and logistic": lambda r, t, n: (r.gumbel(2, 1.2, t), r.logistic(-1, 0.8, n)),
    "wide targets": lambda r, t, n: (r.normal(4, 3, t), r.normal(-1, 0.7, n)),
    "exponential": lambda r, t, n: (4 - r.exponential(1.5, t), r.normal(0, 1, n)),
}


def sre08_phones() -> dict[str, Population]:
    """Draws of real scores, if there are any; all of them are the population."""
    names = [f"cond_phonecall_phn-phonecall_phn_{kind}.npy" for kind in ("tar", "non")]
    if not (REAL / "nist_sre08" / names[0]).exists():
        return {}
    tar, non = (np.load(REAL / "nist_sre08" / name).astype(float) for name in names)
    return {"sre08, phones": lambda r, t, n: (r.choice(tar, t), r.choice(non, n))}


def alike(repetitions: int) -> Iterator[str]:
    """Every claim of a verdict, held against many trials of the same population."""
    yield "| trials | criterion | sets with a wrong claim | claims | wrong claims |"
    yield "|---|---|---|---|---|"
    populations = CHOSEN | OTHERS | sre08_phones()
    large = {
        name: Trials(*draw(np.random.default_rng(12345), ENDLESS, ENDLESS))
        for name, draw in populations.items()
    }
    for size in SIZES:
        tally = {name: Counter[str]() for name in CRITERIA}
        for seed in range(repetitions):
            name = list(populations)[seed % len(populations)]
            _count_claims(tally, populations[name], large[name], size, seed)
        for criterion, counts in tally.items():
            yield (
                f"| {size[0]} + {size[1]} | {criterion} | {counts['sets']} of {repetitions} | "
                f"{counts['claims']} | {counts['wrong']} |"
            )


def _count_claims(
    tally: dict[CriterionName, Counter[str]],
    draw: Population,
    large: Trials,
    size: tuple[int, int],
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    train, test = (Trials(*draw(rng, *size)) for _ in range(2))
    whole = compare(train, test, points=POINTS)
    truly = {
        label: evaluate_quietly(large.mapped(candidate.calibration.without_warnings))
        for label, candidate in whole.candidates.items()
        if isinstance(candidate.calibration, Calibration)
    }
    for name, counts in tally.items():
        found = replace(whole, criterion_name=name, asked_for_points=name == "points")
        truth = {label: found.criterion.value(ev) for label, ev in truly.items()}
        verdict = found.verdict
        worse = {*truth} - {verdict.best, *verdict.equals}
        wrong = [label for label in worse if truth[label] <= truth[verdict.best]]
        counts.update(sets=bool(wrong), claims=len(worse), wrong=len(wrong))


# ---------------------------------------------------------------------------------- power


def power(repetitions: int) -> Iterator[str]:
    """Calibrated LLRs beside the same LLRs with an offset."""
    yield f"| offset | trials | {' | '.join(CRITERIA)} |"
    yield "|---|---|" + len(CRITERIA) * "---|"
    for offset, factor in OFFSETS:
        targets, non_targets = factor * TARGETS, factor * NON_TARGETS
        seen = dict.fromkeys(CRITERIA, 0)
        for seed in range(repetitions):
            rng = np.random.default_rng(seed)
            tar, non = rng.normal(2, 2, targets), rng.normal(-2, 2, non_targets)
            both = [(tar, non), (tar + offset, non + offset)]
            found = drawn_numbers(both)
            for name in CRITERIA:
                seen[name] += calls(found, name, both) == ["1"]
        cells = []
        for name in CRITERIA:
            difference, predicted = _predicted(name, offset, targets, non_targets)
            share = seen[name] / repetitions
            cells.append(f"{difference:.4f}: {100 * predicted:.0f} %, {100 * share:.0f} %")
        yield f"| {offset} nats | {targets:,} + {non_targets:,} | {' | '.join(cells)} |"


def _predicted(
    name: CriterionName, offset: float, targets: int, non_targets: int
) -> tuple[float, float]:
    """What an offset adds to a criterion for N(2, 2^2) against N(-2, 2^2), and its chance.

    By quadrature: each criterion is a sum of two means of costs, and so is the difference of two.
    It is taken for normal, and seen if it exceeds 1.96 of the deviations that a verdict goes by.
    """
    z = np.linspace(-9, 9, 200_001)
    weight = np.exp(-z * z / 2)
    weight /= weight.sum()
    mean = variance = one_trial = 0.0
    for sign, count in ((1.0, targets), (-1.0, non_targets)):
        costs = [
            _cost(name, llr + offset, sign) - _cost(name, llr, sign)
            for llr in (2 * sign + 2 * z, -2 * sign + 2 * z)
        ]
        first = float((weight * costs[0]).sum())
        mean += first
        variance += float((weight * (costs[0] - first) ** 2).sum()) / count
        unseen = float((weight * np.square(costs)).sum()) / 2  # where either class scores
        if name != "cllr":
            unseen = float(_cost(name, np.array([-sign * math.inf]), sign)[0]) ** 2
        one_trial += unseen / count**2
    error = math.sqrt(variance)
    least = NormalDist().inv_cdf(0.975) * math.hypot(error, math.sqrt(one_trial))
    return mean, 1 - NormalDist().cdf((least - mean) / error)


def _cost(name: CriterionName, llrs: Array, sign: float) -> Array:
    """What each target (sign 1) or non-target (sign -1) adds to a criterion, as a mean."""
    if name == "cllr":
        return np.asarray(np.logaddexp(0, -sign * llrs) / (2 * math.log(2)))
    priors = np.linspace(*RANGE, CURVE)
    if name == "points":
        priors = np.array([point.prior_log_odds for point in POINTS])
    # A target is missed where its LLR lies below minus the prior log-odds, and costs P / min(P,
    # 1 - P) there; a non-target likewise at the negated LLR and log-odds.
    signed = np.sort(sign * priors)
    costs = np.append(0, np.cumsum(np.exp(np.maximum(signed, 0)))) / len(priors)
    return np.asarray(costs[np.searchsorted(signed, -sign * llrs)])


# ---------------------------------------------------------------------------------- shift


def shift(_: int) -> Iterator[str]:
    """Verdicts on real scores, from one condition to another."""
    if not REAL.exists():
        yield "There are no real scores beside the repository."
        return
    yield "| from, to | fit | error, and above the minimum | targets, non-targets moved by |"
    yield "|---|---|---|---|"
    for source in (speech_commands, sre08, asvspoof):
        for name, train, test in source():
            yield _shifted(name, _thinned(train), _thinned(test))


def _thinned(pair: Pair) -> Pair:
    tar, non = pair
    return tar, non[:: max(1, len(non) // MOST_NON_TARGETS)]


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


PARTS: dict[str, tuple[Callable[[int], Iterator[str]], int]] = {
    "equal": (equal, 60),
    "alike": (alike, 45),
    "power": (power, 40),
    "shift": (shift, 1),
    "halves": (halves, 10),
    "gains": (gains, 1),
    "quiet": (quiet, 1_000),
}
"""Each with its number of repetitions."""


def main() -> None:
    """Run the parts that are named, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="which parts to run")
    parser.add_argument("--repetitions", type=int)
    options = parser.parse_args()
    for name in options.parts or PARTS:
        part, repetitions = PARTS[name]
        print(f"\n### {name}\n", flush=True)
        for line in part(options.repetitions or repetitions):
            print(line, flush=True)


if __name__ == "__main__":
    main()
