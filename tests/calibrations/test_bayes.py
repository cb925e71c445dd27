"""What every calibration whose parameters are integrated out has in common."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.calibrations.methods.sampled import draw_notes
from llrcal.calibrations.training import Training
from llrcal.densities.student_t import StudentT
from llrcal.errors import OptionError
from llrcal.fitting.posterior import posterior_draws
from llrcal.method_table import TABLE, MethodName
from llrcal.notes import Severity
from tests.scale.sets import cut, of_pieces

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(2)
TAR, NON = RNG.normal(2, 1, 15), RNG.standard_t(6, 150)
SCORES = np.linspace(-6, 6, 49)
BAYES = [name for name, entry in TABLE.items() if entry.bayes]
EVERY_METHOD = pytest.mark.parametrize("method", BAYES)


@cache
def fitted(method: MethodName, **options: Any) -> llrcal.Calibration:
    return llrcal.fit(TAR, NON, method=method, bayes=True, **options)


@EVERY_METHOD
def test_it_does_not_depend_on_the_unit_of_the_scores(method: MethodName) -> None:
    cal = fitted(method)
    moved = llrcal.fit(1e3 * TAR - 777.0, 1e3 * NON - 777.0, method=method, bayes=True)
    mirrored = llrcal.fit(-TAR, -NON, method=method, bayes=True, lower_is_better=True)
    for other, scores in ((moved, 1e3 * SCORES - 777.0), (mirrored, -SCORES)):
        assert other.without_warnings(scores) == pytest.approx(
            cal.without_warnings(SCORES), abs=1e-9
        )
        for end, own in zip(other.interval(scores), cal.interval(SCORES), strict=True):
            assert end == pytest.approx(own, abs=1e-9)


@EVERY_METHOD
def test_pieces_and_any_order_give_the_same_bits(method: MethodName) -> None:
    cal = fitted(method)
    others = (
        llrcal.fit(of_pieces(cut(TAR, NON, 3)), method=method, bayes=True),
        llrcal.fit(TAR[::-1], RNG.permutation(NON), method=method, bayes=True),
    )
    for other in others:
        assert other.to_model() == cal.to_model()


@EVERY_METHOD
def test_the_formula_is_finite_everywhere(method: MethodName) -> None:
    cal = fitted(method, bounds="none", rising=False)
    with np.errstate(over="ignore"):
        assert np.isfinite(cal.without_warnings([-1e300, -1e9, 0.0, 1e9, 1e300])).all()


@EVERY_METHOD
def test_priors_are_said(method: MethodName) -> None:
    assert "prior" in fitted(method).params


@pytest.mark.parametrize("method", ["student-t", "nig"])
def test_looked_up_llrs_are_those_of_the_formula(method: MethodName) -> None:
    cal: Any = fitted(method, bounds="range", rising=False)
    low, high = cal.training_range
    inside = np.linspace(low, high, 500)
    formula = cal.formula.llrs(inside - cal.formula.origin)
    assert cal(inside) == pytest.approx(formula, abs=1e-9)


def test_labels_and_options() -> None:
    both = llrcal.fit_all(
        TAR, NON, methods=[("gaussian", {"bayes": True}), ("gaussian", {"bayes": False})]
    )
    assert list(both) == ["gaussian-bayes", "gaussian"]
    with pytest.raises(OptionError, match="method pav has no option 'bayes'"):
        llrcal.fit(TAR, NON, method="pav", bayes=True)
    with pytest.raises(OptionError, match="bayes is 1; give True or False"):
        llrcal.fit(TAR, NON, method="nig", bayes=1)  # type: ignore[call-overload]


def test_tied_scores_and_a_far_one_leave_a_posterior() -> None:
    tied, far = [0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0], np.append(NON, 1e6)
    cal = llrcal.fit(tied, far, method="student-t", bayes=True)
    assert min(cal.params["tar"]["effective draws"], cal.tar.effective_draws[1]) > 1000  # type: ignore[attr-defined]


def test_a_search_whose_steps_overflow_turns_back() -> None:
    rng = np.random.default_rng(7)
    tar, non = rng.normal(2, 1, 400), rng.normal(0, 1, 900)
    cal = llrcal.fit(np.append(tar, 1e6), np.append(non, -1e4), method="nig", bayes=True)
    assert cal(0.0) < 0 < cal(2.0)


def test_draws_that_are_worth_too_little_are_told_of() -> None:
    data = Training.of(TAR, NON)
    draws = posterior_draws(StudentT, data.tar, data.score_range)
    assert draw_notes(draws) == ()
    (note,) = draw_notes(replace(draws, effective=np.array([50.0, 200.0, 30.0])))
    assert note.code == "few draws"
    assert note.severity is Severity.WARNING
    assert "3,584 draws from the posterior are worth only 50, and 200 and 30 at the" in str(note)


def test_a_score_in_so_many_may_come_from_elsewhere() -> None:
    """However far apart classes are: one that no family can explain is not held against it."""
    cal: Any = llrcal.fit(TAR + 40, NON, method="student-t", bayes=True, bounds="range")
    assert cal.params["non"]["from elsewhere"] == 1 / (len(NON) + 2)
    spread = float(np.subtract(*np.quantile(NON, [0.75, 0.25])))
    cauchy = 1 / (np.pi * spread * (1 + (42 / spread) ** 2))
    limit = cal.tar.logpdf_from(0.0, np.array([42.0]))[0] - np.log(cauchy / (len(NON) + 2))
    assert limit - 0.2 < cal(42.0) < limit + 0.01  # quartiles differ by their definition
