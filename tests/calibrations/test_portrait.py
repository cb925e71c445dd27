"""Portraits of both classes: what a trained calibration keeps of its training scores."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal import METHODS, Accumulator, load
from llrcal.adaptation.adapt import portrait_of
from llrcal.arrays import Floats
from llrcal.calibrations.fit import fit_methods
from llrcal.calibrations.portrait import ClassPortrait, Portrait
from llrcal.calibrations.training import Training
from llrcal.method_table import TABLE, MethodName
from tests.calibrations.model_files import KEPT, refusal
from tests.scale.sets import cut, of_pieces
from tests.trial_sets import normal

TAR, NON = normal(300, 2.0, 1.2), normal(3000, -1.0, 0.9) + 0.1 * normal(3000, 0.0, 1.0) ** 2
MANY = normal(18_000, 2.1, 1.3), normal(160_000, -1.1, 1.0) ** 3 / 2
METHODS_AND_BAYES: list[tuple[str, dict[str, Any]]] = [
    *((method, {}) for method in METHODS),
    *((method, {"bayes": True}) for method in METHODS if TABLE[method].bayes),
]


def portrait(tar: Any, non: Any, method: MethodName = "pav", **settings: Any) -> Portrait:
    found = llrcal.fit(tar, non, method=method, **settings).portrait
    assert found is not None
    return found


@pytest.mark.parametrize(("method", "options"), METHODS_AND_BAYES, ids=str)
def test_every_method_has_the_same(method: MethodName, options: dict[str, Any]) -> None:
    assert portrait(TAR, NON, method, **options) == Portrait.of(Training.of(TAR, NON))


def test_methods_that_are_trained_together_share_it() -> None:
    first, *others = llrcal.fit_all(TAR, NON).values()
    assert first.portrait is not None
    assert all(one.portrait is first.portrait for one in others)


def test_calibrations_that_nobody_will_see_have_none() -> None:
    (found,) = fit_methods(TAR, NON, methods=["gaussian"], with_margins=False).values()
    assert found.portrait is None


@pytest.mark.parametrize(("tar", "non"), [(TAR, NON), MANY], ids=["few", "many"])
def test_numbers_and_means_are_those_of_the_scores(tar: Floats, non: Floats) -> None:
    found = portrait(tar, non)
    for side, scores in ((found.tar, tar), (found.non, non)):
        assert 50 < len(side.scores) == len(side.counts) <= 100
        assert sum(side.counts) == side.cells.count == len(scores)
        values, counts = side.cells.values, side.cells.counts
        assert values @ counts / len(scores) == pytest.approx(scores.mean(), abs=1e-9)
        assert side.scores[0] == pytest.approx(scores.min(), abs=1e-9)
        assert side.scores[-1] == pytest.approx(scores.max(), abs=1e-9)


def test_few_scores_are_all_there() -> None:
    found = portrait([2.0, 1.0, 2.0], [0.0, -0.0, -3.5, 1.0])
    assert found.tar == ClassPortrait((1.0, 2.0), (1.0, 2.0))
    assert found.non == ClassPortrait((-3.5, 0.0, 1.0), (1.0, 2.0, 1.0))


def test_distances_are_negated() -> None:
    tar, non = -TAR, -NON
    assert portrait(tar, non, lower_is_better=True) == portrait(TAR, NON)


def test_of_a_calibration_by_condition() -> None:
    where = np.arange(300) % 2, np.arange(3000) % 2
    found = llrcal.fit(TAR, NON, method="logistic", condition=where)
    assert found.pooled.portrait == portrait(TAR, NON)


# ---------------------------------------------------------------------- wherever the scores are


@pytest.mark.parametrize("threads", ["1", "3"])
def test_neither_order_nor_threads_change_a_bit(
    threads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = portrait(*MANY)
    monkeypatch.setenv("LLRCAL_THREADS", threads)
    tar, non = (np.random.default_rng(5).permutation(scores) for scores in MANY)
    for method in ("pav", "linear-gaussian"):
        assert portrait(tar, non, method) == expected


@pytest.mark.parametrize("method", ["pav", "linear-gaussian"])
@pytest.mark.parametrize("both", [(TAR, NON), MANY], ids=["few", "many"])
def test_in_pieces_and_from_accumulators(both: tuple[Floats, Floats], method: MethodName) -> None:
    expected = portrait(*both)
    assert llrcal.fit(of_pieces(cut(*both, 6)), method=method).portrait == expected
    gathered = Accumulator()
    gathered.update(tar=both[0], non=both[1])
    assert gathered.fit(method).portrait == expected


# ------------------------------------------------------------------------------- unusual scores


@pytest.mark.parametrize(
    ("tar", "non"),
    [
        ([1.0, math.inf], [0.0, -1.0, 2.0]),
        ([1.0, 3.0], [0.0, -math.inf]),
        ([math.inf], [-math.inf]),
        ([1e15, *range(50)], [i / 7 for i in range(90)]),
        ([1e305 * i for i in range(50)], [-1e305 * i for i in range(90)]),
        ([1e-305 * i for i in range(50)], [-1e-305 * i for i in range(90)]),
        ([-1e308, 1e308], [0.0, 1e308]),
    ],
    ids=["inf", "-inf", "both", "far", "huge", "tiny", "ends"],
)
@pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")
def test_pav_is_trained_on_what_has_no_portrait(tar: Any, non: Any, tmp_path: Path) -> None:
    found = llrcal.fit(tar, non, method="pav")
    assert found.portrait is None
    found.save(tmp_path / "m.json")
    assert "portrait" not in json.loads((tmp_path / "m.json").read_bytes())
    assert load(tmp_path / "m.json").portrait is None
    if np.isfinite([*tar, *non]).all():
        pieces = of_pieces(cut(np.array(tar, float), np.array(non, float), 2))
        assert llrcal.fit(pieces, method="pav") == found


@pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")
@pytest.mark.parametrize("method", ["pav", "logistic", "smooth"])
def test_one_distinct_score(method: MethodName) -> None:
    assert portrait([2.0] * 3, [-1.0, 3.0], method).tar == ClassPortrait((2.0,), (3.0,))
    found = portrait([1.0], [1.0, 1.0], method)
    assert found == Portrait(ClassPortrait((1.0,), (1.0,)), ClassPortrait((1.0,), (2.0,)))


# ---------------------------------------------------------------------------------- model files


def test_a_file_keeps_every_bit(tmp_path: Path) -> None:
    saved = llrcal.fit(*MANY, method="logistic")
    saved.save(tmp_path / "m.json")
    loaded = load(tmp_path / "m.json")
    assert loaded.portrait == saved.portrait
    assert loaded.portrait is not None
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "m.json").read_bytes()


def test_a_file_without_one(tmp_path: Path) -> None:
    saved = llrcal.fit(TAR, NON, method="logistic")
    saved.save(tmp_path / "m.json")
    whole = json.loads((tmp_path / "m.json").read_bytes())
    del whole["portrait"]
    (tmp_path / "m.json").write_text(json.dumps(whole))
    loaded = load(tmp_path / "m.json", edited=True)
    assert loaded.portrait is None
    assert loaded == saved, "which gives the same LLRs"
    assert load(KEPT / "logistic.json").portrait is None


@pytest.mark.parametrize(
    ("tar", "words"),
    [
        ({"scores": [1, 1], "counts": [1, 1]}, "'scores' must be in strictly rising order"),
        ({"scores": [], "counts": []}, "'scores' has 0 values; there must be at least 1"),
        ({"scores": [1, 2], "counts": [1]}, "'counts' has 1 values; there must be 2"),
        ({"scores": [1], "counts": [0]}, "'counts' must be above 0, but is 0"),
        ({"scores": [1], "counts": [1e16]}, "'counts' must be at most 9007199254740992, but is"),
        ({"scores": [math.inf], "counts": [1]}, "'scores' must be a finite number"),
        ({"scores": [*range(5000)], "counts": [1] * 5000}, "there must be at most 4096"),
        ({"scores": [1]}, "'counts' is missing"),
    ],
    ids=str,
)
def test_what_is_refused(tar: Any, words: str, tmp_path: Path) -> None:
    llrcal.fit(TAR, NON, method="logistic").save(tmp_path / "whole.json")
    whole = json.loads((tmp_path / "whole.json").read_bytes())
    whole["portrait"]["tar"] = tar
    message = refusal(json.dumps(whole), tmp_path)
    assert message is not None
    assert message.startswith("portrait: tar: field ")
    assert words in message


# ------------------------------------------------------------------- do scores look like it?


def mixed(share: float, count: int, seed: int, shift: float = 0.0) -> Floats:
    rng = np.random.default_rng(seed)
    tar = rng.random(count) < share
    return np.where(tar, rng.normal(2, 1.2, count), rng.normal(-1, 1, count)) + shift


def trained_on(targets: int, nontargets: int, seed: int = 0) -> llrcal.Calibration:
    tar, non = mixed(1, targets, seed), mixed(0, nontargets, seed + 1)
    return llrcal.fit(tar, non, method="linear-gaussian")


def looks_like(old: Portrait, scores: Floats) -> bool:
    return old.looks_like(old.counted(scores))


@pytest.mark.parametrize("counts", [(3, 10), (20, 200), (200, 2000), (2000, 50_000)])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 1.0])
def test_it_is_silent_where_nothing_has_moved(counts: tuple[int, int], share: float) -> None:
    for seed in range(20):
        old = portrait_of(trained_on(*counts, seed=100 + 2 * seed))
        for count in (500, 20_000):
            assert looks_like(old, mixed(share, count, seed))


@pytest.mark.parametrize("share", [0.01, 0.5])
def test_it_speaks_where_both_classes_have_moved(share: float) -> None:
    old = portrait_of(trained_on(200, 2000))
    for shift in (-1.5, 1.0):
        assert not looks_like(old, mixed(share, 1000, 7, shift))
        assert not looks_like(old, mixed(share, 1000, 7, -shift))
    assert looks_like(old, mixed(share, 499, 7, 9.0)), "of few scores it cannot tell"
    assert not looks_like(old, np.full(600, np.inf))


def test_scores_with_few_values_are_no_other_scores() -> None:
    tar, non = (np.round(mixed(share, 3000, 1)) for share in (1, 0))
    old = portrait(tar, non)
    assert looks_like(old, np.round(mixed(0.3, 5000, 3)))
    assert not looks_like(old, np.round(mixed(0.3, 5000, 3)) + 1)


def test_a_recognizer_that_always_says_the_same_is_no_field() -> None:
    assert not looks_like(portrait_of(trained_on(200, 2000)), np.full(5000, 0.3))


def test_without_a_portrait_nothing_is_said(tmp_path: Path) -> None:
    np.save(tmp_path / "moved.npy", mixed(0.1, 1000, 5, shift=1.0))
    cal = trained_on(200, 2000)
    with pytest.warns(llrcal.LlrcalWarning, match="do not look like those of training"):
        llrcal.apply_files(cal, tmp_path / "moved.npy", tmp_path / "llrs.npy")
    cal = replace(cal, portrait=None)
    llrcal.apply_files(cal, tmp_path / "moved.npy", tmp_path / "others.npy")


def test_half_of_a_class_at_one_score_as_in_training_is_no_move(tmp_path: Path) -> None:
    """A sample of distinct scores would have that one far too often, or not at all."""
    rng = np.random.default_rng(0)

    def drawn(tar: int, non: int) -> tuple[Floats, Floats]:
        return rng.normal(3, 1, tar), np.where(rng.random(non) < 0.5, -2.0, rng.normal(0, 1, non))

    cal = llrcal.fit(*drawn(2000, 20_000), method="logistic")
    np.save(tmp_path / "field.npy", np.concatenate(drawn(20_000, 380_000)))
    llrcal.apply_files(cal, tmp_path / "field.npy", tmp_path / "llrs.npy")
