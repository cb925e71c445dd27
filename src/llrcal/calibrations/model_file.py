"""Model files: one JSON object, written atomically and checked field by field when read.

docs/model-files.md describes the format, and docs/model.schema.json is its schema. Every version of
llrcal can read the files of all earlier versions.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from llrcal.calibrations.adapted import Adapted
from llrcal.calibrations.bounds import POLICIES, Bounds
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.conditioned import Conditioned
from llrcal.calibrations.conditions import Conditions
from llrcal.calibrations.fields import Fields, quoted
from llrcal.calibrations.intervals import Margins
from llrcal.calibrations.methods import METHODS, class_of
from llrcal.errors import ModelFileError
from llrcal.files.atomic import write_atomically
from llrcal.fitting.report import Report
from llrcal.messages import Setting
from llrcal.method_table import TABLE
from llrcal.notes import Note
from llrcal.version import __version__

FORMAT = "llrcal calibration"
FUSION = "llrcal fusion"
VERSION = 2
_LARGEST_FILE = 64 * 2**20  # bytes; a PAV model of a million steps is smaller
_MOST_DIGITS = 400  # of an integer; more than any double has


def save(
    calibration: Calibration, path: str | PathLike[str], conditions: Conditions | None = None
) -> None:
    """Write a calibration to a file; a file is never left half written."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": f"llrcal {__version__}",
        "method": calibration.method,
        "training": {"tar": calibration.tar_count, "non": calibration.non_count},
        "lower_is_better": calibration.lower_is_better,
        "bounds": _in_use(asdict(calibration.bounds)),
        "model": calibration.to_model(),
        **({} if calibration.margins is None else {"margins": calibration.margins.to_model()}),
        "report": dict(calibration.report),
    }
    if calibration.adapted is not None:
        document["adapted"] = calibration.adapted.to_dict()
    if conditions is not None:
        document["conditions"] = conditions.to_model()
    # JSON uses the repr of a double, which reads back as the same double.
    text = json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False)
    write_atomically(path, (text + "\n").encode())


def load(path: str | PathLike[str]) -> Calibration:
    """Read a calibration of all trials, whatever their condition.

    Raises
    ------
    ModelFileError
        If this is not one, or anything in the file is missing, unknown or out of range.
    """
    found = load_calibration(path)
    if isinstance(found, Calibration):
        return found
    raise ModelFileError(
        f"{fspath(path)}: is a calibration by condition, and this needs one that is the same for "
        "all trials: train it without ",
        Setting("condition"),
    )


def load_calibration(path: str | PathLike[str]) -> Calibration | Conditioned:
    """Read a calibration, which may be one by condition."""
    name = fspath(path)
    document = Fields(parsed(name), name)
    kind = document.text("format")
    if kind == FUSION:
        raise document.error("format", "says that this is a fusion of systems; give a calibration")
    if kind != FORMAT:
        raise document.error("format", f"must be {FORMAT!r}: this is not a model file of llrcal")
    version = document.count("version")
    if not 1 <= version <= VERSION:
        raise document.error("version", f"is {version}; this llrcal reads versions 1 to {VERSION}")
    document.text("written_by")
    method = document.text("method")
    if method not in METHODS:
        raise document.error("method", f"is {quoted(method)}, not one of {', '.join(METHODS)}")
    parts = ("training", "bounds", "model", "report")
    training, bounds, model, report = (document.section(part) for part in parts)
    calibration = _class(method, model).from_model(
        model,
        margins=document.optional("margins", Margins.from_model),
        tar_count=training.count("tar", least=1),
        non_count=training.count("non", least=1),
        lower_is_better=document.flag("lower_is_better"),
        bounds=_bounds(bounds, version),
        report=report_of(report),
        adapted=document.optional("adapted", Adapted.from_fields),
    )
    by = document.optional("conditions", Conditions.from_model)
    for part in (document, training, bounds, model, report):
        part.done()
    return calibration if by is None else Conditioned(calibration, by)


def _in_use(bounds: dict[str, Any]) -> dict[str, Any]:
    """Bounds without those of LLRs, unless the policy has them."""
    return {k: v for k, v in bounds.items() if v is not None or not k.endswith("_llr")}


def _class(method: str, model: Fields) -> type[Calibration]:
    """The class of a method, or the one that integrates its parameters out."""
    if "bayes" not in model or not TABLE[method].bayes:
        return METHODS[method]
    if not model.flag("bayes"):
        raise model.error("bayes", "must be true, or left out")
    return class_of(method, bayes=True)


def _bounds(fields: Fields, version: int) -> Bounds:
    policy = fields.text("policy")
    if policy not in POLICIES:
        raise fields.error("policy", f"is {quoted(policy)}, not one of {', '.join(POLICIES)}")
    lowest, highest = fields.number("lowest_score"), fields.number("highest_score")
    if lowest > highest:
        raise fields.error("highest_score", f"is {highest}, below the lowest score, {lowest}")
    llrs: dict[str, float] = {}
    if policy == "elub":
        llrs = {
            "least_llr": fields.not_positive("least_llr"),
            "greatest_llr": fields.not_negative("greatest_llr"),
        }
    if version == 1:  # which knew no soft ends, and let LLRs fall
        return Bounds(policy, lowest, highest, **llrs)
    meeting = fields.number_or_null("meeting")
    if meeting is not None and not lowest <= meeting <= highest:
        raise fields.error("meeting", f"is {meeting}, not between {lowest} and {highest}")
    return Bounds(policy, lowest, highest, fields.number("soft_end"), meeting, **llrs)


def report_of(fields: Fields) -> Report:
    """The report that a section of a model file holds."""
    return Report(
        converged=fields.flag("converged"),
        reason=fields.text("reason"),
        iterations=fields.count("iterations"),
        objective=fields.number("objective"),
        gradient_norm=fields.not_negative("gradient_norm"),
        saddles_escaped=fields.count("saddles_escaped"),
        positive_definite=fields.flag("positive_definite"),
        notes=tuple(Note.of("saved", text) for text in fields.texts("notes")),
    )


def parsed(name: str) -> Any:
    """The JSON value in a file, which is not too large, and has no field twice in one object."""
    try:
        with Path(name).open("rb") as file:
            raw = file.read(_LARGEST_FILE + 1)
    except OSError as problem:
        raise ModelFileError(f"{name}: cannot be read: {problem.strerror}") from problem
    if len(raw) > _LARGEST_FILE:
        raise ModelFileError(
            f"{name}: is not a model file: it is larger than {_LARGEST_FILE} bytes"
        )
    try:
        return json.loads(
            raw.decode("utf-8"), parse_int=_whole_number, object_pairs_hook=_no_duplicates
        )
    except (ValueError, RecursionError) as problem:
        raise ModelFileError(
            f"{name}: is no model of llrcal: it is not a JSON document: {problem}"
        ) from problem


def _whole_number(digits: str) -> float:
    """An integer, or infinity if it is absurdly long; the check of its field then reports it.

    NaN and infinity are not JSON, but Python reads them; they are reported in the same way.
    """
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, value in pairs:
        if name in out:
            raise ValueError(f"field {quoted(name)} occurs twice in one object")
        out[name] = value
    return out
