"""Compiled passes and those in NumPy give the same bits, for every kind of scores and arrays."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import llrcal
from llrcal import kernels
from llrcal.arrays import Array
from llrcal.calibrations.curve import Curve
from llrcal.densities.bessel import scaled_log_k1_derivatives
from llrcal.densities.density import Density
from llrcal.densities.nig import NIG
from llrcal.densities.student_t import StudentT
from llrcal.errors import LlrcalError
from llrcal.evaluation.costs import cost
from llrcal.inputs.scores import check_finite
from llrcal.onepass.chunks import fold_array
from llrcal.onepass.grid import ALL_KEYS, Grid, Sample
from llrcal.onepass.ranks import CountFold, Sieve
from llrcal.onepass.summary import Summary, SummaryFold
from llrcal.onepass.sums import SumFold
from llrcal.scale.columns import split
from tests.examples import examples

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="there are no compiled passes")

TINY, HUGE = 5e-324, 1.7976931348623157e308
ODD_ONES = (0.0, -0.0, TINY, -TINY, 2.0**-1022, 1.0, -1.0, HUGE, -HUGE, np.inf, -np.inf)


def unaligned(scores: Array) -> Array:
    return np.frombuffer(b"?" + scores.tobytes(), scores.dtype, offset=1)


LAYOUTS: tuple[Callable[[Array], Array], ...] = (
    np.copy,
    lambda scores: np.repeat(scores, 3)[::3],
    lambda scores: scores[::-1].copy()[::-1],
    unaligned,
    lambda scores: scores.astype(scores.dtype.newbyteorder()),
)


@st.composite
def score_arrays(draw: st.DrawFn, *, infinite: bool = True) -> Array:
    """A few scores of any size, some of them many times, as float32 or float64."""
    width = draw(st.sampled_from([32, 64]))
    odd = [one for one in ODD_ONES if np.isfinite(one) or infinite]
    single = st.floats(allow_nan=False, allow_infinity=infinite, width=width)  # type: ignore[arg-type]
    near = st.integers(-3000, 3000).map(lambda n: n / 256)
    few = draw(st.lists(near | single | st.sampled_from(odd), max_size=12))
    with np.errstate(over="ignore"):
        scores = np.array(few, f"f{width // 8}")
    if not infinite:
        scores = scores[np.isfinite(scores)]
    times = draw(st.sampled_from([1, 1, 3, 50]))
    return draw(st.sampled_from(LAYOUTS))(np.tile(scores, times))


def with_both(work: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """What some work gives, or says is wrong, with compiled passes and without."""

    def outcome() -> Any:
        try:
            return work()
        except LlrcalError as problem:
            return str(problem)

    compiled = outcome()
    with monkeypatch.context() as patched:
        patched.setattr(kernels, "compiled", None)
        return compiled, outcome()


def agree(work: Callable[[], Any]) -> None:
    compiled, pure = with_both(work, pytest.MonkeyPatch())
    assert bits(compiled) == bits(pure)


def bits(answer: Any) -> Any:
    """An answer so that equal ones have equal bits: 0.0 is not -0.0."""
    if isinstance(answer, np.ndarray):
        return answer.dtype.str, answer.shape, answer.tobytes()
    if isinstance(answer, tuple | list):
        return [bits(part) for part in answer]
    if isinstance(answer, dict):
        return {name: bits(part) for name, part in answer.items()}
    return answer.hex() if isinstance(answer, float) else answer


def binned(scores: Array, grid: Grid) -> Summary:
    fold = SummaryFold(grid, keep=-1)
    fold.add(scores)
    return fold.value


def parts_of(summary: Summary) -> tuple[Any, ...]:
    return summary.count, summary.least, summary.greatest, summary.number, summary.bins


GRIDS = st.builds(
    Grid,
    origin=st.sampled_from([0.0, -3.0, 2.0**40]),
    unit=st.integers(-1000, 1000).map(lambda power: 2.0**power) | st.just(1.0),
    bin_bits=st.sampled_from([10, 16]),
    octaves=st.sampled_from([2, 40]),
)


@examples(100)
@given(score_arrays(), st.booleans(), st.booleans())
def test_checks(scores: Array, allow_infinite: bool, with_nan: bool) -> None:
    if with_nan and len(scores):
        scores = scores.copy()
        scores[len(scores) // 2] = np.nan
    agree(lambda: check_finite(scores, "the", allow_infinite=allow_infinite))


@pytest.mark.slow
@examples(200)
@given(score_arrays(infinite=False), GRIDS)
def test_bins(scores: Array, grid: Grid) -> None:
    agree(lambda: parts_of(binned(scores, grid)))


def test_a_score_at_the_very_end_of_the_grid_has_a_bin() -> None:
    grid = Grid(0.0, 1.0)
    far = np.nextafter(grid.reach, 0)
    agree(lambda: parts_of(binned(np.array([far, 0.0, -far]), grid)))
    assert binned(np.array([far, -far]), grid).number.tolist() == [0, grid.size - 1]


@pytest.mark.slow
@examples(100)
@given(score_arrays(), st.sampled_from([ALL_KEYS, 2**62, 2**20]))
def test_keys(scores: Array, ceiling: int) -> None:
    def sampled() -> Any:
        sample = Sample.below(ceiling, scores)
        return sample.keys, sample.counts, sample.ceiling

    agree(sampled)


@pytest.mark.slow
@examples(100)
@given(score_arrays(), score_arrays())
def test_counts_among_values(scores: Array, among: Array) -> None:
    values = np.unique(among.astype(np.float64))

    def counted() -> Any:
        with np.errstate(over="ignore", invalid="ignore"):
            fold = CountFold(Sieve(values))
            fold.add(scores)
            found = fold.value
        return found.below, found.up_to, found.count, found.least

    agree(counted)
    in_order = np.sort(scores.astype(np.float64))
    assert np.array_equal(counted()[0], np.searchsorted(in_order, values))


@pytest.mark.slow
@examples(100)
@given(score_arrays())
def test_exact_sums(scores: Array) -> None:
    def added_up() -> Any:
        found = fold_array(SumFold, scores)
        return found.count, found.total, found.infinite

    agree(added_up)
    finite = [Fraction(one) for one in scores.tolist() if 0 < one < np.inf]
    assert added_up()[1] == sum(finite) * 2**1074


@examples(100)
@given(score_arrays(), st.sampled_from([-1.0, 1.0]))
def test_costs(llrs: Array, sign: float) -> None:
    def added_up() -> Any:
        found = cost(llrs, sign)
        return found.count, found.total, found.infinite

    agree(added_up)
    x = sign * llrs.astype(np.float64)
    costs = np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))
    assert added_up()[1] == sum(map(Fraction, costs[costs < np.inf].tolist())) * 2**1074


KNOTS = score_arrays(infinite=False).map(lambda scores: np.unique(scores.astype(np.float64) + 0.0))


@pytest.mark.slow
@examples(100)
@given(score_arrays(), KNOTS.filter(lambda knots: len(knots) > 1), st.integers(0, 2**32))
def test_curves(scores: Array, knots: Array, seed: int) -> None:
    """Any pieces, in any unit: neither need they meet, nor be far from what doubles hold."""
    rng = np.random.default_rng(seed)
    per_unit = float(rng.choice([1.0, -1.0, 2.0**-30, -(2.0**30)]))
    rows = rng.normal(size=(len(knots) - 1, 4))
    rows[:, 0] = np.where(rows[:, 1] < 0, knots[:-1], knots[1:])
    curve = Curve(knots, rows, float(rng.choice([0.0, *scores[np.isfinite(scores)][:1]])), per_unit)
    with np.errstate(all="ignore"):
        agree(lambda: np.nan_to_num(curve(scores)))


@pytest.mark.parametrize("spread", [1.0, 1e-9, 5e-324, 1e308])
def test_many_knots(spread: float) -> None:
    """So many knots in a heap, beside others far away, that a bin of the index holds hundreds."""
    rng = np.random.default_rng(0)
    heap, away = spread * rng.uniform(-1, 1, 3000), rng.standard_cauchy(200)
    knots = np.unique(np.concatenate([heap, away]))
    below, above = (np.nextafter(knots, side) for side in (-np.inf, np.inf))
    scores = np.concatenate([knots, below, above, [0.0, -0.0, np.inf, -np.inf]])
    values = np.arange(1.0, len(knots) + 1)
    rows = np.column_stack([knots, values, 0 * values, 0 * values])
    up_to = np.searchsorted(knots, scores, "right")
    assert np.array_equal(Curve(np.append(knots, knots[-1]), rows)(scores), np.maximum(up_to, 1))


@given(score_arrays(infinite=False))
def test_series(scores: Array) -> None:
    t = np.abs(scores.astype(np.float64))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        agree(lambda: scaled_log_k1_derivatives(t))


@pytest.mark.slow
@pytest.mark.parametrize(("family", "shape"), [(NIG, (-1, 0.7)), (NIG, (0.2, 0)), (StudentT, (1,))])
@given(scores=score_arrays(infinite=False).filter(len))
def test_likelihoods(family: type[Density], shape: tuple[float, ...], scores: Array) -> None:
    values, theta = scores.astype(np.float64), np.array([0.1, -1, *shape])
    weights = np.full(len(values), 0.5)

    def evaluated() -> Any:
        with np.errstate(all="ignore"):
            found = family.mean_loglik(theta, values, weights)
        return [np.where(np.isnan(part), 0.0, part) for part in found]  # of either sign

    agree(evaluated)


@given(score_arrays(infinite=False), st.integers(0, 2**32))
def test_classes(scores: Array, seed: int) -> None:
    share = np.random.default_rng(seed).choice([0, 0.03, 0.5, 1])
    is_tar = np.random.default_rng(seed).random(len(scores)) < share
    agree(lambda: split(scores, is_tar).sides)
    tar, non = split(scores, is_tar).sides
    assert np.array_equal(tar, scores[is_tar])
    assert np.array_equal(non, scores[~is_tar])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_models_and_evaluations(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLRCAL_THREADS", "2")
    rng = np.random.default_rng(1)
    tar, non = rng.standard_t(4, 2_000) + 2, rng.normal(-1, 1.5, 600_000)  # worth two threads
    tar, non = tar.astype(kind), non.astype(kind)

    def everything() -> Any:
        every = llrcal.fit_all(tar, non, methods=["smooth", "linear-gaussian", "pav", "gaussian"])
        llrs = {name: (cal(tar), cal(non[::3])) for name, cal in every.items()}
        found = [llrcal.evaluate(*both) for both in llrs.values()]
        numbers = [(ev.cllr, ev.min_cllr, ev.eer) for ev in found]
        return {name: cal.to_model() for name, cal in every.items()}, llrs, numbers

    agree(everything)


def test_arguments_are_checked_before_anything_is_read() -> None:
    scores, table, read_only = np.zeros(3), np.zeros((4, 4), np.int64), np.zeros((4, 4), np.int64)
    read_only.setflags(write=False)
    words, before = np.array([0b1011], np.uint64), np.zeros(1, np.uint32)
    six, shape, terms = np.zeros((6, 3)), np.zeros(10), np.ones(4)
    odd = (np.zeros((2, 2)), np.zeros(3, np.int64), np.zeros(3, ">f8"), np.zeros(3, "f2"))
    firsts = (np.array(first, np.uint32) for first in ([0, 1, 2], [0, 1, 1, 3], [0, 1, 2, 4]))
    at = np.zeros(7, int)
    no_grid, short, unfit = "no grid", "too few items", "do not fit each other"
    calls: list[tuple[str, type[Exception], str, tuple[Any, ...]]] = [
        *(("bins", TypeError, "float32", (one, 1, 0.0, 1.0, 1, 1, 1.0, table)) for one in odd),
        ("bins", ValueError, short, (scores, 1, 0.0, 1.0, 1, 2, 1.0, table)),
        ("bins", ValueError, no_grid, (scores, 1, 0.0, 3.0, 1, 1, 1.0, table)),
        ("bins", ValueError, "read-only", (scores, 1, 0.0, 1.0, 1, 1, 1.0, read_only)),
        *(  # of bins, or of values, too few
            (
                "count_among",
                ValueError,
                unfit,
                (scores, 0.0, 1.0, 1, 1, words, before, one, scores, np.zeros(len(one), int), at),
            )
            for one in firsts
        ),
        ("split", ValueError, short, (scores, np.array([True, True, False]), scores[:2], scores)),
        ("curve", ValueError, short, (scores, 0.0, 1.0, scores, np.zeros((1, 4)), scores)),
        ("nig_ingredients", ValueError, short, (scores, shape, terms, terms, terms, six[:5])),
        ("nig_sums", ValueError, short, (scores, six, shape, np.zeros(2), np.zeros(15))),
        (
            "student_t_sums",
            ValueError,
            short,
            (scores, scores, 1.0, *3 * [terms], scores, np.zeros(9)),
        ),
    ]
    for name, kind, words_of, arguments in calls:
        with pytest.raises(kind, match=words_of):
            getattr(kernels.compiled, name)(*arguments)
