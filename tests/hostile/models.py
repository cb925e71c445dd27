"""Model files that are not what `save` wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import llrcal
from llrcal.errors import ModelFileError
from llrcal.method_table import MethodName
from tests.hostile.case import Answered, Case, Refused, Section
from tests.hostile.files import put
from tests.hostile.scores import NON, TAR

Document = dict[str, Any]


@cache
def saved(method: MethodName) -> str:
    """What `save` writes."""
    path = Path("saved.json")
    llrcal.fit(TAR[:40], NON[:80], method=method).save(path)
    text = path.read_text("utf-8")
    path.unlink()
    return text


def loaded(content: str | bytes) -> Any:
    """What is in a file that was edited on purpose."""
    return llrcal.load(put("model.json", content), edited=True)


def changed(change: Callable[[Document], Any], method: MethodName = "logistic") -> Any:
    """Load a model in which something was changed."""

    def run() -> Any:
        document = json.loads(saved(method))
        change(document)
        return loaded(json.dumps(document))

    return run


def replaced(old: str, new: str, method: MethodName = "logistic") -> Any:
    """Load a model in whose text something was replaced, once."""

    def run() -> Any:
        text = saved(method)
        assert old in text
        return loaded(text.replace(old, new, 1))

    return run


def field(*path: str, value: Any, method: Any = "logistic") -> Any:
    def change(document: Document) -> None:
        here = document
        for name in path[:-1]:
            here = here[name]
        here[path[-1]] = value

    return changed(change, method)


def without(*path: str, method: MethodName = "logistic") -> Any:
    def change(document: Document) -> None:
        here = document
        for name in path[:-1]:
            here = here[name]
        del here[path[-1]]

    return changed(change, method)


def slope(literal: str) -> Any:
    """Load a model whose slope is written in another way."""

    def run() -> Any:
        document = json.loads(saved("logistic"))
        document["model"]["slope"] = "HERE"
        return loaded(json.dumps(document).replace('"HERE"', literal))

    return run


def surrogates() -> Any:
    document = json.loads(saved("logistic"))
    document["report"]["notes"] = ["\ud800"]
    calibration = loaded(json.dumps(document))
    calibration.save("again.json")
    return llrcal.load("again.json")


def round_trip() -> Any:
    rng = np.random.default_rng(1)
    tar, non = np.sort(rng.normal(1, 1, 30_000)), np.sort(rng.normal(0, 1, 30_000))
    calibration = llrcal.fit(tar, non, method="pav")
    calibration.save("model.json")
    again = llrcal.load("model.json")
    assert again == calibration
    assert again(non).tobytes() == calibration(non).tobytes()
    return again


def check_round_trip(calibration: llrcal.Calibration) -> None:
    assert len(calibration.params["scores"]) > 50


def damaged(old: str, new: str, method: Any = "logistic") -> Any:
    """Load a model in whose text something was replaced, and which was not signed again."""

    def run() -> Any:
        text = saved(method)
        assert old in text
        return llrcal.load(put("model.json", text.replace(old, new, 1)))

    return run


def reordered() -> Any:
    document = json.loads(saved("logistic"))
    text = json.dumps(dict(reversed(document.items())), indent=4).replace("\n", "\r\n")
    return llrcal.load(put("model.json", text)), loaded(saved("logistic"))


def check_reordered(answer: Any) -> None:
    assert answer[0] == answer[1]


NUMBER = "must be a number"
WAS_CHANGED = Refused(
    ModelFileError, "was changed since it was saved", "model.json", "llrcal sign MODEL"
)
CASES = (
    *(
        Case(f"a changed file: {what}", damaged(old, new, method), WAS_CHANGED, "Refused.", said)
        for what, old, new, method, said in (
            (
                "a digit of a slope",
                '"slope": ',
                '"slope": 1',
                "logistic",
                "other LLRs",
            ),
            ("a lost point", '"height": -4.', '"height": -4', "linear-gaussian", ""),
            ("a number of trials", '"tar": 40', '"tar": 4', "smooth", "lower bounds of LLRs"),
            ("a letter in a note", "dummy", "dumby", "pav", ""),
            ("1 for 1.0", "1.0,", "1,", "logistic", ""),
            ("a checksum under another name", '"checksum"', '"checksun"', "logistic", ""),
            ("another checksum", '"checksum": "', '"checksum": "0', "logistic", ""),
        )
    ),
    Case(
        "a changed file: another version",
        damaged('"version": 3', '"version": 2'),
        Refused(ModelFileError, "'version' is 2", "model.json", "train it again"),
        "Refused.",
    ),
    Case(
        "a file with other lines, its fields in another order",
        reordered,
        Answered(check_reordered),
        "The same model: no value was changed.",
    ),
    *(
        Case(
            f"a {field_name} of {value:g}, signed again",
            field("model", "tar", field_name, value=value, method=method),
            Refused(ModelFileError, words, "model.json: model"),
            "Refused: no LLR is NaN or infinite.",
            "NaN or infinity, and no word",
        )
        for field_name, value, method, words in (
            ("scale", 1e308, "gaussian", "field 'scale' must be at most 1e+307"),
            ("scale", 5e-324, "nig", "field 'scale' must be at least 1e-307"),
            ("location", 1e300, "nig", "field 'location' is over 1e+70 times the scale"),
        )
    ),
    Case(
        "a slope of 1e308 at a knot, signed again",
        changed(lambda d: d["model"]["slopes"].__setitem__(0, 1e308), "smooth"),
        Refused(ModelFileError, "LLRs are not finite, or fall", "model.json: model"),
        "Refused: all LLRs of a model are worked out when it is loaded.",
    ),
    *(
        Case(
            f"`{literal}` for a number",
            slope(literal),
            Refused(ModelFileError, words, "model.json", do),
            "Refused.",
            elsewhere,
        )
        for literal, words, do, elsewhere in (
            ("NaN", "field 'slope'", "must be a finite number", "`json.loads` accepts it"),
            ("-Infinity", "field 'slope'", "must be a finite number", "`json.loads` accepts it"),
            ("1e999", "field 'slope'", "must be a finite number", "`json.loads`: inf"),
            ("true", "field 'slope'", NUMBER, "true counts as 1"),
            ('"1.5"', "field 'slope'", NUMBER, ""),
            ("null", "field 'slope'", NUMBER, ""),
            ("[1.5]", "field 'slope'", NUMBER, ""),
        )
    ),
    Case(
        "an integer of four hundred digits for a number",
        slope("1" + "0" * 400),
        Refused(ModelFileError, "field 'slope'", "model.json", "must be a finite number"),
        "Refused.",
        "`float()` of it: OverflowError",
    ),
    Case(
        "an integer of a hundred thousand digits",
        slope("1" * 100_000),
        Refused(ModelFileError, "field 'slope'", "model.json", "must be a finite number"),
        "Refused at once.",
    ),
    Case(
        "a field that is there twice",
        replaced('"slope":', '"slope": 1.0, "slope":'),
        Refused(ModelFileError, "field 'slope' occurs twice", "model.json"),
        "Refused.",
        "`json.loads`: the last one",
    ),
    Case(
        "a missing field",
        without("model", "height"),
        Refused(ModelFileError, "field 'height' is missing", "model.json: model"),
        "Refused.",
    ),
    Case(
        "a field that nobody knows",
        field("model", "steepness", value=1.0),
        Refused(ModelFileError, "field 'steepness' is unknown", "model.json: model"),
        "Refused: it may change what the others mean.",
    ),
    Case(
        "a model of an unknown method",
        field("method", value="platt"),
        Refused(ModelFileError, "'platt', not one of", "model.json: field 'method'"),
        "Refused.",
    ),
    Case(
        "parameters of another method",
        field("method", value="nig"),
        Refused(ModelFileError, "field 'tar' is missing", "model.json"),
        "Refused.",
    ),
    Case(
        "a negative scale",
        field("model", "tar", "scale", value=-1.0, method="gaussian"),
        Refused(ModelFileError, "field 'scale' must be at least 1e-307", "model.json: model: tar"),
        "Refused.",
    ),
    Case(
        "a tail beyond those of the family",
        field("model", "tar", "tail", value=1e9, method="nig"),
        Refused(ModelFileError, "field 'tail' must be at most 46", "model.json: model: tar"),
        "Refused.",
    ),
    Case(
        "a weight of one",
        field("model", "alpha", value=1),
        Refused(ModelFileError, "field 'alpha' must be below 1", "model.json: model"),
        "Refused.",
    ),
    Case(
        "an unknown scoring rule",
        field("model", "rule", value="boosting"),
        Refused(
            ModelFileError,
            "field 'rule'",
            "model.json: model",
        ),
        "Refused.",
    ),
    Case(
        "steps that do not rise",
        changed(lambda d: d["model"]["scores"].reverse(), "pav"),
        Refused(
            ModelFileError, "field 'scores' must be in strictly rising order", "model.json: model"
        ),
        "Refused.",
    ),
    Case(
        "a step without an LLR",
        changed(lambda d: d["model"]["llrs"].pop(), "pav"),
        Refused(ModelFileError, "field 'llrs' has", "model.json: model"),
        "Refused.",
    ),
    Case(
        "a lower bound of LLRs above zero",
        changed(lambda d: d["bounds"].update(policy="elub", least_llr=0.5, greatest_llr=2.0)),
        Refused(ModelFileError, "must be at most 0", "bounds: field 'least_llr'"),
        "Refused.",
    ),
    Case(
        "empirical bounds of LLRs that are not there",
        field("bounds", "policy", value="elub"),
        Refused(ModelFileError, "is missing", "bounds: field 'least_llr'"),
        "Refused: LLRs would have no bounds.",
    ),
    Case(
        "bounds of LLRs that do not apply",
        changed(lambda d: d["bounds"].update(least_llr=-1.0)),
        Refused(ModelFileError, "is unknown", "bounds: field 'least_llr'"),
        "Refused.",
    ),
    Case(
        "a report that is a list",
        field("report", value=[]),
        Refused(ModelFileError, "must be an object, not a list", "model.json: field 'report'"),
        "Refused.",
    ),
    Case(
        "half a surrogate pair in a note",
        surrogates,
        Refused(ModelFileError, "field 'notes'", "model.json: report"),
        "Refused: no text file can hold it.",
        "`json.loads` accepts it; writing it: UnicodeEncodeError",
    ),
    Case(
        "a model file that is not there",
        lambda: llrcal.load("none.json"),
        Refused(ModelFileError, "cannot be read: No such file", "none.json"),
        "Refused.",
    ),
    Case(
        "a folder for a model",
        lambda: llrcal.load("."),
        Refused(ModelFileError, "cannot be read: Is a directory", "."),
        "Refused.",
    ),
    Case(
        "PAV with many steps, saved and loaded",
        round_trip,
        Answered(check_round_trip),
        "Equal to the last bit, as are its LLRs.",
    ),
)

SECTION = Section(
    "E",
    "Model files",
    "A model file is signed and checked field by field; what is not exactly as `save` writes it is "
    "refused. A file that was edited on purpose is signed again by `llrcal sign`, as others here.",
    CASES,
)
