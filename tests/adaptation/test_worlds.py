"""What adapting does in worlds whose truth is known, and whether it knows how good it is."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

import llrcal
from llrcal.adaptation.adapt import adaptation
from llrcal.calibrations.adapted import Adapted
from tests.adaptation.worlds import CHANGES, FAMILIES, SHARE, World, found, holds
from tests.notes import codes


class Outcome(NamedTuple):
    before: llrcal.Evaluation
    after: llrcal.Evaluation
    what: Adapted
    notes: list[str]


@cache
def outcomes(change: str, count: int) -> tuple[Outcome, ...]:
    """Of every family with many targets in training, of some with few; half are told the share."""
    families = list(FAMILIES) if count > 100 else list(FAMILIES)[::2]
    out = []
    for number, family in enumerate(families):
        world = World(family, change, count)
        told = SHARE if (number + (count > 100)) % 2 else None
        new = adaptation(world.cal, world.field, p_target=told)
        out.append(
            Outcome(world.truth(world.cal), world.truth(new), found(new), codes(new.report.notes))
        )
    return tuple(out)


COUNTS = pytest.mark.parametrize("count", [30, 300])


@COUNTS
@pytest.mark.parametrize("change", CHANGES)
def test_never_worse_than_before_or_than_knowing_nothing(change: str, count: int) -> None:
    for before, after, what, _ in outcomes(change, count):
        assert after.cllr <= max(before.cllr, 1) + 0.02
        assert what.applied or after.cllr == before.cllr


@COUNTS
@pytest.mark.parametrize("change", ["none", "share"])
def test_no_harm_where_the_classes_are_as_in_training(change: str, count: int) -> None:
    for before, after, what, _ in outcomes(change, count):
        assert after.cllr <= before.cllr + 0.005
        assert not what.applied


@pytest.mark.parametrize(
    ("change", "count", "cut"),
    [
        ("shift", 30, 0.85),
        ("shift", 300, 0.95),
        ("scale", 30, 0.85),
        ("scale", 300, 0.9),
        ("noise", 30, 0.1),
        ("noise", 300, 0.6),
        ("distance", 30, 0.4),
        ("distance", 300, 0.85),
    ],
)
def test_the_loss_is_cut(change: str, count: int, cut: float) -> None:
    """By this part on average, over families."""
    results = outcomes(change, count)
    before = sum(each.before.calibration_loss for each in results)
    after = sum(each.after.calibration_loss for each in results)
    assert after < (1 - cut) * before


def test_intervals_hold_the_truth() -> None:
    """In all changes but clipping: scores that are all the same say nothing of what they were."""
    results = [each for c in CHANGES if c != "clip" for n in (30, 300) for each in outcomes(c, n)]
    for name, truth in (
        ("cllr", [each.after.cllr for each in results]),
        ("cllr_before", [each.before.cllr for each in results]),
        ("eer", [each.after.eer for each in results]),
    ):
        inside = [
            holds(getattr(each.what, name), at) for each, at in zip(results, truth, strict=True)
        ]
        assert np.mean(inside) > 0.85, name


@pytest.mark.parametrize(
    ("change", "moves"),
    [
        ("shift", {"tar_shift": 2, "non_shift": 2, "tar_widening": 1, "non_widening": 1}),
        ("scale", {"tar_shift": 2.1, "non_shift": 0, "tar_widening": 1.7, "non_widening": 1.7}),
        ("distance", {"tar_shift": 0, "non_shift": 1, "non_widening": 1}),
    ],
)
def test_moves_are_found(change: str, moves: dict[str, float]) -> None:
    """As they were made, of Gaussian classes."""
    what = outcomes(change, 300)[0].what
    assert what.choice == "moved"
    for name, truth in {**moves, "share": SHARE}.items():
        value, low, high = getattr(what, name)
        assert low - 0.05 <= truth <= high + 0.05, name
        assert low <= value <= high


@COUNTS
@pytest.mark.parametrize("change", ["none", "shift", "scale", "distance"])
def test_nothing_is_doubted_where_the_truth_is_simple(change: str, count: int) -> None:
    for each in outcomes(change, count):
        assert set(each.notes) <= {"speakers", "nothing moved"}


@pytest.mark.parametrize("p_target", [0.2, None])
def test_what_no_move_explains(p_target: float | None) -> None:
    """Where classes were far apart, there is one heap: order is kept, strength is not."""
    rng = np.random.default_rng(1)
    cal = llrcal.fit(rng.normal(9, 1, 300), rng.normal(0, 1, 3000), method="gaussian")

    def heap(of_tar: int, of_non: int) -> tuple[np.ndarray, np.ndarray]:
        return 4 * rng.beta(1, 4, of_tar) + 3.5, 4 * rng.beta(1, 6, of_non) + 3

    with pytest.warns(
        llrcal.LlrcalWarning, match="no move of the training classes seems to explain"
    ):
        new = llrcal.adapt(cal, np.concatenate(heap(600, 2400)), p_target=p_target)
    test = heap(5000, 5000)
    before, after = (llrcal.evaluate(*map(c.without_warnings, test)).cllr for c in (cal, new))
    assert before > 2
    assert after <= 1.02
    what = found(new)
    assert (what.applied, what.choice) == (True, "order")
    assert what.unknown > 0.9
    assert codes(new.report.notes) == ["unknown", "speakers"]
    llrs = new.without_warnings(np.linspace(3, 7, 200))
    assert (np.diff(llrs) >= 0).all()
    assert llrs[-1] > llrs[0] + 0.5


@pytest.mark.parametrize("side", [0, 1])
def test_one_class_alone_is_told(side: int) -> None:
    world = World("Gaussian")
    new = adaptation(world.cal, world.test[side][:2000], p_target=0.5)
    assert (found(new).only_targets, found(new).only_non_targets)[side] > 0.5
    assert "one class" in codes(new.report.notes)
    assert world.truth(new).cllr < world.truth(world.cal).cllr + 0.02


def test_a_share_that_is_wrong_is_told() -> None:
    world = World("Gaussian", "share")
    new = adaptation(world.cal, world.field, p_target=0.02)
    assert "share" in codes(new.report.notes)
    assert found(new).wrong_share > 0.5
    assert holds(found(new).share, 0.4)
    assert world.truth(new).cllr < world.truth(world.cal).cllr + 0.02


def test_codes_for_failures_are_no_move() -> None:
    """A few scores far away, as a program gives them that has failed."""
    for change, choice in (("none", "as it was"), ("shift", "moved")):
        world = World("Gaussian", change)
        field = np.append(world.field, [-99.0] * 4)
        new = adaptation(world.cal, field, p_target=SHARE)
        assert found(new).choice == choice
        assert world.truth(new).calibration_loss < 0.05


def test_levels_are_no_move() -> None:
    """Scores of a few levels, in training as in the field."""
    world = World("Gaussian")
    cal = llrcal.fit(*(np.round(2 * side) for side in world.training))
    assert found(adaptation(cal, np.round(2 * world.field))).choice == "as it was"
    moved = adaptation(cal, np.round(2 * world.field) + 4)
    assert found(moved).choice == "moved"
    assert holds(found(moved).non_shift, 4)
