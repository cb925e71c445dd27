"""Intervals of LLRs for every method, against closed forms and brute force."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import llrcal
from llrcal.arrays import Array, Floats
from llrcal.calibrations.dependence import Dependence
from llrcal.method_table import MethodName
from llrcal.trials import Trials
from tests import beyond_memory
from tests.calibrations.rising_sets import neighbours
from tests.notes import codes
from tests.trial_sets import normal

ONE_DEVIATION = 0.6826894921370859
TAR, NON = normal(400, 1.2, 1.1), normal(900, -1.0, 0.9)
EVERY = [
    ("linear-gaussian", {}),
    ("logistic", {}),
    ("logistic", {"alpha": 0.1, "rule": "brier"}),
    ("gaussian", {}),
    ("gaussian", {"bayes": True}),
    ("student-t", {}),
    ("nig", {}),
    ("smooth", {}),
    ("pav", {}),
]


def deviations(scores: Floats, method: MethodName, **options: Any) -> Floats:
    cal = llrcal.fit(TAR, NON, method=method, bounds="none", rising=False, **options)
    low, high = cal.interval(scores, level=ONE_DEVIATION)
    return (high - low) / 2


def test_gaussian_intervals_are_those_of_the_delta_method() -> None:
    scores = np.linspace(-2, 2, 9)
    variance = 0.0
    for side in (TAR, NON):
        z = (scores - side.mean()) / side.std()
        variance += (z**2 + 0.5 * (z**2 - 1) ** 2) / len(side)
    np.testing.assert_allclose(deviations(scores, "gaussian"), np.sqrt(variance), rtol=0.06)


def test_intervals_of_a_line_are_those_of_logistic_regression() -> None:
    """With empirical weights it is a plain one, whose intercept varies less: T and N are given."""
    scores = np.linspace(-2, 2, 9)
    cal = llrcal.fit(TAR, NON, method="logistic", alpha="empirical", bounds="none")
    x = np.concatenate([TAR, NON])
    odds = len(TAR) / len(NON) * np.exp(cal(x))
    rows = np.column_stack([x, np.ones(len(x))])
    covariance = np.linalg.inv((rows * (odds / (1 + odds) ** 2)[:, None]).T @ rows)
    covariance[1, 1] -= 1 / len(TAR) + 1 / len(NON)
    asked = np.column_stack([scores, np.ones(len(scores))])
    exact = np.sqrt(((asked @ covariance) * asked).sum(axis=1))
    found = deviations(scores, "logistic", alpha="empirical")
    np.testing.assert_allclose(found, exact, rtol=0.06)  # by the trials themselves, somewhat more
    assert (found > 0.99 * exact).all()


@pytest.mark.parametrize(("method", "options"), EVERY)
def test_four_copies_of_one_speaker_are_worth_one(
    method: MethodName, options: dict[str, Any]
) -> None:
    """Trials of speakers of their own, each four times: as sure as of each once."""
    tar_speakers, non_speakers = (
        np.arange(400)[:, None] * [1, 1],
        400 + np.arange(1800).reshape(-1, 2),
    )
    copies = [np.repeat(side, 4, axis=0) for side in (TAR, NON, tar_speakers, non_speakers)]
    scores = np.linspace(-1, 1, 9)
    settings: Any = {"method": method, "bounds": "range", **options}
    once = llrcal.fit(TAR, NON, **settings).interval(scores)
    dependent = llrcal.fit(*copies[:2], speakers=(copies[2], copies[3]), **settings)
    too_sure = llrcal.fit(*copies[:2], **settings).interval(scores)
    width, again, wrong = (
        np.mean(high - low) for low, high in (once, dependent.interval(scores), too_sure)
    )
    # The curve of smooth is bent more with four times as many trials. Errors of PAV fall with the
    # cube root of their number. So the intervals of both are on the safe side.
    least, most = {"smooth": (1.0, 1.3), "pav": (1.1, 1.4)}.get(method, (0.93, 1.1))
    assert least < again / width < most
    assert wrong / again == pytest.approx(0.5, abs=0.02)
    assert dependent.margins is not None
    assert dependent.margins.by == "speaker"
    np.testing.assert_array_equal(dependent(scores), llrcal.fit(*copies[:2], **settings)(scores))


STEEP = np.random.default_rng(5)
ODD = {
    "one class far wider": (2.5 + STEEP.standard_t(2, 300), normal(3000, 0.0, 1.0)),
    "an LLR of -1e11": (STEEP.normal(2, 1, 40), STEEP.gamma(1.2, 1, 400) - 3),
    "two heaps": (np.append(normal(20, 0.0, 0.2), normal(30, 4.0, 1.0)), normal(200, 0.0, 1.0)),
    "ties": (np.round(normal(40, 1.5, 1.0)), np.round(normal(200, 0.0, 2.0))),
    "separable": (normal(12, 30.0, 1.0), normal(60, 0.0, 1.0)),
    "few": (normal(6, 1.0, 1.0), normal(30, 0.0, 1.0)),
    "the wrong way": (normal(40, -1.0, 1.0), normal(40, 1.0, 1.3)),
}


@pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")
@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("method", llrcal.METHODS)
def test_ends_of_intervals_never_fall(name: str, method: MethodName) -> None:
    """Not from one double to the next either; and the LLR is between them."""
    tar, non = ODD[name]
    for sign, bounds in ((1, "counts"), (-1, "range"), (1, "none")):
        options: Any = {"method": method, "bounds": bounds, "lower_is_better": sign < 0}
        cal = llrcal.fit(sign * tar, sign * non, **options)
        least, greatest = cal.training_range
        some = np.concatenate([sign * tar[:50], sign * non[:50], np.linspace(least, greatest, 40)])
        beyond = (greatest - least) / 3
        grid = np.linspace(least - beyond, greatest + beyond, 3000)
        scores = np.unique(np.concatenate([grid, neighbours(some, 5), [-np.inf, np.inf]]))
        llrs = cal.without_warnings(scores)
        low, high = cal.interval(scores, level=0.9)
        assert ((low <= llrs) & (llrs <= high)).all()
        for ends in (low, high):
            assert (sign * np.diff(ends) >= 0).all()


def brute_force(trials: list[tuple[float, set[int]]]) -> float:
    """The sum of products over all pairs of trials that share a speaker."""
    return sum(a * b for a, who in trials for b, others in trials if who & others)


def test_trials_that_share_speakers_pair_by_pair() -> None:
    rng = np.random.default_rng(1)
    scores = np.array([-2.0, -0.5, 1.0, 4.0])
    tar, non = rng.uniform(-2, 4, 15), rng.uniform(-2, 4, 60)
    who = np.repeat(rng.integers(0, 7, 15), 2).reshape(-1, 2)
    pairs = rng.integers(0, 7, (60, 2))
    influence = rng.normal(size=(2, 3, 4))
    factor = Dependence(tar, non, who, pairs).design_factor(scores, *influence)
    for i in range(3):
        trials: list[tuple[float, set[int]]] = []
        for values, speakers, effect in ((tar, who, influence[0]), (non, pairs, influence[1])):
            own = np.interp(values, scores, effect[i])
            own -= own.mean()
            sets = [set(pair) for pair in speakers.tolist()]
            trials += list(zip(own.tolist(), sets, strict=True))
        ratio = 7 / 6 * brute_force(trials) / sum(a * a for a, _ in trials)
        t = 2.4469118511449692 / 1.959963984540054  # quantiles of Student's T with 6 dof, Gaussian
        assert factor[i] == pytest.approx(t * max(ratio, 1) ** 0.5, rel=1e-12)


def shared(count: int) -> Array:
    return np.random.default_rng(count).integers(0, 20, (count, 2))


def test_trials_bring_their_speakers_along() -> None:
    speakers = np.repeat(shared(400)[:, :1], 2, axis=1), shared(900)
    trials = Trials(TAR, NON, "t", *speakers)
    assert llrcal.fit(trials) == llrcal.fit(TAR, NON, speakers=speakers)
    assert llrcal.fit(trials).margins != llrcal.fit(TAR, NON).margins
    with pytest.raises(llrcal.OptionError, match="trials bring their own along"):
        llrcal.fit(trials, speakers=speakers)


@pytest.mark.parametrize(
    ("speakers", "message"),
    [
        (shared(400), "speakers must be a pair"),
        ((shared(400), shared(400)), r"non-target speakers have shape \(400, 2\)"),
        ((shared(400).astype(str), shared(900)), "pass integers"),
    ],
)
def test_speakers_that_are_none(speakers: Any, message: str) -> None:
    with pytest.raises((llrcal.OptionError, llrcal.ScoreError), match=message):
        llrcal.fit(TAR, NON, speakers=speakers)


def test_one_speaker_tells_nothing_about_others() -> None:
    both = np.zeros((400, 2), int), np.zeros((900, 2), int)
    with pytest.warns(llrcal.LlrcalWarning, match="all trials are of one speaker"):
        found = llrcal.fit(TAR, NON, speakers=both)
    assert found.margins == llrcal.fit(TAR, NON).margins


def test_trials_in_pieces_are_taken_for_independent_and_that_is_told(tmp_path: Path) -> None:
    scores, labels = np.concatenate([TAR, NON]), np.repeat(["target", "nontarget"], [400, 900])
    who = {"enrol_speaker": "ann", "test_speaker": np.repeat(["ann", "bob"], [400, 900])}
    for name, columns in (("named", who), ("nameless", {})):
        frame = pl.DataFrame({"score": scores, "label": labels, **columns})
        frame.write_csv(tmp_path / f"{name}.csv")
        frame.write_parquet(tmp_path / f"{name}.parquet")
        for kind in ("csv", "parquet"):
            found = beyond_memory.fit(tmp_path / f"{name}.{kind}", method="gaussian")
            assert ("by trial" in codes(found.report.notes)) == (name == "named")
            assert found.margins == llrcal.fit(TAR, NON, method="gaussian").margins


def test_those_of_an_adapted_calibration() -> None:
    """Kept where it was left as it was; unknown where LLRs have changed."""
    scores, old = np.concatenate([TAR, NON]), llrcal.fit(TAR, NON)
    unmoved, moved = (llrcal.adapt(old, scores + by, p_target=0.3) for by in (0.0, 1.0))
    np.testing.assert_array_equal(unmoved.interval(TAR), old.interval(TAR))
    with pytest.raises(llrcal.OptionError, match="an adapted calibration has no intervals"):
        moved.interval(TAR)
    with pytest.raises(llrcal.OptionError, match="train it again"):
        replace(unmoved, margins=None).interval(TAR)
