"""Pages whose numbers come from the records of studies.

Marks, which no reader sees, say where a number is from:

    <!-- one_for_all 1 -->          above a table: it is the first table of that record
    2.98<!-- one_for_all 1 | mean of all | smooth -->   behind a number: it is this cell
    3.0<!-- one_for_all 1 | mean of all | smooth | .1f -->   the same, rounded further
    <!-- measured.md -->            above a line that says when, where and on what that was measured
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from studies.catalogue import STUDIES
from studies.pictures import OUTPUTS, programs, shown, with_outputs
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
_WHEN = re.compile(r"(?P<mark><!-- (?P<page>[\w/]*measured\.md) -->)\n+(?P<shown>[^\n]*(?:\n|$))")
_ANY_MARK = re.compile(r"<!-- \w+ \d+\b[^>]*-->")
_A_TABLE = re.compile(r"(?:^\|[^\n]*(?:\n|$))+", re.MULTILINE)
# Pages, or parts of them, that programs and tests hold to the code without a record.
_BY_CODE = {
    "README.md": ("output of code", "tests/test_readme.py", "pytest tests/test_readme.py"),
    "docs/cli.md": ("all of it", "docs/cli.py", "python docs/cli.py"),
    "docs/how-it-works.md": (
        "outputs of code, and numbers in sentences",
        "docs/figures/how_it_works.py",
        "pytest tests/test_how_it_works.py",
    ),
    "docs/studies/hostile.md": ("all of it", "tests/hostile", "python -m tests.hostile.page"),
}
_HEAD = """# When, where and how it was measured

Tables and numbers of these pages are filled from what studies printed, which is kept in
`docs/studies/data`. A test fails where a page says otherwise. `make evidence-check` names the
studies whose code has changed since they were run, and `make evidence` runs all of them again.

"""
_ORIGINS = """
## Where every table, number and picture is from

Tables that are not named here say what was not measured: settings, formats, advice.

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
            f"{self.recorded!r:.90} in {self.source}"
        )


@dataclass(frozen=True)
class Source:
    """Where something on a page is from."""

    what: str
    origin: str
    command: str


def filled(text: str) -> str:
    """A page with what the records say; what they lack is left as it is."""

    def new(mark: re.Match[str]) -> str:
        try:
            if mark.re is _NUMBER:
                return _number(mark) + mark["mark"]
            return f"{mark['mark']}\n{_recorded(mark)}\n"
        except RecordError:
            return mark[0]

    return _NUMBER.sub(new, _TABLE.sub(new, _WHEN.sub(new, text)))


def differences(page: Path, text: str) -> Iterator[Difference]:
    """What a page says otherwise than the records, and marks that are none."""
    marks = [*_TABLE.finditer(text), *_NUMBER.finditer(text), *_WHEN.finditer(text)]
    understood = {mark.start("mark") for mark in marks}
    for mark in _ANY_MARK.finditer(text):
        if mark.start() not in understood:
            why = "neither above a table nor behind a number"
            yield Difference(page, _line(text, mark.start()), "no record", mark[0], why)
    for mark in marks:
        yield from _differences(page, text, mark)


def _differences(page: Path, text: str, mark: re.Match[str]) -> Iterator[Difference]:
    shown, line = mark["shown"].rstrip("\n"), _line(text, mark.start("shown"))
    source = "the records of the page"
    if mark.re is not _WHEN:
        source = f"docs/studies/data/{mark['name']}.json, table {mark['table']}"
    if mark.re is _NUMBER:
        source += f", {mark['row']}, {mark['column']}"
    try:
        recorded = _recorded(mark)
    except RecordError as problem:
        yield Difference(page, line, source, shown.split("\n")[0], f"missing: {problem}")
        return
    lines = shown.split("\n"), recorded.split("\n")
    for number, (one, other) in enumerate(zip(*lines, strict=False)):
        if one != other:
            yield Difference(page, line + number, source, one, other)
    if len(lines[0]) != len(lines[1]):
        counts = [f"{len(one)} lines" for one in lines]
        yield Difference(page, line, source, *counts)


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def used(text: str) -> set[str]:
    """The studies that a page is filled from."""
    marks = [*_TABLE.finditer(text), *_NUMBER.finditer(text)]
    return {mark["name"] for mark in marks}


