"""One target under atheris: ``python -m fuzz.run TARGET [options of libFuzzer] [folders]``."""

from __future__ import annotations

import sys

import atheris


def main() -> None:
    """Try inputs on a target, led by the lines of llrcal that they reach, until one is a finding.

    Everything of llrcal must be imported within, so that atheris can see it.
    """
    _, target, *options = sys.argv
    with atheris.instrument_imports(include=["llrcal"]):
        from fuzz.harness import check_of

        check = check_of(target)
    atheris.Setup([target, *options], check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
