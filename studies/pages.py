"""Pages whose numbers come from the records of studies.

Two marks, which no reader sees, say where a number is from:

    <!-- one_for_all 1 -->          above a table: it is the first table of that record
    2.98<!-- one_for_all 1 | mean of all | smooth -->   behind a number: it is this cell
    3.0<!-- one_for_all 1 | mean of all | smooth | .1f -->   the same, rounded further
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from studies.records import DATA, ROOT, RecordError, Table, load, recorded

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
MEASURED = ROOT / "docs" / "studies" / "measured.md"
_A_NUMBER = r"[-\u2212+]?[\d.,]*\d"  # with a hyphen or with a minus sign
_TABLE = re.compile(
    r"(?P<mark><!-- (?P<name>\w+) (?P<table>\d+) -->)\n+(?P<shown>(?:\|[^\n]*(?:\n|$))*)"
)
_NUMBER = re.compile(
    rf"(?P<shown>{_A_NUMBER})(?P<mark><!-- (?P<name>\w+) (?P<table>\d+) \| (?P<row>[^|>]+) \| "
    r"(?P<column>[^|>]+?)(?: \| (?P<format>[^|>]+))? -->)"
)
_HEAD = """# When, where and how it was measured

Tables and numbers of these pages are filled from what studies printed, which is kept in
`docs/studies/data`. A test fails where a page says otherwise. `make evidence-check` names the
studies whose code has changed since they were run, and `make evidence` runs all of them again.

"""


@dataclass(frozen=True)
class Difference:
    """Something that a page says, and its record does not."""

    page: Path
    line: int
    source: str
    shown: str
    recorded: str

    def __str__(self) -> str:
        return (
            f"{self.page.relative_to(ROOT)}, line {self.line}: {self.shown!r:.60} is "
            f"{self.recorded!r:.60} in {self.source}"
        )


def filled(text: str) -> str:
    """A page with what the records say."""
    text = _TABLE.sub(lambda mark: f"{mark['mark']}\n{_table(mark)}\n", text)
    return _NUMBER.sub(lambda mark: _number(mark) + mark["mark"], text)


def differences(page: Path, text: str) -> Iterator[Difference]:
    """What a page says otherwise than the records."""
    for pattern, said in ((_TABLE, _table), (_NUMBER, _number)):
        for mark in pattern.finditer(text):
            shown, recorded = mark["shown"].rstrip("\n"), said(mark)
            if shown == recorded:
                continue
            source = f"docs/studies/data/{mark['name']}.json, table {mark['table']}"
            line = text.count("\n", 0, mark.start("shown")) + 1
            if pattern is _NUMBER:
                source += f", {mark['row']}, {mark['column']}"
                yield Difference(page, line, source, shown, recorded)
                continue
            lines = shown.split("\n"), recorded.split("\n")
            for number, (one, other) in enumerate(zip(*lines, strict=False)):
                if one != other:
                    yield Difference(page, line + number, source, one, other)
            if len(lines[0]) != len(lines[1]):
                counts = [f"{len(one)} lines" for one in lines]
                yield Difference(page, line, source, *counts)


def sources(text: str) -> list[tuple[str, str]]:
    """The records and tables that a page is filled from."""
    marks = [*_TABLE.finditer(text), *_NUMBER.finditer(text)]
    return sorted({(mark["name"], mark["table"]) for mark in marks})


def measured(folder: Path = DATA) -> str:
    """The page that says when, where and how everything was measured."""
    found: dict[str, set[str]] = {}
    for page in PAGES:
        place = page.relative_to(ROOT / "docs") if page.is_relative_to(ROOT / "docs") else page.name
        for name, _ in sources(page.read_text()):
            found.setdefault(name, set()).add(str(place))
    rows = []
    for name in recorded(folder):
        one = load(name, folder)
        where = ", ".join(f"{one.machine[key]}" for key in ("processor", "python", "numpy"))
        cores = f"{one.machine['cores']} cores"
        pages = ", ".join(sorted(found.get(name, ())))
        cells = (f"`{one.command}`", one.date, one.commit, f"{one.seconds / 60:.1f}", cores, where)
        rows.append((*cells, pages))
    columns = ("command", "date", "commit", "minutes", "cores", "processor, Python, NumPy", "pages")
    return _HEAD + Table(columns, tuple(rows)).markdown + "\n"


def _table(mark: re.Match[str]) -> str:
    return load(mark["name"]).table(mark["table"]).markdown


def _number(mark: re.Match[str]) -> str:
    try:
        cell = load(mark["name"]).table(mark["table"]).cell(mark["row"], mark["column"])
    except RecordError as problem:
        raise RecordError(f"{mark['mark']}: {problem}") from None
    found = re.search(_A_NUMBER, cell)
    if found is None:
        raise RecordError(f"{mark['mark']}: {cell!r} has no number")
    if not mark["format"]:
        return found[0]
    value = float(found[0].replace(",", "").replace("\u2212", "-"))
    return format(value, mark["format"])
