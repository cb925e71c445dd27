"""Cllr, error rates and costs, predicted of known densities."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import llrcal
from llrcal.adaptation import field as field_module
from llrcal.adaptation import prediction as module
from llrcal.adaptation.field import Field
from llrcal.adaptation.prediction import Bins, estimate, predicted
from llrcal.adaptation.source import SourceClass, SourceModel
from llrcal.arrays import Floats
from llrcal.onepass.cells import Cells
from tests.adaptation.worlds import NON, TAR, field_scores, given, known, source_of, textbook_nig

CAL = llrcal.fit(TAR, NON, method="gaussian")


@cache
def some_field() -> Field:
    return Field.of(CAL, source_of(TAR, NON), given(field_scores(0.05, count=600)), 0.05, 2.0)


def field_of(tar: SourceClass, non: SourceClass, *, draws: int = 1) -> Field:
    """A field in which both classes are as they are known to be."""
    source = SourceModel(tar, non, 0.0, 1.0)
    nodes = field_module._nodes(source, source.still)
    moves, which = np.zeros((draws, 9)), some_field().hypotheses[:1] * draws
    masses = field_module._masses(source, moves, np.zeros(draws, bool), nodes)
    return replace(
        some_field(),
        source=source,
        draws=moves,
        which=which,
        importance=np.full(draws, 1 / draws),
        neutral=np.full(draws, 1 / draws),
        nodes=nodes,
        tar=masses[0],
        non=masses[1],
    )


@cache
def gaussians() -> Field:
    """Targets at 2, non-targets at 0, both with a deviation of one."""
    return field_of(known([2.0, 0.0, 0.0, 1e-6]), known([0.0, 0.0, 0.0, 1e-6]))


def gaussian_cllr(slope: float, offset: float) -> float:
    """Of LLRs slope * x + offset, where targets are at 2 and non-targets at 0."""
    total = 0.0
    for mean, sign in ((2.0, -1), (0.0, 1)):

        def cost(x: float, mean: float = mean, sign: int = sign) -> float:
            return float(np.logaddexp(0, sign * (slope * x + offset)) * stats.norm.pdf(x, mean))

        total += integrate.quad(cost, -12, 14)[0]
    return total / 2 / math.log(2)


@pytest.mark.parametrize(("slope", "offset"), [(2.0, -2.0), (1.0, 0.5), (4.0, -1.0)])
def test_cllr_of_gaussians_against_quadrature(slope: float, offset: float) -> None:
    cllr = predicted(gaussians(), slope * gaussians().nodes + offset, 0.1).cllr
    assert cllr == pytest.approx([gaussian_cllr(slope, offset)], abs=2e-4)


def test_eer_of_gaussians_whatever_the_llrs() -> None:
    for llrs in (2 * gaussians().nodes - 2, gaussians().nodes ** 3):
        eer = predicted(gaussians(), llrs, 0.1).eer
        assert eer == pytest.approx([stats.norm.cdf(-1)], abs=2e-3)
    backwards = predicted(gaussians(), -gaussians().nodes, 0.1).eer
    assert backwards == pytest.approx([stats.norm.cdf(1)], abs=2e-2)


@pytest.mark.parametrize("p_target", [0.01, 0.3, 0.9])
def test_normalised_costs_of_gaussians(p_target: float) -> None:
    at = 1 - math.log(p_target / (1 - p_target)) / 2  # where 2 x - 2 is minus the log odds
    miss, fa = stats.norm.cdf(at - 2), stats.norm.sf(at)
    cost = (p_target * miss + (1 - p_target) * fa) / min(p_target, 1 - p_target)
    dcf = predicted(gaussians(), 2 * gaussians().nodes - 2, p_target).dcf
    step = 0.02 * (1 - p_target) / min(p_target, 1 - p_target) * stats.norm.pdf(at)
    assert dcf == pytest.approx([cost], abs=0.002 + step)
    always = predicted(gaussians(), np.full(len(gaussians().nodes), 50.0), 0.1).dcf
    assert always == pytest.approx([9.0])
    never = predicted(gaussians(), np.full(len(gaussians().nodes), -50.0), 0.1).dcf
    assert never == pytest.approx([1.0])
    halves = predicted(gaussians(), np.zeros(len(gaussians().nodes)), 0.5).dcf
    assert halves == pytest.approx([1.0])  # an LLR at the threshold is accepted


@pytest.mark.parametrize("v", [1.0, 1.5, 2.0])
def test_skewed_classes_against_large_samples(v: float) -> None:
    tar, non = [3.0, 0.2, v, 0.3], [0.0, 0.0, v, 0.3]
    field = field_of(known(tar), known(non))

    def llrs(at: Floats) -> Floats:
        """Not the best ones, and bounded."""
        return np.clip(0.8 * (at - 2.0), -5, 5)

    rng = np.random.default_rng(4)
    samples = [textbook_nig(theta).rvs(400_000, random_state=rng) for theta in (tar, non)]
    truth = llrcal.evaluate(*map(llrs, samples))
    seen = predicted(field, llrs(field.nodes), 0.1)
    assert seen.cllr == pytest.approx([truth.cllr], abs=0.004)
    # Not that of the hull, for the likelihood-ratio of skewed classes falls somewhere.
    ordered = [np.sort(sample) for sample in samples]
    at = np.linspace(-5, 30, 7001)
    miss, fa = (np.searchsorted(side, at) / 400_000 for side in ordered)
    fa = 1 - fa
    assert seen.eer == pytest.approx([np.interp(0, miss - fa, miss)], abs=0.004)
    threshold = math.log(9)
    cost = np.mean(llrs(samples[0]) < threshold) + 9 * np.mean(llrs(samples[1]) >= threshold)
    assert seen.dcf == pytest.approx([cost], rel=0.05)


def test_errors_of_a_portrait_of_few_scores() -> None:
    """As many draws as it takes to see their deviation, against that of samples drawn here.

    Beside each sample there is one trial of either class, with a weight of one of n on average.
    """
    tar, non = known([2.0, 0, 0, 1e-6], count=100), known([0.0, 0, 0, 1e-6], count=400)
    field = field_of(tar, non, draws=4000)
    assert not field.uses_plain_densities.any()
    seen = predicted(field, 2 * field.nodes - 2, 0.25)
    at = 1 + math.log(3) / 2
    costs: dict[str, Callable[[Floats, int], Any]] = {
        "cllr": lambda x, sign: np.logaddexp(0, -sign * (2 * x - 2)) / 2 / math.log(2),
        "eer": lambda x, sign: 0.5 * (sign * (x - 1) < 0),
        "dcf": lambda x, sign: np.where(sign > 0, 1.0, 3.0) * (sign * (x - at) < 0),
    }
    rng = np.random.default_rng(1)
    for name, cost in costs.items():
        total = np.zeros(4000)
        for mean, sign, count in ((2, 1, 100), (0, -1, 400)):
            sample = cost(rng.normal(mean, 1, (4000, count)), sign)
            unseen = cost(rng.normal(2.0 * rng.integers(0, 2, 4000), 1), sign)
            weight = rng.exponential(1 / count, 4000)
            total += sample.mean(axis=1) + weight * (unseen - sample.mean())
        drawn = getattr(seen, name)
        assert drawn.mean() == pytest.approx(total.mean(), rel=0.02)
        assert drawn.std() == pytest.approx(total.std(), rel=0.08)
        high = np.quantile(drawn, 0.975) - total.mean()
        assert high == pytest.approx(np.quantile(total, 0.975) - total.mean(), rel=0.12)


def test_a_trial_more_of_each_class_is_like_any_trial() -> None:
    """Of many scores of a class that costs nothing, beside one that always costs one."""
    tar = known([2.0, 0, 0, 1e-6], count=1e12)
    non = known([0.0, 0, 0, 1e-6], count=10)
    field = field_of(tar, non, draws=4000)
    target_like = np.where(field.nodes > 1, 1.0, 0.0)
    nothing = np.zeros(len(field.nodes))
    rare = stats.norm.sf(1)
    masses = field.tar, field.non
    costs = module._mean_cost(field, masses, nothing, 1.0 * target_like)
    # Half of all trials are costly, but few of the non-targets are.
    assert costs.mean() == pytest.approx(rare + (0.5 - rare) / 10, abs=0.008)
    assert module._mean_cost(field, masses, target_like, nothing).std() < 1e-5
    assert (module._mean_cost(field, masses, nothing, nothing) == 0).all()


def test_what_densities_without_corrections_miss() -> None:
    """Twice the divergence, as one over a number of scores."""
    tar = known([2.0, 0, 0, 1e-6], count=1e12, misfit=0.03)
    non = known([0.0, 0, 0, 1e-6], count=1e12, misfit=-0.1)
    field = field_of(tar, non, draws=4000)
    plain = replace(field, source=replace(field.source))
    vars(plain)["uses_plain_densities"] = np.ones(4000, bool)
    masses = field.tar, field.non
    above = np.where(field.nodes > 2, 1.0, 0.0)  # of half of the targets
    assert module._mean_cost(field, masses, above, above).std() < 1e-5
    found = module._mean_cost(plain, masses, above, above)
    assert found.std() == pytest.approx(0.5 * math.sqrt(0.06), rel=0.04)
    assert (found == module._mean_cost(plain, masses, above, above)).all()


def test_rates_stay_rates() -> None:
    """Of portraits of one score, whose errors are large."""
    tar, non = known([2.5, 0, 0, 1e-6], count=1), known([0.0, 0, 0, 1e-6], count=1)
    field = field_of(tar, non, draws=200)
    forth, back = (predicted(field, sign * (field.nodes - 1.25), 0.5) for sign in (1, -1))
    assert (min(forth.eer), max(back.eer)) == (0, 1)
    assert min(forth.dcf) == 0
    assert 0 < forth.eer.mean() < 0.5 < back.eer.mean() < 1


def estimated(draws: Floats, importance: Floats, neutral: Floats) -> tuple[float, float, float]:
    return estimate(draws, replace(some_field(), importance=importance, neutral=neutral))


def test_an_estimate_has_the_weighted_mean_and_the_middle_of_neutral_draws() -> None:
    draws = np.arange(1001.0)
    even = np.full(1001, 1 / 1001)
    weights = np.where(draws < 10, 0.1, 0.0)
    assert estimated(draws, even, even) == pytest.approx((500, 25, 975))
    assert estimated(draws, weights, even) == pytest.approx((4.5, 4.5, 975))
    assert estimated(draws, weights[::-1], even) == pytest.approx((995.5, 25, 995.5))
    upper = np.where(draws >= 501, 1 / 500, 0.0)
    assert estimated(draws, upper, upper) == pytest.approx((750.5, 513, 988))
    assert estimated(draws[::-1], upper, upper) == pytest.approx((249.5, 12, 487))


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("odd", [math.inf, math.nan])
def test_what_is_not_finite_is_not_known(odd: float) -> None:
    assert estimated(np.array([odd, odd]), *[np.array([0.5, 0.5])] * 2) == (
        0.0,
        -sys.float_info.max,
        sys.float_info.max,
    )


def test_bins_and_their_divergence_by_hand() -> None:
    """Eight scores in four bins, beside a mixture that is even over its nodes."""
    pool = Cells(np.array([0.0, 1, 2, 3, 4, 5, 6, 7]), np.ones(8))
    one = some_field()
    field = replace(one, data=replace(one.data, pool=pool), nodes=np.linspace(-0.5, 7.5, 801))
    bins = Bins.of(field, np.full(801, 1 / 801), 4)
    assert bins.edges == pytest.approx([1.5, 3.5, 5.5])
    assert bins.seen == pytest.approx([0.25] * 4)
    assert bins.expected == pytest.approx([0.25] * 4, abs=1e-3)
    assert bins.divergence(8) == pytest.approx(-3 / 16, abs=1e-4)
    ramp = np.linspace(0, 1, 801)
    tilted = Bins.of(field, ramp, 4)  # shares of a triangle
    shares = np.diff(np.array([0, 2, 4, 6, 8]) ** 2 / 64)
    assert tilted.expected == pytest.approx(shares, abs=2e-3)
    by_hand = float(np.sum(0.25 * np.log(0.25 / shares))) - 3 / 16
    assert tilted.divergence(8) == pytest.approx(by_hand, abs=0.02)


def test_bins_without_scores_and_beyond_all_nodes() -> None:
    bins = Bins(np.array([1.0]), np.array([0.0, 1.0]), np.array([0.5, 0.5]))
    assert bins.divergence(100) == pytest.approx(math.log(2) - 1 / 200)
    one = some_field()
    far = replace(one, data=replace(one.data, pool=Cells(np.arange(900.0, 910.0), np.ones(10))))
    found = Bins.of(far, far.mean[1], 5)
    assert found.expected[0] == pytest.approx(1)
    assert found.expected[1:] == pytest.approx(np.full(4, 1e-12))
    tied = replace(
        one, data=replace(one.data, pool=Cells(np.array([0.0, 1.0]), np.array([9.0, 1.0])))
    )
    assert len(Bins.of(tied, tied.mean[1], 40).edges) < 40


def test_bins_of_scores_on_both_sides_of_all_nodes() -> None:
    """Where the outermost nodes have mass: all of it lies between."""
    one, pool = some_field(), Cells(np.array([-3.0, -1.0, 1.0, 5.0, 9.0]), np.ones(5))
    three = replace(one, data=replace(one.data, pool=pool), nodes=np.array([0.0, 1.0, 2.0]))
    bins = Bins.of(three, np.array([1.0, 1.0, 2.0]), 5)
    assert bins.edges == pytest.approx([-2.0, 0.0, 3.0, 7.0])
    expected = [1e-12, 0.125, 0.875, 1e-12, 1e-12]  # half of a node lies below it
    assert bins.expected == pytest.approx(expected)
    assert bins.seen == pytest.approx([0.2] * 5)
