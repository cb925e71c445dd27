"""Results as small HTML tables, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape


def html_table(title: str, rows: Mapping[str, object], notes: Iterable[str] = ()) -> str:
    """Names and values in two columns, with a title above and notes below."""
    body = "".join(
        f'<tr><th style="text-align: left">{escape(name)}</th>'
        f'<td style="text-align: left">{escape(shown(value))}</td></tr>'
        for name, value in rows.items()
    )
    below = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return f"<table><caption><b>{escape(title)}</b></caption><tbody>{body}</tbody></table>{below}"


def shown(value: object) -> str:
    """A value with a few digits; counts with commas, pairs as ranges."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple) and len(value) == 2:
        return f"{shown(value[0])} to {shown(value[1])}"
    return str(value)
