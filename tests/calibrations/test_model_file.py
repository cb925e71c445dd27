"""Model files: nothing is lost on the way to disk, and nothing wrong comes back from it."""

from __future__ import annotations

import json
import math
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from llrcal import METHODS, ModelFileError, load
from llrcal.calibrations.methods.logistic import SEPARABLE
from llrcal.calibrations.methods.smooth import Smooth
from llrcal.declaration import is_signed
from tests.calibrations.model_files import (
    DIGESTS,
    EVERY_CASE,
    EVERY_KEPT,
    EVERY_METHOD,
    KEPT,
    calibration,
    refusal,
)
from tests.notes import FAR_SCORES, texts

pytestmark = [pytest.mark.slow, FAR_SCORES]

BOUNDS = {
    "policy": "range",
    "lowest_score": 1.5,
    "highest_score": 1.5,
    "meeting": None,
}
GRID = [-math.inf, -1e308, -1e9, *np.linspace(-12, 12, 481), 0.1, -0.0, 1e9, 1e308, math.inf]


@EVERY_CASE
def test_loaded_is_what_was_saved(case: str, tmp_path: Path) -> None:
    saved, first, second = calibration(case), tmp_path / "m.json", tmp_path / "again.json"
    saved.save(first)
    loaded = load(first)
    assert loaded == saved
    assert texts(loaded.report.notes) == texts(saved.report.notes)
    assert loaded.without_warnings(GRID).tobytes() == saved.without_warnings(GRID).tobytes()
    loaded.save(str(second))
    assert second.read_bytes() == first.read_bytes()
    assert not re.search(r"\bNaN\b|Infinity", first.read_text("utf-8")), "which are no JSON"


def test_the_separable_case_is_one() -> None:
    assert calibration("logistic, separable").report.notes == (SEPARABLE,)
    assert calibration("logistic, inverted").params["slope"] < 0
    assert math.isinf(calibration("student-t, Gaussian limit").params["non"]["dof"])


def test_saving_replaces_a_file_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    calibration("pav").save(path)
    calibration("logistic").save(path)
    assert load(path) == calibration("logistic")
    assert [p.name for p in tmp_path.iterdir()] == ["m.json"]


# ------------------------------------------------------------------------- mutated models
# What each kind of field accepts is tested with declarations, in tests/test_declaration.py; that
# the fields of models are declared as they were, with the published schema.


def document(method: str, folder: Path) -> dict[str, Any]:
    calibration(method).save(folder / "whole.json")
    out = json.loads((folder / "whole.json").read_bytes())
    assert isinstance(out, dict)
    return out


@EVERY_METHOD
def test_a_model_under_the_name_of_another_method(method: str, tmp_path: Path) -> None:
    whole = document(method, tmp_path)
    for other in METHODS:
        message = refusal(json.dumps(whole | {"method": other}), tmp_path)
        assert (message is None) == (other == method)
        assert message is None or "model: " in message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"format": "other"},
            "field 'format' must be 'llrcal calibration': this is not a model file of llrcal",
        ),
        (
            {"version": 2},
            "field 'version' is 2; this llrcal reads version 3: train it again",
        ),
        (
            {"version": 4},
            "field 'version' is 4; this llrcal reads version 3: install a newer one",
        ),
        ({"bounds": BOUNDS | {"soft_end": 0}}, "bounds: field 'soft_end' is unknown"),
        (
            {"training": {"tar": 9, "non": 9, "speakers": [3]}},
            "training: field 'speakers' has 1 values; there must be at least 2",
        ),
        ({"version": 1.0}, "field 'version' must be a whole number, not a number"),
        ({"version": True}, "field 'version' must be a whole number, not true or false"),
        (
            {"method": "__class__"},
            "field 'method' is '__class__', not one of smooth, linear-gaussian, logistic, pav, "
            "gaussian, student-t, nig",
        ),
        (
            {"training": {"tar": 0, "non": 1}},
            "training: field 'tar' must be at least 1, but is 0",
        ),
        (
            {"bounds": BOUNDS | {"policy": "loose"}},
            "bounds: field 'policy' is 'loose', not one of counts, elub, range, none",
        ),
        (
            {"bounds": BOUNDS | {"highest_score": 1}},
            "bounds: field 'highest_score' is 1.0, below the lowest score, 1.5",
        ),
        (
            {"bounds": BOUNDS | {"meeting": 1}},
            "bounds: field 'meeting' is 1.0, not between 1.5 and 1.5",
        ),
        (
            {"bounds": BOUNDS | {"policy": "elub"}},
            "bounds: field 'least_llr' is missing",
        ),
        (
            {"bounds": BOUNDS | {"least_llr": -1, "greatest_llr": 1}},
            "bounds: field 'least_llr' is unknown",
        ),
    ],
    ids=str,
)
def test_what_may_not_stand_there(change: Any, words: str, tmp_path: Path) -> None:
    assert refusal(json.dumps(document("logistic", tmp_path) | change), tmp_path) == words


