"""Hypotheses of what has happened, and their evidence."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy import stats

from llrcal.adaptation import hypotheses as module
from llrcal.adaptation.field import evidence_of
from llrcal.adaptation.hypotheses import (
    LIES,
    Hypothesis,
    Lie,
    _forgiven,
    hypotheses,
    mean_between,
    starts,
    weights_of,
)
from llrcal.adaptation.objective import Evidence, Objective
from llrcal.adaptation.source import SourceClass, SourceModel
from llrcal.arrays import Floats
from llrcal.fitting.optimizer import minimise
from llrcal.onepass.cells import Cells, even_ranks
from llrcal.onepass.summary import Summary
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
from tests.trial_sets import normal

SOURCE = source_of(TAR, NON)
MODEL = SourceModel(known([4.0, 0.3, 0.0, 0.1]), known([0.0, 0.0, 0.0, 0.1]), 0.0, 1.0)
FACTOR = math.log(2)
NOTHING = 1e-3  # the factor of a move that does not happen


def evidence(scores: Floats, p_target: float = 0.05, source: SourceModel = SOURCE) -> Evidence:
    return evidence_of(source, given(scores), p_target, told=True)


@cache
def honest() -> tuple[Evidence, list[Hypothesis]]:
    data = evidence(field_scores(0.05))
    return data, hypotheses(data, FACTOR, told=True)


def probabilities(data: Evidence, *, told: bool = True) -> dict[str | None, float]:
    """Of each lie, and of the truth (None)."""
    every = hypotheses(data, FACTOR, told=told)
    weights = weights_of(every)
    return {
        lie: float(sum(w for w, one in zip(weights, every, strict=True) if one.lie == lie))
        for lie in (None, *LIES)
    }


# Evidence.


def free_in(*coordinates: int) -> Floats:
    deviations = np.full(9, NOTHING)
    deviations[list(coordinates)] = [0.8, 0.7][: len(coordinates)]
    return deviations


@pytest.mark.parametrize("coordinates", [(0, 8), (1, 2), (3, 8)])
def test_evidence_against_an_integral_over_two_moves(coordinates: tuple[int, int]) -> None:
    """Prior times likelihood, added up over a grid of the moves that are free."""
    pool = as_cells(np.sort(field_scores(0.2, count=60) + 1).tolist())
    data = Evidence(MODEL, pool, Cells.empty(), Cells.empty(), 600.0, 1.0, math.log(0.25))
    deviations = free_in(*coordinates)
    objective = Objective(data, deviations)
    end = minimise(objective, np.zeros(9))
    one = Hypothesis(data, end, deviations, -1.5, favour=0.25)
    around = np.sqrt(np.diag(one.covariance))[list(coordinates)]
    line = np.linspace(-6, 6, 41)
    total = 0.0
    for first in line:
        for second in line:
            moves = end.point.copy()
            moves[list(coordinates)] += around * [first, second]
            total += math.exp(end.value - objective(moves).value)
    cell = float(np.prod(around)) * (line[1] - line[0]) ** 2
    normaliser = float(np.prod(deviations[list(coordinates)])) * 2 * math.pi
    expected = -1.5 + 0.25 - end.value + math.log(total * cell / normaliser)
    assert one.log_evidence == pytest.approx(expected, abs=0.03)


def test_covariance_draws_and_mean_of_a_hypothesis() -> None:
    one = max(honest()[1], key=lambda each: -each.solution.value if each.lie is None else -1e9)
    inverse = np.linalg.inv(one.solution.hessian)
    if (np.linalg.eigvalsh(one._scaled) > 1).all():
        assert one.covariance == pytest.approx(inverse, rel=1e-6, abs=1e-12)
    draws = one.draws(4000, np.random.default_rng(5))
    lower, upper = one.data.source.bounds
    assert ((draws >= lower) & (draws <= upper)).all()
    assert np.cov(draws.T)[:4, :4] == pytest.approx(one.covariance[:4, :4], rel=0.2, abs=2e-4)
    off = (draws.mean(axis=0) - one.solution.point)[:4] / np.sqrt(np.diag(one.covariance)[:4])
    assert np.abs(off).max() < 0.1
    assert one.mean == pytest.approx(mean_between(lower, upper, one.solution.point, one.covariance))


def test_no_move_is_surer_than_its_prior_lets_it_be() -> None:
    """Where the likelihood bends the wrong way, the prior alone is left."""
    one = honest()[1][0]
    bent = replace(one.solution, hessian=-np.eye(9))
    assert replace(one, solution=bent).covariance == pytest.approx(np.diag(one.deviations**2))
    assert math.isfinite(replace(one, solution=bent).log_evidence)


@pytest.mark.parametrize(("unlabelled", "labelled", "surer"), [(6000, 10, 0), (60, 900, 1)])
def test_both_kinds_of_scores_are_no_surer_than_the_surer(
    unlabelled: int, labelled: int, surer: int
) -> None:
    """By differences of the gradient of either kind, with the other one taken away."""
    few = np.resize(TAR, labelled), np.resize(NON, labelled)
    data = evidence_of(SOURCE, given(field_scores(0.2, count=unlabelled), *few), 0.2, told=True)
    one = hypotheses(data, FACTOR, told=True)[4]  # whose shapes are the same
    none, at = Cells.empty(), one.solution.point
    volumes, inverses = [], []
    for alone in (replace(one.data, tar=none, non=none), replace(one.data, pool=none)):
        objective = Objective(alone, one.deviations)
        steps = 1e-5 * np.eye(9)
        rows = [(objective(at + h).gradient - objective(at - h).gradient) / 2e-5 for h in steps]
        values, vectors = np.linalg.eigh(np.array(rows) * np.outer(one.deviations, one.deviations))
        values = np.maximum(values, 1)
        volumes.append(np.log(values).sum())
        spread = vectors * one.deviations[:, None]
        inverses.append((spread / values) @ spread.T)
    assert np.argmax(volumes) == surer
    assert one.covariance == pytest.approx(inverses[surer], rel=1e-3, abs=1e-6)


def test_labelled_scores_beside_others_decide_at_full_weight() -> None:
    data = evidence_of(SOURCE, given(field_scores(0.05), TAR[:20], NON[:20]), 0.05, told=True)
    assert 0 < data.label_weight < 1
    one = hypotheses(data, FACTOR, told=True)[3]
    _, log_volume = np.linalg.slogdet(
        one.solution.hessian * np.outer(one.deviations, one.deviations)
    )
    integral = one.log_prior + one.favour - one.solution.value - 0.5 * log_volume
    rest = one.data.rest_of_labelled(one.mean)
    assert rest < -10
    assert one.log_evidence == pytest.approx(integral + rest)


def test_weights_are_probabilities_and_favour_can_be_left_out() -> None:
    _, every = honest()
    weights, neutral = weights_of(every), weights_of(every, favoured=False)
    assert weights.sum() == pytest.approx(1)
    assert neutral.sum() == pytest.approx(1)
    evidences = np.array([one.log_evidence for one in every])
    two = [next(k for k, one in enumerate(every) if one.unmoved == u) for u in (True, False)]
    i, j = two
    logs = [math.log(each[i] / each[j]) for each in (weights, neutral)]
    forgiven = np.diff(_forgiven(every, evidences)[two[::-1]]).item()
    assert logs[0] - logs[1] == pytest.approx(every[i].favour - every[j].favour + forgiven)
    assert logs[0] == pytest.approx(every[i].log_evidence - every[j].log_evidence + forgiven)
    assert every[i].favour > every[j].favour == 0


@pytest.mark.parametrize(("share", "count"), [(0.1, 3000), (0.002, 40_000)])
@pytest.mark.parametrize("labelled", [False, True])
def test_half_of_what_other_people_do_is_forgiven(share: float, count: int, labelled: bool) -> None:
    """With the likelihood of the unlabelled scores straight from densities."""
    few = (normal(9, 3.2, 1.4), normal(12, -0.8, 1.0)) if labelled else (None, None)
    data = evidence_of(
        SOURCE, given(field_scores(share, shift=0.2, count=count), *few), share, told=True
    )
    assert (data.trust > 3000) == (share < 0.01)
    every = hypotheses(data, FACTOR, told=True)
    pool = data.pool
    cauchy = stats.cauchy.pdf(pool.values, pool.quantile(0.5), 5.0)

    def fit(one: Hypothesis) -> float:
        moves = one.solution.point
        model, targets = one.data.source, 1 / (1 + math.exp(-one.data.log_odds - moves[-1]))
        tar, non = (
            side.densities(at.theta[None, :], pool.values)[0]
            for side, at in zip((model.tar, model.non), model.moved(moves), strict=True)
        )
        mixed = 0.997 * (targets * tar + (1 - targets) * non) + 0.003 * cauchy
        return float(pool.counts @ np.log(mixed)) / pool.count

    logs = np.array([one.log_evidence for one in every])
    forgiven = _forgiven(every, logs)
    both = np.array([one.lie in {None, "wrong share"} for one in every])
    best = max(fit(one) for one, moves_both in zip(every, both, strict=True) if moves_both)
    for one, moves_both, nats in zip(every, both, forgiven - forgiven[both].min(), strict=True):
        if moves_both:
            expected = 0.5 * min(data.trust, 3000.0) * (best - fit(one)) if one.unmoved else 0.0
            assert nats == pytest.approx(expected, rel=1e-6, abs=1e-6)
    assert np.ptp(forgiven[both]) > 1
    # Other lies are neither more likely nor less.
    assert not forgiven[~both].any()
    after, before = (np.exp(each - logs.max()) for each in (logs + forgiven, logs))
    assert after[both].sum() == pytest.approx(before[both].sum())


def test_the_mean_between_bounds_is_that_of_a_bell_cut_off() -> None:
    """One move, whose best value lies near a bound: by adding up the bell over a grid."""
    best, deviation, lower, upper = -0.3, 0.7, np.array([-0.5]), np.array([2.0])
    mean = mean_between(lower, upper, np.array([best]), np.array([[deviation**2]]))
    truth = stats.truncnorm((-0.5 + 0.3) / 0.7, (2 + 0.3) / 0.7, best, deviation).mean()
    assert mean == pytest.approx([truth], abs=1e-9)


def test_what_bounds_cut_off_shifts_other_moves_along() -> None:
    covariance = np.array([[1.0, 0.6], [0.6, 2.0]])
    lower, upper = np.array([0.2, -np.inf]), np.array([np.inf, np.inf])
    mean = mean_between(lower, upper, np.zeros(2), covariance)
    first = stats.truncnorm(0.2, np.inf).mean()
    assert mean == pytest.approx([first, 0.6 * first])
    far = mean_between(np.array([50.0]), np.array([60.0]), np.zeros(1), np.eye(1))
    assert 50 <= far[0] <= 60


# What is looked at.


def test_every_pair_of_factors_is_tried_unless_it_is_hopeless() -> None:
    data, every = honest()
    truths = [one for one in every if one.lie is None and one.deviations[-1] == FACTOR]
    pairs = [(one.together, one.apart) for one in truths]
    assert len(pairs) == 24
    assert {together for together, _ in pairs} == {1.0, 0.3, 0.1, NOTHING}
    assert {apart for _, apart in pairs} == {1.0, 0.5, 0.25, 0.1, NOTHING}
    for one in truths:
        shapes = one.deviations[4:8] / [0.3, 1.5, 0.3, 1.0]
        assert one.deviations[:2] == pytest.approx(one.together * np.array([2.0, 0.7]))
        assert one.deviations[2:4] == pytest.approx(one.apart * np.array([0.6, 0.35]))
        if one.apart < 1:
            assert shapes == pytest.approx(np.full(4, one.apart))
        still = shapes.max() <= NOTHING
        assert (one.data.source is data.source) == still  # corrections are for the same shape
        assert (one.data.source is data.source.plain) != still
        assert one.log_prior == (-3.0 if one.apart == 1 and still else 0.0)
        assert one.unmoved == (one.together == NOTHING == one.apart)
        assert (one.favour > 0) == (one.apart == NOTHING)
        assert one.solution.converged
    unmoved = [one for one in truths if one.unmoved]
    along = [one for one in truths if one.apart == NOTHING and not one.unmoved]
    assert len(unmoved) == 1
    assert unmoved[0].favour == pytest.approx(along[0].favour + module._UNMOVED)
    assert sum(one.apart == 1 for one in truths) == 8


def test_rows_without_hope_have_only_their_unmoved_classes() -> None:
    data = evidence(field_scores(0.05, shift=2.5))
    truths = module._honest(data, FACTOR)
    kept = [one for one in truths if one.together == NOTHING]
    assert [(one.apart, one.deviations[4] < 0.01) for one in kept] == [
        (1.0, False),
        (1.0, True),
        (NOTHING, True),
    ]
    assert sum(one.together == 1 for one in truths) == 6


@pytest.mark.parametrize("shift", [0.0, 1.0, -2.0])
def test_no_start_ends_lower_than_what_was_found(shift: float) -> None:
    """The best of many searches from all around."""
    data = evidence(field_scores(0.1, shift=shift, wider=1.2, count=600), 0.1)
    every = module._honest(data, FACTOR)
    rng = np.random.default_rng(3)
    for one in (every[0], every[5]):
        objective = Objective(one.data, one.deviations)
        lower, upper = one.data.source.bounds
        for _ in range(4):
            near = np.clip(one.deviations * rng.normal(size=9), lower, upper)
            end = minimise(objective, near, lower=lower, upper=upper)
            assert one.solution.value < end.value + 1e-4


def test_starts_bring_the_bulk_of_the_scores_to_its_place() -> None:
    scores = 2.0 + 3.0 * normal(4000, 0.0, 1.0)
    cells = Cells.of(Summary.of(scores))
    data = Evidence(MODEL, cells, Cells.empty(), Cells.empty(), 100.0, 1.0, -20.0)
    as_it_is, closer, bulk = starts(data)
    assert not as_it_is.any()
    assert closer.tolist() == [0, 0, -0.7, 0, 0, 0, 0, 0, 0]
    assert bulk[:2] == pytest.approx([2.0, math.log(3)], abs=0.02)
    assert not bulk[2:].any()
    # The lower 60 % are the non-targets; and the upper 60 % the targets, which lie 4 above them.
    for share, levels in ((0.4, (0.15, 0.3, 0.45)), (0.6, (0.55, 0.7, 0.85))):
        most = starts(replace(data, log_odds=math.log(share / (1 - share))))[2]
        low, middle, high = (2 + 3 * stats.norm.ppf(level) for level in levels)
        wide = math.log((high - low) / 2 / 0.6745)
        expected = [middle, wide] if share < 0.5 else [middle - 4, wide - 0.3]
        assert most[:2] == pytest.approx(expected, abs=0.02)
        assert not most[2:].any()
    assert starts(replace(data, log_odds=0.0))[2][0] == pytest.approx(
        2 + 3 * stats.norm.ppf(0.75) - 4, abs=0.03
    )
    for far, end in ((1e-9, -5.0), (1e9, 5.0)):
        tiny = replace(data, pool=Cells(far * cells.values, cells.counts))
        for log_odds in (-20.0, 20.0):
            assert starts(replace(tiny, log_odds=log_odds))[2][1] == end
    assert len(starts(replace(data, pool=Cells.empty()))) == 2


def test_a_far_start_is_replaced_by_none() -> None:
    data = evidence(field_scores(0.05, count=100))
    far = np.zeros(9)
    far[1] = -800
    end = module._solved(Objective(data, np.ones(9)), far)
    assert math.isfinite(end.value)


def test_what_a_portrait_of_few_scores_costs() -> None:
    """Numbers over twice the scores, in parts of the classes; half of it on top, up to a limit."""
    tar, non = known([4.0, 0.3, 0.0, 0.1], count=50), known([0.0, 0.0, 0.0, 0.1], count=800)
    tar = replace(tar, parameters=10.0)
    data = Evidence(
        SourceModel(tar, non, 0.0, 1.0),
        POINTS,
        Cells.empty(),
        Cells.empty(),
        100.0,
        1.0,
        math.log(1 / 3),
    )
    a_score = 0.25 * 10 / 100 + 0.75 * 4 / 1600
    assert module._errors_of_portrait(data) == pytest.approx(1.5 * 100 * a_score)
    assert module._errors_of_portrait(replace(data, trust=1e6)) == 20


POINTS = as_cells([0.0, 1.0])


def test_the_share_as_told_is_believed_more_with_labelled_scores() -> None:
    data, every = honest()
    told = [one for one in every if one.lie is None and one.deviations[-1] < FACTOR]
    assert told
    weights = weights_of([one for one in every if one.lie is None and one.deviations[-1] == FACTOR])
    assert len(told) == (weights > 1e-4).sum()
    for one in told:
        assert one.deviations[-1] == pytest.approx(0.15 * FACTOR)
        assert one.log_prior in (-1.0, -4.0)
        assert one.solution.converged
    with_labels = evidence_of(
        SOURCE, given(field_scores(0.05), TAR[:15], NON[:30]), 0.05, told=True
    )
    believed = [
        one.log_prior
        for one in hypotheses(with_labels, FACTOR, told=True)
        if one.lie is None and one.deviations[-1] < FACTOR
    ]
    assert set(believed) <= {0.5, -2.5}  # fifteen bring it halfway from -1 to 2
    for untold in (hypotheses(data, FACTOR, told=False),):
        assert not [one for one in untold if one.lie is None and one.deviations[-1] < FACTOR]
        assert not [one for one in untold if one.lie == "wrong share"]


def test_a_wrong_share_has_a_wide_prior() -> None:
    _, every = honest()
    wrong = [one for one in every if one.lie == "wrong share"]
    assert {one.deviations[-1] for one in wrong} == {math.log(12)}
    assert not any(one.unmoved != (one.together == one.apart == NOTHING) for one in wrong)


def test_lies_that_are_not_looked_at() -> None:
    """Labelled scores show both classes; without unlabelled ones, there is nothing to ask."""
    data = evidence_of(SOURCE, given(field_scores(0.05), TAR[:15], NON[:30]), 0.05, told=True)
    lies = {one.lie for one in hypotheses(data, FACTOR, told=True)}
    assert lies - {"other scores"} == {None, "wrong share"}
    alone = evidence_of(SOURCE, given(None, TAR[:15], NON[:30]), 0.05, told=True)
    assert {one.lie for one in hypotheses(alone, FACTOR, told=True)} == {None}
    assert {one.lie for one in honest()[1]} == {None, *LIES}


# Lies in data that are made for them.


def test_the_truth_is_believed() -> None:
    believed = probabilities(honest()[0])
    assert believed[None] > 0.97
    assert believed[None] + believed["wrong share"] > 0.9999  # which may be right as well
    assert sum(believed.values()) == pytest.approx(1)


@pytest.mark.parametrize("told", [True, False])
def test_one_class_alone_is_noticed(told: bool) -> None:
    """Told that there are some, no targets are a share that is wrong."""
    assert probabilities(evidence(TAR), told=told)["only targets"] > 0.9
    none = probabilities(evidence(NON), told=told)
    assert none["wrong share" if told else "only non-targets"] > 0.9
    moved = probabilities(evidence(TAR + 0.3), told=told)
    assert moved["only targets"] > 0.9


@pytest.mark.parametrize("told", [True, False])
def test_other_scores_are_noticed(told: bool) -> None:
    for other_units in (50 * field_scores(0.05), 50 * field_scores(0.05) + 100):
        assert probabilities(evidence(other_units), told=told)["other scores"] > 0.99


@pytest.mark.parametrize("told", [True, False])
def test_noise_is_noticed(told: bool) -> None:
    noise = np.random.default_rng(1).uniform(-5, 8, 3000)
    assert probabilities(evidence(noise), told=told)["other scores"] > 0.99


def test_noise_needs_few_bins() -> None:
    """Twenty of them would cost more than they gain, where few scores weigh little."""
    data = evidence(np.random.default_rng(3).uniform(-5, 8, 600))
    coarse, fine = (module._histogram(data, bins).log_evidence for bins in (4, 20))
    assert coarse > fine + 10
    found = module.hypotheses(data, math.log(2), told=True)
    assert sum(one.lie == "other scores" for one in found) == 4  # and another recognizer


def test_densities_that_miss_the_training_scores_take_from_a_histogram() -> None:
    """Of heaps within each class, which a histogram has and no NIG."""
    rng = np.random.default_rng(8)
    heaps = np.concatenate([rng.normal(at, 0.03, 400) for at in (-1.0, 0.0, 1.0)])
    tar = Cells(np.sort(heaps + 4), np.full(1200, 0.5))
    non = Cells(np.sort(heaps), np.full(1200, 5.0))
    model = replace(MODEL, tar=replace(MODEL.tar, points=tar), non=replace(MODEL.non, points=non))
    pool = as_cells([-1.0, 0.2, 4.1], [50, 200, 50])
    data = Evidence(model, pool, Cells.empty(), Cells.empty(), 100.0, 1.0, math.log(1 / 3))
    values = np.concatenate([tar.values, non.values])
    missed = {}
    for share in (0.25, 1 - 1e-12, 1e-12):
        shares = np.repeat([share / 1200, (1 - share) / 1200], 1200)
        order = np.argsort(values)
        middle = np.cumsum(shares[order]) - 0.5 * shares[order]
        ranks = even_ranks(0.5 / 300, 1 - 0.5 / 300, 20)
        inner = np.interp(ranks, middle, values[order])
        edges = np.concatenate([[values.min()], inner, [values.max()]])
        masses = np.histogram(values, edges, weights=shares)[0]
        used = masses > 0
        own = masses[used] @ np.log(masses[used] / np.diff(edges)[used])
        mixed = share * textbook_nig(model.tar.theta).pdf(values)
        mixed += (1 - share) * textbook_nig(model.non.theta).pdf(values)
        wild = stats.cauchy(pool.quantile(0.5), 5.0).pdf(values)
        expected = own - shares @ np.log(0.997 * mixed + 0.003 * wild)
        missed[share] = module._missed(data, math.log(share) - math.log1p(-share), 20)
        assert missed[share] == pytest.approx(expected, abs=1e-6)
        assert expected > 0.3
    smooth = replace(data, source=MODEL)
    assert module._missed(smooth, 0.5, 20) == 0
    # The most that is missed at any share is what is taken.
    gained = module._histogram_logs(pool, 20) - max(missed.values())
    volume = 19 / 2 * math.log(100 / (2 * math.pi))
    expected = math.log(0.05) + 100 * gained - volume
    assert module._histogram(data, 20).log_evidence == pytest.approx(expected, abs=1e-4)
    few = replace(data, trust=3.0)  # fewer than a bin needs: no volume
    expected = math.log(0.05) + 3 * gained
    assert module._histogram(few, 20).log_evidence == pytest.approx(expected, abs=1e-5)


def test_reversed_scores_are_noticed() -> None:
    rng = np.random.default_rng(2)
    tar, non = 6 + 0.8 * rng.gumbel(size=1000), 1.2 * rng.exponential(size=4000)
    source = source_of(tar, non)
    pool = np.concatenate([tar[:100], non[:900]])
    assert probabilities(evidence(8 - pool, 0.1, source))["reversed"] > 0.9
    assert probabilities(evidence(pool, 0.1, source))["reversed"] < 1e-6


def test_a_share_ten_times_off_is_noticed() -> None:
    assert probabilities(evidence(field_scores(0.05), 0.5))["wrong share"] > 0.8
    assert probabilities(evidence(field_scores(0.3), 0.03))["wrong share"] > 0.5


@pytest.mark.parametrize("bins", [4, 20])
def test_evidence_of_a_histogram_by_hand(bins: int) -> None:
    """Bins that are narrower in the tails, whose heights cost half the log of the scores each."""
    data = evidence(normal(2400, 1.0, 2.0))
    one = module._histogram(data, bins)
    values = np.sort((normal(2400, 1.0, 2.0) - SOURCE.origin) / SOURCE.unit)
    ranks = even_ranks(0.5 / 2400, 1 - 0.5 / 2400, bins)
    edges = np.concatenate([values[:1], np.quantile(values, ranks), values[-1:]])
    masses = np.histogram(values, edges)[0] / 2400
    logs = masses @ np.log(masses / np.diff(edges))
    volume = (bins - 1) / 2 * math.log(data.trust / (2 * math.pi))
    expected = math.log(0.05) + data.trust * logs - volume
    assert one.log_evidence == pytest.approx(expected, abs=0.004 * data.trust)
    assert module._missed(data, data.log_odds, bins) == 0  # the classes fit
    assert one.lie == "other scores"
    assert not one.solution.point.any()
    assert np.abs(one.draws(10, np.random.default_rng(0))).max() < 0.02
    few = replace(data, tar=as_cells([4.0, 4.5]), non=as_cells([0.0]))
    logs = few.labelled_logs(SOURCE.tar, few.tar, SOURCE.tar.theta)[0].sum()
    logs += few.labelled_logs(SOURCE.non, few.non, SOURCE.non.theta)[0].sum()
    assert module._histogram(few, bins).log_evidence == pytest.approx(one.log_evidence + logs)


@pytest.mark.parametrize("furthest", [20.0, 400.0])
def test_another_recognizer_may_be_anywhere(furthest: float) -> None:
    """The evidence of a fit with any shift and scale, and with a share that may be wrong."""
    scores = (furthest / 9) * field_scores(0.1, count=300)
    data = evidence(scores, 0.05, source_of(BIMODAL + 4, NON))
    far = np.abs(data.pool.values).max()
    assert (far > 50) == (furthest > 50)
    deviations = np.array([max(far, 50), 3, 0.6, 0.35, 0.3, 1.5, 0.3, 1, math.log(12)])
    objective = Objective(replace(data, source=data.source.plain), deviations)
    lower, upper = data.source.bounds
    rng = np.random.default_rng(0)
    near = starts(data) + [rng.normal(size=9) * [3, 1, 1, 0, 0, 0, 0, 0, 1] for _ in range(3)]
    ends = [
        minimise(objective, np.clip(start, lower, upper), lower=lower, upper=upper)
        for start in near
    ]
    best = min(ends, key=lambda end: end.value)
    scaled = best.hessian * np.outer(deviations, deviations)
    expected = math.log(0.05) - best.value - 0.5 * np.linalg.slogdet(scaled)[1]
    other = module._another_recognizer(data)
    assert other.log_evidence == pytest.approx(expected, abs=1e-3)
    assert other.lie == "other scores"
    assert not other.solution.point.any()


def test_reversed_scores_have_the_evidence_of_their_mirror_image() -> None:
    """About their median, where both classes may have moved together; each with its count."""
    data = evidence(field_scores(0.15, shift=0.4), 0.15, source_of(BIMODAL + 4, NON))
    counts = data.pool.counts * (1 + np.arange(len(data.pool.counts)) % 3)
    data = replace(data, pool=replace(data.pool, counts=counts))
    right = next(
        one
        for one in module._honest(data, FACTOR)
        if one.together == 1 and one.deviations[2] < 2 * NOTHING
    )
    middle = data.pool.quantile(0.5)
    mirrored = Cells(2 * middle - data.pool.values[::-1], data.pool.counts[::-1])
    one, anywhere = module._reversed(replace(data, pool=mirrored), FACTOR)
    assert one.lie == anywhere.lie == "reversed"
    assert right.favour > 0
    assert one.log_evidence == pytest.approx(right.log_evidence + math.log(0.05), abs=1e-6)


def test_reversed_scores_may_lie_anywhere() -> None:
    """Strongly skewed ones, mirrored, lie many deviations from where they were."""
    rng = np.random.default_rng(4)
    tar, non = 6 - rng.lognormal(0, 1, 1000), rng.lognormal(0, 1, 5000)
    source = source_of(tar, non)
    turned = 30 - np.concatenate([tar[:100], non[:1900]])
    near, anywhere = module._reversed(evidence(turned, 0.05, source), FACTOR)
    assert anywhere.log_evidence > near.log_evidence + 5
    assert probabilities(evidence(turned, 0.05, source))["reversed"] > 0.9
    data = evidence(field_scores(0.15), 0.15)
    wide = module._anywhere(data, np.arange(1.0, 10.0))
    assert wide.tolist() == [50.0, 3.0, *range(3, 10)]
    far = evidence(1000 * field_scores(0.15), 0.15)
    assert module._anywhere(far, np.arange(1.0, 10.0))[0] == np.abs(far.pool.values).max() > 50


# One class alone.


@pytest.mark.parametrize(("lie", "log_odds"), [("only targets", 40), ("only non-targets", -40)])
def test_one_class_alone_is_a_mixture_of_which_it_has_all(lie: str, log_odds: float) -> None:
    """The other class moves along; shapes may change."""
    alone = [one for one in honest()[1] if one.lie == lie]
    assert {one.data.log_odds for one in alone} == {log_odds}
    assert {one.data.pool.count for one in alone} == {6000}
    seen = {(one.together, one.apart) for one in alone}
    assert {(1.0, apart) for apart in (1.0, 0.5, 0.25, 0.1, NOTHING)} <= seen
    assert {(together, NOTHING) for together in (1.0, 0.3, 0.1, NOTHING)} <= seen
    assert len(seen) == len(alone)
    errors = module._errors_of_portrait(alone[0].data, alone=True)
    side = SOURCE.tar if log_odds > 0 else SOURCE.non
    a_score = side.parameters / (2 * (2000 if log_odds > 0 else 20_000))
    assert errors == pytest.approx(1.5 * alone[0].data.trust * a_score)
    # Only where one class is alone is there no limit.
    sure = replace(alone[0].data, trust=1e5)
    assert module._errors_of_portrait(sure, alone=True) == pytest.approx(1.5e5 * a_score)
    assert module._errors_of_portrait(sure) == pytest.approx(min(1.5e5 * a_score, 20))
    for one in alone:
        assert one.deviations[-1] == NOTHING
        assert one.deviations[:2] == pytest.approx(one.together * np.array([2.0, 0.7]))
        assert one.deviations[2:4] == pytest.approx(NOTHING * np.array([0.6, 0.35]))
        assert one.deviations[4:8] == pytest.approx(one.apart * np.array([0.3, 1.5, 0.3, 1.0]))
        assert one.favour == pytest.approx(4 + errors if one.unmoved else 0)
        assert np.abs(one.solution.point[[2, 3, 8]]).max() < 0.02


def test_one_class_alone_pays_for_wild_scores_as_others_do() -> None:
    """Or it would be more likely wherever there are none: by hand, with 0.3 % that are wild."""
    pool = Cells(np.append(np.linspace(2.5, 5.5, 997), 900.0), np.append(np.ones(997), 3.0))
    data = Evidence(MODEL, pool, Cells.empty(), Cells.empty(), 300.0, 1.0, math.log(1 / 9))
    unmoved = {one.lie: one for one in hypotheses(data, FACTOR, told=True) if one.unmoved}
    wild = stats.cauchy(pool.quantile(0.5), 5.0).pdf(pool.values)
    sides: tuple[tuple[Lie, SourceClass], ...] = (
        ("only targets", MODEL.tar),
        ("only non-targets", MODEL.non),
    )
    for lie, side in sides:
        every = 0.997 * textbook_nig(side.theta).pdf(pool.values) + 0.003 * wild
        expected = -0.3 * (pool.counts @ np.log(every))
        assert unmoved[lie].solution.value == pytest.approx(expected, rel=1e-3)
        objective = Objective(unmoved[lie].data, unmoved[lie].deviations)
        assert objective(MODEL.still).value == pytest.approx(expected)
    almost = replace(data, log_odds=math.log(1e6))
    assert Objective(almost, np.ones(9))(MODEL.still).value == pytest.approx(
        Objective(replace(data, log_odds=40.0), np.ones(9))(MODEL.still).value, abs=1e-3
    )


def test_priors_of_lies() -> None:
    """Targets alone are less likely the fewer were told, by the square root of that."""
    untold = hypotheses(honest()[0], FACTOR, told=False)
    for every, targets, others in (
        (honest()[1], 0.1 * math.sqrt(0.05), 1e-4),
        (untold, 0.01, 0.01),
    ):
        priors = {lie: {one.log_prior for one in every if one.lie == lie} for lie in (None, *LIES)}
        assert list(priors["only targets"]) == pytest.approx([math.log(targets)])
        assert list(priors["only non-targets"]) == pytest.approx([math.log(others)])
    assert {one.log_prior for one in honest()[1] if one.lie == "wrong share"} == {
        math.log(0.15),
        math.log(0.15) - 3,
    }
    assert {one.log_prior for one in untold if one.lie is None} == {0.0, -3.0}
