"""What stands between other packages and the tables of studies/peers_accuracy.py; and claims."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm, t
from studies import __main__ as program
from studies.catalogue import STUDIES
from studies.claims import CLAIMS, GENERATIVE, LINEAR, REMARKS, WEIGHTS, claims_table
from studies.evidence import share_above
from studies.field_sets import Classes
from studies.paper_figures import covered
from studies.peer_calibrators import _by_probability, _knots, _of_probabilities, bounded, llrs_of
from studies.peers_accuracy import Judge, cllr, difference, table, worst_table

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.methods.densities import Generative

RNG = np.random.default_rng(8)
LABELS = np.repeat([1.0, 0.0], [20, 400])
SCORES = np.concatenate([RNG.normal(3, 1, 20), RNG.normal(0, 1, 400)])
PRIOR = math.log(20 / 400)


class Posterior:
    """A classifier that knows the truth: LLRs are twice the scores, and targets one in 21."""

    def fit(self, x: Floats, y: Floats) -> Posterior:
        assert x.shape == (420, 1)
        assert y.sum() == 20
        return self

    def predict_proba(self, x: Floats) -> Floats:
        p = expit(2 * x[:, 0] + PRIOR)
        return np.stack([1 - p, p], 1)


class Same:
    """A calibrator that leaves probabilities as they are."""

    def fit(self, p: Floats, y: Floats) -> None:
        assert p.ndim == y.ndim == 1

    def predict(self, p: Floats) -> Floats:
        return p


def test_the_prior_of_the_training_is_taken_away() -> None:
    llrs = np.array([-3.0, 0.0, 5.0])
    assert llrs_of(expit(llrs + PRIOR), PRIOR) == pytest.approx(llrs, abs=1e-12)
    assert llrs_of(np.array([0.0, 1.0]), PRIOR).tolist() == [-math.inf, math.inf]
    transform = _by_probability(Posterior)(SCORES, LABELS)
    assert transform(np.array([-1.0, 2.5])) == pytest.approx([-2, 5], abs=1e-9)


@pytest.mark.filterwarnings(
    "ignore:Setting penalty=None"
)  # of scikit-learn 1.8, where C is infinite
def test_calibrators_of_probabilities_get_those_of_a_line_or_of_standard_units() -> None:
    x = np.array([-1.0, 0.5, 4.0])
    line = _of_probabilities(Same, pairs=False, predict="predict")(SCORES, LABELS)(x)
    ours = llrcal.fit(SCORES[:20], SCORES[20:], method="logistic", alpha="empirical", bounds="none")
    assert line == pytest.approx(ours(x), abs=1e-2)
    standard = _of_probabilities(Same, pairs=False, predict="predict", standard=True)
    units = (x - SCORES.mean()) / SCORES.std()
    assert standard(SCORES, LABELS)(x) == pytest.approx(units - PRIOR, abs=1e-9)


def test_bounds_are_those_of_the_counts() -> None:
    kept = bounded(np.array([-math.inf, -3.0, 5.9, math.inf]), LABELS)
    assert kept == pytest.approx([-math.log(21), -3, 5.9, math.log(401)])


def test_points_of_a_curve_are_scores_and_fill_gaps() -> None:
    at = _knots(np.array([*RNG.normal(size=1_000), 100.0]))
    assert (np.diff(at) > 0).all()
    assert np.diff(at).max() < 1
    assert at[-1] == 100


def test_costs_are_those_of_an_evaluation() -> None:
    test = Classes(RNG.normal(2, 2, 50), RNG.normal(-2, 2, 300))
    ev = llrcal.evaluate(*test)
    judge = Judge.of(test)
    assert cllr(test) == pytest.approx(1_000 * ev.cllr)
    assert judge.excess(test) == pytest.approx(1_000 * (ev.cllr - ev.min_cllr))
    assert judge.excess(Classes(np.array([-math.inf, 1.0]), test.non)) == math.inf
    with np.errstate(invalid="ignore"):
        assert judge.excess(Classes(np.array([math.nan, 1.0]), test.non)) == math.inf


FOUND: Any = {
    "T = 20": {
        "one": {
            "smooth": [1.0, 3.0],
            "lir KDE": [4.0, 4.0],
            "lir KDE, bounded": [0.0, 1.0],
            "betacal": [1.0, math.inf],
            "betacal, bounded": [3.0, 3.0],
        },
        "two": {
            "smooth": [5.0, 5.0],
            "lir KDE": [4.0, 4.0],
            "lir KDE, bounded": [9.0, 9.0],
            "betacal": [5.0, 5.0],
            "betacal, bounded": [5.0, 7.0],
        },
    }
}


def test_differences_are_paired_and_each_set_counts_once() -> None:
    (by_set,) = FOUND.values()
    assert difference(by_set, "lir KDE") == pytest.approx((0.5, 1.5, 1, 0))  # 2 and -1
    assert str(difference(by_set, "lir KDE")) == "+0.5 ± 1.5 (1)"
    assert str(difference(by_set, "betacal")) == "infinite on 1"


def test_bounded_rows_are_for_those_that_need_them() -> None:
    assert table(FOUND).splitlines() == [
        "| | T = 20 (2 sets) |",
        "|---|---|",
        "| llrcal smooth, excess | 3.5 |",
        "| lir KDE | +0.5 ± 1.5 (1) |",
        "| betacal, bounded | +1.0 ± 0.0 (0) |",
        "| betacal | infinite on 1 |",
    ]


def test_the_worst_sets_come_first() -> None:
    assert worst_table(FOUND).splitlines()[2:] == [
        "| one | T = 20 | 2.0 | lir KDE, bounded | -1.5 ± 0.5 |",
        "| two | T = 20 | 5.0 | lir KDE | -1.0 ± 0.0 |",
    ]


def test_without_other_packages_their_studies_are_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "_SCORES", tmp_path)  # wherever the real ones are, or are not
    monkeypatch.setattr(program, "_PEERS", tmp_path / "python")
    assert "make evidence" in program._missing(STUDIES["peers_accuracy"])
    (tmp_path / "python").touch()
    assert program._missing(STUDIES["peers_accuracy"]) == ""


@pytest.mark.parametrize(("method", "law"), [("gaussian", norm), ("student-t", t)])
def test_tails_hold_what_scipy_says(method: Any, law: Any) -> None:
    found = llrcal.fit(RNG.normal(4, 1, 100), RNG.standard_t(3, 5_000), method=method)
    assert isinstance(found, Generative)
    params = found.non.params
    if method == "gaussian":
        expected = law.sf(3, params["mean"], math.sqrt(params["variance"]))
    else:
        expected = law.sf(3, params["dof"], params["location"], params["scale"])
    assert share_above(found.non, 3.0) == pytest.approx(expected, rel=1e-5)


def test_remarks_are_judged_by_the_numbers_beside_them() -> None:
    places = ("far left", "left", "middle", "right", "all", "zero")
    labels = ("pav", *GENERATIVE, *(f"{line}-{weight}" for line in LINEAR for weight in WEIGHTS))
    rows: Any = {label: dict.fromkeys(places, 0.01) for label in labels}
    rows["pav"]["worst in training"] = 0.0
    for label, tail in (("gaussian", 0.4), ("student-t", 1.8), ("nig", 1.1)):
        rows[label]["tail"] = tail
    rows["student-t"]["far left"] = 0.36
    rows["linear-gaussian-0.92"]["right"] = 0.2
    answers = {claim: rule(rows) for claim, rule in (CLAIMS | REMARKS).items()}
    assert answers["11 T has too thick a tail"] == (True, "0.40/1.80/1.10")
    assert answers["9 generative differ most far left"] == (True, "35.0/0.0/0.0/0.0")
    assert answers["7 logistic steadier on the right"] == (True, "0.0 against 19.0")
    assert answers["8 PAV optimal in training"] == (True, "0.00")
    rows["logistic-0.5"]["zero"] = 0.02
    last = claims_table([{"name": "toy", "rows": rows}], REMARKS).splitlines()[-1]
    assert last.startswith("| holds in | **0 of 1** | **1 of 1** |")


def test_a_curve_covers_priors_at_which_it_is_close_to_the_minimum() -> None:
    tar, non = RNG.normal(2, 2, 2_000), RNG.normal(-2, 2, 2_000)
    raw = llrcal.evaluate(tar, non)
    assert covered(raw, raw) > 70
    assert 5 < covered(llrcal.evaluate(tar / 3, non / 3), raw) < 70
