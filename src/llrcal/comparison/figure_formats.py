"""The formats of figures: apart from matplotlib, so that a wrong one is refused early."""

from __future__ import annotations

from collections.abc import Sequence

from llrcal.errors import OptionError
from llrcal.messages import Setting

FIGURE_FORMATS = ("png", "pdf", "svg")
"""For the screen, for print and for editing."""


def figure_formats(names: Sequence[str]) -> Sequence[str]:
    """The formats, each known."""
    for name in names:
        if name not in FIGURE_FORMATS:
            known = ", ".join(FIGURE_FORMATS)
            raise OptionError(Setting("formats"), f" is one of {known}, or several, not {name!r}")
    return names
