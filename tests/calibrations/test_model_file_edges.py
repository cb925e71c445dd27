"""Model files at the very edges of what may stand in them, and the words for what may not."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from llrcal.arrays import LARGEST
from llrcal.calibrations.generative import Generative
from llrcal.calibrations.methods import METHODS
from llrcal.calibrations.model_file import load
from llrcal.declaration import schema_of
from llrcal.errors import ModelFileError

KEPT = Path(__file__).with_name("kept_models")
EDGES = [
    (method, name, end)
    for method, chosen in METHODS.items()
    if issubclass(chosen, Generative)
    for name, limits in schema_of(chosen.family)["properties"].items()
    for end in ("minimum", "maximum")
    if abs(limits[end]) < LARGEST
]


def document(method: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((KEPT / f"{method}.json").read_bytes())
    return found


def loaded(tmp_path: Path, content: dict[str, Any]) -> Any:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(content))
    return load(path)


def complaint(tmp_path: Path, content: dict[str, Any]) -> str:
    with pytest.raises(ModelFileError) as caught:
        loaded(tmp_path, content)
    return str(caught.value).removeprefix(f"{tmp_path / 'model.json'}: ")


@pytest.mark.parametrize(("method", "name", "end"), EDGES)
def test_densities_at_both_ends_of_their_ranges(
    tmp_path: Path, method: str, name: str, end: str
) -> None:
    chosen = METHODS[method]
    assert issubclass(chosen, Generative)
    limits = schema_of(chosen.family)["properties"][name]
    low, high = limits["minimum"], limits["maximum"]
    content = document(method)
    content["model"]["tar"][name] = limits[end]
    assert getattr(loaded(tmp_path, content).tar, name) == limits[end]
    beyond = math.nextafter(limits[end], {"minimum": -math.inf, "maximum": math.inf}[end])
    content["model"]["tar"][name] = beyond
    words = f"model: tar: field {name!r} must be at least {low:g} and at most {high:g}, but is "
    assert complaint(tmp_path, content) == f"{words}{beyond}"


def test_one_training_score_is_enough_and_none_is_not(tmp_path: Path) -> None:
    content = document("pav")
    content["training"] = {"tar": 1, "non": 1}
    assert (loaded(tmp_path, content).tar_count, loaded(tmp_path, content).non_count) == (1, 1)
    for name in ("tar", "non"):
        wrong = {**content, "training": {"tar": 1, "non": 1, name: 0}}
        words = f"training: field {name!r} must be a whole number from 1 to 9007199254740992, not 0"
        assert complaint(tmp_path, wrong) == words


def test_bounds_may_meet_but_not_cross(tmp_path: Path) -> None:
    content = document("logistic")
    content["bounds"] = {"policy": "range", "lowest_score": 1.5, "highest_score": 1.5}
    assert loaded(tmp_path, content).bounds.reach == (1.5, 1.5)
    content["bounds"]["highest_score"] = 1
    words = "bounds: field 'highest_score' is 1.0, below the lowest score, 1.5"
    assert complaint(tmp_path, content) == words


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"format": "other"},
            "field 'format' must be 'llrcal calibration': this is not a model file of llrcal",
        ),
        ({"version": 3}, "field 'version' is 3; this llrcal reads versions 1 to 2"),
        ({"version": 0}, "field 'version' is 0; this llrcal reads versions 1 to 2"),
        ({"written_by": 7}, "field 'written_by' must be text, not a number"),
        (
            {"method": "svm"},
            "field 'method' is 'svm', not one of smooth, linear-gaussian, logistic, pav, gaussian, "
            "student-t, nig",
        ),
        (
            {"bounds": {"policy": "loose", "lowest_score": 0, "highest_score": 1}},
            "bounds: field 'policy' is 'loose', not one of counts, elub, range, none",
        ),
        (
            {"model": {"scores": [0, 1], "llrs": [0]}},
            "model: field 'llrs' has 1 values; there must be 2",
        ),
        ({"lower_is_better": 0}, "field 'lower_is_better' must be true or false, not a number"),
    ],
)
def test_what_may_not_stand_there(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    assert complaint(tmp_path, document("pav") | change) == words


@pytest.mark.parametrize(
    ("name", "wrong", "words"),
    [
        ("converged", 1, "must be true or false, not a number"),
        ("reason", 1, "must be text, not a number"),
        ("iterations", 0.5, "must be a whole number, not a number"),
        ("objective", None, "must be a number, not null"),
        ("gradient_norm", -1, "must be at least 0, but is -1.0"),
        ("saddles_escaped", -1, "must be a whole number from 0 to 9007199254740992, not -1"),
        ("positive_definite", None, "must be true or false, not null"),
        ("notes", "one", "must be a list, not text"),
    ],
)
def test_every_field_of_the_report_is_looked_at(
    tmp_path: Path, name: str, wrong: Any, words: str
) -> None:
    content = document("pav")
    content["report"][name] = wrong
    assert complaint(tmp_path, content) == f"report: field {name!r} {words}"


def test_files_that_are_no_json(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text('{"a": 1, "a": 2}')
    words = (
        f"{path}: is no model of llrcal: it is not a JSON document: field 'a' occurs twice in one "
        "object"
    )
    with pytest.raises(ModelFileError, match=f"^{re.escape(words)}$"):
        load(path)
    path.unlink()
    words = f"{path}: cannot be read: No such file or directory"
    with pytest.raises(ModelFileError, match=f"^{re.escape(words)}$"):
        load(path)


def test_a_file_of_the_largest_size_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, text = tmp_path / "model.json", (KEPT / "pav.json").read_bytes()
    path.write_bytes(text)
    monkeypatch.setattr("llrcal.calibrations.model_file._LARGEST_FILE", len(text))
    assert load(path).method == "pav"
    path.write_bytes(text + b" ")
    words = f"{path}: is not a model file: it is larger than {len(text)} bytes"
    with pytest.raises(ModelFileError, match=f"^{re.escape(words)}$"):
        load(path)


def test_letters_beyond_ascii_are_written_as_they_are(tmp_path: Path) -> None:
    content = document("pav")
    content["report"]["notes"] = ["größer als 10 µm"]
    loaded(tmp_path, content).save(tmp_path / "again.json")
    text = (tmp_path / "again.json").read_text("utf-8")
    assert "größer als 10 µm" in text
    assert text.endswith("}\n")
    assert '\n "format": "llrcal calibration",\n' in text
