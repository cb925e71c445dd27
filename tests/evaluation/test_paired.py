"""The same draws for all calibrations: against trials that are written down and evaluated."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from llrcal.arrays import Array, Floats
from llrcal.evaluation.bootstrap import Replicates
from llrcal.evaluation.evaluating import evaluated
from llrcal.evaluation.paired import PairedBootstrap
from llrcal.evaluation.trial_draws import Joint, Runs
from tests.evaluation.drawn_sets import bootstrap_intervals
from tests.trial_sets import normal

PRIORS = [-2.0, 0.5]
CURVE = np.linspace(-3, 3, 11)


def paired(
    *llrs: tuple[Array, Array],
    scores: tuple[Array, Array] | None = None,
    speakers: tuple[Array, Array] | None = None,
    replicates: int = 30,
) -> list[Replicates]:
    draws = PairedBootstrap(
        scores or llrs[0],
        speakers,
        prior_log_odds=PRIORS,
        curve=CURVE,
        replicates=replicates,
        seed=3,
    )
    for tar, non in llrs:
        draws.add(tar, non)
    return draws.replicates()


def numbers(tar: Array, non: Array) -> list[float]:
    ev, x = evaluated(tar, non), np.array(PRIORS)
    means = [float(ev.bayes_error(CURVE).mean()), float(ev.min_bayes_error(CURVE).mean())]
    overall = [ev.cllr, ev.min_cllr, ev.calibration_loss, ev.eer]
    return [*overall, *ev.bayes_error(x), *ev.min_bayes_error(x), *means]


SCORES = np.round(normal(40, 1, 2)), np.round(normal(90, -1, 2))  # ties, so that Cllr is exact


def bent(scores: Array) -> Floats:
    """LLRs that fall where scores rise."""
    return np.asarray(3 - np.abs(scores - 1))


def test_every_set_of_llrs_is_evaluated_on_the_same_trials() -> None:
    """Joint cells are drawn as the multinomial that is written down here, trial by trial."""
    every = [SCORES, (bent(SCORES[0]), bent(SCORES[1])), (-2 * SCORES[0], -2 * SCORES[1])]
    found = paired(*every)
    rng = np.random.default_rng(3)
    values = [np.unique(side, return_counts=True) for side in SCORES]
    for row in range(30):
        drawn = []
        for distinct, counts in values:
            times = rng.multinomial(counts.sum(), counts / counts.sum())
            drawn.append(np.repeat(distinct, times))
        maps: tuple[Callable[[Array], Array], ...] = (np.positive, bent, lambda s: -2 * s)
        for replicates, transform in zip(found, maps, strict=True):
            expected = numbers(transform(drawn[0]), transform(drawn[1]))
            np.testing.assert_allclose(replicates.numbers[row], expected, rtol=1e-9, atol=1e-12)


def test_llrs_that_no_score_explains() -> None:
    """As in cross-validation, equal scores may get different LLRs: each trial is then its own."""
    rng = np.random.default_rng(1)
    other = rng.normal(size=40), rng.normal(size=90)
    constant = np.zeros(40), np.zeros(90)
    first, second = paired(other, other, scores=constant)
    np.testing.assert_array_equal(first.numbers, second.numbers)
    assert first.of_number("cllr").std() > 0


def test_speakers_are_drawn_where_they_are_known() -> None:
    rng = np.random.default_rng(2)
    tar_speakers = np.repeat(np.arange(10), 4)[:, None].repeat(2, axis=1)
    non_speakers = rng.integers(10, size=(90, 2))
    speakers = tar_speakers, non_speakers
    one, other = paired(SCORES, (2 * SCORES[0], 2 * SCORES[1]), speakers=speakers)
    assert (one.by, len(one)) == ("speaker", 30)
    alone = bootstrap_intervals(
        *SCORES,
        prior_log_odds=PRIORS,
        curve=CURVE.tolist(),
        tar_speakers=tar_speakers,
        non_speakers=non_speakers,
        replicates=30,
        seed=3,
    )
    assert one.intervals() == alone
    first, second = (each.of_number("min_cllr") for each in (one, other))
    np.testing.assert_allclose(first, second, rtol=1e-12)  # the same draws


def test_the_mean_error_has_an_interval() -> None:
    tar, non = normal(200, 2, 2), normal(900, -2, 2)
    found = bootstrap_intervals(tar, non, prior_log_odds=PRIORS, curve=CURVE.tolist())
    assert found.mean_error
    low, high = found.mean_error
    assert low < float(evaluated(tar, non).bayes_error(CURVE).mean()) < high
    assert bootstrap_intervals(tar, non, prior_log_odds=PRIORS).mean_error is None


@pytest.mark.parametrize("seed", range(5))
def test_joint_cells_count_what_no_set_of_llrs_tells_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = [rng.integers(0, 4, 30), np.sort(rng.integers(0, 6, 30))]
    order = rng.permutation(30)
    joint = Joint.of_runs([Runs.of(cell, order) for cell in cells], 30)
    assert joint.counts.sum() == 30
    for cell, of_joint in zip(cells, joint.cell, strict=True):
        np.testing.assert_array_equal(np.repeat(of_joint, joint.counts), cell[order])
