"""The objective of an adaptation, against 30 digits and itself."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np
import pytest

import llrcal
from llrcal.adaptation.hypotheses import averaged, mean_between, starts
from llrcal.adaptation.move import place_of
from llrcal.adaptation.objective import Evidence, Objective
from llrcal.arrays import Floats
from llrcal.fitting.optimizer import minimise
from llrcal.onepass.cells import Cells
from llrcal.onepass.summary import Summary
from tests.trial_sets import normal

TAR, NON = normal(300, 2.0, 1.2), normal(3000, -1.0, 0.9) + 0.1 * normal(3000, 0.0, 1.0) ** 2
METHODS = pytest.mark.parametrize("method", ["gaussian", "student-t", "nig"])


def evidence(method: str, scores: Floats, *, trust: float = 500.0) -> Evidence:
    cal = llrcal.fit(TAR, NON, method=method)
    place = place_of(cal.tar, cal.non)  # type: ignore[attr-defined]

    def seen(values: Floats) -> Cells:
        return Cells.of(Summary.of(values), cells=40).seen_from(place.origin, place.unit)

    return Evidence(place, seen(scores), seen(TAR[:1] + 1), seen(NON[:1] + 1), trust, 0.25, -2.0)


def density(family: str, theta: list[mpmath.mpf], x: float) -> mpmath.mpf:
    """A textbook density at free coordinates."""
    location, scale = theta[0], mpmath.exp(theta[1])
    z = (x - location) / scale
    if family == "gaussian":
        return mpmath.exp(-z * z / 2) / scale / mpmath.sqrt(2 * mpmath.pi)
    if family == "student-t":
        dof = 1 / theta[2]
        constant = mpmath.gamma((dof + 1) / 2) / mpmath.gamma(dof / 2)
        power = (1 + z * z / dof) ** (-(dof + 1) / 2)
        return constant / mpmath.sqrt(dof * mpmath.pi) / scale * power
    v, c = theta[2], mpmath.expm1(theta[3])
    square = mpmath.cosh(v) ** 2
    kappa = c / square
    sd = scale * square * mpmath.sqrt(1 + kappa) * mpmath.cosh(v)
    mean = location + scale * square * mpmath.tanh(v)
    eta = mpmath.sqrt(1 + kappa) * mpmath.sinh(v)
    y = (x - mean) / sd
    u = 1 + eta * y
    q = mpmath.sqrt(u * u + kappa * y * y)
    bessel = mpmath.besselk(1, q / kappa) * mpmath.exp(u / kappa)
    return bessel / (mpmath.pi * sd * mpmath.sqrt(kappa) * q) if kappa else mpmath.mpf(0)


def by_textbook(data: Evidence, deviations: Floats, moves: list[mpmath.mpf]) -> mpmath.mpf:
    """The formula at the top of the module."""
    place, family = data.place, data.place.family.family
    floors = {"non-target": mpmath.mpf(0.02), "target": mpmath.mpf(0.2)}
    named = dict(zip(place.names, moves, strict=True))
    sides = {}
    for side, old in (("target", place.tar), ("non-target", place.non)):
        theta = [mpmath.mpf(float(one)) for one in old]
        theta[0] = mpmath.mpf(float(place.non[0])) + named["shift"]
        theta[1] += named["scale"]
        if side == "target":
            apart = mpmath.mpf(float(place.tar[0])) - mpmath.mpf(float(place.non[0]))
            theta[0] += apart * mpmath.exp(named["distance"])
            theta[1] += named["target scale"]
        if f"{side} lean" in named:
            theta[2] += named[f"{side} lean"]
        if f"{side} tail" in named:
            tail = mpmath.expm1(theta[-1]) if family == "nig" else theta[-1]
            tail = (tail + floors[side]) * mpmath.exp(named[f"{side} tail"]) - floors[side]
            theta[-1] = mpmath.log1p(tail) if family == "nig" else tail
        sides[side] = theta
    p = 1 / (1 + mpmath.exp(-(data.log_odds + named["odds"])))
    total = sum((move / float(sd)) ** 2 / 2 for move, sd in zip(moves, deviations, strict=True))
    for x, n in zip(data.pool.values, data.pool.counts, strict=True):
        tar, non = (density(family, sides[side], float(x)) for side in ("target", "non-target"))
        share = data.trust * float(n) / data.pool.count
        total -= share * mpmath.log(p * tar + (1 - p) * non)
    for side, few in (("target", data.tar), ("non-target", data.non)):
        for x, n in zip(few.values, few.counts, strict=True):
            log = mpmath.log(density(family, sides[side], float(x)))
            total -= data.label_weight * float(n) * log
    return total


@pytest.mark.slow
@METHODS
def test_gradient_and_hessian_against_mpmath(method: str) -> None:
    """Along a few directions, which every entry has a part in."""
    scores = np.concatenate([TAR[:2] + 0.8, NON[:3] + 0.8])
    data = evidence(method, scores)
    size = len(data.place.names)
    deviations, at = np.linspace(0.3, 2, size), np.linspace(-0.2, 0.25, size)
    here = Objective(data, deviations)(at)
    with mpmath.workdps(30):
        h = mpmath.mpf(10) ** -8

        def f(direction: Floats, steps: int) -> mpmath.mpf:
            moves = [
                mpmath.mpf(float(one)) + steps * h * mpmath.mpf(float(part))
                for one, part in zip(at, direction, strict=True)
            ]
            return by_textbook(data, deviations, moves)

        middle = f(at, 0)
        assert float(middle) == pytest.approx(here.value, rel=1e-12)
        for direction in np.random.default_rng(1).normal(size=(2, size)):
            up, down = f(direction, 1), f(direction, -1)
            slope = float((up - down) / (2 * h))
            assert slope == pytest.approx(float(here.gradient @ direction), rel=1e-9)
            bend = float((up - 2 * middle + down) / h**2)
            assert bend == pytest.approx(float(direction @ here.hessian @ direction), rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_every_start_ends_in_the_same_or_a_reported_optimum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tar, non = rng.normal(rng.uniform(0.5, 6), rng.uniform(0.4, 2.5), 40), rng.normal(0, 1, 400)
    data = evidence("gaussian", np.concatenate([tar, non]) + rng.normal(0, 3))
    objective = Objective(data, np.array([2.0, 0.7, 0.6, 0.35, 0.69]))
    lower, upper = data.place.bounds
    ends = [minimise(objective, start, lower=lower, upper=upper) for start in starts(data)]
    assert all(end.converged for end in ends)
    found = averaged(data, 0.69)
    assert found.optima > 1 or np.ptp([end.value for end in ends]) < 1e-5
    assert found.weights.sum() == pytest.approx(1)


def test_the_mean_between_bounds_is_that_of_a_bell_cut_off() -> None:
    """One move, whose best value lies near a bound: by adding up the bell over a grid."""
    best, deviation, lower, upper = -0.3, 0.7, np.array([-0.5]), np.array([2.0])
    found = mean_between(lower, upper, np.array([best]), np.array([[deviation**2]]))
    grid = np.linspace(lower[0], upper[0], 100_001)
    weights = np.exp(-0.5 * ((grid - best) / deviation) ** 2)
    assert found == pytest.approx([grid @ weights / weights.sum()], abs=1e-4)


@pytest.mark.slow
def test_a_share_that_the_scores_do_not_contradict_is_taken_as_told() -> None:
    rng = np.random.default_rng(1)
    data = evidence("gaussian", np.concatenate([rng.normal(2, 1.2, 60), rng.normal(-1, 0.9, 440)]))
    found = averaged(data, 0.69)
    as_told = np.array([h.deviations[-1] < 0.69 for h in found.hypotheses])
    assert 0.2 < found.weights[as_told].sum() < 0.9
    far = averaged(replace(data, log_odds=data.log_odds - 2.5), 0.69)
    as_told = np.array([h.deviations[-1] < 0.69 for h in far.hypotheses])
    assert far.weights[as_told].sum() < 0.01


def test_labelled_scores_decide_between_hypotheses_at_full_weight() -> None:
    """Evidence by hand, with densities of the textbook; a share told wrong is noticed."""
    rng = np.random.default_rng(1)
    tar, non = rng.normal(2.4, 1.2, 60), rng.normal(-1, 0.9, 440)
    data = evidence("gaussian", np.concatenate([tar, non]))
    place = data.place
    few = [Cells(s[:20], np.ones(20)).seen_from(place.origin, place.unit) for s in (tar, non)]
    data = replace(data, tar=few[0], non=few[1], log_odds=data.log_odds + 1.5)
    found = averaged(data, 0.69)
    for one in (found.hypotheses[0], found.best):
        scaled = one.solution.hessian * np.outer(one.deviations, one.deviations)
        integral = one.log_prior - one.solution.value - 0.5 * np.linalg.slogdet(scaled)[1]
        logs = sum(
            mpmath.log(density("gaussian", [mpmath.mpf(float(c)) for c in side.theta], float(x)))
            for side, seen in zip(place.moved(one.mean), few, strict=True)
            for x in seen.values
        )
        assert one.log_evidence == pytest.approx(integral + 0.75 * float(logs), abs=1e-6)
    as_told = np.array([h.deviations[-1] < 0.69 for h in found.hypotheses])
    believed = {round(h.log_prior, 3) for h in np.array(found.hypotheses)[as_told]}
    assert believed <= {round(prior - 1 + 3 * 20 / 35, 3) for prior in (0, -3)}
    in_part = [h.log_evidence - data.rest_of_labelled(h.mean) for h in found.hypotheses]
    weights = np.exp(np.array(in_part) - max(in_part))
    assert found.weights[as_told].sum() < 0.7 * weights[as_told].sum() / weights.sum()
