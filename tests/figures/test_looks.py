"""Looks: fixed, distinct, and apart for readers who do not see some colours, or any."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from llrcal.arrays import Floats
from llrcal.figures import looks
from llrcal.figures.looks import FIXED
from tests.figures.drawing import calibrations

# Simulated at full strength: Machado, Oliveira and Fernandes, IEEE TVCG 15 (2009), 1291-1298.
SIGHTS = {
    "full": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TOGETHER = [
    [f"linear-gaussian-{alpha}" for alpha in ("empirical", "0.5", "0.92")],
    [f"logistic-{alpha}" for alpha in ("empirical", "0.5", "0.92")],
    ["nig", "student-t", "gaussian"],
]


def lab(colour: str, sight: Floats = SIGHTS["full"]) -> Floats:
    """CIE L*a*b* of a colour under D65."""
    srgb = np.array(list(bytes.fromhex(colour[1:]))) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    xyz = to_xyz @ np.clip(sight @ linear, 0, 1) / [0.9505, 1.0, 1.089]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


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
