"""How many examples a property is tried on: a few dozen as a rule, hundreds at night."""

from __future__ import annotations

import os

import hypothesis

NIGHTLY = os.environ.get("LLRCAL_NIGHTLY") == "1"
"""Whether there is time: set by `make nightly`."""

_AT_NIGHT = 500


def choose_profile() -> None:
    """Let hypothesis try as many examples as there is time for, each for as long as it takes."""
    hypothesis.settings.register_profile("quick", max_examples=50, deadline=None)
    hypothesis.settings.register_profile("nightly", max_examples=_AT_NIGHT, deadline=None)
    hypothesis.settings.load_profile("nightly" if NIGHTLY else "quick")


def examples(number: int) -> hypothesis.settings:
    """So many examples by day, for a property whose faults are rare; at night no fewer than others.

    A plain ``settings(max_examples=number)`` would keep the night from trying more.
    """
    return hypothesis.settings(max_examples=max(number, _AT_NIGHT) if NIGHTLY else number)
