"""Forensic figures of merit: against definitions by brute force, the tests of lir, closed forms."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import llrcal
from llrcal.arrays import Floats
from llrcal.evaluation.evaluate import evaluate_quietly
from llrcal.evaluation.forensic import Forensic
from llrcal.evaluation.llrs import EvidenceFold
from llrcal.evaluation.measures import STRENGTHS
from llrcal.onepass import elub as search
from llrcal.onepass.chunks import fold_array
from tests.evaluation import forensic_oracles as oracle
from tests.reference.answers import answers
from tests.trial_sets import ANY, MANY_VALUES, Sets, classes, normal

STEP = math.log(10) / 100  # of the grid of lir


def forensic(tar: Any, non: Any) -> Forensic:
    return evaluate_quietly(tar, non).forensic


def lir_sets(case: dict[str, Any]) -> tuple[Floats, Floats]:
    with np.errstate(divide="ignore"):
        llrs = np.log(np.array(case["lrs"], np.float64))
    tar, non = llrcal.split(llrs, np.array(case["labels"]))
    return tar, non


# ------------------------------------------------------------------------------------- ELUB


@pytest.mark.parametrize("case", answers("lir")["elub"])
def test_elub_of_lir_within_a_step_of_its_grid(case: dict[str, Any]) -> None:
    lower, upper = forensic(*lir_sets(case)).elub
    assert lower == pytest.approx(math.log(case["lower"]), abs=STEP)
    assert upper == pytest.approx(math.log(case["upper"]), abs=STEP)
    assert (lower == 0, upper == 0) == (case["lower"] == 1, case["upper"] == 1)


@given(ANY)
def test_elub_by_definition(sets: Sets) -> None:
    assert forensic(*sets).elub == pytest.approx(oracle.elub(*sets), abs=1e-11)


@given(classes(st.floats(-3, 3), most=40), st.sampled_from([2, 3, 7]))
def test_elub_with_few_thresholds_at_once(sets: Sets, at_once: int) -> None:
    """The search is the same however coarse it begins."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_AT_ONCE", at_once)
        found = forensic(*sets).elub
    assert found == pytest.approx(oracle.elub(*sets), abs=1e-11)


def test_elub_is_never_beyond_the_counts() -> None:
    """Classes that are far apart: (T + 1) N / (N + 1) and its like, in closed form."""
    lower, upper = forensic(np.full(99, 50.0), np.full(999, -50.0)).elub
    assert lower == pytest.approx(-math.log(100 * 999 / 1000), abs=1e-14)
    assert upper == pytest.approx(math.log(1000 * 99 / 100), abs=1e-11)


# ----------------------------------------------------------------------------------- devPAV


@pytest.mark.parametrize("case", answers("lir")["devpav"])
def test_dev_pav_of_lir(case: dict[str, Any]) -> None:
    found = forensic(*lir_sets(case)).dev_pav
    assert found == pytest.approx(float(case["devpav"]), abs=1e-14)


@given(ANY | classes(MANY_VALUES, most=40))
def test_dev_pav_by_definition(sets: Sets) -> None:
    found, expected = forensic(*sets).dev_pav, oracle.dev_pav(*sets)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


@pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")
def test_dev_pav_of_enormous_llrs() -> None:
    found = forensic([-1e308, 1e308], [-1e308, 1e308]).dev_pav
    assert found == pytest.approx(0.5e308 / math.log(10), rel=1e-12)


def test_dev_pav_is_zero_for_the_llrs_of_pav() -> None:
    tar, non = llrcal.optimal_llrs(normal(300, 2.0, 2.0), normal(900, -2.0, 2.0))
    assert forensic(tar, non).dev_pav == pytest.approx(0.0, abs=1e-12)


# --------------------------------------------------------------------- misleading evidence


@given(ANY, st.sampled_from([1.0, 1.5, 10.0, 100]))
def test_misleading_by_counting(sets: Sets, strength: float) -> None:
    tar, non = sets
    rate, end = forensic(tar, non).misleading(strength), math.log(strength)
    assert rate.tar == sum(x < -end for x in tar) / len(tar)
    assert rate.non == sum(x > end for x in non) / len(non)
    assert rate.strength == strength


@pytest.mark.parametrize("strength", [0.5, 0, -1, math.nan, math.inf, "10", None, True])
def test_strengths_that_are_none(strength: Any) -> None:
    with pytest.raises(llrcal.OptionError, match="LR of at least one"):
        forensic([1.0], [-1.0]).misleading(strength)


# ------------------------------------------------------------------------------ expected LRs


@given(classes(MANY_VALUES, most=40))
def test_means_with_fractions(sets: Sets) -> None:
    found = forensic(*sets).expected_lrs
    tar, non = sets

    def mean(values: list[float]) -> float:
        return float(sum(map(Fraction, values)) / len(values))

    assert found.llr_tar == mean(tar)
    assert found.llr_non == mean(non)
    assert found.lr_tar == pytest.approx(mean([math.exp(x) for x in tar]), rel=1e-14)
    assert found.lr_non == pytest.approx(mean([math.exp(x) for x in non]), rel=1e-14)
    assert found.inverse_lr_tar == pytest.approx(mean([math.exp(-x) for x in tar]), rel=1e-14)


def test_infinite_llrs() -> None:
    found = forensic([math.inf, 1.0], [-math.inf, math.inf]).expected_lrs
    assert (found.lr_tar, found.lr_non, found.llr_tar) == (math.inf, math.inf, math.inf)
    assert math.isnan(found.llr_non)
    assert found.inverse_lr_tar == pytest.approx(math.exp(-1) / 2)


@given(st.lists(MANY_VALUES, max_size=30), st.integers(0, 30))
def test_sums_of_parts(llrs: list[float], cut: int) -> None:
    whole, *parts = (
        fold_array(EvidenceFold, np.array(some)) for some in (llrs, llrs[:cut], llrs[cut:])
    )
    assert parts[0].merge(parts[1]) == whole


# -------------------------------------------------------------------------- as plain values


def test_to_dict() -> None:
    ev = llrcal.evaluate(normal(300, 2.0, 2.0), normal(900, -2.0, 2.0))
    numbers = ev.to_dict(forensic=True)["forensic"]
    assert "forensic" not in ev.to_dict()
    assert numbers["dev_pav"] == ev.forensic.dev_pav
    assert numbers["elub"]["lr"] == [math.exp(end) for end in ev.forensic.elub]
    assert numbers["elub"]["log10_lr"] == pytest.approx(np.log10(numbers["elub"]["lr"]))
    assert numbers["expected"]["log10_lr_tar"] == ev.forensic.expected_lrs.llr_tar / math.log(10)
    assert numbers["misleading"]["strength"] == list(STRENGTHS)
    assert numbers["misleading"]["non"][0] == ev.pfa(0.0)  # no LLR is zero


def test_repr() -> None:
    found = forensic(normal(300, 2.0, 2.0), normal(900, -2.0, 2.0))
    assert repr(found).startswith("<forensic figures of merit: devPAV 0.")
