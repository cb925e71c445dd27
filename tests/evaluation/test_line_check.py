"""Raw scores and poor calibrations are noticed; LLRs that mean what they say never are."""

from __future__ import annotations

import numpy as np
import pytest

import llrcal
from llrcal.arrays import Array
from llrcal.evaluation.evaluate import evaluate_quietly
from llrcal.evaluation.line_check import best_line
from llrcal.evaluation.llrs import ArrayLLRs
from tests.conftest import real_scores
from tests.examples import NIGHTLY
from tests.notes import FAR_SCORES

pytestmark = FAR_SCORES


def calibrated(
    rng: np.random.Generator, targets: int, non_targets: int, spread: float
) -> tuple[Array, Array]:
    """LLRs of two Gaussians: N(d/2, d) and N(-d/2, d)."""
    tar = rng.normal(spread / 2, spread**0.5, targets)
    return tar, rng.normal(-spread / 2, spread**0.5, non_targets)


def codes(tar: Array, non: Array) -> list[str]:
    return [note.code for note in evaluate_quietly(tar, non).notes]


def test_the_best_line_is_that_of_logistic_regression() -> None:
    rng = np.random.default_rng(0)
    tar, non = rng.normal(40, 9, 300), rng.normal(10, 11, 2000)
    line = llrcal.fit(tar, non, method="logistic", bounds="none")
    found = best_line(*ArrayLLRs(tar, non).weighted)
    assert found is not None
    assert found.cllr == pytest.approx(evaluate_quietly(line(tar), line(non)).cllr, abs=1e-6)
    assert found.slope * tar + found.offset == pytest.approx(line(tar), abs=1e-3)


@pytest.mark.slow
def test_calibrated_llrs_raise_no_doubt() -> None:
    for seed in range(1000 if NIGHTLY else 100):
        rng = np.random.default_rng(seed)
        targets = int(np.exp(rng.uniform(np.log(5), np.log(2000))))
        non_targets = int(targets * np.exp(rng.uniform(0, np.log(20))))
        assert codes(*calibrated(rng, targets, non_targets, rng.uniform(0.5, 6))) in (
            [],
            ["wrong way"],  # few targets of a poor recognizer may well score lower
        )


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda llrs: llrs, None),
        (lambda llrs: llrs / 20, "raw scores"),  # such as cosines
        (lambda llrs: 20 * llrs, "raw scores"),  # such as PLDA scores of long vectors
        (lambda llrs: llrs + 10, "raw scores"),
        (lambda llrs: llrs + 1.5, "calibration loss"),
        (lambda llrs: 2.3 * llrs, "calibration loss"),
        (lambda llrs: llrs + 0.5, None),
    ],
)
def test_what_is_noticed(change: object, code: str | None) -> None:
    tar, non = calibrated(np.random.default_rng(1), 2000, 9000, 6.0)
    assert callable(change)
    assert codes(change(tar), change(non)) == ([] if code is None else [code])


def test_python_warns() -> None:
    tar, non = calibrated(np.random.default_rng(1), 200, 900, 6.0)
    with pytest.warns(llrcal.LlrcalWarning, match="these do not look like LLRs: their Cllr is"):
        llrcal.evaluate(tar / 20, non / 20)
    with pytest.warns(llrcal.LlrcalWarning, match="much is lost by calibration"):
        llrcal.evaluate(2.5 * tar, 2.5 * non)


def test_nothing_is_said_of_classes_apart_of_infinite_llrs_and_of_constants() -> None:
    rng = np.random.default_rng(2)
    assert codes(rng.uniform(1, 2, 500), rng.uniform(-2, -1, 500)) == []
    assert codes(np.full(500, np.inf), np.full(500, -np.inf)) == []
    assert codes(np.append(rng.normal(2, 2, 500), -np.inf), rng.normal(-2, 2, 500)) == []
    assert codes(np.zeros(500), np.zeros(500)) == []
    assert codes(np.array([1.7e308, 1.0]), np.array([-1.7e308, 2.0])) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "name", "code"),
    [
        ("voxceleb1_three_systems", "lda_cosine_", "raw scores"),
        ("voxceleb1_three_systems", "plda_", "raw scores"),
        ("asvspoof2019_asv", "eval_", "raw scores"),
        ("nist_bssr1", "finger_right_", "raw scores"),
        ("nist_sre08", "cond_phonecall_phn-phonecall_phn_", None),  # submitted as LLRs
    ],
)
def test_real_scores(folder: str, name: str, code: str | None) -> None:
    tar, non = (np.load(real_scores(folder, f"{name}{kind}.npy")) for kind in ("tar", "non"))
    assert codes(tar, non) == ([] if code is None else [code])
    halves = [side[::2] for side in (tar, non)], [side[1::2] for side in (tar, non)]
    for method in ("logistic", "pav", "nig"):
        calibration = llrcal.fit(*halves[0], method=method)
        assert codes(*(calibration(side) for side in halves[1])) == []
