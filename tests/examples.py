"""How many examples a property is tried on: some dozens, a few in haste, hundreds at night."""

from __future__ import annotations

import os

import hypothesis

NIGHTLY = os.environ.get("LLRCAL_NIGHTLY") == "1"
"""Whether there is time: set by `make nightly`."""

QUICK = os.environ.get("LLRCAL_QUICK") == "1"
"""Whether there is none: set by `make test-quick`."""

_AT_NIGHT = 500
_IN_HASTE = 10


def choose_profile() -> None:
    """Let hypothesis try as many examples as there is time for, each for as long as it takes.

    By day they are the same ones every time, so that a change is judged by what it changed; the
    night tries others.
    """
    number = _AT_NIGHT if NIGHTLY else _IN_HASTE if QUICK else 15
    hypothesis.settings.register_profile(
        "llrcal", max_examples=number, deadline=None, derandomize=not NIGHTLY
    )
    hypothesis.settings.load_profile("llrcal")


def examples(number: int) -> hypothesis.settings:
    """So many examples by day, for a property whose faults are rare; at night no fewer than others.

    A plain ``settings(max_examples=number)`` would keep the night from trying more.
    """
    if NIGHTLY:
        number = max(number, _AT_NIGHT)
    return hypothesis.settings(max_examples=max(number // 10, _IN_HASTE) if QUICK else number)
