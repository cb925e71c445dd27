"""The table of figures: what files, pages and tests know about each.

A new figure is a file with a function under ``@figure``, which says what it is called and what to
see in it, and its name in ``figures/__init__.py``. If it is one of evaluations, folders of figures,
the report and the case page show it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import Any, Literal, TypeVar

from matplotlib.axes import Axes

from llrcal.comparison.comparison import Comparison
from llrcal.evaluation import Evaluation

Drawing = Callable[..., Axes]
"""What draws on the axes that it is given as ``ax``."""

_Draw = TypeVar("_Draw", bound=Drawing)


@dataclass(frozen=True)
class Entry:
    """One figure."""

    title: str
    caption: str
    """What to see in it: a sentence or two."""
    draw: Drawing
    of: Literal["evaluations", "speakers", "other"] = "evaluations"
    """What it draws: several evaluations, one whose speakers are known, or something else."""
    square: bool = False
    in_validation: bool = True
    """Whether the page of a validation shows it, if it is one of evaluations."""
    interactive: bool = False
    """Whether scripts draw it in the report of a comparison, which shows a picture otherwise."""
    compared: Callable[[Comparison], Iterable[tuple[str, Drawing]]] | None = None
    """The figures of a comparison, by name: by default, one of the recommended calibration."""

    def drawing(self, evaluations: Mapping[str, Evaluation], **options: Any) -> Drawing | None:
        """What draws evaluations, with those of the options that it takes; or None."""
        given = {
            name: one for name, one in options.items() if name in signature(self.draw).parameters
        }
        first = next(iter(evaluations.values()))
        if self.of == "evaluations":
            return partial(self.draw, evaluations, **given)
        is_known = self.of == "speakers" and first.knows_speakers
        return partial(self.draw, first, **given) if is_known else None


TABLE: dict[str, Entry] = {}
"""The figures by the names of their files, in the order of the pages."""


def figure(title: str, caption: str, **settings: Any) -> Callable[[_Draw], _Draw]:
    """Put a figure into the table: title, caption, and the other fields of an ``Entry``."""

    def declare(draw: _Draw) -> _Draw:
        TABLE[draw.__name__.replace("_", "-")] = Entry(title, caption, draw, **settings)
        return draw

    return declare


def of_evaluations(evaluations: Mapping[str, Evaluation], **options: Any) -> dict[str, Drawing]:
    """What draws each figure of evaluations, by name; each takes the options that it knows."""
    every = ((name, entry.drawing(evaluations, **options)) for name, entry in TABLE.items())
    return {name: draw for name, draw in every if draw is not None}


def of_comparison(comparison: Comparison) -> dict[str, Drawing]:
    """What draws each figure of a comparison, the paper's six among them, by name."""
    best = {comparison.recommended: comparison.candidates[comparison.recommended].evaluation}
    usual = of_evaluations(best, **comparison.band_options)
    found: dict[str, Drawing] = {}
    for name, entry in TABLE.items():
        if entry.compared is not None:
            found |= entry.compared(comparison)
        elif name in usual:
            found[name] = usual[name]
    return found
