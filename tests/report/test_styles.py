"""The report draws calibrations as the figures do, and its words can be read."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from llrcal.figures.looks import PALETTE
from llrcal.report.data import SYMBOLS
from tests.colours import contrast
from tests.figures.test_looks import SURFACE

PAGE = files("llrcal.report").joinpath("page")
CSS = PAGE.joinpath("page.css").read_text("utf-8")
SCRIPT = PAGE.joinpath("methods.js").read_text("utf-8")


def variables(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))


LIGHT_CSS = variables(CSS.split("@media")[0])
DARK_CSS = variables(CSS.split("@media")[1])


def test_every_marker_is_one_of_plotly_and_has_a_swatch() -> None:
    plotly = PAGE.joinpath("plotly-basic.min.js").read_text("utf-8")
    known = set(re.findall(r'"?([a-z0-9-]+)"?:\{n:\d+', plotly))
    swatches = SCRIPT.partition("SWATCH_MARKERS = {")[2].partition("};")[0]
    drawn = set(re.findall(r'^  "?([\w-]+)"?: "M', swatches, re.MULTILINE))
    assert set(SYMBOLS.values()) <= known
    assert set(SYMBOLS.values()) == drawn
    assert {look.marker for look in PALETTE} <= set(SYMBOLS)


def test_the_pages_are_those_on_which_looks_are_checked() -> None:
    assert {"light": LIGHT_CSS["surface"], "dark": DARK_CSS["surface"]} == SURFACE


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
