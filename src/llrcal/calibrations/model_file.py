"""Calibrations on disk: one JSON object, read with suspicion and written atomically."""

from __future__ import annotations

import json
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.fields import Fields
from llrcal.calibrations.methods import METHODS
from llrcal.errors import ModelFileError
from llrcal.files import write_atomically
from llrcal.fit_report import Report
from llrcal.version import __version__

FORMAT = "llrcal calibration"
VERSION = 1
_LARGEST_FILE = 64 * 2**20  # bytes; a PAV model of a million steps is smaller


def save(calibration: Calibration, path: str | PathLike[str]) -> None:
    """Write a calibration to a file; the file appears whole or not at all."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": f"llrcal {__version__}",
        "method": calibration.method,
        "training": {"tar": calibration.tar_count, "non": calibration.non_count},
        "model": calibration.to_model(),
        "report": dict(calibration.report),
    }
    # repr of a double reads back as the same double, so nothing is lost.
    text = json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False)
    write_atomically(path, (text + "\n").encode())


def load(path: str | PathLike[str]) -> Calibration:
    """Read a calibration that :meth:`Calibration.save` wrote.

    Raises
    ------
    ModelFileError
        If the file is not such a file, or anything in it is missing, unknown or out of range.
    """
    name = fspath(path)
    document = Fields(_parsed(name), name)
    if document.text("format") != FORMAT:
        raise document.error("format", f"must be {FORMAT!r}: this is not a calibration of llrcal")
    version = document.count("version")
    if version != VERSION:
        raise document.error("version", f"is {version}; this llrcal reads version {VERSION}")
    document.text("written_by")
    method = document.text("method")
    if method not in METHODS:
        raise document.error("method", f"is {method!r}, not one of {', '.join(METHODS)}")
    training, model, report = (document.section(part) for part in ("training", "model", "report"))
    calibration = METHODS[method].from_model(
        model,
        tar_count=training.count("tar"),
        non_count=training.count("non"),
        report=_report(report),
    )
    for part in (document, training, model, report):
        part.done()
    return calibration


def _report(fields: Fields) -> Report:
    return Report(
        converged=fields.flag("converged"),
        reason=fields.text("reason"),
        iterations=fields.count("iterations"),
        objective=fields.number("objective"),
        gradient_norm=fields.not_negative("gradient_norm"),
        saddles_escaped=fields.count("saddles_escaped"),
        positive_definite=fields.flag("positive_definite"),
        notes=fields.texts("notes"),
    )


def _parsed(name: str) -> Any:
    try:
        with Path(name).open("rb") as file:
            raw = file.read(_LARGEST_FILE + 1)
    except OSError as problem:
        raise ModelFileError(f"{name}: cannot be read: {problem.strerror}") from problem
    if len(raw) > _LARGEST_FILE:
        raise ModelFileError(f"{name}: larger than {_LARGEST_FILE} bytes; not a model file")
    try:
        return json.loads(
            raw.decode("utf-8"),
            parse_constant=_no_constant,
            object_pairs_hook=_no_duplicates,
        )
    except (ValueError, RecursionError) as problem:
        raise ModelFileError(f"{name}: not a JSON document: {problem}") from problem


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not a JSON number")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, value in pairs:
        if name in out:
            raise ValueError(f"field {name!r} occurs twice in one object")
        out[name] = value
    return out
