"""Looks: fixed, distinct, and apart for readers who do not see some colours, or any."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from llrcal.figures import looks
from llrcal.figures.looks import FIXED
from tests.colours import SIGHTS, lab
from tests.figures.drawing import calibrations

TOGETHER = [
    [f"linear-gaussian-{alpha}" for alpha in ("empirical", "0.5", "0.92")],
    [f"logistic-{alpha}" for alpha in ("empirical", "0.5", "0.92")],
    ["nig", "student-t", "gaussian"],
]


def test_the_ten_calibrations_of_the_paper_have_fixed_looks() -> None:
    assert set(calibrations()) == set(FIXED)
    assert looks(calibrations()) == FIXED


def test_no_two_share_dashes_or_a_marker() -> None:
    assert len({look.dashes for look in FIXED.values()}) == len(FIXED)
    assert len({look.marker for look in FIXED.values()}) == len(FIXED)


@pytest.mark.parametrize("sight", SIGHTS)
def test_colours_are_apart_for_everybody(sight: str) -> None:
    seen = {label: lab(look.colour, SIGHTS[sight]) for label, look in FIXED.items()}
    for one, other in combinations(seen, 2):
        assert np.linalg.norm(seen[one] - seen[other]) > 15, (one, other)


@pytest.mark.parametrize("labels", TOGETHER)
def test_what_the_paper_draws_together_goes_from_dark_to_light(labels: list[str]) -> None:
    luminance = [lab(FIXED[label].colour)[0] for label in labels]
    assert (np.diff(luminance) > 14).all()
    assert luminance[-1] < 75  # still visible on white


def test_other_weights_lie_between_those_of_the_paper() -> None:
    names = ["0.001", "0.01", "0.2", "0.5", "0.7", "0.92"]
    found = looks([f"logistic-{name}" for name in names])
    luminance = [lab(look.colour)[0] for look in found.values()]
    assert (np.diff(luminance) > 0).all()
    assert looks(["logistic-1e-05"])["logistic-1e-05"].colour == FIXED["logistic-empirical"].colour


def test_a_method_without_a_weight_has_the_default_one() -> None:
    assert looks(["logistic"])["logistic"] == FIXED["logistic-0.5"]


def test_other_labels_are_stable_and_distinct() -> None:
    labels = [f"system {i}" for i in range(20)]
    together = looks(labels)
    assert len({(look.dashes, look.marker) for look in together.values()}) == len(labels)
    for label, look in together.items():
        assert looks([label])[label].colour == look.colour
    assert looks(["raw scores"]) == looks(["raw scores"])
    assert looks(["$", "", "_x", "linear-gaussian-2", "logistic-0.0"]).keys() == {
        "$", "", "_x", "linear-gaussian-2", "logistic-0.0"
    }  # fmt: skip


def test_more_labels_than_looks() -> None:
    assert len(looks([f"system {i}" for i in range(100)])) == 100
