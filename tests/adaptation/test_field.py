"""Draws of both classes in the field, and the LLRs of least expected cost."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy import optimize, stats
from scipy.special import expit

import llrcal
from llrcal.adaptation import field as module
from llrcal.adaptation.field import Field, evidence_of, expected_cllr, fitted_share, places_of
from llrcal.adaptation.given import Given
from llrcal.adaptation.hypotheses import weights_of
from llrcal.adaptation.source import SourceModel
from llrcal.arrays import Floats
from llrcal.errors import DegenerateError
from tests.adaptation.worlds import (
    BIMODAL,
    NON,
    TAR,
    as_cells,
    field_scores,
    given,
    known,
    source_of,
    textbook_nig,
)

CAL = llrcal.fit(TAR, NON, method="gaussian")
SOURCE = source_of(TAR, NON)
NOTHING = 1e-3  # the factor of a move that does not happen


def field_of(scores: Floats, p_target: float | None = 0.05, factor: float = 2.0) -> Field:
    return Field.of(CAL, SOURCE, given(scores), p_target, factor)


@cache
def unmoved() -> Field:
    return field_of(field_scores(0.05))


@cache
def moved() -> Field:
    return field_of(field_scores(0.05, shift=0.8, wider=1.1))


BOTH = pytest.mark.parametrize("field", [unmoved, moved])


def test_how_much_scores_weigh() -> None:
    """A third of their number, 3,000 at most, and no more than the portrait is sure of."""
    source = SourceModel(known([4, 0, 0, 0.1]), known([0, 0, 0, 0.1]), 0.0, 1.0)
    scores = field_scores(0.05)
    assert evidence_of(source, given(scores[:600]), 0.1, told=True).trust == pytest.approx(200)
    assert evidence_of(source, given(np.tile(scores, 2)), 0.1, told=True).trust == pytest.approx(
        3000
    )
    few = SourceModel(known([4, 0, 0, 0.1], count=50), known([0, 0, 0, 0.1], count=500), 0.0, 1.0)
    trust = 1 / (1 / 200 + 0.1 / 50 + 0.9 / 500)
    data = evidence_of(few, given(scores[:600]), 0.1, told=True)
    assert data.trust == pytest.approx(trust)
    assert data.label_weight == 1
    assert data.log_odds == pytest.approx(math.log(1 / 9))
    assert (data.tar.count, data.non.count, data.pool.count) == (0, 0, 600)
    labelled = evidence_of(few, given(scores[:600], TAR[:10], NON[:30]), 0.1, told=True)
    assert labelled.label_weight == pytest.approx(10 / (10 + trust * 0.1 / 3))
    assert (labelled.tar.count, labelled.non.count) == (10, 30)
    rare = evidence_of(few, given(scores[:600], TAR[:30], NON[:10]), 0.9, told=True)
    weight = 10 / (10 + 0.1 / 3 / (1 / 200 + 0.9 / 50 + 0.1 / 500))
    assert rare.label_weight == pytest.approx(weight)
    for p_target in (0.03, 0.97):
        rarely = evidence_of(source, given(np.tile(scores, 9)), p_target, told=True)
        assert rarely.trust == pytest.approx(3000 * math.sqrt(0.1 / 0.03))
    most = evidence_of(source, given(np.tile(scores, 20)), 1e-6, told=True)
    assert most.trust == pytest.approx(module._MOST_TRUST)
    assert 3000 < module._MOST_TRUST < 40_000
    alone = evidence_of(few, given(None, TAR[:10], NON[:30]), 0.1, told=True)
    assert (alone.trust, alone.label_weight) == (0, 1)


def test_trust_where_the_share_is_not_told() -> None:
    """That of even classes; while watching, that of the rarer class in the training mixture."""
    scores = np.tile(field_scores(0.02), 9)
    data = evidence_of(SOURCE, given(scores), 0.1, told=False)
    known_to = 0.1 / 2000 + 0.9 / 20_000
    assert data.trust == pytest.approx(1 / (1 / 3000 + known_to))
    bold = evidence_of(SOURCE, given(scores), 0.1, told=False, boldly=True)
    wanted = 3000 * math.sqrt(0.1 / fitted_share(SOURCE, data.pool))
    assert bold.trust == pytest.approx(1 / (1 / wanted + known_to))
    assert fitted_share(SOURCE, data.pool) == pytest.approx(0.02, abs=0.003)
    rare = given(np.tile(NON[:6000] - 1, 9))
    seen = evidence_of(SOURCE, rare, 0.1, told=False, boldly=True)
    most = 1 / (1 / min(18_000, module._MOST_TRUST) + known_to)
    assert seen.trust == pytest.approx(most, rel=0.01)
    told = evidence_of(SOURCE, given(scores), 0.1, told=True, boldly=True)  # it is believed
    assert told.trust == pytest.approx(1 / (1 / 3000 + known_to))
    labelled = given(None, TAR[:10], NON[:30])
    for boldly in (False, True):
        assert evidence_of(SOURCE, labelled, 0.1, told=False, boldly=boldly).trust == 0
    assert field_of(scores, None).data.trust == pytest.approx(data.trust)
    watching = Field.of(CAL, SOURCE, given(scores), None, 2.0, boldly=True)
    assert watching.data.trust == pytest.approx(bold.trust)


def test_scores_are_seen_in_units_of_the_source() -> None:
    scores = np.linspace(-3, 9, 1000)
    data = evidence_of(SOURCE, given(scores, TAR[:7], NON[:8]), 0.1, told=True)
    expected = (scores.mean() - SOURCE.origin) / SOURCE.unit
    assert data.pool.counts @ data.pool.values / 1000 == pytest.approx(expected)
    for side, few in ((data.tar, TAR[:7]), (data.non, NON[:8])):
        assert side.values == pytest.approx((np.sort(few) - SOURCE.origin) / SOURCE.unit)


@BOTH
def test_masses_and_weights_add_up_to_one(field: object) -> None:
    one: Field = field()  # type: ignore[operator]
    assert one.tar.sum(axis=1) == pytest.approx(np.ones(256))
    assert one.non.sum(axis=1) == pytest.approx(np.ones(256))
    assert one.mean[0].sum() == pytest.approx(1, abs=0.03)
    assert one.mean[1].sum() == pytest.approx(1, abs=0.03)
    assert one.mean[0].sum() + one.mean[1].sum() == pytest.approx(2)
    assert one.importance.sum() == pytest.approx(1)
    assert one.weights.sum() == pytest.approx(1)
    assert len(one.draws) == len(one.which) == len(one.importance) == 256
    assert (one.tar >= 0).all()


@BOTH
def test_llrs_are_the_log_ratio_of_mean_masses_and_never_fall(field: object) -> None:
    one: Field = field()  # type: ignore[operator]
    ratio = np.log(np.maximum(one.mean[0], 1e-300) / np.maximum(one.mean[1], 1e-300))
    assert (np.diff(one.llrs) >= 0).all()
    at = slice(100, 301)
    rises = np.diff(ratio)[at] > 0
    assert rises.mean() > 0.8
    middle = one.eer_node
    assert one.llrs[middle] == pytest.approx(ratio[middle])
    for node in range(len(ratio)):
        part = ratio[middle : node + 1].max() if node > middle else ratio[node : middle + 1].min()
        assert one.llrs[node] == pytest.approx(part)


def test_llrs_that_fall_are_held_outward_from_where_classes_meet() -> None:
    one = unmoved()
    size = len(one.nodes)
    ratio = np.sin(np.linspace(-6, 6, size)) * 3 + np.linspace(-2, 2, size)
    tar = expit(ratio) / size
    bumpy = replace(one, known=(tar, 1 / size - tar), doubt=0.0)
    assert (np.diff(bumpy.llrs) >= 0).all()
    middle = bumpy.eer_node
    expected = np.maximum.accumulate(ratio[middle:])
    assert bumpy.llrs[middle:] == pytest.approx(expected, abs=1e-9)
    assert bumpy.llrs[: middle + 1] == pytest.approx(
        np.minimum.accumulate(ratio[middle::-1])[::-1], abs=1e-9
    )


@BOTH
def test_the_eer_node_is_where_error_rates_are_equal(field: object) -> None:
    one: Field = field()  # type: ignore[operator]
    tar, non = (np.cumsum(side) / side.sum() for side in one.mean)
    at = one.eer_node
    assert tar[at - 1] < 1 - non[at - 1]
    assert tar[at] >= 1 - non[at]
    half = np.full(4, 0.25)
    by_hand = replace(unmoved(), known=(half, half), still=(half, half))
    assert by_hand.eer_node == 1


def test_without_a_move_llrs_are_those_of_the_calibration() -> None:
    one = unmoved()
    assert one.unmoved > 0.8
    middle = slice(60, 340)
    assert one.old_llrs == pytest.approx(CAL.without_warnings(one.scores))
    assert np.abs(one.llrs - one.old_llrs)[middle].mean() < 0.05
    still = [one.unmoved for one in unmoved().which]
    only = replace_draws(one, np.array(still))
    assert only.llrs[middle] == pytest.approx(one.old_llrs[middle], abs=0.03)


def replace_draws(one: Field, chosen: Floats) -> Field:
    """A field of some of the draws alone."""
    which = tuple(each for each, keep in zip(one.which, chosen, strict=True) if keep)
    draws, importance = one.draws[chosen], one.importance[chosen] / one.importance[chosen].sum()
    masses = one.tar[chosen], one.non[chosen]

    def llrs(at: Floats) -> Floats:
        return CAL.without_warnings(one.source.origin + at * one.source.unit)

    mean = module._mean(one.source, draws, which, importance, one.nodes, masses, llrs)
    return replace(
        one,
        draws=draws,
        which=which,
        importance=importance,
        tar=masses[0],
        non=masses[1],
        known=mean,
        doubt=0.0,
    )


def test_classes_that_moved_together_take_the_old_llrs_along() -> None:
    """A shift and a widening of both, about the location of the non-targets."""
    one = moved()
    rows = [i for i, each in enumerate(one.which) if each.apart == NOTHING]
    row = rows[0]
    single = replace_draws(one, np.arange(256) == row)
    shift, scale = one.draws[row][:2]
    middle = one.source.origin + one.source.non.theta[0] * one.source.unit
    there = (one.scores - middle - shift * one.source.unit) / math.exp(scale) + middle
    expected = CAL.without_warnings(there)
    ratio = np.log(single.mean[0] / single.mean[1])
    assert ratio == pytest.approx(expected, abs=1e-6)
    every = single.mean[0] + single.mean[1]
    assert every == pytest.approx(one.tar[row] + one.non[row])


def test_doubt_leaves_the_classes_as_they_were_a_part() -> None:
    """One tenth, in which LLRs are those of the calibration; none of it goes into the portrait."""
    one = moved()
    assert one.doubt == 0.1
    for mean, found, still in zip(one.mean, one.known, one.still, strict=True):
        assert mean == pytest.approx(0.9 * found + 0.1 * still)
        assert still.sum() == pytest.approx(1, abs=0.03)
    assert np.log(one.still[0] / one.still[1]) == pytest.approx(one.old_llrs, abs=1e-6)
    for number, side in enumerate((SOURCE.tar, SOURCE.non)):
        masses = side.densities(side.theta[None, :], one.nodes)[0] * np.gradient(one.nodes)
        assert one.still[number] == pytest.approx(masses / masses.sum(), abs=2e-3)
    without = replace(one, doubt=0.0)
    assert without.mean[0] == pytest.approx(one.known[0])
    costs = [expected_cllr(one.still, llrs) for llrs in (one.old_llrs, one.llrs, without.llrs)]
    assert costs == sorted(costs)
    assert one.harm == pytest.approx(costs[1] - costs[0])
    assert without.harm > 1.1 * one.harm > 0.01


def test_labelled_scores_take_doubt_away() -> None:
    """As far as they are likelier after the moves, but for 0.03; none where all have labels."""
    tar, non = 0.8 + 1.1 * TAR[:10], 0.8 + 1.1 * NON[:10]
    pool = field_scores(0.05, shift=0.8, wider=1.1)
    seen = Field.of(CAL, SOURCE, given(pool, tar, non), 0.05, 2.0)
    best = seen.best
    moves = (SOURCE.moved(best.mean), SOURCE.moved(SOURCE.still))
    gained = 0.0
    for (density, scores), after, before in zip(best.data.labelled, *moves, strict=True):
        for theta, sign in ((after.theta, 1), (before.theta, -1)):
            gained += sign * float(best.data.labelled_logs(density, scores, theta)[0].sum())
    assert gained > 1
    assert seen.doubt == pytest.approx(max(1 / (1 + 9 * math.exp(gained)), 0.03))
    as_before = Field.of(CAL, SOURCE, given(pool + 2, TAR[:3], NON[:3]), 0.05, 2.0)
    assert as_before.best.data.labelled_loglik(
        as_before.best.mean
    ) < as_before.best.data.labelled_loglik(SOURCE.still)
    assert as_before.doubt == pytest.approx(0.1)
    assert Field.of(CAL, SOURCE, given(None, tar, non), 0.05, 2.0).doubt == 0
    many = Field.of(CAL, SOURCE, given(pool, np.repeat(tar, 900), np.repeat(non, 900)), 0.05, 2.0)
    assert many.doubt == 0.03


def test_other_draws_are_averaged_as_they_are() -> None:
    one = moved()
    apart = np.array([each.apart != NOTHING for each in one.which])
    assert apart.any()
    some = replace_draws(one, apart)
    assert some.mean[0] == pytest.approx(some.importance @ one.tar[apart])
    assert some.mean[1] == pytest.approx(some.importance @ one.non[apart])


def test_masses_are_those_of_scipy() -> None:
    one = moved()
    plain = [i for i, each in enumerate(one.which) if each.apart not in (NOTHING, 1.0)]
    for row in plain[:2]:
        for masses, side in zip((one.tar, one.non), SOURCE.moved(one.draws[row]), strict=True):
            theta = np.append(side.theta[:3], max(side.theta[3], 1e-4))
            density = textbook_nig(theta).pdf(one.nodes) * np.gradient(one.nodes)
            top = density > 1e-3 * density.max()
            assert masses[row][top] == pytest.approx((density / density.sum())[top], rel=0.01)


def test_corrections_are_left_out_where_shapes_change() -> None:
    source = source_of(BIMODAL + 4, NON)
    scores = np.concatenate([BIMODAL[:300] + 4.2, NON[:3000] + 0.2])
    cal = llrcal.fit(BIMODAL + 4, NON)
    one = Field.of(cal, source, given(scores), 0.1, 2.0)
    shapes = np.array([each.deviations[4] > 2 * NOTHING * 0.3 for each in one.which])
    assert (one.uses_plain_densities == shapes).all()
    widths = np.gradient(one.nodes)
    for row in (0, 128, 255):
        model = source.plain if one.uses_plain_densities[row] else source
        theta = source.moved(one.draws[row])[0].theta
        masses = model.tar.densities(theta[None, :], one.nodes)[0] * widths
        assert one.tar[row] == pytest.approx(masses / masses.sum())
    both = 0.0
    for side in (source.tar, source.non):  # as they were, with corrections
        masses = side.densities(side.theta[None, :], one.nodes)[0] * widths
        both = both + masses / masses.sum()
    assert one.still[0] + one.still[1] == pytest.approx(both)


def test_nodes_reach_into_all_tails_and_are_fine_where_scores_are() -> None:
    one = moved()
    assert (np.diff(one.nodes) > 0).all()
    assert 380 < len(one.nodes) <= 400
    tar = stats.norm(3.0 * 1.1 + 0.8, 1.4 * 1.1)
    non = stats.norm(-1.0 * 1.1 + 0.8, 1.1)
    assert non.cdf(one.scores[0]) < 1e-6
    assert tar.sf(one.scores[-1]) < 1e-6
    assert np.diff(non.cdf(one.scores)).max() < 0.02
    assert np.diff(tar.cdf(one.scores)).max() < 0.02
    assert one.scores == pytest.approx(SOURCE.origin + SOURCE.unit * one.nodes)


def test_draws_follow_the_weights_and_are_the_same_every_time() -> None:
    found = unmoved().hypotheses
    weights = np.zeros(len(found))
    weights[:4] = [0.5, 0.25, 0.25 - 1e-5, 1e-5]
    draws, which = module._drawn(found, weights)
    assert [sum(one is each for one in which) for each in found[:4]] == [128, 64, 64, 0]
    assert (module._drawn(found, weights)[0] == draws).all()
    for one, part in ((found[0], draws[:128]), (found[1], draws[128:192])):
        deviations = np.sqrt(np.diag(one.covariance))[:2]
        assert np.abs(part.mean(axis=0)[:2] - one.solution.point[:2]) == pytest.approx(
            [0, 0], abs=4 * float((deviations / 8).max())
        )


def test_importance_makes_up_for_draws_without_favour() -> None:
    one = unmoved()
    weights, neutral = weights_of(one.hypotheses), weights_of(one.hypotheses, favoured=False)
    assert one.weights == pytest.approx(weights)
    ratios = {
        id(each): w / (w + n)
        for each, w, n in zip(one.hypotheses, weights, neutral, strict=True)
        if w + n > 0
    }
    expected = np.array([ratios[id(each)] for each in one.which])
    assert one.importance == pytest.approx(expected / expected.sum())
    for each, weight in zip(one.hypotheses, weights, strict=True):
        drawn = sum(i for i, which in zip(one.importance, one.which, strict=True) if which is each)
        assert drawn == pytest.approx(weight, abs=0.02)
    shares = 0.5 * weights + 0.5 * neutral
    for each, share in zip(one.hypotheses, shares, strict=True):
        assert sum(which is each for which in one.which) == pytest.approx(256 * share, abs=2)


def test_shares_of_draws() -> None:
    one = moved()
    assert one.shares == pytest.approx(expit(math.log(0.05 / 0.95) + one.draws[:, -1]))
    for scores, share in ((TAR, 1.0), (NON, 0.0)):
        alone = field_of(scores, None)
        lie = "only targets" if share else "only non-targets"
        shares = [s for s, w in zip(alone.shares, alone.which, strict=True) if w.lie == lie]
        assert shares
        assert shares == pytest.approx(np.full(len(shares), share), abs=1e-15)
        assert alone.probability(lie) == pytest.approx(
            sum(w for w, h in zip(alone.weights, alone.hypotheses, strict=True) if h.lie == lie)
        )
        assert alone.best is alone.hypotheses[int(np.argmax(alone.weights))]
        assert alone.unmoved > 0.8


def test_scores_of_another_recognizer_are_not_unmoved() -> None:
    other = field_of(50 * field_scores(0.05))
    assert other.unmoved < 1e-6
    assert other.probability("other scores") > 0.99
    assert other.best.lie == "other scores"
    assert [one.unmoved for one in other.hypotheses if one.lie == "other scores"]


def test_a_share_that_is_not_told() -> None:
    """It is around a tenth, with a deviation of a factor of eight."""
    one = field_of(field_scores(0.3), None)
    assert one.data.log_odds == pytest.approx(math.log(1 / 9))
    freest = one.hypotheses[0]
    assert freest.deviations[-1] == pytest.approx(math.log(8))
    assert one.importance @ one.shares == pytest.approx(0.3, abs=0.03)
    told = field_of(field_scores(0.3), 0.3, 3.0)
    assert told.hypotheses[0].deviations[-1] == pytest.approx(math.log(3))


def test_the_training_mixture_has_the_share_that_fits_best() -> None:
    one = moved()
    sides = [
        model.densities(theta[None, :], one.data.pool.values)[0]
        for model, theta in ((SOURCE.tar, SOURCE.tar.theta), (SOURCE.non, SOURCE.non.theta))
    ]

    def cost(share: float) -> float:
        mixed = share * sides[0] + (1 - share) * sides[1]
        return -float(one.data.pool.counts @ np.log(mixed))

    best = optimize.minimize_scalar(cost, bounds=(1e-6, 1 - 1e-6), method="bounded").x
    widths = np.gradient(one.nodes)
    tar = SOURCE.tar.densities(SOURCE.tar.theta[None, :], one.nodes)[0]
    non = SOURCE.non.densities(SOURCE.non.theta[None, :], one.nodes)[0]
    expected = (best * tar + (1 - best) * non) * widths
    assert fitted_share(SOURCE, one.data.pool) == pytest.approx(best, rel=0.01)
    assert one.training_mixture == pytest.approx(expected, rel=0.01, abs=1e-7)
    assert one.training_mixture.sum() == pytest.approx(1, abs=0.01)


def test_places_of_classes_in_score_units() -> None:
    source = SourceModel(known([4, 0.2, 0.5, 0.1]), known([0, 0.1, -0.5, 0.1]), -1.0, 2.0)
    moves = np.zeros((2, 9))
    moves[1, :4] = 0.5, 0.3, math.log(2), 0.1
    tar, tar_scale, non, non_scale = places_of(source, moves)
    assert tar == pytest.approx([8.0, 17.0])
    assert non == pytest.approx([0.0, 1.0])
    assert np.diff(tar_scale) == pytest.approx([0.4])
    assert np.diff(non_scale) == pytest.approx([0.3])


def test_distances_are_seen_the_other_way() -> None:
    cal = llrcal.fit(-TAR, -NON, method="gaussian", lower_is_better=True)
    one = Field.of(cal, SOURCE, given(field_scores(0.05, count=600)), 0.05, 2.0)
    other = field_of(field_scores(0.05, count=600))
    assert one.old_llrs == pytest.approx(other.old_llrs, abs=1e-6)
    assert one.llrs == pytest.approx(other.llrs, abs=1e-6)


def test_a_class_beyond_all_nodes_lies_at_the_nearest() -> None:
    """Where doubles underflow, as few draws do."""
    source = SourceModel(known([4, 0, 0, 0.1]), known([0, 0, 0, 0.1]), 0.0, 1.0)
    nodes, moves = np.linspace(-3, 8, 12), np.zeros((4, 9))
    moves[1, 0], moves[2, 0], moves[3, :2] = 1e6, -1e6, (0.3, -12)
    tar, non = module._masses(source, moves, np.zeros(4, bool), nodes)
    assert tar[1].tolist() == non[1].tolist() == [0.0] * 11 + [1.0]
    assert tar[2].tolist() == non[2].tolist() == [1.0] + [0.0] * 11
    assert tar[3].argmax() == 8  # the first node that is not below 4.3
    assert non[3].argmax() == 4
    assert tar.sum(axis=1) == pytest.approx(np.ones(4))
    density = textbook_nig(source.tar.theta).pdf(nodes)
    assert tar[0] == pytest.approx(density / density.sum(), rel=1e-6)


def test_scores_too_far_away_for_doubles() -> None:
    near, far = as_cells([0.0, 1.0]), as_cells([1.0, 1e51 * SOURCE.unit])
    below = as_cells([-1e51 * SOURCE.unit, 1.0])
    for pool, tar, non in (
        (far, None, None),
        (below, None, None),
        (None, far, near),
        (near, near, below),
    ):
        with pytest.raises(DegenerateError, match=r"1e\+51 deviations.*in the same units"):
            evidence_of(SOURCE, Given(pool, tar, non, (0.0, 0.0)), 0.1, told=True)
    just = Given(as_cells([0.0, 0.9e50 * SOURCE.unit]), None, None, (0.0, 0.0))
    assert evidence_of(SOURCE, just, 0.1, told=True).pool.count == pytest.approx(2)


def test_no_share_is_known_too_well() -> None:
    one = field_of(field_scores(0.05, count=600), 0.05, 1.001)
    assert one.hypotheses[0].deviations[-1] == 0.01
