"""Model files: nothing is lost on the way to disk, and nothing wrong comes back from it."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from llrcal import METHODS, ModelFileError, load
from llrcal.calibrations.bounds import POLICIES
from llrcal.calibrations.logistic import SEPARABLE
from llrcal.calibrations.smooth import Smooth
from tests.calibrations.model_files import (
    DIGESTS,
    EVERY_CASE,
    EVERY_KEPT,
    EVERY_METHOD,
    KEPT,
    Path_,
    at,
    calibration,
    field,
    parent,
    places,
    refusal,
)
from tests.notes import FAR_SCORES, texts

pytestmark = [pytest.mark.slow, FAR_SCORES]

GRID = [-math.inf, -1e308, -1e9, *np.linspace(-12, 12, 481), 0.1, -0.0, 1e9, 1e308, math.inf]


@EVERY_CASE
def test_loaded_is_what_was_saved(case: str, tmp_path: Path) -> None:
    saved = calibration(case)
    saved.save(tmp_path / "m.json")
    loaded = load(tmp_path / "m.json")
    assert loaded == saved
    assert type(loaded) is type(saved)
    assert loaded.params == saved.params
    assert loaded.report == saved.report
    assert texts(loaded.report.notes) == texts(saved.report.notes)
    assert (loaded.tar_count, loaded.non_count) == (saved.tar_count, saved.non_count)
    assert (loaded.bounds, loaded.lower_is_better) == (saved.bounds, saved.lower_is_better)
    with np.errstate(over="ignore"):
        before, after = saved(GRID), loaded(GRID)
    assert before.tobytes() == after.tobytes()
    loaded.save(str(tmp_path / "again.json"))
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "m.json").read_bytes()


def test_the_separable_case_is_one() -> None:
    assert calibration("logistic, separable").report.notes == (SEPARABLE,)
    assert calibration("logistic, inverted").params["slope"] < 0
    assert math.isinf(calibration("student-t, Gaussian limit").params["non"]["dof"])


@EVERY_CASE
def test_the_file_is_plain_json(case: str, tmp_path: Path) -> None:
    def refuse(word: str) -> Any:
        raise AssertionError(f"{word} in a JSON file")

    path = tmp_path / "m.json"
    calibration(case).save(path)
    document = json.loads(path.read_text("utf-8"), parse_constant=refuse)
    assert document["format"] == "llrcal calibration"
    assert document["version"] == 2
    assert document["method"] == calibration(case).method
    assert document["training"] == {
        "tar": calibration(case).tar_count,
        "non": calibration(case).non_count,
    }
    assert document["lower_is_better"] is calibration(case).lower_is_better
    assert document["bounds"]["policy"] == calibration(case).bounds.policy
    assert document["report"]["converged"] is calibration(case).report.converged


def test_saving_replaces_a_file_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text("something else")
    calibration("logistic").save(path)
    assert load(path) == calibration("logistic")
    assert [p.name for p in tmp_path.iterdir()] == ["m.json"]


# ------------------------------------------------------------------------- mutated models


def document(method: str, folder: Path) -> dict[str, Any]:
    calibration(method).save(folder / "whole.json")
    out = json.loads((folder / "whole.json").read_bytes())
    assert isinstance(out, dict)
    return out


def assert_each_refused(
    method: str, folder: Path, mutate: Callable[[Any, Path_], str | None]
) -> None:
    """Mutate each place of a model file; each must be refused, by the name of its field."""
    whole = document(method, folder)
    tried = 0
    for path in places(whole):
        text = mutate(deepcopy(whole), path)
        if text is None:
            continue
        tried += 1
        message = refusal(text, folder)
        assert message is not None, f"{path} was accepted"
        assert field(path) in message, f"{path} is not named in: {message}"
    assert tried > 0


@EVERY_METHOD
def test_a_field_is_missing(method: str, tmp_path: Path) -> None:
    def remove(whole: Any, path: Path_) -> str | None:
        if isinstance(path[-1], int) or path == ("margins",):  # which old files do not have
            return None
        del parent(whole, path)[path[-1]]
        return json.dumps(whole)

    assert_each_refused(method, tmp_path, remove)


@EVERY_METHOD
@pytest.mark.parametrize(
    "wrong",
    [None, True, 1, 1.5, -1, "1", "true", [], ["text", 1], [[]], {}, {"a": 1}],
    ids=repr,
)
def test_a_field_has_another_type(method: str, wrong: Any, tmp_path: Path) -> None:
    def may_stand(value: Any) -> bool:
        """Whether the wrong value is of the right type here; tests of ranges are below."""
        if isinstance(value, float):
            return type(wrong) in (int, float)
        if type(value) is int:
            return type(wrong) is int and wrong > 0
        return type(value) is type(wrong) and type(value) in (bool, str)

    def retype(whole: Any, path: Path_) -> str | None:
        if may_stand(at(whole, path)) or (path[-1], wrong) in (("notes", []), ("meeting", None)):
            return None
        parent(whole, path)[path[-1]] = wrong
        return json.dumps(whole)

    assert_each_refused(method, tmp_path, retype)


@EVERY_METHOD
@pytest.mark.parametrize("number", ["1e999", "-1e999", "1" + "0" * 400, "-" + "9" * 100_000])
def test_a_number_is_beyond_all_doubles(method: str, number: str, tmp_path: Path) -> None:
    def overflow(whole: Any, path: Path_) -> str | None:
        value = at(whole, path)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        parent(whole, path)[path[-1]] = "HERE"
        return json.dumps(whole).replace('"HERE"', number)

    assert_each_refused(method, tmp_path, overflow)


@EVERY_METHOD
@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_json_has_no_such_number(method: str, word: str, tmp_path: Path) -> None:
    def nonsense(whole: Any, path: Path_) -> str:
        parent(whole, path)[path[-1]] = "HERE"
        return json.dumps(whole).replace('"HERE"', word)

    assert_each_refused(method, tmp_path, nonsense)


@EVERY_METHOD
def test_a_field_is_unknown(method: str, tmp_path: Path) -> None:
    whole = document(method, tmp_path)
    sections = [path for path in places(whole) if isinstance(at(whole, path), dict)]
    assert {("training",), ("bounds",), ("model",), ("report",)} <= set(sections)
    for path in sections:
        extended = deepcopy(whole)
        at(extended, path)["surprise"] = 1
        assert "'surprise'" in (refusal(json.dumps(extended), tmp_path) or "")
    assert "'surprise'" in (refusal(json.dumps(whole | {"surprise": None}), tmp_path) or "")


@EVERY_METHOD
def test_a_field_occurs_twice(method: str, tmp_path: Path) -> None:
    """Readers disagree on which of the two counts, so neither does."""

    def double(whole: Any, path: Path_) -> str | None:
        if isinstance(path[-1], int):
            return None
        name, value = path[-1], at(whole, path)
        parent(whole, path)["HERE"] = value
        return json.dumps(whole).replace('"HERE"', json.dumps(name))

    assert_each_refused(method, tmp_path, double)


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
        ({"format": "llrcal Calibration"}, "field 'format' must be 'llrcal calibration'"),
        ({"format": ""}, "field 'format'"),
        ({"version": 0}, "field 'version' is 0; this llrcal reads versions 1 to 2"),
        ({"version": 3}, "field 'version' is 3; this llrcal reads versions 1 to 2"),
        ({"version": 1}, "bounds: field 'soft_end' is unknown"),
        ({"version": 1.0}, "field 'version'"),
        ({"version": True}, "field 'version'"),
        (
            {"method": "platt"},
            "field 'method' is 'platt', not one of smooth, linear-gaussian",
        ),
        ({"method": "__class__"}, "field 'method'"),
        ({"training": {"tar": -1, "non": 2}}, "field 'tar'"),
        ({"training": {"tar": 1, "non": 2.0}}, "field 'non'"),
        ({"training": {"tar": 0, "non": 2}}, "field 'tar' must be a whole number from 1"),
        ({"training": {"tar": 1, "non": 2**53 + 1}}, "field 'non'"),
    ],
    ids=str,
)
def test_headers_that_are_not_ours(change: Any, words: str, tmp_path: Path) -> None:
    whole = document("logistic", tmp_path)
    assert words in (refusal(json.dumps(whole | change), tmp_path) or "")


@pytest.mark.parametrize(
    ("method", "path", "value"),
    [
        ("logistic", ("model", "alpha"), 0),
        ("logistic", ("model", "alpha"), 1),
        ("logistic", ("model", "alpha"), -0.5),
        ("logistic", ("model", "alpha"), "auto"),
        ("linear-gaussian", ("model", "variance"), 0),
        ("linear-gaussian", ("model", "variance"), -1.0),
        ("pav", ("model", "scores"), []),
        ("pav", ("model", "llrs"), []),
        ("pav", ("model", "llrs"), [0.0]),
        ("pav", ("model", "scores", 0), 1e300),
        ("pav", ("model", "llrs", -1), -1e300),
        ("gaussian", ("model", "tar", "scale"), 0),
        ("gaussian", ("model", "non", "scale"), -1.0),
        ("student-t", ("model", "tar", "scale"), 0.0),
        ("student-t", ("model", "tar", "inverse_dof"), -1e-9),
        ("student-t", ("model", "non", "inverse_dof"), 1e9),
        ("nig", ("model", "tar", "scale"), 0.0),
        ("nig", ("model", "non", "tail"), -0.1),
        ("nig", ("model", "non", "tail"), 1e3),
        ("nig", ("model", "non", "asymmetry"), 1e3),
        ("logistic", ("bounds", "policy"), "Range"),
        ("logistic", ("bounds", "policy"), ""),
        ("logistic", ("bounds", "highest_score"), -1e9),
        ("logistic", ("bounds", "meeting"), -1e9),
        ("logistic", ("bounds", "meeting"), 1e9),
        ("nig", ("report", "gradient_norm"), -1.0),
        ("nig", ("report", "iterations"), -1),
        ("nig", ("report", "saddles_escaped"), -1),
    ],
    ids=str,
)
def test_numbers_out_of_range(method: str, path: Path_, value: Any, tmp_path: Path) -> None:
    whole = document(method, tmp_path)
    parent(whole, path)[path[-1]] = value
    message = refusal(json.dumps(whole), tmp_path)
    assert message is not None
    assert f"'{field(path)}'" in message or (field(path) == "scores" and "'llrs'" in message)


def test_a_range_may_be_a_single_score_but_not_the_wrong_way_round(tmp_path: Path) -> None:
    whole = document("logistic", tmp_path)
    whole["bounds"] |= {"lowest_score": 1.0, "highest_score": 1.0, "meeting": 1.0}
    assert refusal(json.dumps(whole), tmp_path) is None
    whole["bounds"]["lowest_score"] = math.nextafter(1.0, 2.0)
    assert "bounds: field 'highest_score'" in (refusal(json.dumps(whole), tmp_path) or "")


def test_the_largest_numbers_there_are(tmp_path: Path) -> None:
    whole = document("logistic", tmp_path)
    whole["training"] = {"tar": 2**53, "non": 1}
    for number in (sys.float_info.max, int(sys.float_info.max), -5e-324):
        whole["model"]["origin"] = number
        assert refusal(json.dumps(whole), tmp_path) is None
    whole["model"]["origin"] = int(sys.float_info.max) + 1  # which rounds to the largest double
    assert "'origin' must be a finite number" in (refusal(json.dumps(whole), tmp_path) or "")


@pytest.mark.parametrize("path", [("written_by",), ("report", "reason"), ("report", "notes", 0)])
def test_half_a_surrogate_pair_could_not_be_saved_again(path: Path_, tmp_path: Path) -> None:
    whole = document("pav", tmp_path)
    parent(whole, path)[path[-1]] = "\ud83d\ude00"  # both halves: a face
    assert refusal(json.dumps(whole), tmp_path) is None
    parent(whole, path)[path[-1]] = "\ud83d"
    assert f"'{field(path)}'" in (refusal(json.dumps(whole), tmp_path) or "")


@EVERY_METHOD
def test_complaints_are_short_however_long_the_field(method: str, tmp_path: Path) -> None:
    whole = document(method, tmp_path)
    deep: Any = []
    for _ in range(900):
        deep = [deep]
    for path in places(whole):
        for wrong in ("x" * 5_000, [0.0] * 5_000, deep):
            broken = deepcopy(whole)
            parent(broken, path)[path[-1]] = wrong
            assert len(refusal(json.dumps(broken), tmp_path) or "") < 400
    assert len(refusal(json.dumps(whole | {"y" * 100_000: 1}), tmp_path) or "") < 400


def test_equal_knots_are_refused(tmp_path: Path) -> None:
    whole = document("pav", tmp_path)
    for name in ("scores", "llrs"):
        broken = deepcopy(whole)
        broken["model"][name][1] = broken["model"][name][0]
        assert f"'{name}' must be in strictly rising order" in (
            refusal(json.dumps(broken), tmp_path) or ""
        )


# ----------------------------------------------------------------- files that are no models


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"not json",
        b"{",
        b'{"format": "llrcal calibration"',
        b'{"format": "llrcal calibration",}',
        b"{} {}",
        b"\xff\xfe{}",
        b"\xef\xbb\xbf{}",
        b'{"format": "\xe4"}',
        b"\x00" * 100,
        b"\x80\x04\x95",  # a pickle
        b"[" * 200_000,
        b'{"a":' * 200_000,
        b"[" * 900 + b"]" * 900,
        b"1" * 5000,
        b"'llrcal calibration'",
    ],
    ids=lambda content: repr(content[:20]),
)
def test_files_that_are_not_json(content: bytes, tmp_path: Path) -> None:
    assert refusal(content, tmp_path)


@pytest.mark.parametrize("content", ["[]", "1", "null", '"text"', "true", "1.5"])
def test_documents_that_are_no_objects(content: str, tmp_path: Path) -> None:
    assert "expected an object, found" in (refusal(content, tmp_path) or "")


@EVERY_METHOD
def test_a_file_cut_short_anywhere(method: str, tmp_path: Path) -> None:
    calibration(method).save(tmp_path / "whole.json")
    content = (tmp_path / "whole.json").read_bytes()
    end = len(content.rstrip())
    for length in {*range(0, end, max(1, end // 150)), end - 1}:
        assert refusal(content[:length], tmp_path), f"the first {length} bytes were accepted"


def test_a_file_too_large_to_be_a_model(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    with path.open("wb") as file:
        file.truncate(64 * 2**20 + 1)
    with pytest.raises(ModelFileError, match=re.escape(str(path)) + ": .*larger than"):
        load(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path, words in ((tmp_path / "none.json", "No such file"), (tmp_path, "directory")):
        with pytest.raises(ModelFileError, match=f"^{re.escape(str(path))}: .*{words}"):
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


def test_there_is_a_kept_model_of_each_kind() -> None:
    kept = [load(KEPT / f"{name}.json") for name in DIGESTS]
    assert {model.method for model in kept} == set(METHODS)
    assert {model.bounds.policy for model in kept} == set(POLICIES)
    assert {model.lower_is_better for model in kept} == {True, False}
    assert any(model.report.notes for model in kept)
    assert {model.method for model in kept if model.plateaus} == {"gaussian", "student-t", "nig"}
    assert all(re.fullmatch("[A-Za-z0-9_][A-Za-z0-9._-]{0,99}", name) for name in DIGESTS)


@EVERY_KEPT
def test_a_kept_model_gives_the_llrs_that_it_gave(name: str) -> None:
    """To what a curve is compiled to; steps and lines without bounds, bit for bit."""
    model = load(KEPT / f"{name}.json")
    recorded = json.loads((KEPT / f"{name}.llrs.json").read_bytes())
    scores, llrs = np.array(recorded["scores"]), np.array(recorded["llrs"])
    if isinstance(model, Smooth):  # a spline grew without end, and now as far as densities fall
        scores, llrs = scores[np.abs(scores) < 1e70], llrs[np.abs(scores) < 1e70]
    slack = 0.0 if name in ("pav", "logistic-unbounded") else 1e-9
    assert np.all(np.abs(model(scores) - llrs) <= slack * np.maximum(1, np.abs(llrs)))


@EVERY_KEPT
def test_a_kept_model_is_saved_as_it_was(name: str, tmp_path: Path) -> None:
    """As long as the version of the format is theirs."""
    load(KEPT / f"{name}.json").save(tmp_path / "again.json")
    before, after = (
        json.loads(path.read_bytes()) for path in (KEPT / f"{name}.json", tmp_path / "again.json")
    )
    assert before.pop("written_by").startswith("llrcal ")
    assert after.pop("written_by").startswith("llrcal ")
    if before["version"] == after["version"]:
        if before["model"].pop("deviations", None):  # of smooth, which are margins now
            assert after.pop("margins")["by"] == "trial"
        assert before == after
