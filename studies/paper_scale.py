"""The paper's 42 million training scores and 9 million trials: us, numpy.sort, and the peers.

Everything is measured in one process, side by side, since machines differ and have moods. Run it
with ``make bench``, or ``make bench-quick`` for a tenth of the scores.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import llrcal
from studies import exactness, peers
from studies.measure import Measured, machine, measure
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


def peer_steps(train: Scores, test: Scores, limit: float) -> dict[str, tuple[int, float, float]]:
    """Each peer: scores it was given, seconds, megabytes."""
    rows: dict[str, tuple[int, float, float]] = {}

    def add(name: str, count: int, measured: Measured) -> None:
        rows[name] = (count, measured.seconds, measured.megabytes)
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


def run(scale: float, *, seconds_per_peer: float, check: bool) -> dict[str, Any]:
    """The whole benchmark at a share of the paper's size."""
    train_size, test_size = ((t, int(n * scale)) for t, n in (TRAIN, TEST))
    train, test = paper_scores(train_size, 1), paper_scores(test_size, 2)
    print(f"training on {train_size}, testing on {test_size} (targets, non-targets)")
    ours = our_steps(train, test)
    sorts = {
        "train": measure(lambda: np.sort(train.non), repeat=3).seconds,
        "test": measure(lambda: np.sort(test.non), repeat=3).seconds,
    }
    print(f"  numpy.sort: {sorts['train']:.3f} s and {sorts['test']:.3f} s")
    nig = ours["fit nig"].answer
    exact: dict[str, Any] = {}
    if check:
        llrs = Scores(nig(test.tar), nig(test.non))
        t = ours["fit student-t"].answer
        exact = {
            "gradient nig": exactness.likelihood_gradient(nig, train),
            "gradient student-t": exactness.likelihood_gradient(t, train),
            "pav equals the sort-everything oracle": exactness.pav_is_exact(
                ours["fit pav"].answer, train
            ),
            "evaluation equals the sort-everything oracle": exactness.evaluation_is_exact(
                full_evaluation(llrs), llrs, X
            ),
        }
        print(f"  {exact}")
    growth = measured_growth(train)
    others = peer_steps(train, Scores(nig(test.tar), nig(test.non)), seconds_per_peer)
    return _tables(train_size, test_size, ours, growth, sorts, others) | {"exactness": exact}


def _tables(
    train_size: tuple[int, int],
    test_size: tuple[int, int],
    ours: dict[str, Measured],
    growth: dict[str, float],
    sorts: dict[str, float],
    others: dict[str, tuple[int, float, float]],
) -> dict[str, Any]:
    trained, tested = sum(train_size), sum(test_size)
    steps = []
    for name, measured in ours.items():
        which = "train" if name.startswith("fit") else "test"
        steps.append(
            {
                "step": name,
                "seconds": measured.seconds,
                "per_sort": measured.seconds / sorts[which],
                "megabytes": measured.megabytes,
                "growth_from_a_tenth": growth[name],
            }
        )
    rivals = []
    for name, (count, seconds, megabytes) in others.items():
        mine = SAME_WORK[name]
        all_of_it = trained if mine.startswith("fit") else tested
        per_score = ours[mine].seconds / all_of_it
        rivals.append(
            {
                "peer": name,
                "scores": count,
                "seconds": seconds,
                "megabytes": megabytes,
                "our_step": mine,
                "times_slower_per_score": seconds / count / per_score,
            }
        )
    return {
        "machine": machine(),
        "train": train_size,
        "test": test_size,
        "numpy_sort_seconds": sorts,
        "steps": steps,
        "peers": rivals,
    }


def markdown(result: dict[str, Any]) -> str:
    """The results as tables."""
    lines = ["| step | seconds | x numpy.sort | peak MB | x a tenth |", "|---|---|---|---|---|"]
    lines += [
        f"| {s['step']} | {s['seconds']:.3f} | {s['per_sort']:.2f} | {s['megabytes']:.0f} "
        f"| {s['growth_from_a_tenth']:.1f} |"
        for s in result["steps"]
    ]
    lines += ["", "| peer | scores | seconds | peak MB | our step | slower per score |"]
    lines += ["|---|---|---|---|---|---|"]
    lines += [
        f"| {p['peer']} | {p['scores']:,} | {p['seconds']:.1f} | {p['megabytes']:.0f} "
        f"| {p['our_step']} | {p['times_slower_per_score']:,.0f} x |"
        for p in result["peers"]
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a fortieth of the scores")
    parser.add_argument("--output", type=Path, default=Path("studies/results/paper_scale.json"))
    options = parser.parse_args()
    if options.quick:
        result = run(1 / 40, seconds_per_peer=5, check=True)
    else:
        result = run(1.0, seconds_per_peer=60, check=True)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=1) + "\n")
    print("\n" + markdown(result) + f"\n\nwritten to {options.output}")


if __name__ == "__main__":
    main()
