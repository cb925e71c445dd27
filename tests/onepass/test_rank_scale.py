"""The scale of ranks, against counting by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given

from llrcal.arrays import ArrayLike, Floats
from llrcal.calibrations.training import Training
from llrcal.onepass.rank_scale import LabelledCells, Ordered
from tests.trial_sets import FINITE, Sets, normal

TAR, NON = normal(60, 1.0, 1.0), normal(700, -1.0, 1.2)


def ordered(tar: ArrayLike, non: ArrayLike) -> Ordered:
    sides = np.asarray(tar), np.asarray(non)
    scores = np.unique(np.concatenate(sides))
    counts = (np.array([(side == score).sum() for score in scores], float) for side in sides)
    return Ordered(scores, *counts)


def test_it_is_what_training_scores_give() -> None:
    found, expected = Training.of(TAR, NON).in_order, ordered(TAR, NON)
    assert found.scores.tolist() == expected.scores.tolist()
    assert found.tar.tolist() == expected.tar.tolist()
    assert found.non.tolist() == expected.non.tolist()


@given(classes=FINITE)
def test_the_coordinate_counts_targets_up_to_and_non_targets_from(classes: Sets) -> None:
    tar, non = classes
    found = ordered(tar, non)
    assert found.scores.tolist() == sorted({*tar, *non})
    for score, coordinate in zip(found.scores, found.coordinate, strict=True):
        up_to = sum(other <= score for other in tar)
        onwards = sum(other >= score for other in non)
        expected = math.log(up_to + 0.5) - math.log(onwards + 0.5)
        assert coordinate == pytest.approx(expected, rel=1e-14, abs=1e-14)
    assert (np.diff(found.coordinate) >= 0).all()


@given(classes=FINITE)
@example(classes=(TAR.tolist(), NON.tolist()))
def test_cells_are_means_by_class(classes: Sets) -> None:
    found = ordered(*classes)
    number = dict(zip(found.scores.tolist(), np.rint(found.coordinate * 16).tolist(), strict=True))
    cells = found.cells()
    for scores, at, counts in (
        (classes[0], cells.tar_scores, cells.tar_counts),
        (classes[1], cells.non_scores, cells.non_counts),
    ):
        by_cell: dict[int, list[float]] = {}
        for score in scores:
            by_cell.setdefault(number[score + 0.0], []).append(score)
        groups = [by_cell[cell] for cell in sorted(by_cell)]
        assert counts.tolist() == [len(group) for group in groups]
        means = [math.fsum(group) / len(group) for group in groups]
        np.testing.assert_allclose(at, means, rtol=1e-13, atol=1e-13)


def test_cells_of_large_scores_keep_their_last_digits() -> None:
    tar, non = np.round(TAR, 3), np.round(NON, 3)
    near, far = ordered(tar, non).cells(), ordered(tar + 2.0**40, non + 2.0**40).cells()
    rounding = 2 * np.spacing(2.0**40)
    for one, other in zip(_arrays(near), _arrays(far), strict=True):
        assert len(one) == len(other)
        assert np.abs(np.where(other > 2**39, other - 2.0**40, other) - one).max() <= rounding


def _arrays(cells: LabelledCells) -> list[Floats]:
    return [cells.tar_scores, cells.tar_counts, cells.non_scores, cells.non_counts]


def test_knots_are_even_between_the_lowest_target_and_the_highest_non_target() -> None:
    found = ordered(TAR, NON)
    knots, ranks = found.evenly_spaced(31)
    low, high = TAR.min(), NON.max()
    assert len(knots) == 31
    assert (np.diff(knots) > 0).all()
    np.testing.assert_allclose(np.diff(ranks), np.ptp(ranks) / 30, rtol=1e-12)
    # A coordinate belongs to all scores up to where the next class member changes it.
    ends = np.interp(ranks[[0, -1]], found.coordinate, found.scores)
    assert ends == pytest.approx([low, high], abs=0.2)
    np.testing.assert_allclose(np.interp(knots, found.scores, found.coordinate), ranks, atol=0.3)


@pytest.mark.parametrize("count", [1, 2])
def test_scores_that_are_far_away_draw_no_knots(count: int) -> None:
    far = 1e6 * np.arange(1, count + 1)
    for tar, non in ((np.append(TAR, -far), NON), (TAR, np.append(NON, far))):
        knots, _ = ordered(tar, non).evenly_spaced(31)
        assert np.abs(knots).max() < 10


def test_knots_of_classes_that_are_apart_go_along_all_scores() -> None:
    knots, ranks = ordered(TAR + 100, NON).evenly_spaced(31)
    assert knots[0] < NON.max() < TAR.min() + 100 < knots[-1]
    assert ranks[0] == pytest.approx(math.log(0.5 / 700.5))
    assert ranks[-1] == pytest.approx(math.log(60.5 / 0.5))


@pytest.mark.parametrize("move", [-100.0, 0.0, 100.0])
def test_classes_that_change_places_mirror_the_scale(move: float) -> None:
    one, other = ordered(TAR + move, NON), ordered(-NON, -TAR - move)
    assert (one.coordinate == -other.coordinate[::-1]).all()
    for count in (2, 5, 31):
        (knots, ranks), (turned, back) = one.evenly_spaced(count), other.evenly_spaced(count)
        np.testing.assert_allclose(knots, -turned[::-1], rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(ranks, -back[::-1], rtol=1e-13, atol=1e-13)
    cells, mirrored = one.cells(), other.cells()
    np.testing.assert_allclose(cells.tar_scores, -mirrored.non_scores[::-1], rtol=1e-13, atol=1e-13)
    assert cells.tar_counts.tolist() == mirrored.non_counts[::-1].tolist()


def test_knots_are_distinct_however_close_the_scores() -> None:
    steps = 1.0 + np.spacing(1.0) * np.arange(6)
    knots, ranks = ordered(steps, steps).evenly_spaced(31)
    assert 2 <= len(knots) <= 31
    assert (np.diff(ranks) > 0).all()
    wide = np.array([0.0, 1e-30, 2e-30, 1.0, 2.0])
    knots, ranks = ordered(wide, wide).evenly_spaced(31)
    assert (np.diff(knots) > 2.0**-41 * np.ptp(knots)).all()
    assert (np.diff(ranks) > 0).all()


def test_each_class_has_one_score_and_that_of_the_target_is_lower() -> None:
    knots, ranks = ordered([0.0], [1.0, 1.0]).evenly_spaced(31)
    assert knots.tolist() == [0.0, 1.0]
    middle = math.log(1.5 / 2.5)
    assert ranks.tolist() == pytest.approx([middle - 0.5, middle + 0.5])
