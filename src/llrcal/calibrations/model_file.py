"""Model files: one JSON object, signed, written atomically and checked field by field when read.

docs/model-files.md describes the format. What it holds is declared by dataclasses
(:mod:`llrcal.declaration`): here for the whole file, beside each method for its parameters.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Annotated, Any

from llrcal.calibrations.adapted import Adapted
from llrcal.calibrations.bounds import Bounds, TrainedOn
from llrcal.calibrations.conditions import Conditions
from llrcal.calibrations.portrait import Portrait
from llrcal.calibrations.uncertainty import Margins
from llrcal.declaration import (
    ALWAYS,
    Checksum,
    Stored,
    field_error,
    is_signed,
    quoted,
    schema,
    signed,
    to_json,
)
from llrcal.errors import ModelFileError
from llrcal.files.atomic import write_atomically
from llrcal.files.marks import MODEL
from llrcal.files.names import given_name
from llrcal.files.overwriting import tell_input
from llrcal.fitting.report import Report
from llrcal.method_table import TABLE
from llrcal.version import __version__

FORMAT = "llrcal calibration"
FUSION = "llrcal fusion"
VERSIONS = {FORMAT: 3, FUSION: 2}
"""Those that are written, which are the first that have a checksum."""
_LARGEST_FILE = 64 * 2**20  # bytes; a PAV model of a million steps is smaller
_MOST_DIGITS = 400  # of an integer; more than any double has


def _our_format(kind: str) -> str:
    if kind == FUSION:
        raise ValueError("says that this is a fusion of systems; give a calibration")
    if kind != FORMAT:
        raise ValueError(f"must be {FORMAT!r}: this is not a model file of llrcal")
    return kind


def _known_method(method: str) -> str:
    if method not in TABLE:
        raise ValueError(f"is {quoted(method)}, not one of {', '.join(TABLE)}")
    return method


@dataclass(frozen=True, kw_only=True)
class CalibrationFile:
    """What a model file of a calibration holds, beside the parameters of its method."""

    format: Annotated[
        str, Stored(read=_our_format, always=True), schema(const=FORMAT), "What this is."
    ] = FORMAT
    version: Annotated[int, schema(enum=(VERSIONS[FORMAT],)), ALWAYS, "Version of this format."] = (
        VERSIONS[FORMAT]
    )
    written_by: Annotated[str, ALWAYS, "Which program wrote the file. It is not interpreted."] = (
        f"llrcal {__version__}"
    )
    method: Annotated[
        str,
        Stored(read=_known_method),
        "What the model is; it decides on the fields of model.",
    ]
    training: Annotated[TrainedOn, "What it was trained on."]
    lower_is_better: Annotated[
        bool,
        "Whether scores are distances: they are negated before all else, and bounds and model "
        "refer to negated scores.",
    ]
    bounds: Annotated[
        Bounds,
        "What becomes of scores beyond the training scores, of LLRs beyond what these support, and "
        "of LLRs that would fall.",
    ]
    model: Annotated[dict[str, Any], "The parameters, by method."]
    margins: Annotated[
        Margins | None,
        "How sure LLRs are: standard deviations of the LLR, before it is bounded, downwards and "
        "upwards. LLRs do not depend on them. An adapted calibration has none.",
    ] = None
    portrait: Annotated[
        Portrait | None,
        "What the training scores of both classes looked like. LLRs do not depend on it. There is "
        "none if some were infinite.",
    ] = None
    report: Annotated[Report, "How the fit went. It takes no part in LLRs."]
    adapted: Annotated[
        Adapted | None,
        "What was found when the calibration was adapted to the field. Where it has scores and "
        "LLRs, these hold in place of the model; LLRs do not depend on the rest.",
    ] = None
    conditions: Annotated[
        Conditions | None,
        "Slope and offset of the LLR for each condition, if there are conditions.",
    ] = None
    checksum: Checksum = None


def encoded(whole: Any) -> bytes:
    """What a model file holds, signed, as JSON."""
    # JSON uses the repr of a double, which reads back as the same double.
    try:
        text = json.dumps(signed(to_json(whole)), indent=1, allow_nan=False, ensure_ascii=False)
    except ValueError:  # which JSON raises
        raise ModelFileError(
            "the model cannot be saved: some of its numbers are not finite, so that it has no LLRs "
            "for some scores. Train it without scores that are far from all others, or use smooth"
        ) from None
    return (text + "\n").encode()


def write(whole: Any, path: str | PathLike[str]) -> None:
    """Write what a model file holds; a file is never left half written."""
    write_atomically(path, encoded(whole), MODEL)


def document_in(name: str, *, edited: bool = False) -> Any:
    """The JSON value in a file that is as it was saved, or was ``edited`` on purpose.

    Only files that are no models of llrcal may have no checksum.
    """
    document = _parsed(name)
    if not isinstance(document, dict):
        return document
    newest, version = VERSIONS.get(str(document.get("format"))), document.get("version")
    if newest and type(version) is int and version != newest:
        wrong = f"is {version}; this llrcal reads version {newest}: "
        remedy = "install a newer one" if version > newest else "train it again"
        raise field_error(name, "version", wrong + remedy)
    if newest and not edited and not is_signed(document):
        raise ModelFileError(
            f"{name}: was changed since it was saved: restore it from a copy, or train it again; "
            "if it was edited on purpose, sign it again: llrcal sign MODEL"
        )
    return document


def _parsed(name: str) -> Any:
    """The JSON value in a file, which is not too large, and has no field twice in one object."""
    tell_input(given_name(name))
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
