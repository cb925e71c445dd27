"""``llrcal.watch``: three verdicts, in worlds whose truth is known, and in words."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import llrcal
from llrcal.adaptation.watch import Difference, Watched, watched
from llrcal.arrays import Floats
from llrcal.calibrations.adapted import Estimate
from tests.adaptation.worlds import FAMILIES, Both, World, holds, truth_of
from tests.notes import codes
from tests.trial_sets import normal

SHARE = 0.05
MOVES = {"none": (0.0, 0.0), "shift": (0.7, 0.7), "drop": (-1.0, 0.0), "far drop": (-1.5, 0.0)}


@cache
def seen(family: str, move: str, *, told: bool) -> tuple[Watched, float]:
    """Of 5,000 scores, of which a twentieth are targets; and the true cost of the change."""
    tar, non = FAMILIES[family]
    by_tar, by_non = MOVES[move]
    rng = np.random.default_rng(3)
    cal = llrcal.fit(tar(rng, 300), non(rng, 3000))

    def there(of_tar: int, of_non: int) -> Both:
        return tar(rng, of_tar) + by_tar, non(rng, of_non) + by_non

    found = watched(cal, np.concatenate(there(250, 4750)), p_target=SHARE if told else None)
    return found, truth_of(cal, there(20_000, 20_000)).calibration_loss


EVERY = pytest.mark.parametrize("family", FAMILIES)


@EVERY
def test_nothing_has_moved(family: str) -> None:
    told, _ = seen(family, "none", told=True)
    untold, _ = seen(family, "none", told=False)
    for one in (told, untold):
        assert one.verdict == "as in training"
        assert one.cost.high < 0.05
        assert one.unmoved > 0.5
        assert str(one).startswith("as in training: a change costs at most 0.0")
    assert holds(told.share, SHARE)


@EVERY
def test_all_scores_have_moved(family: str) -> None:
    one, _ = seen(family, "shift", told=True)
    assert one.verdict == "moved"
    assert one.costly > 0.8
    assert one.unmoved < 0.01
    assert str(one).startswith("moved: the change costs about 0.")


@pytest.mark.parametrize("move", ["drop", "far drop"])
@EVERY
def test_targets_that_drop_are_never_as_in_training(family: str, move: str) -> None:
    one, cost = seen(family, move, told=move == "drop")
    assert cost > 0.05
    assert one.verdict in ("moved", "cannot tell")
    assert one.cost.high > 0.05
    if one.verdict == "cannot tell":
        assert "30 labelled scores of each class" in str(one)
        assert ("the share of targets, or" in str(one)) == (one.p_target is None)


def test_costs_are_never_negative_and_mostly_in_their_interval() -> None:
    inside = []
    for family in FAMILIES:
        for move in MOVES:
            one, cost = seen(family, move, told=move != "far drop")
            assert 0 <= one.cost.low <= one.cost.value <= one.cost.high
            assert "0.000" not in str(one)
            assert "0.000" not in " ".join(map(str, one.notes))
            inside.append(holds(one.cost, cost))
    assert np.mean(inside) > 0.7


def test_scores_that_are_no_mixture_of_the_classes() -> None:
    world = World("Gaussian")
    strange = np.random.default_rng(0).exponential(300, 3000)
    with pytest.warns(
        llrcal.LlrcalWarning, match="no move of the training classes seems to explain"
    ):
        one = llrcal.watch(world.cal, strange)
    assert one.verdict in ("moved", "cannot tell")
    assert codes(one.notes) == ["unknown", "speakers"]


def test_differences_are_shares_of_all_scores() -> None:
    cal, field = World("Gaussian").cal, World("Gaussian", "shift").field
    one = watched(cal, field)
    assert sum(each.seen for each in one.differences) == pytest.approx(1)
    assert sum(each.expected for each in one.differences) == pytest.approx(1)
    lows, highs = ([getattr(each, name) for each in one.differences] for name in ("low", "high"))
    assert (lows[0], highs[-1]) == (-np.inf, np.inf)
    assert lows[1:] == highs[:-1] == sorted(highs[:-1])
    for each in one.differences:
        assert each.seen == pytest.approx(
            np.mean((field >= each.low) & (field < each.high)), abs=0.01
        )
    away = llrcal.fit(*(-side for side in World("Gaussian").training), lower_is_better=True)
    other = watched(away, -field)
    assert replace(other, differences=()) == replace(one, differences=())
    turned = [(-high, -low, *shares) for low, high, *shares in reversed(one.differences)]
    assert [tuple(each) for each in other.differences] == turned


def test_in_words_and_as_json() -> None:
    one = Watched(
        verdict="moved",
        count=3,
        effective=2.5,
        p_target=0.25,
        unmoved=0.5,
        costly=0.75,
        cost=Estimate(0.0312, 0.0, 0.0456),
        cllr=Estimate(0.3, 0.2, 0.4),
        share=Estimate(0.1, 0.05, 0.2),
        training_share=0.125,
        differences=(Difference(-1.0, 2.0, 0.25, 0.5),),
    )
    assert str(one) == "moved: the change costs about 0.031 bits of Cllr (0.001 to 0.046)"
    same = replace(one, verdict="as in training", cost=Estimate(0.0, 0.0, 0.0))
    assert str(same) == "as in training: a change costs at most 0.001 bits of Cllr"
    doubt = replace(one, verdict="cannot tell")
    assert str(doubt) == (
        "cannot tell: a change may cost up to 0.046 bits of Cllr, or next to nothing; "
        "30 labelled scores of each class would settle it"
    )
    assert "nothing; the share of targets, or 30 lab" in str(replace(doubt, p_target=None))
    assert "cost of the change" in one._repr_html_()
    assert one.to_dict() == {
        "verdict": "moved",
        "count": 3,
        "effective": 2.5,
        "p_target": 0.25,
        "unmoved": 0.5,
        "costly": 0.75,
        "cost": [0.0312, 0.0, 0.0456],
        "cllr": [0.3, 0.2, 0.4],
        "share": [0.1, 0.05, 0.2],
        "training_share": 0.125,
        "differences": [{"low": -1.0, "high": 2.0, "seen": 0.25, "expected": 0.5}],
    }


def test_the_mixture_of_the_training_classes() -> None:
    """Which a figure shows beside the scores."""
    cal = llrcal.fit(normal(300, 2.0, 1.0), normal(3000, -1.0, 1.0))
    field: Floats = np.concatenate([normal(150, 2.0, 1.0), normal(2850, -1.0, 1.0)])
    assert watched(cal, field).training_share == pytest.approx(0.05, abs=0.01)
    assert watched(cal, normal(3000, -1.5, 1.0)).training_share < 0.001
