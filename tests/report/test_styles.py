from __future__ import annotations

import re
from importlib.resources import files
from itertools import combinations

import numpy as np
import pytest

import llrcal
from llrcal.report.styles import DARK_PAGE, LIGHT_PAGE, styles
from tests.colours import SIGHTS, TO_XYZ, lab, linear

TEN = [entry if isinstance(entry, str) else entry[0] for entry in llrcal.PAPER]
CSS = files("llrcal.report").joinpath("page", "report.css").read_text("utf-8")


def contrast(one: str, other: str) -> float:
    """Contrast as the accessibility guidelines (WCAG 2) define it."""
    low, high = sorted(float(linear(colour) @ TO_XYZ[1]) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


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


@pytest.mark.parametrize("vision", SIGHTS)
@pytest.mark.parametrize("paper", ["light", "dark"])
def test_colours_differ_for_every_reader(paper: str, vision: str) -> None:
    colours = {str(look[paper]) for look in styles(TEN)}  # type: ignore[literal-required]
    assert len(colours) == 6
    seen = [lab(colour, SIGHTS[vision]) for colour in colours]
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
