"""Labels to expect: against the densities of another method, and when there are none."""

from __future__ import annotations

import numpy as np
import pytest

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.methods.smooth import _averaged
from llrcal.calibrations.training import Training
from llrcal.fitting.expected_labels import expected_trials
from llrcal.fitting.stiffness import averaged_spline
from llrcal.onepass.rank_scale import LabelledCells
from tests.trial_sets import normal

TAR, NON = normal(200, 2.0, 1.2), normal(900, 0.0, 1.0)


def expected(tar: object, non: object) -> Floats | None:
    data = Training.of(tar, non)
    return expected_trials(data.in_order.cells(), data.eer_score)


@pytest.mark.parametrize(("tar_count", "non_count"), [(8, 60), (30, 900), (200, 12)])
def test_they_are_those_of_nig_with_its_parameters_integrated_out(
    tar_count: int, non_count: int
) -> None:
    """Which draws its own parameters, and ten times as many."""
    tar, non = TAR[:tar_count], NON[:non_count]
    cells = Training.of(tar, non).in_order.cells()
    found = expected(tar, non)
    assert found is not None
    scores = np.concatenate([cells.tar_scores, cells.non_scores])
    llrs = np.log(found[0] / found[1]) - np.log(tar_count / non_count)
    middle = (np.quantile(non, 0.1) < scores) & (scores < np.quantile(tar, 0.9))
    assert middle.sum() > 10
    nig = llrcal.fit(tar, non, method="nig", bayes=True, bounds="range")
    assert np.abs(llrs - nig(scores))[middle].max() < 0.1


def test_they_are_worth_less_the_more_trials_there_are() -> None:
    """As much as twenty trials of the rarer class, and next to nothing close to a hundred."""
    for count in (5, 50, 95):
        for tar, non in ((TAR[:count], NON), (TAR, NON[:count])):
            found = expected(tar, non)
            assert found is not None
            worth = found.sum(axis=1) * count / np.array([len(tar), len(non)])
            assert worth.mean() == pytest.approx(20 * (1 - count / 100), rel=0.2)


def test_a_hundred_targets_need_none() -> None:
    few, enough = (_averaged(Training.of(TAR[:count], NON)) for count in (99, 100))
    alone = averaged_spline(*knots_and_cells(TAR[:100]))
    assert enough.slopes.tolist() == alone.slopes.tolist()
    assert few.slopes.tolist() != averaged_spline(*knots_and_cells(TAR[:99])).slopes.tolist()


def knots_and_cells(tar: Floats) -> tuple[LabelledCells, Floats, Floats]:
    ordered = Training.of(tar, NON).in_order
    return ordered.cells(), *ordered.evenly_spaced(31)


@pytest.mark.parametrize("tar", [[1.0], [1.0, 2.0], [1.0, 1.0, 1.0, 2.0, 3.0]])
def test_too_few_targets_to_have_a_density(tar: list[float]) -> None:
    assert expected(tar, NON) is None


def test_they_rise_although_densities_cross_again() -> None:
    """Non-targets that scatter more than targets do are the likelier ones at both ends."""
    tar, non = normal(60, 2.0, 0.5), normal(300, 0.0, 2.0)
    cells = Training.of(tar, non).in_order.cells()
    scores = np.concatenate([cells.tar_scores, cells.non_scores])
    found = expected(tar, non)
    assert found is not None
    odds = (found[0] / found[1])[np.argsort(scores)]
    assert (np.diff(np.log(odds)) > -1e-14).all()  # counts of either class are rounded
