"""A fusion: a frozen map from the scores of several systems to log-likelihood-ratios.

What a model file of it holds is declared here, as that of calibrations is beside each method; it is
written and read by :mod:`llrcal.calibrations.model_file`. docs/model-files.md describes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from os import PathLike
from typing import Annotated, Any, Literal, NamedTuple, get_args

import numpy as np

from llrcal.arrays import Array, Bools, Floats
from llrcal.calibrations.bounds import TrainedOn, more_than_a_few, supported_llrs
from llrcal.calibrations.conditions import Conditions
from llrcal.calibrations.model_file import FUSION, VERSIONS, write
from llrcal.calibrations.uncertainty import By
from llrcal.declaration import (
    GREATEST_LLR,
    Checksum,
    NotNegative,
    Stored,
    field_error,
    from_json,
    schema,
    to_json,
)
from llrcal.declaration import Weight as TargetWeight
from llrcal.errors import OptionError
from llrcal.fitting.report import Report
from llrcal.fusion.inputs import Scores, as_columns, as_quality
from llrcal.fusion.sample import CHUNK
from llrcal.fusion.terms import Columns, Terms
from llrcal.inputs.beside_scores import as_conditions
from llrcal.messages import Setting
from llrcal.notebook import html_table
from llrcal.notes import Note, warn
from llrcal.onepass.chunks import chunks
from llrcal.version import __version__

Limit = Literal["counts", "range"]
LIMITS: tuple[Limit, ...] = get_args(Limit)
_Name = Annotated[str, schema(minLength=1)]


@dataclass(frozen=True)
class Line:
    """LLR = height + the sum of weights times terms."""

    systems: Annotated[
        tuple[int, ...],
        schema(minItems=1, rising=True),
        "Which systems of the fusion, counted from 0, in rising order.",
    ]
    scores: Annotated[Columns, "How scores are standardised."]
    quality: Annotated[Columns, "How side information is standardised."]
    weights: Annotated[
        tuple[float, ...],
        schema(minItems=2),
        "Of the standardised scores, of side information, of their products (all systems for the "
        "first column of side information, then for the next), and the height.",
    ]
    margins: Annotated[
        tuple[NotNegative, ...],
        schema(as_many_as="weights"),
        "Half the width of the 95 % interval of each weight. LLRs do not depend on them.",
    ]
    variances: Annotated[
        tuple[NotNegative, ...],
        schema(minItems=1),
        "Of the prior of each weight but the height. LLRs do not depend on them.",
    ]
    by: Annotated[
        str,
        schema(enum=get_args(By)),
        "What intervals take to be independent: each trial, or each speaker.",
    ]

    @cached_property
    def terms(self) -> Terms:
        """What is weighted."""
        return Terms(self.scores, self.quality)

    def check(self, where: str) -> None:
        """Refuse lists of a model file that are not as long as the terms ask for, or too large."""
        if len(self.weights) != self.terms.count:
            text = f"has {len(self.weights)} values; there must be {self.terms.count}"
            raise field_error(where, "weights", text)
        both = self.scores, self.quality
        ends = [[end for columns in both for end in columns.lowest]]
        ends += [[end for columns in both for end in columns.highest]]
        with np.errstate(all="ignore"):
            size = np.abs(np.array(self.weights) * self.terms.largest).sum()
            is_finite = np.isfinite(self.llrs(np.array(ends))).all()
        if not (is_finite and size <= GREATEST_LLR):
            raise field_error(where, "weights", "do not go with the columns: LLRs are not finite")

    def llrs(self, trials: Array) -> Floats:
        """LLRs of trials with all of these systems and no others."""
        out = np.empty(len(trials))
        for llrs, some in zip(chunks(out, CHUNK), chunks(trials, CHUNK), strict=True):
            # One row after the other, so that no trial depends on those beside it.
            llrs[:] = sum(map(np.multiply, self.weights, self.terms.rows(some)))
        return out

    @property
    def by_term(self) -> list[Weight]:
        """What one unit of each term adds to the LLR; the last is that of one."""
        both = np.array(self.weights), np.array(self.margins)
        middle, margin = (self.terms.per_unit * numbers for numbers in both)
        ends = np.stack([middle, middle - margin, middle + margin], axis=1)
        return [Weight(*row) for row in ends.tolist()]


class Weight(NamedTuple):
    """What one unit of a score, or of side information, adds to the LLR."""

    value: float
    low: float
    high: float
    """Ends of the 95 % interval."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Fused:
    """A fitted fusion: call it on the scores of all systems to get natural-log LLRs."""

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
    training: Annotated[TrainedOn, "What it was trained on."]
    alpha: TargetWeight
    missing: Annotated[bool, "Whether scores may be missing."]
    bounds: Annotated[
        Limit,
        "counts: LLRs keep to what trials and their speakers support; range: no more than the "
        "clipping of columns.",
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

    @property
    def method(self) -> str:
        """The same for all fusions, as calibrations have theirs."""
        return "fusion"

    @property
    def description(self) -> str:
        """What it is, in words."""
        return f"a weighted sum of the scores of {', '.join(self.systems)}"

    @property
    def parameters(self) -> float:
        """How many numbers it learned."""
        return len(self.lines[0].weights)

    @property
    def names(self) -> tuple[str, ...]:
        """The systems, in the order of the columns of scores."""
        return self.systems

    @property
    def tar_count(self) -> int:
        return self.training.tar

    @property
    def non_count(self) -> int:
        return self.training.non

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

    def __call__(
        self, scores: Scores, *, quality: Scores | None = None, condition: Any | None = None
    ) -> Floats:
        """Log-likelihood-ratios of trials, in nats.

        Parameters
        ----------
        scores
            Trials x systems, in the order of ``names``; or the scores of each system by its name.
            Missing ones are NaN, if the fusion was trained with ``missing="patterns"``.
        quality, condition
            Side information and condition of each trial, as in training.

        Raises
        ------
        ScoreError
            If a system is missing or unknown, a score is NaN, or there is not one value a trial.
        OptionError
            If the fusion needs side information or conditions, or does not know any.

        Warns
        -----
        LlrcalWarning
            If conditions were not there in training, many scores lie beyond those of training, or
            no system has a score for a trial, whose LLR is then zero.
        """
        llrs, notes = self.answers(scores, quality=quality, condition=condition)
        warn(notes)
        return llrs

    def answers(
        self, scores: Scores, *, quality: Scores | None = None, condition: Any | None = None
    ) -> tuple[Floats, tuple[Note, ...]]:
        """LLRs, and what should be known of them, for callers that handle the notes themselves."""
        matrix = as_columns(scores, self.names, "the scores", may_miss=self.missing, infinite=True)
        for name, value, known in (
            ("quality", quality, bool(self.quality)),
            ("condition", condition, self.conditions is not None),
        ):
            if known != (value is not None):
                how, what = ("with", "give it here, too") if known else ("without", "leave it out")
                raise OptionError(f"the fusion was trained {how} ", Setting(name), f"; {what}")
        trials = matrix
        if quality is not None:
            side = as_quality(quality, self.quality, len(matrix), "the")
            trials = np.column_stack([matrix, side])
        llrs, without = self.pooled_llrs(trials)
        notes = [*self._beyond(matrix)]
        if without.any():
            share = f"{int(without.sum()):,} of {len(without):,} trials"
            notes.insert(0, Note.warning("no score", f"{share} have no score of any system: LLR 0"))
        if self.conditions is not None:
            which = as_conditions(condition, len(matrix), "the", may_miss=True)
            moved, unseen = self.conditions(llrs, which)
            llrs = np.where(without, 0.0, moved)
            notes += unseen
        return self._bounded(llrs), tuple(notes)

    def pooled_llrs(self, trials: Array) -> tuple[Floats, Bools]:
        """LLRs before conditions and bounds, and which trials have no score at all."""
        if not self.missing:
            return self.lines[0].llrs(trials), np.zeros(len(trials), bool)
        out = np.zeros(len(trials))
        left = np.ones(len(trials), bool)
        has, side = ~np.isnan(trials), range(len(self.systems), trials.shape[1])
        for line in sorted(self.lines, key=lambda line: -len(line.systems)):
            chosen = left & has[:, line.systems].all(axis=1)
            out[chosen] = line.llrs(trials[chosen][:, [*line.systems, *side]])
            left &= ~chosen
        return out, left

    def _bounded(self, llrs: Floats) -> Floats:
        if self.bounds == "range":
            return llrs
        ends = supported_llrs(self.tar_count, self.non_count, self.training.speakers)
        return np.clip(llrs, *ends)

    def _beyond(self, scores: Array) -> Iterator[Note]:
        for name, (low, high), column in zip(self.systems, self.reach, scores.T, strict=True):
            count = int(((column < low) | (column > high)).sum())
            if more_than_a_few(count, len(column)):
                yield Note.warning(
                    "beyond",
                    f"{count:,} of {len(column):,} scores lie beyond those of training, from "
                    f"{low:.4g} to {high:.4g}; are these scores of that system?",
                ).about(name)

    @property
    def reach(self) -> tuple[tuple[float, float], ...]:
        """Least and greatest training score of each system."""
        ends: list[list[float]] = [[] for _ in self.systems]
        for line in self.lines:
            for place, system in enumerate(line.systems):
                ends[system] += line.scores.lowest[place], line.scores.highest[place]
        return tuple((min(both), max(both)) for both in ends)

    @property
    def weights(self) -> dict[str, Weight]:
        """What one unit of each score and of side information adds to the LLR, with intervals.

        A product is named after both, and added per unit of both; other weights are then those of
        a trial whose other columns are at their centre, which is half-way between the means of
        both classes.
        """
        line = self.lines[0]
        names = line.terms.names([self.systems[system] for system in line.systems], self.quality)
        return dict(zip(names, line.by_term, strict=False))

    @property
    def offset(self) -> Weight:
        """The LLR of a trial whose columns are at their centre, with its interval."""
        return self.lines[0].by_term[-1]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fusion to a JSON file; a file is never left half written."""
        header = {
            "format": FUSION,
            "version": VERSIONS[FUSION],
            "written_by": f"llrcal {__version__}",
        }
        write(header | to_json(self), path)

    def _repr_html_(self) -> str:
        rows: dict[str, Any] = {
            "targets": self.tar_count,
            "non-targets": self.non_count,
            "fit": ("" if self.report.converged else "not converged: ") + self.report.reason,
            "offset": self.offset.value,
        }
        rows |= {
            f"weight of {name}": f"{weight.value:.4g} ({weight.low:.4g} to {weight.high:.4g})"
            for name, weight in self.weights.items()
        }
        return html_table("Fusion", rows, map(str, self.report.notes))

    def __repr__(self) -> str:
        return (
            f"<fusion of {', '.join(self.names)} on {self.tar_count} target and {self.non_count} "
            f"non-target trials: {self.report.reason}>"
        )


def _our_format(kind: str) -> str:
    if kind != FUSION:
        raise ValueError(f"must be {FUSION!r}: this is not a fusion of llrcal")
    return kind


@dataclass(frozen=True, kw_only=True, repr=False)
class FusionFile(Fused):
    """What a model file of a fusion holds."""

    format: Annotated[str, Stored(read=_our_format), schema(const=FUSION), "What this is."]
    version: Annotated[
        int,
        schema(enum=(VERSIONS[FUSION],)),
        "Version of this format.",
    ]
    written_by: Annotated[str, "Which program wrote the file. It is not interpreted."]
    checksum: Checksum = None


def fusion_in(document: Any, name: str) -> Fused:
    """The fusion in a file."""
    whole = from_json(FusionFile, document, name)
    return Fused(**{field.name: getattr(whole, field.name) for field in fields(Fused)})