def sources(page: Path) -> Iterator[Source]:
    """Where the tables, numbers, outputs of code, and pictures of a page are from."""
    text = page.read_text()
    starts = [table.start() for table in _A_TABLE.finditer(text)]
    for mark in _TABLE.finditer(text):
        number = starts.index(mark.start("shown")) + 1 if mark["shown"] else 0
        origin = f"{mark['name']}.json, table {mark['table']}"
        yield Source(f"table {number}", origin, _command(mark["name"]))
    numbers = Counter(mark["name"] for mark in _NUMBER.finditer(text))
    for name, count in sorted(numbers.items()):
        what = f"{count} number{'s'[: count > 1]}"
        yield Source(what, f"{name}.json", _command(name))
    if page in with_outputs():
        yield Source("outputs of code", f"the code, by {OUTPUTS}", "make docs")
    if str(page.relative_to(ROOT)) in _BY_CODE:
        yield Source(*_BY_CODE[str(page.relative_to(ROOT))])
    for picture in shown(text):
        for program in programs(page, picture):
            yield Source(f"`{picture}`", program.path, program.command)


def _command(name: str) -> str:
    return STUDIES[name].command if name in STUDIES else "none"


def measured(folder: Path = DATA) -> str:
    """The page that says when, where and how everything was measured."""
    pages = [(_place(page), page) for page in PAGES if page != MEASURED]
    found: dict[str, list[str]] = {}
    for place, page in pages:
        for name in used(page.read_text()):
            found.setdefault(name, []).append(place)
    rows = []
    for name in recorded(folder):
        one = load(name, folder)
        where = ", ".join(f"{one.machine[key]}" for key in ("processor", "python", "numpy"))
        cores = f"{one.machine['cores']} cores"
        cells = (f"`{one.command}`", one.date, one.commit, f"{one.seconds / 60:.1f}", cores, where)
        rows.append((*cells, ", ".join(found.get(name, ()))))
    columns = ("command", "date", "commit", "minutes", "cores", "processor, Python, NumPy", "pages")
    origins = [
        (place, one.what, one.origin, f"`{one.command}`")
        for place, page in pages
        for one in sources(page)
    ]
    listed = Table(("page", "what", "from", "command"), tuple(origins)).markdown
    return _HEAD + Table(columns, tuple(rows)).markdown + "\n" + _ORIGINS + listed + "\n"


def _place(page: Path) -> str:
    docs = ROOT / "docs"
    return str(page.relative_to(docs)) if page.is_relative_to(docs) else page.name


def _recorded(mark: re.Match[str]) -> str:
    """What should stand at a mark."""
    if mark.re is _WHEN:
        return _when(used(mark.string), mark["page"])
    if mark.re is _NUMBER:
        return _number(mark)
    return load(mark["name"]).table(mark["table"]).markdown


def _when(names: set[str], details: str) -> str:
    """When, on which commits, where and on which data studies were run."""
    records = [load(name) for name in names]
    days = sorted({one.date for one in records})
    commits = sorted({one.commit for one in records})
    machines = sorted(
        {
            "{processor}, {cores} cores, Python {python}, NumPy {numpy}".format(**one.machine)
            for one in records
        }
    )
    real = ["scores" in STUDIES[name].needs for name in names if name in STUDIES]
    data = "simulated scores" if not any(real) else "real scores" if all(real) else ""
    return (
        f"*Measured on {' to '.join(days[:: max(len(days) - 1, 1)])} at "
        f"{'commit' if len(commits) == 1 else 'commits'} {', '.join(commits)}, on "
        f"{data or 'real and simulated scores'}; {'; '.join(machines)}. "
        f"[Commands and times]({details}).*"
    )


def _number(mark: re.Match[str]) -> str:
    cell = load(mark["name"]).table(mark["table"]).cell(mark["row"], mark["column"])
    found = re.search(_A_NUMBER, cell)
    if found is None:
        raise RecordError(f"{cell!r} has no number")
    if not mark["format"]:
        return found[0]
    value = float(found[0].replace(",", "").replace("\u2212", "-"))
    try:
        return format(value, mark["format"])
    except ValueError as problem:
        raise RecordError(str(problem)) from None
