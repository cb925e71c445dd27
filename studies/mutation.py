"""Would the tests notice a small mistake? The share of mistakes that they notice, by room.

Mistakes (studies/mistakes.py) are made one at a time in a copy of the tree, in a random order that
is always the same, and tried by those tests that reach them (studies/noticed.py). With ``--tree``
this is another tree, for which the same rules hold.

Tests were written for the mistakes of earlier draws, so a fresh draw (``--draw``) tells what they
would notice of others. What was found is kept in studies/results/mutation, so that a run that was
broken off goes on where it was.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studies.mistakes import Mistake, mistakes
from studies.noticed import Copies, Tests, prepare
from studies.records import ROOT

PLAIN = "plain files"  # those that lie in no folder
# Tests of a room that lie elsewhere than in the folder of its name.
ELSEWHERE = {
    PLAIN: "test_declaration test_scoring_rule test_messages test_notebook test_public "
    "test_new_method scale/test_accumulator",
    "calibrations": "test_equivariance test_unshifted test_one_direction",
    "evaluation": "test_equivariance",
    "sklearn": "test_sklearn test_calibrated_classifier",
    "trials": "test_fuzz_corpus",
    "inputs": "test_one_direction",
}


@dataclass
class Room:
    """A folder of the source, or the files in none."""

    name: str
    sources: list[Path]
    tests: list[Path]

    @property
    def digest(self) -> str:
        """Which code and tests these are."""
        every = {file for path in self.tests for file in (path, *path.rglob("*.py"))}
        return _digest(file for file in sorted({*every, *self.sources}) if file.is_file())


def rooms(tree: Path) -> list[Room]:
    """Every room with its tests: those in the folder of its name, its examples, and some others."""
    source, tests = tree / "src" / "llrcal", tree / "tests"
    folders = sorted(path for path in source.iterdir() if (path / "__init__.py").exists())
    homes = {PLAIN: sorted(source.glob("*.py"))}
    homes |= {path.name: sorted(path.rglob("*.py")) for path in folders}
    found = []
    for name, files in homes.items():
        others = [tests / f"{one}.py" for one in ELSEWHERE.get(name, "").split()]
        places = [tests / name, *others, *(file for file in files if b">>> " in file.read_bytes())]
        found.append(Room(name, files, [place for place in places if place.exists()]))
    return found


def _digest(files: Iterable[Path]) -> str:
    return hashlib.sha256(b"\n".join(file.read_bytes() for file in files)).hexdigest()[:12]


class Kept:
    """What was found so far, in a folder that git ignores."""

    def __init__(self, tree: Path) -> None:
        self._folder = ROOT / "studies" / "results" / "mutation" / tree.name
        self._folder.mkdir(parents=True, exist_ok=True)
        self._path = self._folder / "outcomes.json"
        self._outcomes = json.loads(self._path.read_text()) if self._path.exists() else {}

    def tests(self, room: Room, copies: Copies) -> Tests:
        """The tests of a room."""
        path = self._folder / f"{room.name}-{room.digest}.json"
        if not path.exists():
            places = [str(place.relative_to(copies.plain)) for place in room.tests]
            path.write_text(json.dumps(copies.tests(places)))
        found: Tests = json.loads(path.read_text())
        return found

    def outcome(
        self, mistake: Mistake, room: Room, copies: Copies, work: Callable[[], dict[str, Any]]
    ) -> dict[str, Any]:
        """What comes of a mistake."""
        of_file = _digest([copies.plain / mistake.file])
        key = f"{mistake.file} {of_file} {mistake.start} {mistake.end} {mistake.new}"
        found: dict[str, Any] | None = self._outcomes.get(key)
        is_killed = found is not None and found["outcome"] in {"killed", "timeout"}
        if found is None or not (is_killed or found["tests"] == room.digest):
            found = self._outcomes[key] = work() | {"tests": room.digest}
            self._path.write_text(json.dumps(self._outcomes, indent=0))
        return found


@dataclass
class Row:
    """What became of the mistakes of a room."""

    name: str
    possible: int
    counts: Counter[str]
    seconds: float

    @property
    def markdown(self) -> str:
        counts = self.counts
        killed, survived, undecided = (counts[one] for one in ("killed", "survived", "undecided"))
        share = f"{100 * killed / (killed + survived):.0f}" if killed + survived else ""
        cells = (
            *(self.name, f"{self.possible:,}", killed + survived + undecided, killed),
            *(counts["by others"], survived, undecided, share, f"{self.seconds:.0f}"),
        )
        return f"| {' | '.join(map(str, cells))} |"


_COLUMNS = "room, possible, tried, killed, by others, survived, undecided, killed %, seconds"
_HEAD = "\n".join(["", f"| {_COLUMNS.replace(', ', ' | ')} |", "|---" * 9 + "|"])


def study(tree: Path, copies: Copies, options: argparse.Namespace) -> None:
    """Try mistakes of each room, and print what became of them."""
    kept, every = Kept(tree), rooms(copies.plain)
    tests = {room.name: kept.tests(room, copies) for room in every}
    rows, survivors = list[Row](), list[str]()
    for room in every:
        if options.rooms and room.name not in options.rooms:
            continue
        own = tests.pop(room.name)
        others = {name: one for found in tests.values() for name, one in found.items()}
        tests[room.name] = own
        check(room, own, copies)
        possible = [one for file in room.sources for one in mistakes(file, copies.plain)]
        random.Random(f"{room.name} {options.draw}").shuffle(possible)  # noqa: S311
        row = Row(room.name, len(possible), Counter(), 0.0)
        for one in possible[: max(options.least, len(possible) // options.every)]:
            found = kept.outcome(one, room, copies, lambda: copies.outcome(one, own, others))  # noqa: B023
            result = "killed" if found["outcome"] == "timeout" else found["outcome"]
            row.counts[result] += 1
            row.counts["by others"] += result == "killed" and not found["own"]
            row.seconds += found["seconds"]
            if result != "killed":
                survivors.append(_survivor(one, result))
            print(f"{one.file}:{one.line} {one.words} {found}", file=sys.stderr, flush=True)
        rows.append(row)
    whole = sum((row.counts for row in rows), Counter[str]())
    possible_in_all, seconds = sum(r.possible for r in rows), sum(r.seconds for r in rows)
    print("\n".join([_HEAD, *(row.markdown for row in rows)]))
    print(Row("all", possible_in_all, whole, seconds).markdown)
    print("\n| file | line | code | mistake | outcome |\n|---|---|---|---|---|")
    print("\n".join(survivors))


def check(room: Room, tests: Tests, copies: Copies) -> None:
    """Nothing is noticed where there is no mistake, and what cannot be imported is."""
    reached = Counter(one.split(":")[0] for _, found in tests.values() for one in found)
    name = max(
        (str(file.relative_to(copies.plain)) for file in room.sources), key=reached.__getitem__
    )
    end = len((copies.plain / name).read_bytes())
    for new, expected in (("", {"survived", "undecided"}), ("\nraise ImportError\n", {"killed"})):
        found = copies.outcome(Mistake(name, 1, "", end, end, "", new, name), tests, {}, 1.0)
        if found["outcome"] not in expected:
            raise SystemExit(f"{room.name}, {new!r}: {found}")


def _survivor(one: Mistake, outcome: str) -> str:
    place = one.file.removeprefix("src/llrcal/")
    code, words = (" ".join(text.split()).replace("|", "¦") for text in (one.code, one.words))
    return f"| `{place}` | {one.line} | `{code}` | {words} | {outcome} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", type=Path, default=ROOT)
    parser.add_argument("--least", type=int, default=12, help="mistakes of a room, at least")
    parser.add_argument("--every", type=int, default=200, help="and one of so many")
    parser.add_argument("--draw", type=int, default=2, help="which mistakes: any other number")
    parser.add_argument("--rooms", nargs="*", help="these rooms only")
    options = parser.parse_args()
    prepare()
    tree = options.tree.resolve()
    with tempfile.TemporaryDirectory() as folder:
        study(tree, Copies(tree, Path(folder)), options)


if __name__ == "__main__":
    main()
