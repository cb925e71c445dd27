"""Scores of which a few lie a billion spreads away: LLRs are numbers, and a few thousand pieces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

import llrcal
from llrcal.arrays import Floats
from llrcal.densities.student_t import StudentT
from llrcal.method_table import TABLE, MethodName

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")]

Draw = Callable[[Generator, int], Floats]
FAMILIES: dict[str, tuple[int, Draw, Draw]] = {
    "Pareto": (3, lambda rng, n: rng.pareto(0.3, n), lambda rng, n: -rng.pareto(0.3, n)),
    "gamma": (1, lambda rng, n: rng.gamma(0.5, 1, n), lambda rng, n: -rng.gamma(0.3, 1, n)),
    "one way": (2, lambda rng, n: rng.lognormal(1, 4, n), lambda rng, n: rng.lognormal(0, 4, n)),
    "student": (0, lambda rng, n: rng.standard_t(0.4, n), lambda rng, n: rng.standard_t(0.4, n)),
}
METHODS = [
    (name, bayes) for name in TABLE for bayes in (False, True)[: 1 + bool(TABLE[name].bayes)]
]


@pytest.mark.parametrize(("method", "bayes"), METHODS)
@pytest.mark.parametrize("family", FAMILIES)
def test_llrs_are_numbers(family: str, method: MethodName, bayes: bool, tmp_path: Path) -> None:
    """``nig`` gave NaN for every score, of a fit that had converged, or some 166,000 pieces."""
    seed, draw_tar, draw_non = FAMILIES[family]
    rng = np.random.default_rng(seed)
    tar, non = draw_tar(rng, 500), draw_non(rng, 5000)
    cal = llrcal.fit(tar, non, method=method, bayes=bayes)
    scores = np.concatenate([tar, non])
    assert np.isfinite([cal(scores), *cal.interval(scores)]).all()
    cal.save(tmp_path / "model.json")
    assert llrcal.load(tmp_path / "model.json")(scores).tolist() == cal(scores).tolist()
    if method != "pav":
        exported = llrcal.export(cal, tmp_path / "llr.c")
        assert exported.pieces < 10_000
        assert exported.largest_error < 1e-6


def test_draws_that_all_rule_out_a_score_are_weighed() -> None:
    """No draw of the targets reaches the least non-target: equations of weights were singular."""
    rng = np.random.default_rng(0)
    tar, non = rng.uniform(0.6, 2.6, 30), -rng.gamma(0.3, 1, 5000)
    cal = llrcal.fit(tar, non, method="nig", bayes=True)
    assert np.isfinite([*cal(tar), *cal(non)]).all()


def test_a_fit_without_llrs_has_not_converged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StudentT, "_logpdf", lambda _, centred: np.full(len(centred), np.nan))
    report = llrcal.fit([2.0, 3.0, 1.0, 5.0], [-1.0, 0.0, 1.5, 2.5], method="student-t").report
    assert (report.converged, report.reason) == (False, "some LLRs are not finite numbers")


def test_a_model_of_nan_is_not_saved(tmp_path: Path) -> None:
    cal: Any = llrcal.fit([2.0, 3.0, 1.0], [-1.0, 0.0, 1.5])
    with pytest.raises(llrcal.LlrcalError, match="cannot be saved: some of its numbers are not"):
        replace(cal, first=np.nan).save(tmp_path / "model.json")
    assert not list(tmp_path.iterdir())
