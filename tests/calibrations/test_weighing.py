"""What a score is worth: numbers, words, and what is said of them."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.calibrations.weighing import Weight, in_short, in_words, shown_ratio, support
from llrcal.method_table import MethodName
from tests.calibrations.model_files import KEPT
from tests.trial_sets import normal

TAR, NON = normal(200, 2.0, 1.0), normal(2000, -1.0, 1.0)
EVERY_METHOD = pytest.mark.parametrize("method", llrcal.METHODS)

# The table of the guideline, written out: an LR, and the words for it.
SCALE = {
    1: None, 1.99: None,
    2: "weak", 9.99: "weak",
    10: "moderate", 99: "moderate",
    100: "moderately strong", 999: "moderately strong",
    1_000: "strong", 9_999: "strong",
    10_000: "very strong", 999_999: "very strong",
    1_000_000: "extremely strong", 1e300: "extremely strong",
}  # fmt: skip


@pytest.mark.parametrize(("lr", "word"), SCALE.items())
def test_words_of_the_guideline(lr: float, word: str | None) -> None:
    assert support(math.log(lr)) == support(-math.log(lr)) == word
    if word is None:
        assert in_words(math.log(lr)) == "no support for one proposition over the other"
        assert in_short(-math.log(lr)) == "no support"
    else:
        hp, hd = "same source (Hp)", "different sources (Hd)"
        assert in_words(math.log(lr)) == f"{word} support for {hp} rather than {hd}"
        assert in_words(-math.log(lr)) == f"{word} support for {hd} rather than {hp}"
        assert in_short(-math.log(lr)) == f"{word} support for Hd"


@EVERY_METHOD
@pytest.mark.parametrize("score", [-3.0, 0.5, 0.55, 1.0, 2.5])
def test_a_weight_is_the_llr_in_other_units(method: MethodName, score: float) -> None:
    cal = llrcal.fit(TAR, NON, method=method)
    weight = cal.weigh(score)
    assert (weight.score, weight.llr) == (score, cal(score))
    assert weight.lr == pytest.approx(math.exp(weight.llr), rel=1e-15)
    assert weight.log10_lr == pytest.approx(math.log10(weight.lr), abs=1e-14)
    assert weight.in_words == in_words(weight.llr)


@EVERY_METHOD
def test_every_method_gives_an_interval(method: MethodName) -> None:
    cal = llrcal.fit(TAR, NON, method=method)
    weight = cal.weigh(1.0, level=0.9)
    assert weight.interval == tuple(float(end) for end in cal.interval(1.0, level=0.9))
    assert weight.interval[0] < weight.llr < weight.interval[1]
    assert weight.lr_interval == pytest.approx(tuple(map(math.exp, weight.interval)))
    assert weight.notes == ()
    assert "90 % interval" in repr(weight)


def test_no_interval_is_said() -> None:
    weight = llrcal.load(KEPT / "pav.json").weigh(0.6)
    assert weight.interval is weight.lr_interval is None
    assert [note.code for note in weight.notes] == ["no interval"]
    assert "interval" not in repr(weight)


def codes(weight: Weight) -> set[str]:
    return {note.code for note in weight.notes}


@pytest.mark.parametrize("distances", [False, True])
def test_beyond_the_training_scores(distances: bool) -> None:
    sign = -1 if distances else 1
    cal = llrcal.fit(
        sign * TAR, sign * NON, method="logistic", bounds="range", lower_is_better=distances
    )
    low, high = cal.training_range
    assert codes(cal.weigh(low)) == codes(cal.weigh(high)) == set()
    below, above = cal.weigh(math.nextafter(low, -math.inf)), cal.weigh(math.inf)
    assert codes(below) == codes(above) == {"range"}
    assert "below all training scores" in str(below.notes[0])
    assert "that of the nearest one" in str(above.notes[0])
    assert above.llr == cal(high)
    plain = llrcal.fit(TAR, NON, method="logistic", bounds="none").weigh(99.0)
    assert "extrapolated" in str(plain.notes[0])


def test_nothing_is_known_of_training_scores_that_were_infinite() -> None:
    cal = llrcal.fit(np.append(TAR, np.inf), NON, method="pav")
    assert codes(cal.weigh(1e300)) == set()


@pytest.mark.parametrize("bounds", ["counts", "elub"])
def test_at_a_bound(bounds: Any) -> None:
    cal = llrcal.fit(3 * TAR, 3 * NON, method="gaussian", bounds=bounds)
    strong, weak = cal.weigh(3 * TAR.max()), cal.weigh(1.5)
    assert codes(strong) == {"at a bound"}
    assert codes(weak) == set()
    end = cal.bounds.greatest_llr if bounds == "elub" else math.log(len(NON) + 1)
    assert end is not None
    assert shown_ratio(math.exp(end)) in str(strong.notes[0])
    assert codes(llrcal.fit(3 * TAR, 3 * NON, method="gaussian", bounds="range").weigh(9)) == set()


def test_an_interval_held_at_a_bound_would_look_like_certainty() -> None:
    cal = llrcal.fit(TAR, NON, method="smooth", bounds="elub")
    weight = cal.weigh(TAR.max())
    low, high = cal.interval(TAR.max())
    assert low == high == cal.bounds.greatest_llr
    assert weight.interval is None
    assert codes(weight) == {"at a bound"}


@pytest.mark.parametrize(
    ("lr", "text"),
    [(0.0123456, "0.01235"), (12.3456, "12.35"), (999.9, "999.9"), (1234.5, "1,234"),
     (2_000_000.0, "2,000,000"), (1e7, "1e+07"), (math.inf, "inf")],
)  # fmt: skip
def test_shown_ratios(lr: float, text: str) -> None:
    assert shown_ratio(lr) == text


def test_a_weight_is_frozen_and_plain() -> None:
    weight = llrcal.fit(TAR, NON, method="smooth").weigh(1.0)
    with pytest.raises(FrozenInstanceError):
        weight.llr = 3.0  # type: ignore[misc]
    numbers = weight.to_dict()
    assert numbers["supports"] == "Hp"
    assert numbers["lr_interval"] == list(weight.lr_interval or ())
    table = weight._repr_html_()
    for words in ("Weight of the score 1", "log10 LR", "95 % interval", weight.in_words):
        assert words in table


@pytest.mark.parametrize("score", [[1.0], [1.0, 2.0], np.ones((2, 2))])
def test_one_score_at_a_time(score: Any) -> None:
    with pytest.raises(llrcal.OptionError, match="weigh them one by one"):
        llrcal.fit(TAR, NON).weigh(score)


def test_llrs_too_large_for_a_ratio() -> None:
    weight = Weight(1.0, 800.0, None, 0.95)
    assert weight.lr == math.inf
    assert "LR inf" in repr(weight)
