"""Write the JSON Schemas of model files, and of evaluations, which follow from what code declares.

``python docs/schemas.py`` writes docs/model.schema.json and docs/fusion.schema.json anew, and the
measures in docs/answers.schema.json.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from llrcal.calibrations.methods import METHODS, class_of
from llrcal.calibrations.model_file import FORMAT, FUSION, VERSIONS, CalibrationFile
from llrcal.declaration import schema_of
from llrcal.evaluation.measures import MEASURES
from llrcal.fusion.fused import FusionFile
from llrcal.method_table import TABLE

HERE = Path(__file__).parent
BAYES = {"description": "That the parameters were integrated out.", "const": True}
# What depends on the value of another field: conditions that declarations do not know.
OF_ELUB = {
    "if": {"properties": {"policy": {"const": "elub"}}},
    "then": {"required": ["least_llr", "greatest_llr"]},
    "else": {"properties": {"least_llr": False, "greatest_llr": False}},
}


def of_signed(version: int) -> dict[str, Any]:
    """Files of this version have a checksum."""
    return {
        "if": {"properties": {"version": {"const": version}}},
        "then": {"required": ["checksum"]},
    }


def headed(schema: dict[str, Any], name: str, title: str) -> dict[str, Any]:
    """A schema with what every one of them begins with."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:llrcal:{name}",
        "title": f"{title} to log-likelihood-ratios (LLRs)",
        "description": "Numbers are finite doubles; docs/model-files.md says what a schema cannot. "
        "Lists with rising are in strictly rising order; those with as_many_as have as many values "
        "as the list of that name.",
        **schema,
    }


def model(method: str, *, bayes: bool) -> dict[str, Any]:
    """The parameters of a method."""
    declared = schema_of(class_of(method, bayes=bayes))
    if not bayes:
        return {"description": TABLE[method].description, **declared}
    return {
        "description": f"{TABLE[method].description}, with its parameters integrated out",
        **declared,
        "required": ["bayes", *declared["required"]],
        "properties": {"bayes": BAYES, **declared["properties"]},
    }


def of_method(method: str) -> dict[str, Any]:
    """What the model is, given the method."""
    fields: dict[str, Any] = {"$ref": f"#/$defs/{method}"}
    if TABLE[method].bayes:
        bayes = {"$ref": f"#/$defs/{method}, bayes"}
        fields = {"if": {"required": ["bayes"]}, "then": bayes, "else": fields}
    return {
        "if": {"properties": {"method": {"const": method}}},
        "then": {"properties": {"model": fields}},
    }


def calibration_schema() -> dict[str, Any]:
    """The schema of a calibration."""
    declared = schema_of(CalibrationFile)
    properties = dict(declared["properties"])
    properties["method"] = {**properties["method"], "enum": list(METHODS)}
    properties["bounds"] = {**properties["bounds"], **OF_ELUB}
    models: dict[str, Any] = {method: model(method, bayes=False) for method in METHODS}
    models |= {
        f"{method}, bayes": model(method, bayes=True) for method in METHODS if TABLE[method].bayes
    }
    whole = {
        **declared,
        "properties": properties,
        "allOf": [of_signed(VERSIONS[FORMAT]), *map(of_method, METHODS)],
        "$defs": models,
    }
    return headed(
        whole, f"calibration:{VERSIONS[FORMAT]}", "A calibration of llrcal: a map from scores"
    )


def fusion_schema() -> dict[str, Any]:
    """The schema of a fusion."""
    title = "A fusion of llrcal: a map from the scores of several systems"
    whole = {**schema_of(FusionFile), **of_signed(VERSIONS[FUSION])}
    return headed(whole, f"fusion:{VERSIONS[FUSION]}", title)


def add_measures(schema: dict[str, Any], leaf: str) -> None:
    """Add the measures to an object's schema, each as a number or as the ends of its interval."""
    for measure in MEASURES:
        *path, last = measure.place.split(".")
        inner = schema
        for key in path:
            if key == "{}":
                inner = inner.setdefault("additionalProperties", {"type": "object"})
            else:
                inner = inner.setdefault("properties", {}).setdefault(key, {"type": "object"})
        value: dict[str, Any] = {"$ref": f"#/$defs/{leaf}"}
        if measure.at in ("points", "strengths"):
            value = {"type": "array", "items": value}
        known = inner.setdefault("properties", {})
        known[last] = {**known.get(last, {}), **value}


def answers_schema() -> dict[str, Any]:
    """The schema of answers, with the measures of an evaluation as they are declared."""
    schema: dict[str, Any] = json.loads((HERE / "answers.schema.json").read_text("utf-8"))
    evaluation = schema["$defs"]["evaluation"]
    add_measures(evaluation, "number")
    add_measures(evaluation["properties"]["intervals"], "ends")
    return schema


def texts() -> dict[Path, str]:
    """The content of each file."""
    every = {
        "model": calibration_schema(),
        "fusion": fusion_schema(),
        "answers": answers_schema(),
    }
    return {
        HERE / f"{name}.schema.json": json.dumps(schema, indent=1) + "\n"
        for name, schema in every.items()
    }


if __name__ == "__main__":
    for path, text in texts().items():
        path.write_text(text, "utf-8")
