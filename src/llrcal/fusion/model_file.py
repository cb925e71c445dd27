"""Fusions as model files: docs/model-files.md describes them, docs/fusion.schema.json is a schema.

They are written and read as those of calibrations are: see :mod:`llrcal.calibrations.model_file`.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from os import PathLike, fspath
from typing import Any

from llrcal.calibrations.conditions import Conditions
from llrcal.calibrations.fields import Fields, quoted
from llrcal.calibrations.model_file import FUSION, load_calibration, parsed, report_of
from llrcal.files.atomic import write_atomically
from llrcal.fusion.fused import LIMITS, Fused
from llrcal.fusion.line import Line
from llrcal.fusion.terms import Columns, Terms
from llrcal.version import __version__

VERSION = 1


def save(fused: Fused, path: str | PathLike[str]) -> None:
    """Write a fusion to a file; a file is never left half written."""
    document: dict[str, Any] = {
        "format": FUSION,
        "version": VERSION,
        "written_by": f"llrcal {__version__}",
        "systems": fused.names,
        "quality": fused.quality_names,
        "training": {"tar": fused.tar_count, "non": fused.non_count},
        "alpha": fused.alpha,
        "missing": fused.missing,
        "bounds": fused.bounds,
        "lines": [_line_document(line) for line in fused.lines],
    }
    if fused.conditions is not None:
        document["conditions"] = fused.conditions.to_model()
    document["report"] = dict(fused.report)
    text = json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False)
    write_atomically(path, (text + "\n").encode())


def _line_document(line: Line) -> dict[str, Any]:
    terms = {"scores": asdict(line.terms.scores), "quality": asdict(line.terms.quality)}
    others = ("weights", "margins", "variances", "by")
    return {"systems": line.systems, **terms, **{name: getattr(line, name) for name in others}}


def load(path: str | PathLike[str]) -> Any:
    """Read a model: a calibration, one by condition, or a fusion, whichever the file says it is.

    Returns
    -------
    Calibration, Conditioned or Fused
        Equal to the one that was saved.

    Raises
    ------
    ModelFileError
        If this is not a model file, or anything in it is missing, unknown or out of range.

    Examples
    --------
    >>> import llrcal
    >>> cal = llrcal.fit([2.1, 3.0, 1.7, 0.4], [-1.2, 0.1, -2.2, 0.9])
    >>> cal.save("model.json")
    >>> llrcal.load("model.json") == cal
    True
    """
    document = parsed(fspath(path))
    if isinstance(document, dict) and document.get("format") == FUSION:
        return load_fusion(path)
    return load_calibration(path)


def load_fusion(path: str | PathLike[str]) -> Fused:
    """Read a fusion."""
    name = fspath(path)
    document = Fields(parsed(name), name)
    if document.text("format") != FUSION:
        raise document.error("format", f"must be {FUSION!r}: this is not a fusion of llrcal")
    version = document.count("version")
    if version != VERSION:
        raise document.error("version", f"is {version}; this llrcal reads version {VERSION}")
    document.text("written_by")
    systems, quality = _names(document, "systems", least=1), _names(document, "quality", least=0)
    training, report = document.section("training"), document.section("report")
    bounds = document.text("bounds")
    if bounds not in LIMITS:
        raise document.error("bounds", f"is {quoted(bounds)}, not one of {', '.join(LIMITS)}")
    lines = tuple(_line(one, len(systems), len(quality)) for one in document.sections("lines"))
    _check_lines(document, lines, len(systems))
    fused = Fused(
        names=systems,
        quality_names=quality,
        tar_count=training.count("tar", least=1),
        non_count=training.count("non", least=1),
        alpha=document.weight("alpha"),
        lines=lines,
        missing=document.flag("missing"),
        conditions=document.optional("conditions", Conditions.from_model),
        bounds="counts" if bounds == "counts" else "range",
        report=report_of(report),
    )
    for part in (document, training, report):
        part.done()
    return fused


def _names(document: Fields, name: str, *, least: int) -> tuple[str, ...]:
    names = document.texts(name)
    if len(names) < least or len(set(names)) < len(names) or "" in names:
        raise document.error(name, "must be names, each of them once")
    return names


def _check_lines(document: Fields, lines: tuple[Line, ...], systems: int) -> None:
    patterns = [line.systems for line in lines]
    if not lines or len(set(patterns)) < len(lines):
        raise document.error("lines", "must be one for each set of systems")
    if {system for line in patterns for system in line} != set(range(systems)):
        raise document.error("lines", "must have every system")


def _line(fields: Fields, systems: int, quality: int) -> Line:
    chosen = fields.places("systems", systems)
    terms = Terms(
        _columns(fields.section("scores"), len(chosen)),
        _columns(fields.section("quality"), quality),
    )
    by = fields.text("by")
    if by not in ("trial", "speaker"):
        raise fields.error("by", f"is {quoted(by)}, not one of trial, speaker")
    size = terms.count + 1
    line = Line(
        chosen,
        terms,
        fields.numbers("weights", size),
        fields.not_negatives("margins", size),
        fields.not_negatives("variances", len(terms.groups)),
        by,
    )
    fields.done()
    return line


def _columns(fields: Fields, count: int) -> Columns:
    if not count:
        for name in ("centre", "unit", "lowest", "highest"):
            if fields.take(name) != []:
                raise fields.error(name, "must be an empty list")
        fields.done()
        return Columns((), (), (), ())
    columns = Columns(
        fields.numbers("centre", count),
        fields.not_negatives("unit", count),
        fields.numbers("lowest", count),
        fields.numbers("highest", count),
    )
    for low, high in zip(columns.lowest, columns.highest, strict=True):
        if low > high:
            raise fields.error("highest", f"has {high}, below the lowest, {low}")
    fields.done()
    return columns
