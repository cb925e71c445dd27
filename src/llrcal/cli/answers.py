"""``--json``: the answer of a verb as one JSON document, alone on standard output.

docs/answers.schema.json is the schema of these documents. Numbers have the names and the digits
that they have in Python.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from llrcal.notes import Note

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print the answer as one JSON document."
)


def print_json(answer: Mapping[str, Any], notes: Iterable[Note] = ()) -> None:
    """Print the answer of the verb that is running, with notes."""
    verb = click.get_current_context().info_name
    document = {"verb": verb, **answer, "notes": [note.to_dict() for note in notes]}
    click.echo(json.dumps(_in_json(document), indent=1, allow_nan=False))


def refuse_two_outputs(out: str, *, as_json: bool) -> None:
    """Refuse to write both a file and a document to standard output."""
    from llrcal.errors import OptionError

    if as_json and "-" in out.split(","):
        raise OptionError(
            "-o - and --json would both write to standard output: name a file, or leave out --json"
        )


def _in_json(value: Any) -> Any:
    """Numbers as values that JSON can represent: null for NaN, words for infinite ones."""
    if isinstance(value, Mapping):
        return {name: _in_json(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_in_json(one) for one in value]
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else str(value)
