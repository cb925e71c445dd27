"""Counted trials: whatever is asked of them has the bits of the scores written out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

import llrcal
from llrcal import Counts, LlrcalError, Trials
from llrcal.arrays import Array
from llrcal.evaluation.evaluate import evaluate_quietly
from llrcal.evaluation.llrs import EvidenceFold
from llrcal.onepass.chunks import CountedFold
from llrcal.onepass.grid import ALL_KEYS, Grid, SampleFold
from llrcal.onepass.ranks import CountFold, Distinct, EndsFold, Runs, Sieve
from llrcal.onepass.summary import EXACT_UP_TO, KEPT_UP_TO, Summary, SummaryFold
from llrcal.onepass.sums import CostFold, SumFold
from tests.examples import examples

PRIORS = np.linspace(-7, 7, 15)
METHODS: list[tuple[str, dict[str, Any]]] = [
    *((method, {}) for method in llrcal.METHODS),
    ("logistic", {"rule": "brier", "alpha": "empirical"}),
    ("gaussian", {"bayes": True}),
    ("nig", {"bounds": "elub"}),
    ("smooth", {"lower_is_better": True}),
]


def both(tar: Array, non: Array) -> tuple[Counts, Trials]:
    """Trials, counted and written out in another order."""
    scores = np.union1d(tar, non)
    targets, nontargets = (
        np.bincount(np.searchsorted(scores, side), minlength=len(scores)) for side in (tar, non)
    )
    return Counts(scores, targets, nontargets), Trials(tar, non)


def tied(seed: int, tar: int, non: int, step: float) -> tuple[Counts, Trials]:
    """Scores on a grid, of which there are as many as there are targets and non-targets."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(1.5, 1.2, tar), rng.standard_t(6, non)
    return both(*(np.round(side / step) * step + 0.0 for side in scores))


