from __future__ import annotations

import re
from importlib.resources import files
from itertools import combinations

import numpy as np
import pytest

import llrcal
from llrcal.arrays import Floats
from llrcal.report.styles import DARK_PAGE, LIGHT_PAGE, styles

TEN = [entry if isinstance(entry, str) else entry[0] for entry in llrcal.PAPER]
CSS = files("llrcal.report").joinpath("page", "report.css").read_text("utf-8")

# Colours as seen without one kind of cone: Machado, Oliveira and Fernandes, IEEE Transactions on
# Visualization and Computer Graphics 15 (2009), severity 1; and as seen with all three.
VISION = {
    "all cones": np.eye(3),
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
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour: str) -> Floats:
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Contrast as the accessibility guidelines (WCAG 2) define it."""
    low, high = sorted(float(linear(colour) @ TO_XYZ[1]) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(colour: str, vision: Floats) -> Floats:
    xyz = TO_XYZ @ np.clip(vision @ linear(colour), 0, 1) / [0.9505, 1, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def variables(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))


LIGHT_CSS = variables(CSS.split("@media")[0])
DARK_CSS = variables(CSS.split("@media")[1])


def test_no_two_lines_of_the_paper_look_alike() -> None:
    looks = list(styles(TEN))
    assert len({(look["light"], look["dash"]) for look in looks}) == 10
    assert len({look["symbol"] for look in looks}) == 6
    assert all(look["dash"] != "dash" for look in looks)  # the minimum's


def test_a_method_keeps_its_looks_in_any_company() -> None:
    (alone,) = styles(["nig"])
    assert list(styles(TEN))[-1] == alone


def test_unknown_methods_have_looks_too() -> None:
    looks = list(styles(["mine", "mine", "yours", "pav"] * 3))
    assert len(looks) == 12
    assert looks[0] != looks[1] != looks[2] != looks[3]


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("paper", ["light", "dark"])
def test_colours_differ_for_every_reader(paper: str, vision: str) -> None:
    colours = {str(look[paper]) for look in styles(TEN)}  # type: ignore[literal-required]
    assert len(colours) == 6
    seen = [lab(colour, VISION[vision]) for colour in colours]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 30


def test_lines_stand_out_from_the_page() -> None:
    assert (LIGHT_CSS["surface"], DARK_CSS["surface"]) == (LIGHT_PAGE, DARK_PAGE)
    for look in styles(TEN):
        assert contrast(look["light"], LIGHT_PAGE) > 3
        assert contrast(look["dark"], DARK_PAGE) > 3


@pytest.mark.parametrize("theme", [LIGHT_CSS, DARK_CSS], ids=["light", "dark"])
def test_words_can_be_read(theme: dict[str, str]) -> None:
    for words in ("text", "quiet", "accent"):
        for ground in ("page", "surface", "shade"):
            assert contrast(theme[words], theme[ground]) >= 4.5, (words, ground)
    assert contrast(theme["text"], theme["tint"]) >= 4.5
    assert contrast(theme["accent"], theme["tint"]) >= 4.5
    for words in ("text", "quiet", "caution"):
        assert contrast(theme[words], theme["caution-tint"]) >= 4.5, words
    for lines in ("minimum", "target", "non-target"):
        assert contrast(theme[lines], theme["surface"]) >= 4.5


def test_both_themes_name_the_same_colours() -> None:
    assert LIGHT_CSS.keys() == DARK_CSS.keys()
