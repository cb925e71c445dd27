"""The objective of an adaptation, against 40 digits and differences of itself."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np
import pytest

from llrcal.adaptation.objective import Evidence, Objective
from llrcal.adaptation.source import NAMES, SourceClass, SourceModel
from llrcal.onepass.cells import Cells
from tests.adaptation.worlds import (
    BIMODAL,
    Number,
    as_cells,
    exact_correction,
    exact_log_nig,
    known,
    source_of,
    textbook_nig,
)

CORRECTED = source_of(BIMODAL + 2, -BIMODAL)
PLAIN = SourceModel(known([2.5, 0.3, 0.2, 0.6]), known([0.1, 0.0, -0.3, 0.4]), 0.0, 1.0)
POOL = as_cells([-4.0, -1.3, -0.2, 0.4, 1.1, 2.6, 3.0, 9.0], [5, 30, 60, 50, 20, 9, 8, 1])
FEW_TAR, FEW_NON = as_cells([1.9, 3.2, -7.0], [1, 2, 1]), as_cells([-0.6, 0.9, 12.0])
WITH_ALL = Evidence(CORRECTED, POOL, FEW_TAR, FEW_NON, 400.0, 0.3, -1.7)
CASES = {
    "corrected": WITH_ALL,
    "plain": replace(WITH_ALL, source=PLAIN),
    "unlabelled": replace(WITH_ALL, tar=Cells.empty(), non=Cells.empty()),
    "labelled": replace(WITH_ALL, pool=Cells.empty(), label_weight=1.0),
    "only targets": replace(WITH_ALL, tar=Cells.empty(), non=Cells.empty(), log_odds=40.0),
    "only non-targets": replace(WITH_ALL, tar=Cells.empty(), non=Cells.empty(), log_odds=-40.0),
}
EACH = pytest.mark.parametrize("data", CASES.values(), ids=CASES.keys())
DEVIATIONS = np.linspace(0.3, 2, len(NAMES))
HERE = np.array([0.3, -0.2, 0.15, 0.1, -0.05, 0.2, 0.12, -0.1, 0.4])


def exact_objective(data: Evidence, moves: list[Number]) -> Number:
    """Minus the log of prior times likelihood, as the top of the module has it."""
    named = dict(zip(NAMES, moves, strict=True))
    target, other = (
        [mpmath.mpf(float(x)) for x in s.theta] for s in (data.source.tar, data.source.non)
    )
    apart = (target[0] - other[0]) * mpmath.exp(named["distance"])
    other[0] += named["shift"]
    target[0] = other[0] + apart
    other[1] += named["scale"]
    target[1] += named["scale"] + named["target scale"]
    for theta, name, floor in ((target, "target", 0.2), (other, "non-target", 0.02)):
        theta[2] += named[f"{name} skew"]
        tail = (mpmath.expm1(theta[3]) + mpmath.mpf(floor)) * mpmath.exp(named[f"{name} tail"])
        theta[3] = mpmath.log1p(tail - mpmath.mpf(floor))

    def density(one: SourceClass, theta: list[Number], x: float) -> Number:
        log = exact_log_nig(theta, mpmath.mpf(x))
        if one.correction is not None:
            log += exact_correction(one.correction, (x - theta[0]) / mpmath.exp(theta[1]))
        return mpmath.exp(log)

    middle = data.pool.quantile(0.5) if data.pool.count else float(data.source.non.theta[0])

    def wild(x: float) -> Number:
        return 1 / (mpmath.pi * 5 * (1 + ((mpmath.mpf(x) - mpmath.mpf(middle)) / 5) ** 2))

    total = sum(
        (m / mpmath.mpf(float(sd))) ** 2 / 2 for m, sd in zip(moves, DEVIATIONS, strict=True)
    )
    p = 1 / (1 + mpmath.exp(-(mpmath.mpf(data.log_odds) + named["odds"])))
    rare, rare_labelled = mpmath.mpf(0.003), mpmath.mpf(0.01)
    for x, n in zip(data.pool.values.tolist(), data.pool.counts.tolist(), strict=True):
        own = p * density(data.source.tar, target, x) + (1 - p) * density(data.source.non, other, x)
        share = mpmath.mpf(data.trust) * mpmath.mpf(n) / mpmath.mpf(data.pool.count)
        total -= share * mpmath.log((1 - rare) * own + rare * wild(x))
    for one, theta, few in (
        (data.source.tar, target, data.tar),
        (data.source.non, other, data.non),
    ):
        for x, n in zip(few.values.tolist(), few.counts.tolist(), strict=True):
            own = (1 - rare_labelled) * density(one, theta, x) + rare_labelled * wild(x)
            total -= mpmath.mpf(data.label_weight) * n * mpmath.log(own)
    return total


@EACH
def test_value_gradient_and_hessian_against_mpmath(data: Evidence) -> None:
    """Along a direction in which every entry has a part."""
    here = Objective(data, DEVIATIONS)(HERE)
    direction = np.random.default_rng(1).normal(size=len(NAMES))
    with mpmath.workdps(40):
        h = mpmath.mpf(10) ** -9

        def f(steps: int) -> Number:
            parts = zip(HERE.tolist(), direction.tolist(), strict=True)
            return exact_objective(
                data, [mpmath.mpf(m) + steps * h * mpmath.mpf(d) for m, d in parts]
            )

        down, middle, up = (f(steps) for steps in (-1, 0, 1))
        assert here.value == pytest.approx(float(middle), rel=1e-11)
        assert here.gradient @ direction == pytest.approx(float((up - down) / (2 * h)), rel=1e-8)
        bend = float((up - 2 * middle + down) / h**2)
        assert direction @ here.hessian @ direction == pytest.approx(bend, rel=1e-6)


@EACH
def test_every_move_against_differences(data: Evidence) -> None:
    objective = Objective(data, DEVIATIONS)
    here = objective(HERE)
    assert here.hessian == pytest.approx(here.hessian.T, rel=1e-12, abs=1e-9)
    for i, step in enumerate(1e-5 * np.eye(len(NAMES))):
        up, down = objective(HERE + step), objective(HERE - step)
        assert here.gradient[i] == pytest.approx((up.value - down.value) / 2e-5, rel=1e-5, abs=1e-4)
        bend = (up.gradient - down.gradient) / 2e-5
        assert here.hessian[i] == pytest.approx(bend, rel=1e-5, abs=1e-3)


def test_the_prior_alone_is_left_without_scores() -> None:
    none = replace(WITH_ALL, pool=Cells.empty(), tar=Cells.empty(), non=Cells.empty())
    value, gradient, hessian = Objective(none, DEVIATIONS)(HERE)
    assert value == pytest.approx(0.5 * ((HERE / DEVIATIONS) ** 2).sum())
    assert gradient == pytest.approx(HERE / DEVIATIONS**2)
    assert hessian == pytest.approx(np.diag(DEVIATIONS**-2))


def test_wild_scores_hardly_count() -> None:
    """A labelled score beyond all others pulls less, the farther it lies."""
    objective = [
        Objective(replace(CASES["labelled"], tar=as_cells([at])), DEVIATIONS)(0 * HERE)
        for at in (6.0, 60.0, 600.0)
    ]
    pulls = [abs(one.gradient[0]) for one in objective]
    assert pulls[2] == pytest.approx(pulls[1], rel=0.02)  # what is left is of the non-targets
    assert pulls[0] > 2 * abs(pulls[0] - pulls[1])


def test_how_likely_a_labelled_score_is_its_own() -> None:
    data = replace(WITH_ALL, source=PLAIN)
    scores = as_cells([2.5, 30.0])
    theta = PLAIN.tar.theta
    own = 0.99 * textbook_nig(theta).pdf(scores.values)
    middle = data.pool.quantile(0.5)
    wild = 0.01 / (5 * np.pi * (1 + ((scores.values - middle) / 5) ** 2))
    logs, gradients, probability = data.labelled_logs(PLAIN.tar, scores, theta)
    assert logs == pytest.approx(np.log(own + wild))
    assert probability == pytest.approx(own / (own + wild))
    assert gradients == pytest.approx(PLAIN.tar.at_each(theta, scores.values)[1])
    unlabelled, probability = data.with_wild(np.log(own / 0.99), scores.values)
    assert unlabelled == pytest.approx(np.log(own * 0.997 / 0.99 + 0.3 * wild))
    assert probability == pytest.approx(own * 0.997 / (own * 0.997 + 0.3 * 0.99 * wild))


def test_few_is_the_number_of_the_rarer_class() -> None:
    assert WITH_ALL.few == 3
    assert replace(WITH_ALL, tar=Cells.empty()).few == 0


def test_the_rest_of_labelled_scores_is_what_their_weight_leaves() -> None:
    data = replace(WITH_ALL, source=PLAIN)
    full, part = (Objective(replace(data, label_weight=w), DEVIATIONS)(HERE) for w in (1.0, 0.3))
    assert data.rest_of_labelled(HERE) == pytest.approx(part.value - full.value)
    assert replace(data, pool=Cells.empty()).rest_of_labelled(HERE) == 0
    assert replace(data, tar=Cells.empty()).rest_of_labelled(HERE) == 0


@pytest.mark.parametrize(
    "data",
    [
        CASES["plain"],
        CASES["corrected"],
    ],
)
def test_far_moves_give_numbers_and_no_error(data: Evidence) -> None:
    far = HERE + np.array([0, 800, 0, 0, 0, 0, 0, 0, 0])
    with np.errstate(all="ignore"):
        assert Objective(data, DEVIATIONS)(far).gradient.shape == far.shape
