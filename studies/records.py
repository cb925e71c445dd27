"""What a study printed, kept as data: one small JSON file each in docs/studies/data.

A record holds every table that the study printed, cell by cell as it was printed; when, on which
commit and on which machine that was, and how long it took; and a digest of the code of each room
that the study used. If a room has changed since, the record is stale.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "docs" / "studies" / "data"
_SOURCES = {
    "llrcal": ROOT / "src" / "llrcal",
    "studies": ROOT / "studies",
    "tests": ROOT / "tests",
}
CODE = ("src", "studies", "tests")
"""The folders with code that studies use: some of them take scores from tests."""
_SHOWN = 12  # digits of a digest


class RecordError(Exception):
    """A record, or something in it, does not exist."""


@dataclass(frozen=True)
class Table:
    """A table as it was printed."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def markdown(self) -> str:
        """The table as a page shows it."""
        ruler = "|" + "---|" * len(self.columns)
        lines = ("| " + " | ".join(cells) + " |" for cells in (self.columns, *self.rows))
        return "\n".join([next(lines), ruler, *lines])

    def cell(self, row: str, column: str) -> str:
        """The cell of a row, by its first cell, or several of them joined by "/"; and a column."""
        keys = row.split("/")
        names = [plain(name) for name in self.columns]
        found = [one for one in self.rows if [plain(cell) for cell in one[: len(keys)]] == keys]
        if len(found) != 1 or names.count(column) != 1:
            raise RecordError(
                f"{len(found)} rows {row!r} and {names.count(column)} columns {column!r}"
            )
        return plain(found[0][names.index(column)])


def plain(cell: str) -> str:
    """A cell without marks of emphasis."""
    return cell.replace("**", "").replace("`", "").strip()


def tables(printed: str) -> list[Table]:
    """Every table in a text."""
    found: list[Table] = []
    lines: list[tuple[str, ...]] = []
    for line in [*printed.splitlines(), ""]:
        if line.startswith("|"):
            lines.append(tuple(cell.strip() for cell in line.strip().strip("|").split("|")))
        elif lines:
            head, _, *rows = lines
            found.append(Table(head, tuple(rows)))
            lines = []
    return found


@dataclass(frozen=True)
class Record:
    """What was measured."""

    command: str
    commit: str
    date: str
    seconds: float
    machine: Mapping[str, Any]
    code: Mapping[str, str]
    """The digest of each room that the study used."""
    tables: Sequence[Table]

    def save(self, name: str, folder: Path = DATA) -> Path:
        """Write the record, a row of a table a line."""
        fields = asdict(self) | {"tables": "TABLES"}
        every = ",\n".join(map(_json, self.tables))
        text = json.dumps(fields, indent=1).replace('"TABLES"', f"[\n{every}\n ]")
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.json"
        path.write_text(text + "\n")
        return path

    @property
    def changed(self) -> list[str]:
        """The rooms whose code is no longer what it was."""
        return [room for room, digest in self.code.items() if digest != digest_of(room)]

    def table(self, number: str) -> Table:
        """A table by its number, from 1."""
        if not number.isdigit() or not 1 <= int(number) <= len(self.tables):
            raise RecordError(f"there is no table {number!r}, but 1 to {len(self.tables)}")
        return self.tables[int(number) - 1]


@cache
def load(name: str, folder: Path = DATA) -> Record:
    """The record of a study."""
    path = folder / f"{name}.json"
    if not path.exists():
        raise RecordError(f"there is no {path.name}: run python -m studies run {name}")
    found = json.loads(path.read_text())
    every = [Table(tuple(t["columns"]), tuple(map(tuple, t["rows"]))) for t in found["tables"]]
    return Record(**{**found, "tables": every})


def _json(table: Table) -> str:
    rows = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in table.rows)
    columns = json.dumps(table.columns, ensure_ascii=False)
    return f'  {{"columns": {columns},\n   "rows": [\n{rows}]}}'


def rooms(modules: Iterable[str]) -> list[str]:
    """The rooms of modules: llrcal/densities of llrcal.densities.nig; files that lie in none."""
    found = set[str]()
    for module in modules:
        home, *place = module.split(".")
        if home not in _SOURCES or not place:
            continue
        is_room = (_SOURCES[home] / place[0]).is_dir()
        found.add("/".join([home, place[0] if is_room else f"{place[0]}.py"]))
    return sorted(room for room in found if _path(room).exists())


@cache
def digest_of(room: str) -> str:
    """A digest of the code of a room, whatever its comments and docstrings say."""
    path = _path(room)
    files = sorted([*path.rglob("*.py"), *path.rglob("*.[ch]")]) if path.is_dir() else [path]
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.name}\n".encode())
        digest.update(_code(file).encode() if file.exists() else b"")
    return digest.hexdigest()[:_SHOWN]


def digests() -> dict[str, str]:
    """The digest of every room."""
    every = [
        f"{home}/{path.name}"
        for home, folder in _SOURCES.items()
        if folder.exists()
        for path in folder.iterdir()
        if path.is_dir() or path.suffix == ".py"
    ]
    return {room: digest_of(room) for room in every}


def _path(room: str) -> Path:
    home, _, place = room.partition("/")
    return _SOURCES[home] / place


def _code(file: Path) -> str:
    if file.suffix != ".py":
        return file.read_text()
    tree = ast.parse(file.read_text())
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not _is_text(one)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def recorded(folder: Path = DATA) -> Iterator[str]:
    """The names of the studies that have a record."""
    return (path.stem for path in sorted(folder.glob("*.json")))
