"""Text files with scores, labels or both, of every convention.

Whatever is read must be what a slow reader finds, line by line; and line ends are of no account.
"""

from __future__ import annotations

from typing import Any, get_args

from fuzz.harness import answer, as_file, require, same_numbers
from llrcal.trials.conventions import IDS, SPEAKERS
from llrcal.trials.reading import read_trials
from llrcal.trials.request import Contents, Request
from llrcal.trials.source import Source
from llrcal.trials.table import Table
from llrcal.trials.table_reading import read_table
from llrcal.trials.text.sniffing import Layout, sniff

_CONTENTS = get_args(Contents)


def check(data: bytes) -> None:
    """Read a file as whatever it could be, and once more with other line ends."""
    path = as_file(data)
    tables = {contents: answer(read_table, path, Request(contents)) for contents in _CONTENTS}
    for contents, table in tables.items():
        if table is not None:
            agree(table, path, Request(contents))
    if tables["trials"] is not None:
        answer(read_trials, path, spoof="nontarget", duplicates="first")
    if b"\r" not in data:
        contents = _CONTENTS[len(data) % len(_CONTENTS)]  # one will do, and is faster
        other = as_file(data.replace(b"\n", b"\r\n"), "crlf")
        table = answer(read_table, other, Request(contents))
        require(_rows(table) == _rows(tables[contents]), f"{contents}: line ends matter")


def agree(table: Table, path: str, request: Request) -> None:
    """Compare a table with what a loop over the lines of its file finds."""
    source = Source(path)
    layout = sniff(source, request)
    expected = slow_reading(source, layout, request)
    for name, values in expected.items():
        found = table.frame[name].to_list()
        same = same_numbers(found, values) if name == "score" else found == values
        require(same, f"{request.contents}: {name} should be {values[:20]}, not {found[:20]}")
    if "label" not in expected and {*SPEAKERS} <= expected.keys():
        pairs = zip(*(expected[role] for role in SPEAKERS), strict=True)
        labels = [claimed == real for claimed, real in pairs]
        require(table.frame["label"].to_list() == labels, "labels that are not the speakers'")


def slow_reading(source: Source, layout: Layout, request: Request) -> dict[str, list[Any]]:
    """The columns of a text file by its layout, with nothing of a fast parser."""
    text = source.content.decode("utf-8-sig")
    lines = text.split("\n" if "\n" in text else "\r")[layout.first_line - 1 :]
    data = [line for line in lines if line.strip(" \t\r") and not line.startswith("#")]
    rows = [layout.grammar.split(line.removesuffix("\r")) for line in data]
    columns = dict(zip(layout.roles, zip(*rows, strict=True), strict=True))
    out: dict[str, list[Any]] = {
        role: list(columns[role]) for role in (*IDS, *SPEAKERS) if role in columns
    }
    if "score" in columns:
        out["score"] = [float(text) for text in columns["score"]]
    if "label" in columns:
        meaning = dict(request.label_of_word)
        out["label"] = [meaning[word].value for word in columns["label"]]
    return out


def _rows(table: Table | None) -> list[Any] | None:
    return None if table is None else [table.frame.columns, table.frame.rows()]
