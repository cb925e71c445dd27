"""Random maximum-likelihood problems, nasty ones among them: no failure, and no bound unreported.

The thousand problems of the study are others.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import invgauss
from studies.contenders import NIG_FAMILY, STUDENT_T_FAMILY, Family
from studies.problems import KINDS, NASTY, STUDY, Problem, problems
from studies.references import inverse_gaussian
from studies.robustness import JUDGE, OURS, Answer, answer, failure, judged
from studies.verdicts import faults, has_maximum, least_dof

from llrcal.arrays import Floats
from llrcal.densities.nig import NIG
from llrcal.densities.student_t import StudentT
from llrcal.fitting.likelihood import maximum_likelihood
from llrcal.onepass.summary import Summary

pytestmark = pytest.mark.slow

SEED = 20
BOTH = pytest.mark.parametrize("family", [STUDENT_T_FAMILY, NIG_FAMILY], ids=lambda f: f.name)


@BOTH
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_no_failure(kind: str, family: Family) -> None:
    problem = Problem(kind, (SEED, 0))
    answers = [answer(family, 0, problem.scores, who) for who in (OURS, JUDGE)]
    assert judged(answers, problem, family)[OURS].failed is None, answers


@BOTH
@pytest.mark.parametrize("kind", ["heavy-tailed", "nig", "laplace"])
def test_the_judge_finds_what_there_is(kind: str, family: Family) -> None:
    """Where the best density has moderate parameters, the judge arrives there too."""
    scores = Problem(kind, (SEED, 1)).scores
    ours, judge = (answer(family, 0, scores, who).loglik for who in (OURS, JUDGE))
    assert judge == pytest.approx(ours, abs=1e-9)


def test_the_best_inverse_gaussian() -> None:
    scores = np.random.default_rng(SEED).wald(1.0, 3.0, 500)
    shape, place, scale = invgauss.fit(scores)
    by_scipy = float(invgauss.logpdf(scores, shape, place, scale).mean())
    assert by_scipy <= inverse_gaussian(scores) < by_scipy + 1e-4


FINE = Answer("Student-T", 0, OURS, loglik=-1.0, dof=3.0, says_success=True)
REFUSED = replace(FINE, loglik=None, says_success=False, error="too many ties", refused=True)


@pytest.mark.parametrize(
    ("given", "best", "way"),
    [
        (FINE, -1.0, None),
        (FINE, -1.0 + 0.9e-6, None),
        (FINE, -1.0 + 1.1e-6, "too low"),
        (replace(FINE, says_success=False), -1.0, "not converged"),
        (replace(FINE, loglik=np.nan), -1.0, "not finite"),
        (replace(FINE, dof=0.05), -1.0, "no maximum, but an answer"),
        (replace(FINE, faults=("silent",)), -1.0, "wrong report"),
        (replace(FINE, error="no answer in time"), -1.0, "no answer in time"),
        (REFUSED, -1.0, "raised"),
        (REFUSED, None, None),
        (replace(REFUSED, refused=False), None, "no maximum, but an answer"),
        (FINE, None, "no maximum, but an answer"),
        (replace(FINE, contender="another", says_success=False), None, None),
    ],
)
def test_ways_to_fail(given: Answer, best: float | None, way: str | None) -> None:
    assert failure(given, best, unbounded=0.1) == way


def uniform() -> Floats:
    return np.linspace(-1, 1, 200)


def peaked() -> Floats:
    return np.sinh(np.linspace(-3, 3, 200))


@pytest.mark.parametrize("family", [StudentT, NIG])
def test_a_silent_report_is_a_fault(family: type[StudentT | NIG]) -> None:
    density, report = maximum_likelihood(family, Summary.of(uniform()))
    assert report.notes
    assert faults(density, report, uniform()) == []
    (silent,) = faults(density, replace(report, notes=()), uniform())
    assert silent.startswith("unreported bound")


@pytest.mark.parametrize("family", [StudentT, NIG])
def test_a_note_without_a_bound_is_a_fault(family: type[StudentT | NIG]) -> None:
    density, report = maximum_likelihood(family, Summary.of(peaked()))
    assert faults(density, report, peaked()) == []
    at_limit = maximum_likelihood(family, Summary.of(uniform()))[1].notes
    (loud,) = faults(density, replace(report, notes=at_limit), peaked())
    assert loud.startswith("note on a bound that is not active")
    (wrong,) = faults(replace(density, loglik=density.loglik + 1e-6), report, peaked())
    assert wrong.startswith("misstates")


def test_ties_and_maxima() -> None:
    free = np.arange(1.0, 13.0)
    for tied, by_t, by_nig in ((4, True, True), (12, True, False), (13, False, False)):
        scores = np.concatenate([np.full(tied, 6.5), free])
        assert has_maximum(STUDENT_T_FAMILY, scores) == by_t
        assert has_maximum(NIG_FAMILY, scores) == by_nig
    at_end = np.concatenate([np.zeros(6), free])
    assert not has_maximum(NIG_FAMILY, at_end)
    assert has_maximum(NIG_FAMILY, at_end[1:])
    assert least_dof(at_end) == pytest.approx(1.25 * 6 / 12)
    assert least_dof(free) == pytest.approx(1.25 / 11)


def test_a_narrow_heap_far_off_converges() -> None:
    """The gradient by the location has few digits where the peak is narrow."""
    _, report = maximum_likelihood(NIG, Summary.of(Problem("two heaps", (STUDY, 215)).scores))
    assert report.converged
    assert report.iterations < 700


def test_two_problems_in_five_are_nasty() -> None:
    kinds = [problem.kind for problem in problems(1_000)]
    assert sum(kind in NASTY for kind in kinds) == 400
    assert set(kinds) == set(KINDS)
    first, second = (list(problems(3, seed)) for seed in (1, 2))
    assert not np.array_equal(first[2].scores, second[2].scores)
    assert np.array_equal(first[2].scores, list(problems(3, 1))[2].scores)
