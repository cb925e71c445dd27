"""The paper's 42 million training scores and 9 million trials: us, numpy.sort, and the peers.

Everything is measured in one process, side by side, since machines differ and have moods. Run it
with ``make bench``, or ``make bench-quick`` for a fortieth of the scores.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import llrcal
from studies import exactness, peers
from studies.measure import Measured, measure
from studies.paper_scores import TEST, TRAIN, Scores, paper_scores

X = np.linspace(-12, 8, 1001)


def full_evaluation(llrs: Scores) -> llrcal.Evaluation:
    """Everything an evaluation has to say, with two 1,001-point curves."""
    ev = llrcal.evaluate(llrs.tar, llrs.non)
    _ = ev.cllr, ev.min_cllr, ev.eer, ev.rule_of_30, ev.bayes_error(X), ev.min_bayes_error(X)
    return ev


def our_steps(train: Scores, test: Scores) -> dict[str, Measured]:
    """Each of our steps, the best of three."""
    steps: dict[str, Measured] = {}

    def step(name: str, work: Callable[[], Any]) -> Any:
        steps[name] = measure(work, repeat=3)
        print(f"  {name:<32} {steps[name].seconds:8.3f} s {steps[name].megabytes:8.0f} MB")
        return steps[name].answer

    step("fit_all: the paper's ten", lambda: llrcal.fit_all(train.tar, train.non))
    for method in llrcal.METHODS:
        step(f"fit {method}", partial(llrcal.fit, train.tar, train.non, method=method))
    for method in llrcal.METHODS:
        calibration = steps[f"fit {method}"].answer
        step(f"apply {method}", partial(calibration, test.non))
    nig = steps["fit nig"].answer
    llrs = Scores(nig(test.tar), nig(test.non))
    step("evaluate, with two curves", lambda: full_evaluation(llrs))
    step("evaluate: EER, Cllr, minCllr", lambda: _three_numbers(llrs))
    return steps


def measured_growth(scores: Scores) -> dict[str, float]:
    """How much longer each step takes on all scores than on a tenth of them.

    Training scores also serve as test scores here, so that every step sees both sizes.
    """
    print("growth: a tenth of the training scores, then all of them, for every step")
    part = Scores(scores.tar, scores.non[: len(scores.non) // 10].copy())
    small, large = our_steps(part, part), our_steps(scores, scores)
    return {name: large[name].seconds / small[name].seconds for name in small}


def _three_numbers(llrs: Scores) -> tuple[float, float, float]:
    ev = llrcal.evaluate(llrs.tar, llrs.non)
    return ev.eer, ev.cllr, ev.min_cllr


def largest_within(seconds: float, work: Callable[[Any], Any], scores: Any) -> tuple[int, float]:
    """Largest doubling subset on which some work ends in time, and the time it takes."""
    size, best = 2_000, (0, float("nan"))
    while size <= len(scores):
        took = measure(partial(work, scores[:size])).seconds
        best = (size, took)
        if took > seconds / 2.5:
            break
        size *= 2
    return best


def peer_steps(train: Scores, test: Scores, limit: float) -> dict[str, tuple[int, Measured]]:
    """Each peer: how many scores it was given, and what it took."""
    rows: dict[str, tuple[int, Measured]] = {}

    def add(name: str, count: int, measured: Measured) -> None:
        rows[name] = count, measured
        print(f"  {name:<32} {measured.seconds:8.3f} s {measured.megabytes:8.0f} MB")

    trained, tested = len(train.tar) + len(train.non), len(test.tar) + len(test.non)
    add("scikit-learn isotonic", trained, measure(lambda: peers.isotonic(train)))
    add("scikit-learn logistic", trained, measure(lambda: peers.logistic(train)))
    add("lir isotonic", trained, measure(lambda: peers.lir_isotonic(train)))
    add("lir logistic", trained, measure(lambda: peers.lir_logistic(train)))
    add("lir Cllr and minimum", tested, measure(lambda: peers.lir_costs(test)))
    add("llreval", tested, measure(lambda: peers.evaluation(test)))
    for name, work in (("scipy t.fit", peers.student_t), ("scipy norminvgauss.fit", peers.nig)):
        count, seconds = largest_within(limit, work, train.non)
        add(name, count, Measured(seconds, float("nan"), None))
    return rows


# Which of our steps does what a peer does.
SAME_WORK = {
    "scikit-learn isotonic": "fit pav",
    "scikit-learn logistic": "fit logistic",
    "lir isotonic": "fit pav",
    "lir logistic": "fit logistic",
    "lir Cllr and minimum": "evaluate: EER, Cllr, minCllr",
    "llreval": "evaluate: EER, Cllr, minCllr",
    "scipy t.fit": "fit student-t",
    "scipy norminvgauss.fit": "fit nig",
}


def run(scale: float, *, seconds_per_peer: float) -> None:
    """The whole benchmark at a share of the paper's size."""
    train_size, test_size = ((t, int(n * scale)) for t, n in (TRAIN, TEST))
    train, test = paper_scores(train_size, 1), paper_scores(test_size, 2)
    ours = our_steps(train, test)
    sorts = {
        name: measure(partial(np.sort, scores.non), repeat=3).seconds
        for name, scores in (("train", train), ("test", test))
    }
    growth = measured_growth(train)
    calibrations = {name: ours[f"fit {name}"].answer for name in ("pav", "student-t", "nig")}
    llrs = Scores(calibrations["nig"](test.tar), calibrations["nig"](test.non))
    others = peer_steps(train, llrs, seconds_per_peer)
    print("\n| step | seconds | x numpy.sort | peak MB | x a tenth |\n|---|---|---|---|---|")
    for name, took in ours.items():
        sort = sorts["train" if name.startswith("fit") else "test"]
        print(
            f"| {name} | {took.seconds:.3f} | {took.seconds / sort:.2f} | {took.megabytes:.0f} "
            f"| {growth[name]:.1f} |"
        )
    print("\n| peer | scores | seconds | peak MB | our step | slower per score |")
    print("|---|---|---|---|---|---|")
    for name, (count, took) in others.items():
        mine = SAME_WORK[name]
        every = sum(train_size if mine.startswith("fit") else test_size)
        slower = took.seconds / count / (ours[mine].seconds / every)
        megabytes = "" if np.isnan(took.megabytes) else f"{took.megabytes:.0f}"
        print(
            f"| {name} | {count:,} | {took.seconds:.1f} | {megabytes} | {mine} | {slower:,.0f} x |"
        )
    print("\n| check | result |\n|---|---|")
    for name, found in _checks(calibrations, train, llrs).items():
        print(f"| {name} | {found} |")
    print("\n| scores | targets | non-targets | numpy.sort, s |\n|---|---|---|---|")
    for name, (targets, nontargets) in (("train", train_size), ("test", test_size)):
        print(f"| {name} | {targets:,} | {nontargets:,} | {sorts[name]:.3f} |")


def _checks(
    calibrations: dict[str, llrcal.Calibration], train: Scores, llrs: Scores
) -> dict[str, str]:
    """The fast answers against slow and obvious ones."""

    def gradient(name: str) -> str:
        return f"{exactness.likelihood_gradient(calibrations[name], train):.1e}"

    same = {True: "yes", False: "NO"}
    evaluation = full_evaluation(llrs)
    return {
        "largest component of the gradient of the exact likelihood, NIG": gradient("nig"),
        "the same, Student-T": gradient("student-t"),
        "PAV equals that of sorting everything": same[
            exactness.pav_is_exact(calibrations["pav"], train)
        ],
        "evaluation equals that of sorting everything": same[
            exactness.evaluation_is_exact(evaluation, llrs, X)
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a fortieth of the scores")
    options = parser.parse_args()
    if options.quick:
        run(1 / 40, seconds_per_peer=5)
    else:
        run(1.0, seconds_per_peer=30)


if __name__ == "__main__":
    main()
