"""What users say about a file, in the little languages of the command line.

An input is six lines, for columns, labels, separator, header, convention and contents, and then
the file itself. An empty line says nothing.
"""

from __future__ import annotations

from typing import Any, get_args

from fuzz.harness import answer, as_file, require
from fuzz.text import agree
from llrcal.trials.request import Contents, ReadOptions
from llrcal.trials.table_reading import read_table

_HEADER = {"yes": True, "no": False}


def check(data: bytes) -> None:
    """Understand some options or refuse them, and read a file by them."""
    *lines, content = data.split(b"\n", 6)
    if len(lines) < 6:
        return
    columns, labels, separator, header, convention, contents = (
        line.decode(errors="replace") or None for line in lines
    )
    said: dict[str, Any] = {
        "columns": columns,
        "labels": labels,
        "separator": separator,
        "convention": convention,
        "header": _HEADER.get(header or ""),
    }
    options = answer(ReadOptions, **said)
    if options is None:
        return
    request = options.request(contents if contents in get_args(Contents) else "trials")
    path = as_file(content)
    table = answer(read_table, path, request)
    if table is None:
        return
    agree(table, path, request)
    if request.columns:
        named = {role for role in request.columns if role not in {"-", "kind"}}
        require(named <= set(table.frame.columns), f"{table.frame.columns} for {request.columns}")
