"""The pictures that pages show, and the programs that draw them.

A picture that follows a block of Python, on a page whose code is run, is drawn by that code. Any
other is drawn by the program that holds its name.
"""

from __future__ import annotations

import ast
import re
import runpy
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from studies.records import ROOT

OUTPUTS = "docs/figures/notebook.py"
_SHOWN = re.compile(r"""(?:!\[[^]]*\]\(|<img src=")([^)"]+\.(?:png|svg|jpe?g|gif))""")
_FOLDERS = (ROOT / "docs" / "figures", ROOT / "studies")


@dataclass(frozen=True)
class Program:
    """A file, and what to type."""

    path: str
    command: str


def shown(text: str) -> Iterator[str]:
    """The files of the pictures of a page, in their order."""
    return (match[1] for match in _SHOWN.finditer(text))


@cache
def with_outputs() -> tuple[Path, ...]:
    """The pages whose code is run, and followed by what it prints and draws."""
    return tuple(_notebook()["PAGES"])


def programs(page: Path, picture: str) -> list[Program]:
    """What draws a picture: one program, if all is well."""
    if page in with_outputs():
        cells = _notebook()["_CELL"].finditer(page.read_text())
        if picture in {cell["picture"] for cell in cells}:
            return [Program(OUTPUTS, f"python {OUTPUTS}")]
    found = []
    for file in sorted(file for folder in _FOLDERS for file in folder.glob("*.py")):
        if Path(picture).stem in _drawn(file):
            path = file.relative_to(ROOT)
            module = ".".join(path.with_suffix("").parts)
            is_study = path.parts[0] == "studies"
            found.append(Program(f"{path}", f"python {f'-m {module}' if is_study else path}"))
    return found


@cache
def _notebook() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / OUTPUTS))


@cache
def _drawn(file: Path) -> frozenset[str]:
    """The pictures that a program may draw: the strings in it, as names of files."""
    nodes = ast.walk(ast.parse(file.read_text()))
    words = (node.value for node in nodes if isinstance(node, ast.Constant))
    return frozenset(Path(word).stem for word in words if isinstance(word, str) and word)
