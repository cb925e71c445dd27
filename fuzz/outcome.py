"""What came of fuzzing a target, as its log tells it."""

from __future__ import annotations

import hashlib
import re
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path

FOUND = Path(__file__).parent / "found"
"""Where findings are put, in a folder for each target; not committed."""
FINDING, PEAK = "FINDING", "PEAK"
"""Lines of a log that begin so tell of a finding, and of the most megabytes taken so far."""


def kind_of(problem: Exception) -> str:
    """A word for what findings of one cause have in common: the lines that raised them."""
    lines = traceback.extract_tb(problem.__traceback__)[-3:]
    kind = type(problem).__name__, *((Path(line.filename).name, line.lineno) for line in lines)
    return hashlib.sha256(repr(kind).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Outcome:
    """How long a target was tried, how far that went, and what was found."""

    target: str
    seconds: int
    runs: int
    coverage: int
    new_inputs: int
    findings: int
    peak_megabytes: int

    @classmethod
    def of(cls, log: str, *, target: str, seconds: float, deaths: int) -> Outcome:
        """From a log with one part for each start; each death is a finding that libFuzzer keeps."""

        def numbers(pattern: str) -> list[int]:
            return [int(number) for number in re.findall(pattern, log, re.MULTILINE)] or [0]

        return cls(
            target,
            round(seconds),
            runs=sum(numbers(r"^stat::number_of_executed_units: *(\d+)")),
            coverage=max(numbers(r"\bcov: (\d+)")),
            new_inputs=sum(numbers(r"^stat::new_units_added: *(\d+)")),
            findings=len(set(re.findall(rf"^{FINDING} (\S+)", log, re.MULTILINE))) + deaths,
            peak_megabytes=max(numbers(rf"^{PEAK} (\d+)$")),
        )


def table(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """The lines of a table with a row for each target."""
    headings = tuple(field.name.replace("_", " ") for field in fields(Outcome))
    for target, *numbers in (headings, *map(astuple, outcomes)):
        yield f"{target:<10}" + "".join(f"{number:>16}" for number in numbers)
