"""A few labelled scores from the field."""

from __future__ import annotations

import numpy as np
import pytest

from llrcal.adaptation.adapt import adaptation
from tests.adaptation.worlds import SHARE, World, found
from tests.notes import codes

FAMILIES = ("Gaussian", "skewed", "bounded")


def test_more_of_them_cut_more_of_the_loss() -> None:
    """Where the targets alone have sunk, of which unlabelled scores say least."""
    worlds = [World(family, "sink") for family in FAMILIES]
    losses = [np.mean([world.truth(world.cal).calibration_loss for world in worlds])]
    for few in (10, 30, 100):
        each = []
        for world in worlds:
            tar, non = (side[:few] for side in world.labelled)
            new = adaptation(world.cal, world.field, p_target=SHARE, tar=tar, non=non)
            each.append(world.truth(new).calibration_loss)
            assert (found(new).tar, found(new).non) == (few, few)
        losses.append(np.mean(each))
    assert losses == sorted(losses, reverse=True)
    assert losses[2] < 0.3 * losses[0]
    assert losses[3] < 0.05 * losses[0]


@pytest.mark.parametrize("family", FAMILIES)
def test_labelled_scores_alone(family: str) -> None:
    world = World(family, "shift")
    tar, non = (side[:60] for side in world.labelled)
    new = adaptation(world.cal, tar=tar, non=non)
    what = found(new)
    assert (what.choice, what.unlabelled, what.effective) == ("moved", 0, 0.0)
    assert what.non_shift.value == pytest.approx(2, abs=0.4)
    assert not codes(new.report.notes)
    assert world.truth(new).calibration_loss < 0.1 * world.truth(world.cal).calibration_loss
    low, high = new.training_range
    assert low <= min(tar.min(), non.min())
    assert high >= max(tar.max(), non.max())


def test_they_outweigh_a_wrong_share() -> None:
    world, losses = World("Gaussian", "scale"), []
    for few in (0, 100):
        tar, non = (side[:few] if few else None for side in world.labelled)
        new = adaptation(world.cal, world.field, p_target=0.5, factor=1.3, tar=tar, non=non)
        losses.append(world.truth(new).calibration_loss)
    assert losses[1] < losses[0]
    assert losses[1] < 0.03


def test_one_of_each_class_will_do() -> None:
    world = World("Gaussian", "shift")
    new = adaptation(world.cal, world.field, tar=[5.0], non=[2.0], speakers=2000)
    assert found(new).non_shift.value == pytest.approx(2, abs=0.15)
    assert not codes(new.report.notes)


def test_where_labels_show_that_scores_say_nothing() -> None:
    """LLRs are next to zero then."""
    world = World("Gaussian")
    non = world.test[1]
    new = adaptation(world.cal, non[:3000], p_target=SHARE, tar=non[3000:3200], non=non[3200:3400])
    assert found(new).choice == "no evidence"
    assert found(new).cllr.value > 0.9
    assert np.abs(new.without_warnings(np.linspace(-1.5, 1.5, 9))).max() < 0.7
