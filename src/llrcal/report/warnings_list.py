"""What a reader should know beside the numbers, grouped by kind."""

from __future__ import annotations

from collections.abc import Sequence

from llrcal.comparison.note_kinds import KINDS, gravity
from llrcal.notes import Note
from llrcal.report.text import escaped, sentence

_FEW = 3  # notes in all, which are not too long to be read at once
_MOST = 40


def warnings_list(notes: Sequence[Note], *, few: int = _FEW) -> str:
    """Notes as foldable groups, which start folded unless there are only a few notes."""
    state = " open" if len(notes) <= few else ""
    groups: dict[str, list[Note]] = {}
    for note in sorted(notes, key=gravity):
        place = gravity(note)
        known = place < len(KINDS)
        groups.setdefault(KINDS[place].heading if known else note.code.capitalize(), []).append(
            note
        )
    meanings = {kind.heading: kind.meaning for kind in KINDS}
    parts = []
    for heading, group in groups.items():
        items = [f"<li>{sentence(note.text)}</li>" for note in group[:_MOST]]
        if len(group) > _MOST:
            items.append(f"<li>and {len(group) - _MOST:,} more</li>")
        parts.append(
            f'<details class="warning"{state}>'
            f'<summary>{escaped(heading)} <span class="count">{len(group):,}</span></summary>'
            f'<p class="note">{meanings.get(heading, "")}</p><ul>{"".join(items)}</ul></details>'
        )
    return "\n".join(parts) or "<p>No warnings.</p>"
