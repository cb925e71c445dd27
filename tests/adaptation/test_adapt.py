"""Labels from one place, scores from another: moves are found, and what is in the way is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import llrcal
from llrcal import out_of_core
from llrcal.adaptation.adapt import adaptation
from llrcal.arrays import Floats
from llrcal.calibrations.adapted import Adapted
from llrcal.onepass.grid import Grid
from llrcal.onepass.summary import Summary
from llrcal.trials import Trials
from tests.conftest import real_scores
from tests.trial_sets import normal

dd = pytest.importorskip("dask.dataframe")
import llrcal.dask  # noqa: E402, needs it

TAR, NON = normal(2000, 3.0, 1.4), normal(20_000, -1.0, 1.0)
OLD = llrcal.fit(TAR, NON, method="gaussian")


def moved(share: float, *, shift: float = 1.5, wider: float = 1.3, seed: int = 1) -> Floats:
    """Scores of a place where everything has moved and widened."""
    rng = np.random.default_rng(seed)
    count = int(6000 * share)
    tar, non = rng.normal(3.0, 1.4, count), rng.normal(-1.0, 1.0, 6000 - count)
    return shift + wider * np.concatenate([tar, non])


def found(cal: llrcal.Calibration) -> Adapted:
    assert cal.adapted is not None
    return cal.adapted


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5])
def test_simulated_shifts_are_found(share: float) -> None:
    scores = moved(share)
    new = llrcal.adapt(OLD, scores, p_target=share)
    what = found(new)
    assert what.applied
    for name, truth in {
        "non_shift": 1.5 - 1.3 + 1.0,
        "tar_shift": 1.5 + 3.9 - 3.0,
        "non_widening": 1.3,
        "tar_widening": 1.3,
        "share": share,
    }.items():
        low, high = getattr(what, name)[1:]
        assert low <= truth <= high, (name, getattr(what, name))
    rng = np.random.default_rng(9)
    tar, non = 1.5 + 1.3 * rng.normal(3.0, 1.4, 20_000), 1.5 + 1.3 * rng.normal(-1.0, 1.0, 20_000)
    before, after = (
        llrcal.evaluate(cal.without_warnings(tar), cal.without_warnings(non)) for cal in (OLD, new)
    )
    assert after.calibration_loss < 0.3 * before.calibration_loss
    assert what.cllr.low <= after.cllr <= what.cllr.high
    assert what.eer.low <= after.eer <= what.eer.high
    assert what.cllr_before.low <= before.cllr <= what.cllr_before.high


def test_nothing_moves_where_nothing_has_moved() -> None:
    new = llrcal.adapt(OLD, moved(0.05, shift=0.0, wider=1.0), p_target=0.05)
    assert found(new).unmoved > 0.2
    assert not new.report.notes
    grid = np.linspace(-3, 6, 50)
    assert np.abs(new.without_warnings(grid) - OLD.without_warnings(grid)).max() < 0.3


@pytest.mark.slow
@pytest.mark.parametrize("method", ["gaussian", "student-t", "nig"])
def test_other_calibrations_move_as_well(method: str, tmp_path: Path) -> None:
    old = llrcal.fit(TAR[:300], NON[:3000], method=method, bayes=True)
    new = llrcal.adapt(old, moved(0.05, shift=2.0, wider=1.0), p_target=0.05)
    grid = np.linspace(0.0, 6.0, 20)
    assert np.abs(new.without_warnings(grid) - old.without_warnings(grid - 2)).max() < 1.0
    new.save(tmp_path / "model.json")
    again = llrcal.load(tmp_path / "model.json")
    assert again == new
    assert again.adapted == new.adapted


def test_labelled_scores_alone_do_and_distances_are_negated() -> None:
    tar, non = 2 + TAR[:60], 2 + NON[:60]
    new = llrcal.adapt(OLD, tar=tar, non=non)
    assert found(new).applied
    assert found(new).non_shift.value == pytest.approx(2, abs=0.5)
    far = llrcal.fit(-TAR, -NON, method="gaussian", lower_is_better=True)
    other = llrcal.adapt(far, tar=-tar, non=-non)
    assert other.without_warnings(-tar) == pytest.approx(new.without_warnings(tar), abs=1e-6)


def test_the_more_are_labelled_the_less_a_wrong_share_costs() -> None:
    rng = np.random.default_rng(9)
    tar, non = 1.5 + 1.3 * rng.normal(3.0, 1.4, 5000), 1.5 + 1.3 * rng.normal(-1.0, 1.0, 5000)
    scores, losses = moved(0.02), []
    for few in (0, 30, 100):
        labelled = (tar[:few], non[:few]) if few else (None, None)
        new = llrcal.adapt(OLD, scores, p_target=0.06, tar=labelled[0], non=labelled[1])
        losses.append(llrcal.evaluate(*map(new.without_warnings, (tar, non))).calibration_loss)
    assert losses[1] < 0.7 * losses[0]
    assert losses[2] < 0.3 * losses[0]


@pytest.mark.slow
def test_the_same_bits_from_arrays_trials_pieces_and_a_cluster(tmp_path: Path) -> None:
    scores = np.concatenate([moved(0.05, seed=seed) for seed in range(30)])  # enough for bins
    expected = llrcal.adapt(OLD, scores, p_target=0.05)
    grid = Grid.of(scores)
    parts = [Summary.of(part, grid) for part in (scores[:1000], scores[1000:])]
    cut = len(scores) // 2
    np.save(tmp_path / "a.npy", scores[:cut])
    pl.DataFrame({"score": scores[cut:]}).write_parquet(tmp_path / "b.parquet")
    frame = pd.DataFrame({"plda": scores, "other": 1})
    for new in (
        llrcal.adapt(OLD, Summary.merge(*parts), p_target=0.05),
        llrcal.adapt(OLD, Trials(scores[:100], scores[100:]), p_target=0.05),
        out_of_core.adapt(OLD, tmp_path, p_target=0.05),
        llrcal.dask.adapt(OLD, dd.from_pandas(frame, npartitions=3), score="plda", p_target=0.05),
    ):
        assert new == expected
        assert new.adapted == expected.adapted


@pytest.mark.slow
def test_distances_in_pieces_are_negated(tmp_path: Path) -> None:
    far = llrcal.fit(-TAR, -NON, method="gaussian", lower_is_better=True)
    (tmp_path / "a.txt").write_text("\n".join(f"m t{i} {x}" for i, x in enumerate(-moved(0.05))))
    new = out_of_core.adapt(far, tmp_path / "a.txt", p_target=0.05)
    assert new == llrcal.adapt(far, -moved(0.05), p_target=0.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scores", "p_target", "code"),
    [
        (np.random.default_rng(1).exponential(300, 3000), 0.05, "does not fit"),
        (moved(0.05)[:20], 0.05, "few scores"),
        (moved(0.5), 0.01, "share"),
    ],
)
def test_what_is_in_the_way_is_said(scores: Floats, p_target: float, code: str) -> None:
    left = adaptation(OLD, scores, p_target=p_target)
    assert code in [note.code for note in left.report.notes]
    assert not found(left).applied
    assert (left.without_warnings(scores) == OLD.without_warnings(scores)).all()
    assert found(adaptation(OLD, scores, p_target=p_target, force=True)).applied


def test_other_calibrations_are_refused_with_what_to_do() -> None:
    with pytest.raises(llrcal.OptionError, match=r"smooth calibration has no densities.*train"):
        llrcal.adapt(llrcal.fit(TAR, NON), moved(0.05))


@pytest.mark.slow
def test_a_shifted_pair_of_real_places() -> None:
    folder = real_scores("nist_sre08")
    old, new = (
        [np.load(folder / f"cond_{place}_{side}.npy").astype(float) for side in ("tar", "non")]
        for place in ("phonecall_phn-phonecall_phn", "phonecall_phn-interview_mic")
    )
    cal = llrcal.fit(*old, method="nig")
    pool = np.concatenate(new)
    there = llrcal.adapt(cal, pool, p_target=len(new[0]) / len(pool))
    before, after = (
        llrcal.evaluate(*(one.without_warnings(side) for side in new)).calibration_loss
        for one in (cal, there)
    )
    assert after < 0.3 * before
