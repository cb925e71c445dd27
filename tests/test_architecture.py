"""One direction of flow: a room imports from those before it, and nothing imports backwards."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import llrcal

PACKAGE = Path(str(llrcal.__file__)).resolve().parent

# From what everything rests on to what rests on everything. Public modules that are no rooms are
# named with what they may use.
ROOMS = (
    "version",
    "extras",
    "method_table",
    "messages",
    "errors",
    "environment",
    "notes",
    "notebook",
    "arrays",
    "declaration",
    "kernels",
    "scoring_rule",
    "onepass",
    "inputs",
    "files",
    "densities",
    "fitting",
    "calibrations",
    "adaptation",
    "exports",
    "evaluation",
    "fusion",
    "models",
    "trials",
    "scale",
    "pairing",
    "sklearn",
    "simulation",
    "comparison",
    "figures",
    "report",
    "validation",
    "cli",
    "__main__",
)
# A comparison can save itself, for which it asks those who draw and write.
ALLOWED = {("comparison/comparison.py", "report")}
SOURCES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported(path: Path) -> Iterator[str]:
    """The rooms that a module names in an import, at its top or inside a function."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "llrcal":
            names = [f"llrcal.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [str(node.module)]
        yield from (name.split(".")[1] for name in names if name.startswith("llrcal."))


def test_every_room_is_known() -> None:
    assert {room_of(path) for path in SOURCES} == set(ROOMS)


def test_nothing_imports_from_a_room_further_down() -> None:
    backwards = {
        (path.relative_to(PACKAGE).as_posix(), room)
        for path in SOURCES
        for room in imported(path)
        if ROOMS.index(room) > ROOMS.index(room_of(path))
    }
    assert backwards == ALLOWED