def answer(ask: Callable[[], Any]) -> str:
    """What comes out, to the last bit: an answer, or an error; and warnings."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = repr(ask())
        except LlrcalError as problem:
            found = f"{type(problem).__name__}: {problem}"
    return "\n".join([found, *(str(one.message) for one in told)])


def assert_same(ask: Callable[[Any], Any], counts: Counts, trials: Trials) -> None:
    assert answer(lambda: ask(counts)) == answer(lambda: ask(trials))


def fitted(method: str, options: dict[str, Any], trials: Any) -> Any:
    cal: Any = llrcal.fit(trials, method=method, **options)
    return cal.to_model(), cal.bounds, cal.margins, cal.portrait, cal.report


def numbers(trials: Any) -> Any:
    ev = evaluate_quietly(trials)
    curves = [ev.bayes_error, ev.min_bayes_error, ev.cross_entropy, ev.min_cross_entropy]
    rates = [ev.threshold(), ev.threshold(pfa=0.1), ev.threshold(pmiss=0.3), ev.error_rates]
    return (
        ev.to_dict(rules=["brier", "log"], forensic=True),
        [curve(PRIORS).tolist() for curve in curves],
        [ev.pmiss(PRIORS).tolist(), ev.pfa(PRIORS).tolist(), ev.notes, ev.bulk(0.01)],
        [ev.tar_range, ev.non_range, ev.cllr_multiplied(2.0), rates],
    )


def intervals(trials: Any) -> Any:
    bands = evaluate_quietly(trials).bands(replicates=39)
    found = evaluate_quietly(trials).intervals(replicates=39, forensic=True, rules=["brier"])
    curves = [bands.cross_entropy(PRIORS), bands.bayes_error(PRIORS), *bands.rates(PRIORS)]
    return found, np.array(curves).tolist()


SIZES = {
    "few": (60, 400, 0.25),
    "exact": (EXACT_UP_TO, EXACT_UP_TO + 1, 0.01),
    "kept": (3000, KEPT_UP_TO, 1e-4),
    "binned": (EXACT_UP_TO + 1, KEPT_UP_TO + 1, 1e-5),
}


@pytest.mark.parametrize("size", SIZES)
class TestSizes:
    """Up to some sizes, sets are kept score by score: those of all scores, distinct or not."""

    @pytest.mark.parametrize(("method", "options"), METHODS)
    def test_fits(self, size: str, method: str, options: dict[str, Any]) -> None:
        assert_same(partial(fitted, method, options), *tied(1, *SIZES[size]))

    def test_numbers(self, size: str) -> None:
        counts, trials = tied(2, *SIZES[size])
        assert_same(numbers, counts, trials)
        for method in ("pav", "nig"):
            cal = llrcal.fit(trials, method=method, bounds="none").without_warnings
            assert_same(lambda one, cal=cal: numbers(one.mapped(cal)), counts, trials)  # type: ignore[misc]

    def test_intervals(self, size: str) -> None:
        counts, trials = tied(3, *SIZES[size])
        steps = llrcal.fit(trials, method="pav").without_warnings
        assert_same(lambda one: intervals(one.mapped(steps)), counts, trials)

    def test_all_scores_whatever_their_labels(self, size: str) -> None:
        assert_same(lambda one: written(one.pooled()), *tied(4, *SIZES[size]))


def test_the_field() -> None:
    counts, trials = tied(4, 60, 900, 0.05)
    old = llrcal.fit(*tied(5, 300, 3000, 0.01)[1], method="nig")
    assert_same(lambda one: adapted(old, one), counts, trials)
    assert_same(lambda one: llrcal.watch(old, one), counts, trials)


def adapted(old: llrcal.Calibration, field: Any) -> Any:
    new = llrcal.adapt(old, field)
    return new.to_model(), new.adapted


def written(value: Any) -> str:
    """All of a value."""
    with np.printoptions(threshold=10**6, floatmode="unique"):
        return repr(value)


@examples(25)
@given(
    st.lists(st.integers(-6, 6), min_size=1, max_size=30),
    st.lists(st.integers(-6, 6), min_size=1, max_size=30),
    st.sampled_from([1.0, 1e-300, 2.0**40]),
    st.sampled_from(METHODS),
)
def test_any_few_scores(
    tar: list[int], non: list[int], unit: float, chosen: tuple[str, dict[str, Any]]
) -> None:
    counts, trials = both(np.array(tar) * unit, np.array(non) * unit)
    assert_same(partial(fitted, *chosen), counts, trials)
    assert_same(numbers, counts, trials)


@pytest.mark.parametrize("rising", [True, False])
@pytest.mark.parametrize("criterion", ["range", "cllr"])
def test_comparisons(rising: bool, criterion: str) -> None:
    """Falling calibrations among them: trials keep their order, whatever their LLRs are."""
    options: dict[str, Any] = {"bounds": "counts" if rising else "none"}
    options |= {"replicates": 19, "rising": rising, "criterion": criterion, "inverted": True}
    methods: list[Any] = ["pav", "gaussian", "logistic", ("nig", {"bayes": True})]
    train, test = tied(6, 80, 900, 0.05), tied(7, 90, 800, 0.05)

    def compared(kind: int) -> Any:
        found = llrcal.compare(train[kind], test[kind], methods=methods, **options)
        return found.to_dict(), found.verdict, found.ranking.others

    assert answer(partial(compared, 0)) == answer(partial(compared, 1))


# ---------------------------------------------------------------- folds

FOLDS: dict[str, Callable[[], CountedFold[Any]]] = {
    "sample": lambda: SampleFold(ALL_KEYS),
    "some keys": lambda: SampleFold(ALL_KEYS // 3),
    "kept": lambda: SummaryFold(Grid(0.0, 1.0)),
    "binned": lambda: SummaryFold(Grid(0.0, 1.0), keep=-1),
    "sum": lambda: SumFold(np.abs),
    "costs": lambda: CostFold(-1.0),
    "evidence": EvidenceFold,
    "counts": lambda: CountFold(Sieve(np.array([-1.0, 0.0, 0.5]))),
    "ends": lambda: EndsFold(np.array([-2.0, 0.25])),
}


@pytest.mark.parametrize("name", FOLDS)
def test_a_fold_of_counts_is_that_of_the_scores_written_out(name: str) -> None:
    rng = np.random.default_rng(3)
    scores = np.unique(np.round(rng.normal(0, 2, 900), 3))
    counts = rng.integers(1, 30, len(scores))
    counted, plain, mixed = FOLDS[name](), FOLDS[name](), FOLDS[name]()
    counted.add(scores, counts)
    plain.add(np.repeat(scores, counts))
    mixed.add(scores[:9], counts[:9])
    mixed.add(np.repeat(scores[9:], counts[9:]))
    parts = FOLDS[name](), FOLDS[name]()
    parts[0].add(scores[::2], counts[::2])
    parts[1].add(scores[1::2], counts[1::2])
    for value in (counted.value, mixed.value, parts[0].value.merge(parts[1].value)):
        assert written(value) == written(plain.value)


def test_sums_that_64_bits_do_not_hold() -> None:
    """Against fractions: 10^13 scores of one class, half of them in one bin."""
    scores = np.array([0.1, 0.100001, 3.0, 700.0])
    counts = np.array([5 * 10**12, 2 * 10**12, 10**12, 2 * 10**12])
    total = sum(Fraction(s) * n for s, n in zip(scores.tolist(), counts.tolist(), strict=True))
    fold = SumFold()
    fold.add(scores, counts)
    assert fold.value.mean == float(total / 10**13)
    grid = Grid(0.0, 1.0)
    number, place = grid.number_and_place(scores)
    summary = Summary.of(scores, grid, counts)
    for i, bin_number in enumerate(summary.number):
        here = [
            (int(p), int(n))
            for p, n, b in zip(place, counts, number, strict=True)
            if b == bin_number
        ]
        expected = [sum(n for _, n in here), sum(n * p for p, n in here)]
        expected.append(sum(n * (p * p >> 30) for p, n in here))
        assert summary.bins[:, i].tolist() == expected
    assert summary.points().mean_and_variance()[0] == pytest.approx(float(total / 10**13))


def test_runs_are_those_of_the_scores_written_out() -> None:
    values, counts = np.array([2.0, 2.0, 1.0, 3.0, 3.0]), np.array([1, 2, 3, 1, 1])
    found, plain = Runs.of(values, counts), Runs.of(np.repeat(values, counts))
    assert found.values.tolist() == plain.values.tolist() == [2, 1, 3]
    assert found.counts.tolist() == plain.counts.tolist() == [3, 3, 2]
    assert found.distinct.values.tolist() == [1, 2, 3]


def test_ranks() -> None:
    side = Distinct(np.array([1.0, 2.0, 5.0]), np.array([2, 1, 3]))
    assert [side.at(rank) for rank in range(6)] == [1, 1, 2, 5, 5, 5]
    assert side.thinned(6).tolist() == [1, 1, 2, 5, 5, 5]
    assert side.thinned(3).tolist() == [1, 2, 5]


# ---------------------------------------------------------------- the class


def counted(scores: Any, targets: Any, nontargets: Any) -> Counts:
    return Counts(scores, targets, nontargets)


def test_rows_in_any_order_are_merged() -> None:
    counts = counted([3, 1, 2, 1], [0, 1, 0, 4], [2, 2, 0, 1])
    assert counts.scores.tolist() == [1, 3]
    assert counts.targets.tolist() == [5, 0]
    assert counts.nontargets.tolist() == [3, 2]
    assert counts.counts == (5, 5)
    assert len(counts) == 10
    assert repr(counts) == "<counted trials: 2 distinct scores, 5 targets, 5 non-targets>"
    assert "5" in counts._repr_html_()
    with pytest.raises(ValueError, match="read-only"):
        counts.targets[0] = 7


def test_scores_that_fall_together_are_merged() -> None:
    counts = counted([1.0, 2.0, 3.0], [1, 2, 4], [8, 16, 32])
    found = counts.mapped(lambda scores: np.where(scores < 2.5, 7.0, -np.inf))
    assert found.scores.tolist() == [-np.inf, 7]
    assert found.targets.tolist() == [4, 3]
    assert counts.negated().negated().nontargets.tolist() == [8, 16, 32]


def test_half_a_trillion_trials() -> None:
    """Against the closed form for Gaussian classes, of which so many trials leave no chance."""
    scores = np.arange(-(2**15), 2**15) * 2.0**-12
    sides = []
    for mean, total in ((2.0, 10**9), (-2.0, 5 * 10**11)):
        edges = np.append(scores, 8.0) - 2.0**-13
        sides.append(np.diff(np.rint(total * ndtr(edges - mean))).astype(np.int64))
    counts = Counts(scores, sides[0], sides[1])
    for method in ("smooth", "nig", "linear-gaussian"):
        cal = llrcal.fit(counts, method=method)
        at = np.array([-1.0, 0.0, 1.0])
        assert cal(at) == pytest.approx(4 * at, abs=2e-3)
    ev = llrcal.evaluate(counts.mapped(lambda s: 4 * s))
    assert ev.eer == pytest.approx(0.0227501319, abs=1e-4)
    assert ev.threshold(pfa=1e-9).value / 4 == pytest.approx(-2 + 5.9978, abs=2e-3)
    assert len(counts.preview(counts.counts).non) == 2**19
    assert ev.intervals(replicates=39)["cllr"] == pytest.approx((ev.cllr, ev.cllr), rel=1e-3)


def test_labels_do_not_matter_in_the_field() -> None:
    field = counted([-2.0, -1.0, 1.0], [0, 0, 0], [30, 40, 7])
    assert field.pooled().count == 77
    with pytest.raises(llrcal.ScoreError, match="counts: there are no targets among the counted"):
        llrcal.fit(field)


def test_folds_need_single_trials() -> None:
    counts, trials = tied(1, 60, 400, 0.25)
    with pytest.raises(llrcal.OptionError, match="folds needs single trials, and these are coun"):
        llrcal.compare(counts, folds=3)
    with pytest.raises(llrcal.OptionError, match="learning_curve needs single trials"):
        llrcal.compare(trials, counts, learning_curve=True)
