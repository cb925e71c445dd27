"""Files of every kind of model that were changed: by accident, and on purpose."""

from __future__ import annotations

import contextlib
import json
import random
import sys
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.calibrations.uncertainty import Margins
from llrcal.declaration import is_signed, signed
from tests.calibrations.model_files import KEPT, at, parent, places
from tests.mutations import mutations
from tests.notes import FAR_SCORES
from tests.trial_sets import normal

pytestmark = FAR_SCORES

LARGEST = sys.float_info.max
TAR, NON = normal(30, 1.0, 1.0), normal(60, -1.0, 0.8)
WHERE = ["a", "b"] * 15, ["b", "a"] * 30
SCORES = np.array(
    [-LARGEST, -1e300, -1e70, -1e9, *np.linspace(-9, 9, 37), 5e-324, 1e9, 1e70, 1e300, LARGEST]
)
EXTREMES = (
    0, -0.0, 5e-324, -1e-320, 1e-300, -1e-300, 1e-150, 1e20, -1e20, 1e150, -1e150, 1e300, -1e300,
    1e308, -1e308, LARGEST, -LARGEST, 2**53, 10**30, -(10**300), 10**400,
)  # fmt: skip


def fused() -> Any:
    both = [np.stack([scores, scores[::-1] + 0.5], axis=1) for scores in (TAR, NON)]
    both[0][:5, 0] = both[1][:5, 1] = np.nan
    quality = np.abs(TAR), np.abs(NON)
    return llrcal.fuse(*both, missing="patterns", quality=quality, condition=WHERE, bounds="range")


KINDS: dict[str, Any] = {
    "smooth": lambda: llrcal.fit(TAR, NON),
    "line": lambda: llrcal.fit(TAR, NON, method="logistic", bounds="none"),
    "nig": lambda: llrcal.fit(TAR, NON, method="nig", bounds="elub"),
    "pav": lambda: llrcal.fit(-TAR, -NON, method="pav", lower_is_better=True),
    "bayes": lambda: llrcal.fit(TAR, NON, method="nig", bayes=True),
    "conditioned": lambda: llrcal.fit(TAR, NON, method="gaussian", condition=WHERE, bounds="none"),
    "fusion": fused,
}
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)


@cache
def model(kind: str) -> Any:
    return KINDS[kind]()


def llrs(model: Any) -> np.ndarray[Any, Any]:
    """LLRs of any scores, ends of their intervals if there are any, and thresholds."""
    where = ["a", "b", "c", None][: len(SCORES)] * len(SCORES)
    if isinstance(model, llrcal.Fused):
        both = np.stack([SCORES, SCORES[::-1]], axis=1)
        both[::9, 0] = np.nan
        out, _ = model.answers(both, quality=SCORES, condition=where[: len(SCORES)])
        return np.append(out, [number for one in model.weights.values() for number in one])
    if isinstance(model, llrcal.Conditioned):
        out, _ = model.answers(SCORES, condition=where[: len(SCORES)])
        return np.append(out, llrs(model.pooled))
    found = [model.without_warnings(np.append(SCORES, [-np.inf, np.inf]))]
    if isinstance(model.margins, Margins):
        found += model.interval(SCORES)
    return np.concatenate(found)


@EVERY_KIND
def test_bytes_that_change(kind: str, tmp_path: Path) -> None:
    """A file that has changed is refused, or says the same."""
    path = tmp_path / "m.json"
    model(kind).save(path)
    whole, expected = path.read_bytes(), llrs(model(kind)).tobytes()
    assert is_signed(json.loads(whole))
    for changed in mutations(whole, 60, seed=len(kind)):
        path.write_bytes(changed)
        with contextlib.suppress(llrcal.ModelFileError):
            assert llrs(llrcal.load(path)).tobytes() == expected


@EVERY_KIND
def test_extreme_numbers_that_were_signed(kind: str, tmp_path: Path) -> None:
    """No model that is loaded gives NaN or infinity, whatever its numbers are."""
    path = tmp_path / "m.json"
    model(kind).save(path)
    whole, rng = json.loads(path.read_bytes()), random.Random(kind)
    numbers = [one for one in places(whole) if type(at(whole, one)) in (int, float)]
    loaded = 0
    for place in rng.sample(numbers, 30):
        changed = deepcopy(whole)
        parent(changed, place)[place[-1]] = value = rng.choice(EXTREMES)
        path.write_text(json.dumps(signed(changed)))
        try:
            found = llrcal.load(path)
        except llrcal.ModelFileError:
            continue
        loaded += 1
        assert np.isfinite(llrs(found)).all(), (place, value)
        found.save(path)
        assert llrs(llrcal.load(path)).tobytes() == llrs(found).tobytes(), (place, value)
    assert loaded


def test_what_is_said_of_a_changed_file(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    model("line").save(path)
    text = path.read_text("utf-8")
    path.write_text(text.replace('"slope": ', '"slope": 1', 1))
    with pytest.raises(llrcal.ModelFileError) as caught:
        llrcal.load(path)
    assert str(caught.value) == (
        f"{path}: was changed since it was saved: restore it from a copy, or train it again; if it "
        "was edited on purpose, sign it again: llrcal sign MODEL"
    )
    edited = llrcal.load(path, edited=True)
    edited.save(path)
    assert llrcal.load(path) == edited != model("line")


def test_what_a_checksum_is_of() -> None:
    document = {"b": [1.0, -0.0, 5e-324], "a": {"ü": "\ud800", "n": None}}
    reordered = {"a": {"n": None, "ü": "\ud800"}, "checksum": "old", "b": [1.0, -0.0, 5e-324]}
    assert signed(document)["checksum"] == signed(reordered)["checksum"]
    assert is_signed(signed(reordered))
    others: list[dict[str, Any]] = [
        {"b": [1, -0.0, 5e-324]}, {"b": [1.0, 0.0, 5e-324]}, {"b": [1.0, -0.0, 0.0]},
        {"b": [True, -0.0, 5e-324]}, {"b": [-0.0, 1.0, 5e-324]}, {"a": {"ü": "\ud801", "n": None}},
        {"a": {"ü": "\ud800"}}, {"c": None},
    ]  # fmt: skip
    sums = {signed(document | other)["checksum"] for other in others}
    assert len(sums | {signed(document)["checksum"]}) == len(others) + 1


def test_a_file_of_an_earlier_version_can_be_signed(tmp_path: Path) -> None:
    older = llrcal.load(KEPT / "nig-held.json")
    older.save(tmp_path / "m.json")
    assert is_signed(json.loads((tmp_path / "m.json").read_bytes()))
    assert llrcal.load(tmp_path / "m.json") == older


@pytest.mark.parametrize("kind", ["pav", "fusion"])
def test_places_where_nothing_can_be_saved(kind: str, tmp_path: Path) -> None:
    with pytest.raises(llrcal.OptionError, match=r" is a folder; name a file in it$"):
        model(kind).save(tmp_path)
    with pytest.raises(llrcal.OptionError, match=r"none is not a folder$"):
        model(kind).save(tmp_path / "none" / "m.json")
