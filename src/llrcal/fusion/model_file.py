"""Fusions as model files: docs/model-files.md describes them.

They are declared, written and read as those of calibrations are
(:mod:`llrcal.calibrations.model_file`).
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from typing import Annotated, Any

from llrcal.calibrations.conditions import Conditions
from llrcal.calibrations.model_file import FUSION, Counts, load_calibration, parsed, write
from llrcal.declaration import Stored, Weight, field_error, from_json, schema
from llrcal.fitting.report import Report
from llrcal.fusion.fused import Fused, Limit
from llrcal.fusion.line import Line
from llrcal.version import __version__

VERSION = 1
_Name = Annotated[str, schema(minLength=1)]


def _our_format(kind: str) -> str:
    if kind != FUSION:
        raise ValueError(f"must be {FUSION!r}: this is not a fusion of llrcal")
    return kind


def _known_version(version: int) -> int:
    if version != VERSION:
        raise ValueError(f"is {version}; this llrcal reads version {VERSION}")
    return version


@dataclass(frozen=True, kw_only=True)
class FusionFile:
    """What a model file of a fusion holds."""

    format: Annotated[str, Stored(read=_our_format), schema(const=FUSION), "What this is."]
    version: Annotated[
        int, Stored(read=_known_version), schema(const=VERSION), "Version of this format."
    ]
    written_by: Annotated[str, "Which program wrote the file. It is not interpreted."]
    systems: Annotated[
        tuple[_Name, ...],
        schema(minItems=1, uniqueItems=True),
        "Names of the systems, each once.",
    ]
    quality: Annotated[
        tuple[_Name, ...],
        schema(uniqueItems=True),
        "Names of the columns of side information, each once.",
    ]
    training: Annotated[Counts, "What it was trained on."]
    alpha: Weight
    missing: Annotated[bool, "Whether scores may be missing."]
    bounds: Annotated[
        Limit,
        "range: no more than the clipping of columns; counts: LLRs also keep to what the number of "
        "trials supports.",
    ]
    lines: Annotated[
        tuple[Line, ...],
        schema(minItems=1),
        "A weighted sum for each set of systems that may be there.",
    ]
    conditions: Annotated[
        Conditions | None, "Slope and offset for each condition, if there are conditions."
    ] = None
    report: Annotated[Report, "How the fit went. It takes no part in LLRs."]

    def check(self, where: str) -> None:
        """Refuse lines that do not go with the systems."""
        patterns = [line.systems for line in self.lines]
        if len(set(patterns)) < len(patterns):
            raise field_error(where, "lines", "must be one for each set of systems")
        if {system for pattern in patterns for system in pattern} != set(range(len(self.systems))):
            raise field_error(where, "lines", "must have every system, and no others")
        for line in self.lines:
            for name, columns, count in (
                ("scores", line.scores, len(line.systems)),
                ("quality", line.quality, len(self.quality)),
            ):
                if len(columns.unit) != count:
                    problem = f"has {len(columns.unit)} {name} in a line; there must be {count}"
                    raise field_error(where, "lines", problem)


def save(fused: Fused, path: str | PathLike[str]) -> None:
    """Write a fusion to a file; a file is never left half written."""
    whole = FusionFile(
        format=FUSION,
        version=VERSION,
        written_by=f"llrcal {__version__}",
        systems=fused.names,
        quality=fused.quality_names,
        training=Counts(fused.tar_count, fused.non_count),
        alpha=fused.alpha,
        missing=fused.missing,
        bounds=fused.bounds,
        lines=fused.lines,
        conditions=fused.conditions,
        report=fused.report,
    )
    write(whole, path)


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
    whole: FusionFile = from_json(FusionFile, parsed(fspath(path)), fspath(path))
    return Fused(
        names=whole.systems,
        quality_names=whole.quality,
        tar_count=whole.training.tar,
        non_count=whole.training.non,
        alpha=whole.alpha,
        lines=whole.lines,
        missing=whole.missing,
        conditions=whole.conditions,
        bounds=whole.bounds,
        report=whole.report,
    )
