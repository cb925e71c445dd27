"""A finding made small: ``python -m fuzz.shrink TARGET FILE`` writes ``FILE-small``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from fuzz.harness import Check, check_of
from fuzz.outcome import kind_of


def main() -> None:
    """Leave out of a file whatever its finding can do without."""
    _, target, name = sys.argv
    check, data = check_of(target), Path(name).read_bytes()
    kind = _kind(check, data)
    if kind is None:
        sys.exit(f"{name}: nothing is wrong with it")
    small = shrunk(data, lambda part: _kind(check, part) == kind)
    Path(f"{name}-small").write_bytes(small)
    print(f"{len(data)} bytes became {len(small)}: {small!r}")  # noqa: T201


def shrunk(data: bytes, is_kept: Callable[[bytes], bool]) -> bytes:
    """The data without pieces of any length, as long as the rest is still of the kind that is kept.

    No single byte can be left out of what comes out.
    """
    size = len(data) // 2
    while size:
        before, start = data, 0
        while start < len(data):
            rest = data[:start] + data[start + size :]
            if is_kept(rest):
                data = rest
            else:
                start += size
        if data == before or size > 1:
            size //= 2
    return data


def _kind(check: Check, data: bytes) -> object:
    try:
        check(data)
    except Exception as problem:  # whatever it is, it is a finding
        return kind_of(problem)
    return None


if __name__ == "__main__":
    main()
