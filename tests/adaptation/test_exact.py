"""What holds to the last bit, or nearly: order, units, ways to give scores, files, methods."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import llrcal
from llrcal.adaptation.adapt import adaptation
from llrcal.adaptation.watch import watched
from llrcal.arrays import Floats
from llrcal.calibrations.bounds import Policy
from llrcal.method_table import MethodName
from llrcal.onepass.grid import Grid
from llrcal.onepass.summary import Summary
from llrcal.trials import Trials
from tests.adaptation.worlds import SHARE, World, found
from tests.notes import FAR_SCORES, codes

WORLD = World("Gaussian", "shift")
TAR, NON = WORLD.training
FIELD = WORLD.field
MANY = np.concatenate([FIELD, *(WORLD.test[1] + 1e-3 * i for i in range(4))])  # enough for bins
DISTINCT, COUNTS = np.unique(MANY, return_counts=True)
GRID = np.linspace(-4, 10, 57)


@cache
def trained(method: MethodName = "gaussian", bounds: Policy = "counts") -> llrcal.Calibration:
    return llrcal.fit(TAR, NON, method=method, bounds=bounds)


@cache
def there(method: MethodName = "gaussian", bounds: Policy = "counts") -> llrcal.Calibration:
    return adaptation(trained(method, bounds), FIELD, p_target=SHARE)


def llrs_of(cal: llrcal.Calibration, scores: Floats = GRID) -> Floats:
    return cal.without_warnings(scores)


# Ways to give the same scores.


def pieces(folder: Path) -> Path:
    np.save(folder / "a.npy", MANY[:9000])
    pl.DataFrame({"score": MANY[9000:]}).write_parquet(folder / "b.parquet")
    return folder


WAYS: dict[str, Callable[[], Any]] = {
    "a list in another order": MANY[::-1].tolist,
    "shuffled": lambda: np.random.default_rng(0).permutation(MANY),
    "a summary of parts": lambda: Summary.merge(
        *(Summary.of(part, Grid.of(MANY)) for part in (MANY[:1000], MANY[1000:]))
    ),
    "trials": lambda: Trials(MANY[:100], MANY[100:]),
    "counts": lambda: llrcal.Counts(DISTINCT, COUNTS, np.zeros_like(COUNTS)),
}


@cache
def of_many() -> llrcal.Calibration:
    return adaptation(trained(), MANY, p_target=0.02)


@pytest.mark.parametrize("way", WAYS)
def test_the_same_bits_however_scores_are_given(way: str) -> None:
    new = adaptation(trained(), WAYS[way](), p_target=0.02)
    assert new == of_many()
    assert new.adapted == of_many().adapted


def test_the_same_bits_in_pieces(tmp_path: Path) -> None:
    folder = pieces(tmp_path)
    new = adaptation(trained(), llrcal.open_scores(folder), p_target=0.02, speakers=200)
    expected = adaptation(trained(), MANY, p_target=0.02, speakers=200)
    assert new == expected
    assert new.adapted == expected.adapted
    seen = watched(trained(), llrcal.open_scores(folder), speakers=200)
    assert seen == watched(trained(), MANY[::-1], speakers=200)


@pytest.mark.slow
def test_the_same_bits_on_a_cluster() -> None:
    dd = pytest.importorskip("dask.dataframe")
    import pandas as pd

    frame = dd.from_pandas(pd.DataFrame({"plda": MANY, "other": 1}), npartitions=3)
    scores = llrcal.open_scores(frame, columns={"score": "plda"})
    new = adaptation(trained(), scores, p_target=0.02)
    assert new.adapted == of_many().adapted
    seen = watched(trained(), scores, p_target=0.02)
    assert seen == watched(trained(), MANY, p_target=0.02)


# Units and direction.


@pytest.mark.parametrize(
    ("factor", "offset", "within"),
    [(4.0, 0.0, 1e-12), (2.0**-20, 0.0, 1e-12), (0.3, 7.0, 1e-6), (1e5, -1e5, 1e-6)],
)
def test_llrs_do_not_depend_on_the_unit(factor: float, offset: float, within: float) -> None:
    old = llrcal.fit(factor * TAR + offset, factor * NON + offset, method="gaussian")
    new = adaptation(old, factor * FIELD + offset, p_target=SHARE)
    np.testing.assert_allclose(
        llrs_of(new, factor * GRID + offset), llrs_of(there()), rtol=within, atol=within
    )
    shifts = (found(one).non_shift.value for one in (new, there()))
    assert next(shifts) == pytest.approx(factor * next(shifts), rel=max(within, 1e-9))


def test_scores_that_differ_in_their_last_digits() -> None:
    far = [1e8 + 1e-6 * side for side in (TAR, NON, FIELD)]
    new = adaptation(llrcal.fit(*far[:2], method="gaussian"), far[2], p_target=SHARE)
    assert found(new).applied
    assert found(new).non_shift.value == pytest.approx(2e-6, rel=0.1)
    assert (np.diff(found(new).scores) > 0).all()


def test_distances_are_negated_scores() -> None:
    old = llrcal.fit(-TAR, -NON, method="gaussian", lower_is_better=True)
    tar, non = (side[:9] for side in WORLD.labelled)
    one = adaptation(trained(), FIELD, p_target=SHARE, tar=tar, non=non)
    for scores in (-FIELD, Summary.of(FIELD), Trials(-FIELD[:9], -FIELD[9:])):
        new = adaptation(old, scores, p_target=SHARE, tar=-tar, non=-non)
        np.testing.assert_array_equal(llrs_of(new, -GRID), llrs_of(one))
        assert found(new) == found(one)


# Files, copies, methods and bounds.


@pytest.mark.parametrize(
    "method", ["smooth", "linear-gaussian", "logistic", "pav", "gaussian", "student-t", "nig"]
)
def test_every_method_adapts_and_is_kept(method: MethodName, tmp_path: Path) -> None:
    old, new = trained(method), there(method)
    assert (new.method, found(new).choice) == (method, "moved")
    before, after = (WORLD.truth(cal).calibration_loss for cal in (old, new))
    assert after < 0.1 * before
    assert (np.diff(llrs_of(new, np.linspace(-30, 40, 2000))) >= 0).all()
    assert new.margins is None
    assert new.portrait != old.portrait
    new.save(tmp_path / "model.json")
    for again in (
        llrcal.load(tmp_path / "model.json"),
        pickle.loads(pickle.dumps(new)),  # noqa: S301
        copy.deepcopy(new),
    ):
        assert again == new
        assert again.adapted == new.adapted
        assert again.portrait == new.portrait
        np.testing.assert_array_equal(llrs_of(again), llrs_of(new))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["gaussian", "student-t", "nig"])
def test_bayesian_methods_adapt(method: MethodName) -> None:
    old = llrcal.fit(TAR, NON, method=method, bayes=True)
    new = adaptation(old, FIELD, p_target=SHARE)
    before, after = (WORLD.truth(cal).calibration_loss for cal in (old, new))
    assert after < 0.1 * before


def test_where_nothing_has_moved_nothing_changes() -> None:
    """Not a bit of an LLR, nor of what belongs to them."""
    old, field = trained(), World("Gaussian").field
    new = adaptation(old, field, p_target=SHARE)
    assert (found(new).applied, found(new).choice) == (False, "as it was")
    np.testing.assert_array_equal(llrs_of(new), llrs_of(old))
    assert (new.margins, new.bounds, new.portrait) == (old.margins, old.bounds, old.portrait)
    assert found(new).scores == found(new).llrs == ()
    assert found(new).cllr == found(new).cllr_before
    assert codes(new.report.notes) == [*codes(old.report.notes), "speakers", "nothing moved"]


def test_an_adapted_calibration_adapts_again() -> None:
    """The same field changes nothing more; that of training brings the old LLRs back."""
    once = there()
    twice = adaptation(once, FIELD, p_target=SHARE)
    assert not found(twice).applied
    np.testing.assert_array_equal(llrs_of(twice), llrs_of(once))
    back = adaptation(once, World("Gaussian").field, p_target=SHARE)
    assert found(back).choice == "moved"
    assert found(back).non_shift.value == pytest.approx(-2, abs=0.15)
    home = World("Gaussian")
    assert home.truth(back).cllr < home.truth(trained()).cllr + 0.025


def test_the_portrait_is_that_of_the_field() -> None:
    """The same scores are as in training to it, and both classes have their quantiles."""
    seen = watched(there(), FIELD, p_target=SHARE)
    portrait = there().portrait
    assert portrait is not None
    for side, count, mean in ((portrait.tar, 300, 5.0), (portrait.non, 3000, 2.0)):
        assert sum(side.counts) == pytest.approx(count)
        low, middle, high = (side.cells.quantile(level) for level in (0.1587, 0.5, 0.8413))
        assert middle == pytest.approx(mean, abs=0.2)
        assert (high - low) / 2 == pytest.approx(1, abs=0.1)
    assert seen.unmoved > 0.5
    assert seen.verdict != "moved"
    assert seen.cost.value < 0.02


@FAR_SCORES
@pytest.mark.parametrize("bounds", ["counts", "elub", "range", "none"])
def test_bounds_are_kept(bounds: Policy) -> None:
    old, new = trained("gaussian", bounds), there("gaussian", bounds)
    assert new.bounds.policy == bounds
    llrs = llrs_of(new, np.linspace(-30, 40, 300))
    assert (np.diff(llrs) >= 0).all()
    if bounds == "counts":
        least, greatest = new.supported_llrs
        assert least <= llrs[0] <= llrs[-1] <= greatest
        assert least <= found(new).llrs[0] <= found(new).llrs[-1] <= greatest
    if bounds == "elub":
        assert old.bounds.least_llr is not None
        assert old.bounds.greatest_llr is not None
        assert old.bounds.least_llr <= llrs[0] <= llrs[-1] <= old.bounds.greatest_llr
    low, high = new.training_range
    assert low <= FIELD.min()
    assert high >= FIELD.max()
    along = [end + 2 for end in old.training_range]
    expected = min(FIELD.min(), along[0]), max(FIELD.max(), along[1])
    assert (low, high) == pytest.approx(expected, abs=0.6)
    if old.bounds.eer_score is not None:
        assert new.bounds.eer_score == pytest.approx(old.bounds.eer_score + 2, abs=0.2)
