"""Scores on which a likelihood has no maximum, or has it on the edge of its model."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import llrcal
from llrcal.errors import DegenerateError
from llrcal.method_table import MethodName
from tests.hostile.case import Answered, Case, Refused, Section
from tests.hostile.scores import NON, by_every
from tests.notes import texts
from tests.reference import certified

RNG = np.random.default_rng(4)
TAR4 = np.clip(np.round(2 * RNG.normal(2, 1.2, 400)), -8, 7)  # of four bits
CLIPPED = np.clip(RNG.normal(2, 1.2, 1000), None, 2.6)  # three in ten at the upper end
CAUCHY = RNG.standard_cauchy(2000)
GAUSSIAN = RNG.normal(2, 1.2, 100)

# Michelson's hundred measurements of the speed of light, in km/s above 299,000 (1879).
MICHELSON = certified.values("michelson")


def fit(tar: Any, method: MethodName, **options: Any) -> Any:
    return lambda: llrcal.fit(tar, NON, method=method, **options)


def check_bounded_below(calibration: llrcal.Calibration) -> None:
    dof = calibration.params["tar"]["dof"]
    tar = TAR4 if calibration.tar_count == len(TAR4) else CLIPPED
    ties = np.unique(tar, return_counts=True)[1].max() / len(tar)
    # Below this, the likelihood is unbounded (Fernandez and Steel, Biometrika 1999).
    assert dof > ties / (1 - ties)
    assert calibration.report.converged
    assert np.isfinite(calibration.without_warnings(np.linspace(-9, 9, 19))).all()


def half_of_one_value() -> Any:
    tar = np.concatenate([np.full(60, 1.5), RNG.permutation(GAUSSIAN)[:40]])
    by_every(("student-t", "nig"), lambda method: llrcal.fit(tar, NON, method=method))


def a_class_in_one_point() -> Any:
    def attempt(name: str) -> Any:
        method: Any
        method, *bayes = name.split()
        return llrcal.fit(1e-60 * GAUSSIAN, NON, method=method, bayes=bool(bayes))

    every = ("gaussian", "student-t", "nig")
    by_every([*every, *(f"{method} bayes" for method in every)], attempt)


def check_moments(calibration: llrcal.Calibration) -> None:
    tar = np.concatenate([np.full(60, 1.5), GAUSSIAN[:40]])
    params = calibration.params["tar"]
    assert math.isclose(params["mean"], tar.mean(), rel_tol=1e-12)
    assert math.isclose(params["variance"], tar.var(), rel_tol=1e-12)


def check_edge(calibration: llrcal.Calibration) -> None:
    assert calibration.report.converged
    params = calibration.params["tar"]
    scores = np.sort(GAUSSIAN)
    on_the_edge = any(note.place == "tar" for note in calibration.report.notes)
    assert on_the_edge == (params["alpha"] > 1e6)
    # Far beyond the scores, and beyond any edge of the support.
    beyond = calibration.without_warnings([scores[0] - 1e3, scores[-1] + 1e3, -math.inf, math.inf])
    assert np.isfinite(beyond).all()
    low, high = calibration.llr_range
    assert ((low <= beyond) & (beyond <= high)).all()


def check_counts(calibration: llrcal.Calibration) -> None:
    llrs = calibration.without_warnings(np.linspace(-1e3, 1e3, 2001))
    assert llrs.min() >= -math.log(101)
    assert llrs.max() <= math.log(3001)


def check_michelson(calibration: llrcal.Calibration) -> None:
    mean, sd = MICHELSON.mean(), MICHELSON.std()
    assert (round(float(mean), 1), len(MICHELSON)) == (852.4, 100)
    gaussian = -math.log(sd) - 0.5 * math.log(2 * math.pi) - 0.5
    # One Gaussian is among the NIGs; hardly any NIG describes a hundred ordinary values better.
    assert gaussian <= calibration.tar.loglik < gaussian + 0.05  # type: ignore[attr-defined]


def check_cauchy(calibration: llrcal.Calibration) -> None:
    params = calibration.params["tar"]
    assert calibration.report.converged
    assert abs(params["delta"] - 1) < 0.1  # the scale of the Cauchy density
    assert abs(params["mu"]) < 0.1
    assert params["alpha"] < 1e-2


def check_two_heaps(calibration: llrcal.Calibration) -> None:
    assert calibration.report.converged
    assert np.isfinite(calibration.without_warnings(np.linspace(-2000, 2000, 41))).all()


def check_dof(calibration: llrcal.Calibration) -> None:
    assert calibration.params["tar"]["dof"] == math.inf
    assert "tar: the optimum is the Gaussian limit: dof is infinite" in texts(
        calibration.report.notes
    )


HEAPS = np.concatenate([RNG.normal(-1000, 1, 200), RNG.normal(1000, 1, 200)])
UNBOUNDED = "the likelihood of a student-t density grows without bound"
CASES = (
    Case(
        "4-bit scores, `student-t`",
        fit(TAR4, "student-t"),
        Answered(check_bounded_below),
        "The degrees of freedom stay clear of where ties make the likelihood unbounded.",
        "no program checks; unbounded below 0.26 degrees of freedom",
    ),
    Case(
        "three in ten scores clipped to one value, `student-t`",
        fit(CLIPPED, "student-t"),
        Answered(check_bounded_below),
        "The same; where the floor is active, a note and a warning say so.",
        "no program checks; unbounded below 0.43 degrees of freedom",
    ),
    Case(
        "six in ten scores of one value, `student-t` and `nig`",
        half_of_one_value,
        Refused(DegenerateError, UNBOUNDED, "target scores: 60% of the 100", "Use pav or logistic"),
        "Refused: the density would become a needle.",
        "GeneralizedHyperbolic: converged, log-likelihood 17316.7; fBasics and ghyp: NaN",
    ),
    Case(
        "targets within 1e-60 of each other, beside ordinary non-targets",
        a_class_in_one_point,
        Refused(
            DegenerateError,
            "is too small beside the range of all scores",
            "target scores: a spread of about 1e-60",
            "use pav or logistic",
        ),
        "Refused: powers of distances in units of such a spread are no doubles.",
    ),
    Case(
        "six in ten scores of one value, `gaussian`",
        lambda: llrcal.fit(
            np.concatenate([np.full(60, 1.5), GAUSSIAN[:40]]), NON, method="gaussian"
        ),
        Answered(check_moments),
        "Mean and variance, which exist.",
    ),
    Case(
        "a hundred Gaussian scores, `nig`",
        fit(GAUSSIAN, "nig"),
        Answered(check_edge),
        "The optimum is often on the edge of the family, where the density ends: said in a note, "
        "and scores beyond the edge keep the LLR of the last training score.",
        "no program checks; LLRs are infinite beyond the edge",
    ),
    Case(
        "the same, bounded by the number of trials",
        fit(GAUSSIAN, "nig", bounds="counts"),
        Answered(check_counts),
        "No LLR beyond -log(T + 1) or log(N + 1).",
    ),
    Case(
        "Gaussian scores, `student-t`",
        fit(np.linspace(-1, 3, 50), "student-t"),
        Answered(check_dof),
        "The Gaussian limit is an ordinary point, reached and noted.",
    ),
    Case(
        "Michelson's measurements of the speed of light, `nig`",
        fit(MICHELSON, "nig"),
        Answered(check_michelson),
        "A log-likelihood just above that of a Gaussian.",
        "ghyp: log-likelihood 8.2e64",
    ),
    Case(
        "Cauchy scores, `nig`",
        fit(CAUCHY, "nig"),
        Answered(check_cauchy),
        "Location and scale of the Cauchy density; alpha goes to zero without trouble.",
    ),
    Case(
        "two heaps of scores, two thousand apart, `nig`",
        fit(HEAPS, "nig"),
        Answered(check_two_heaps),
        "Converged, and finite LLRs in between.",
    ),
)

SECTION = Section(
    "M",
    "Degenerate models",
    "Likelihoods without a maximum. No other program that was tried checks for any of these.",
    CASES,
)
