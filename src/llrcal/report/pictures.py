"""Figures as pictures on a page, which need no script."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any

from llrcal.evaluation import Evaluation
from llrcal.figures.folder import drawn
from llrcal.figures.style import column_style, in_formats
from llrcal.figures.table import TABLE, Entry, of_evaluations
from llrcal.report.text import sentence

_LARGE = 200_000  # bytes of a picture, beyond which dots take less than lines


def pictures(
    evaluations: Mapping[str, Evaluation], chosen: Callable[[Entry], bool], **options: Any
) -> str:
    """Figures of evaluations with what to see in them, drawn with the options that each takes."""
    parts = []
    with column_style():
        for name, draw in of_evaluations(evaluations, **options).items():
            entry = TABLE[name]
            if not chosen(entry):
                continue
            figure = drawn(name, draw)
            kind, content = "svg+xml", in_formats(figure, ["svg"])["svg"]
            if len(content) > _LARGE:
                kind, content = "png", in_formats(figure, ["png"])["png"]
            data = base64.b64encode(content).decode()
            parts.append(
                f'<figure id="{name}-picture"><h3>{entry.title}</h3>'
                f'<img alt="{entry.title}" src="data:image/{kind};base64,{data}">'
                f'<figcaption class="note">{sentence(entry.caption)}</figcaption></figure>\n'
            )
    return f'<div class="figures">\n{"".join(parts)}</div>' if parts else ""