def test_parameters_are_integrated_out_or_nothing_is_said(tmp_path: Path) -> None:
    whole = document("gaussian", tmp_path)
    whole["model"]["bayes"] = False
    assert refusal(json.dumps(whole), tmp_path) == "model: field 'bayes' must be true, or left out"


def test_one_score_of_each_class_and_one_score_in_all_are_enough(tmp_path: Path) -> None:
    whole = document("logistic", tmp_path)
    whole |= {"training": {"tar": 1, "non": 1}, "bounds": BOUNDS}
    assert refusal(json.dumps(whole), tmp_path) is None


def test_letters_beyond_ascii_are_written_as_they_are(tmp_path: Path) -> None:
    whole = document("pav", tmp_path)
    whole["report"]["notes"] = ["größer als 10 µm"]
    (tmp_path / "m.json").write_text(json.dumps(whole))
    load(tmp_path / "m.json", edited=True).save(tmp_path / "again.json")
    text = (tmp_path / "again.json").read_text("utf-8")
    assert "größer als 10 µm" in text
    assert text.endswith("}\n")
    assert '\n "format": "llrcal calibration",\n' in text


# ----------------------------------------------------------------- files that are no models


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not json",
        b'{"format": "llrcal calibration",}',
        b"{} {}",
        b"\xff\xfe{}",
        b"\xef\xbb\xbf{}",
        b'{"format": "\xe4"}',
        b"\x80\x04\x95",  # a pickle
        b"[" * 200_000,
        b'{"a":' * 200_000,
        b"1" * 5000,
        b"[]",
        b"null",
    ],
    ids=lambda content: repr(content[:20]),
)
def test_files_that_are_no_models(content: bytes, tmp_path: Path) -> None:
    assert refusal(content, tmp_path)


def test_a_field_twice_in_one_object(tmp_path: Path) -> None:
    words = "is no model of llrcal: it is not a JSON document: field 'a' occurs twice in one object"
    assert refusal('{"a": 1, "a": 2}', tmp_path) == words


def test_a_file_cut_short_anywhere(tmp_path: Path) -> None:
    calibration("nig").save(tmp_path / "whole.json")
    content = (tmp_path / "whole.json").read_bytes()
    end = len(content.rstrip())
    for length in {*range(0, end, max(1, end // 150)), end - 1}:
        assert refusal(content[:length], tmp_path), f"the first {length} bytes were accepted"


def test_a_file_of_the_largest_size_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (KEPT / "pav.json").read_bytes()
    monkeypatch.setattr("llrcal.calibrations.model_file._LARGEST_FILE", len(text))
    path = tmp_path / "m.json"
    path.write_bytes(text)
    load(path)
    path.write_bytes(text + b" ")
    with pytest.raises(ModelFileError, match=f"is larger than {len(text)} bytes"):
        load(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path, words in ((tmp_path / "none.json", "No such file or directory"), (tmp_path, "Is a")):
        with pytest.raises(
            ModelFileError, match=f"^{re.escape(str(path))}: cannot be read: {words}"
        ):
            load(path)
        with pytest.raises(ModelFileError, match=words):
            load(str(path))


# --------------------------------------------------------------- models of earlier versions


def test_kept_models_are_as_they_were() -> None:
    found = {path.name for path in KEPT.glob("*.json")}
    assert found == {f"{name}{kind}.json" for name in DIGESTS for kind in ("", ".llrs")}
    for name, digest in DIGESTS.items():
        content = [(KEPT / f"{name}{kind}.json").read_bytes() for kind in ("", ".llrs")]
        assert sha256(b"".join(content)).hexdigest()[:16] == digest, name


@EVERY_KEPT
def test_a_kept_model_gives_the_llrs_that_it_gave(name: str) -> None:
    """To what a curve is compiled to; steps and lines without bounds, bit for bit."""
    model = load(KEPT / f"{name}.json")
    recorded = json.loads((KEPT / f"{name}.llrs.json").read_bytes())
    scores, llrs = np.array(recorded["scores"]), np.array(recorded["llrs"])
    if isinstance(model, Smooth):  # a spline grew without end, and now as far as densities fall
        scores, llrs = scores[np.abs(scores) < 1e70], llrs[np.abs(scores) < 1e70]
    slack = 0.0 if name in ("pav", "logistic-unbounded") else 1e-9
    low, high = model.training_range
    # Beyond the training scores, an extrapolated formula is followed less closely.
    slacks = np.where((low <= scores) & (scores <= high), slack, 400 * slack)
    assert np.all(np.abs(model(scores) - llrs) <= slacks * np.maximum(1, np.abs(llrs)))


@EVERY_KEPT
def test_a_kept_model_is_saved_as_it_was(name: str, tmp_path: Path) -> None:
    load(KEPT / f"{name}.json").save(tmp_path / "again.json")
    before, after = (
        json.loads(path.read_bytes()) for path in (KEPT / f"{name}.json", tmp_path / "again.json")
    )
    assert is_signed(after)
    assert after["version"] == 3
    for one in (before, after):
        assert one.pop("written_by").startswith("llrcal ")
        one.pop("checksum")
    assert before == after
