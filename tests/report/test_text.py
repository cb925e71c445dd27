from __future__ import annotations

import math

import pytest

from llrcal.comparison.tables import shown
from llrcal.report.text import decimal, escaped, sentence
from tests.report.comparisons import HOSTILE, IMAGE, TURNED


def test_ordinary_names_stay_as_they_are() -> None:
    for name in ("scores.npz", "Sprecher-Größe 3", "話者", "متحدث", "a b", ""):
        assert shown(name) == name


def test_what_steers_the_display_is_spelled_out() -> None:
    assert shown(TURNED) == "abc[U+202E]gpj.exe[U+2028][U+001B][31m"
    for steering in ("\n", "\t", "\x00", "\x7f", "\x9b", "\u200b", "\u2066", "\ufeff", "\ud800"):
        assert shown(f"a{steering}b") == f"a[U+{ord(steering):04X}]b"


def test_long_names_keep_both_ends() -> None:
    name = shown("/home/" + "x" * 1000 + "/eval.npz", limit=50)
    assert len(name) == 50
    assert name.startswith("/home/")
    assert name.endswith("/eval.npz")
    assert shown("y" * 50, limit=50) == "y" * 50


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_in_a_name_is_markup(name: str) -> None:
    for text in (escaped(name), sentence(name)):
        assert not set("<>\"'") & set(text)
        text.encode("utf-8")


def test_escaped_names_say_what_they_were() -> None:
    assert escaped(IMAGE).startswith("&quot;&gt;&lt;img src=")
    assert escaped("R&D") == "R&amp;D"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.12345, "0.1235"),
        (0.99996, "1.0000"),
        (-1.5, "\u22121.5000"),
        (-1e-9, "0.0000"),
        (-0.0, "0.0000"),
        (99999.0, "99999.0000"),
        (1e5, "1.000e+5"),
        (-2.5e12, "\u22122.500e+12"),
        (math.inf, "\u221e"),
        (-math.inf, "\u2212\u221e"),
        (math.nan, "\u2013"),
    ],
)
def test_numbers(value: float, text: str) -> None:
    assert decimal(value) == text
