"""What a score is worth: numbers, words, and what is said of them."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.calibrations.weighing import Weight, in_short, shown_ratio, support
from llrcal.method_table import MethodName
from tests.calibrations.model_files import KEPT, OURS
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
        assert words(math.log(lr)) == "no support for one proposition over the other"
        assert in_short(-math.log(lr), -math.log(lr)) == "no support"
    else:
        hp, hd = "same source (Hp)", "different sources (Hd)"
        assert words(math.log(lr)) == f"{word} support for {hp} rather than {hd}"
        assert words(-math.log(lr)) == f"{word} support for {hd} rather than {hp}"
        assert in_short(-math.log(lr), -math.log(lr)) == f"{word} support for Hd"


def words(llr: float, interval: tuple[float, float] | None = None) -> str:
    return Weight(0.0, llr, interval, 0.95).in_words


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (3, 30, "weak to moderate support for Hp"),
        (0.005, 0.4, "weak to moderately strong support for Hd"),
        (1, 30, "no to moderate support for Hp"),
        (0.005, 1.5, "no to moderately strong support for Hd"),
        (0.05, 3000, "moderate support for Hd to strong support for Hp"),
        (0.6, 1.9, "no support"),
        (20, 30, "moderate support for Hp"),
    ],
)
def test_words_cover_the_interval(low: float, high: float, text: str) -> None:
    ends = math.log(low), math.log(high)
    weight = Weight(0.0, sum(ends) / 2, ends, 0.95)
    assert weight.in_short == text
    long = {"Hp": "same source (Hp)", "Hd": "different sources (Hd)"}
    for short, name in long.items():
        text = text.replace(short, name)
    if text == "no support":
        assert weight.in_words == "no support for one proposition over the other"
    elif "(Hp)" in text and "(Hd)" in text:
        assert weight.in_words == f"anything from {text}"
    else:
        assert weight.in_words.startswith(f"{text} rather than ")
    assert weight.in_words in weight._repr_html_()
    assert weight.in_words in repr(weight)
    assert weight.to_dict()["in_words"] == weight.in_words


@EVERY_METHOD
@pytest.mark.parametrize("score", [-3.0, 0.5, 0.55, 1.0, 2.5])
def test_a_weight_is_the_llr_in_other_units(method: MethodName, score: float) -> None:
    cal = llrcal.fit(TAR, NON, method=method)
    weight = cal.weigh(score)
    assert (weight.score, weight.llr) == (score, cal(score))
    assert weight.lr == pytest.approx(math.exp(weight.llr), rel=1e-15)
    assert weight.log10_lr == pytest.approx(math.log10(weight.lr), abs=1e-14)
    assert weight.in_words == words(weight.llr, weight.interval)


@EVERY_METHOD
def test_every_method_gives_an_interval(method: MethodName) -> None:
    cal = llrcal.fit(TAR, NON, method=method)
    weight = cal.weigh(1.0, level=0.9)
    if method not in OURS and cal.margins is None:
        pytest.skip("a method may do without intervals")
    assert weight.interval == tuple(float(end) for end in cal.interval(1.0, level=0.9))
    assert weight.interval[0] < weight.llr < weight.interval[1]
    assert weight.lr_interval == pytest.approx(tuple(map(math.exp, weight.interval)))
    assert codes(weight) == {"training"}
    assert "90 % interval" in repr(weight)


def test_no_interval_is_said() -> None:
    weight = llrcal.load(KEPT / "pav.json").weigh(0.6)
    assert weight.interval is weight.lr_interval is None
    assert codes(weight) == {"training", "no interval"}
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
    assert codes(cal.weigh(low)) == codes(cal.weigh(high)) == {"training"}
    below, above = cal.weigh(math.nextafter(low, -math.inf)), cal.weigh(math.inf)
    assert codes(below) == codes(above) == {"range", "training"}
    assert "below all training scores" in str(below.notes[0])
    assert "that of the nearest one" in str(above.notes[0])
    assert above.llr == cal(high)
    plain = llrcal.fit(TAR, NON, method="logistic", bounds="none").weigh(99.0)
    assert "extrapolated" in str(plain.notes[0])


def test_nothing_is_known_of_training_scores_that_were_infinite() -> None:
    cal = llrcal.fit(np.append(TAR, np.inf), NON, method="pav")
    assert codes(cal.weigh(1e300)) == {"training"}


@pytest.mark.parametrize("bounds", ["counts", "elub"])
def test_at_a_bound(bounds: Any) -> None:
    cal = llrcal.fit(3 * TAR, 3 * NON, method="gaussian", bounds=bounds)
    strong, weak = cal.weigh(3 * TAR.max()), cal.weigh(1.5)
    assert strong.held
    assert not weak.held
    end = cal.bounds.greatest_llr if bounds == "elub" else math.log(len(NON) + 1)
    assert end is not None
    assert shown_ratio(math.exp(end)) in str(strong.notes[0])
    for shown in (repr(strong), strong._repr_html_()):
        assert f"{shown_ratio(math.exp(end))}, held at the bound" in shown
    assert strong.llr <= end
    assert strong.to_dict()["held"] is True
    assert not llrcal.fit(3 * TAR, 3 * NON, method="gaussian", bounds="range").weigh(9).held


def test_it_says_what_was_trained_on_and_what_to_do_if_that_is_little() -> None:
    people = [np.arange(2 * len(side)).reshape(-1, 2) // 2 % 10 for side in (TAR, NON)]
    weight = llrcal.fit(3 * TAR, 3 * NON, speakers=(people[0], people[1])).weigh(99.0)
    assert weight.lr == pytest.approx(46)
    (note,) = (note for note in weight.notes if note.code == "few trained")
    assert str(note) == (
        "trained on 200 target trials of 10 speakers and 2,000 non-target trials of 10 speakers, "
        "which support LRs from 0.09091 to 46; these are few, so test what such LRs are worth: "
        "llrcal compare with folds='all', and read docs/few-trials.md"
    )


def test_an_interval_held_at_a_bound_would_look_like_certainty() -> None:
    cal = llrcal.fit(TAR, NON, method="smooth", bounds="elub")
    weight = cal.weigh(TAR.max())
    low, high = cal.interval(TAR.max())
    assert low == high == cal.bounds.greatest_llr
    assert weight.interval is None
    assert weight.held


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
