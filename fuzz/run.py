"""One target under atheris: ``python -m fuzz.run TARGET [options of libFuzzer] [folders]``.

A finding is put into ``fuzz/found`` and told of, and the search goes on, so that one does not hide
the others. Only what kills the process, or never ends, is left to libFuzzer.
"""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import atheris

from fuzz.outcome import FINDING, FOUND, PEAK, kind_of

if TYPE_CHECKING:
    from fuzz.harness import Check


def main() -> None:
    """Try inputs on a target, led by the lines of llrcal that they reach.

    Everything of llrcal must be imported within, so that atheris can see it.
    """
    _, target, *options = sys.argv
    with atheris.instrument_imports(include=["llrcal"]):
        from fuzz.harness import check_of, peak

        check = _untiring(check_of(target), FOUND / target)
    largest = 0.0

    def run(data: bytes) -> None:
        nonlocal largest
        check(data)
        if peak() >= largest + 1:
            largest = peak()
            _say(f"{PEAK} {largest:.0f}")

    atheris.Setup([target, *options], run)
    atheris.Fuzz()


def _untiring(check: Check, folder: Path) -> Check:
    """The same check, which keeps one finding of each kind, and returns."""
    folder.mkdir(parents=True, exist_ok=True)
    kinds: set[str] = set()

    def run(data: bytes) -> None:
        try:
            check(data)
        except Exception as problem:  # whatever it is, it is a finding
            kind = kind_of(problem)
            if kind in kinds:
                return
            kinds.add(kind)
            (folder / f"finding-{kind}").write_bytes(data)
            _say(f"{FINDING} finding-{kind} {type(problem).__name__}: {problem}")
            traceback.print_exception(problem)

    return run


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")  # where libFuzzer writes as well
    sys.stderr.flush()


if __name__ == "__main__":
    main()
