"""``llrcal convert``: write trials in another format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from llrcal.cli.options import FILE, flag
from llrcal.cli.reading import reading_options
from llrcal.cli.terminal import echo_err, json_option, print_json, refuse_two_outputs
from llrcal.files.overwriting import refuse_to_overwrite, refuse_to_read_twice

if TYPE_CHECKING:
    from llrcal.notes import Note
    from llrcal.trials.request import ReadOptions
    from llrcal.trials.table import Table


@click.command()
@click.argument("scores", metavar="SCORES", type=FILE)
@click.option(
    "-o",
    "--out",
    required=True,
    metavar="OUT",
    type=FILE,
    help="The new file; - for standard output.",
)
@click.option(
    "--to",
    metavar="FORMAT",
    help="Its format: kaldi, wespeaker, speechbrain, voxceleb, nist-tsv, csv, tsv, parquet, npz, "
    "hdf5, ...  [default: by the ending of OUT]",
)
@click.option(
    "--key-out",
    metavar="FILE",
    type=FILE,
    help="Also write the labels to a key of the same format.",
)
@reading_options()
@json_option
@flag("--quiet", "Print no notes.")
def convert(
    scores: str,
    out: str,
    to: str | None,
    key_out: str | None,
    as_json: bool,
    quiet: bool,
    key: str | None,
    reading: ReadOptions,
) -> None:
    """Write trials in another format.

    \b
    llrcal convert scores.txt --key trials.txt -o trials.parquet
    llrcal convert scores.h5 --key key.h5 -o scores.txt --to wespeaker
    llrcal convert speechbrain.txt -o scores.txt --to kaldi --key-out trials.txt
    """
    from llrcal.errors import OptionError
    from llrcal.trials.leaving_out import without_spoof
    from llrcal.trials.writing import format_of, notes_on, prepared

    to = to or format_of(out)
    for place in (out, key_out or ""):
        refuse_two_outputs(place, as_json=as_json)
    if key_out is not None and Path(out).absolute() == Path(key_out).absolute():
        raise OptionError(f"{out} cannot be both the scores and the key")
    refuse_to_read_twice(scores, key, reading.nontargets)
    for place in (out, *([key_out] if key_out else [])):
        refuse_to_overwrite(place, scores, key, reading.nontargets)
    table, notes = _read(
        scores, key, replace(reading, allow_infinite=True), needs_label=key_out is not None
    )
    if table.has("label") and reading.spoof != "error":
        table, more = without_spoof(table, reading.spoof)
        notes += more
    files = {out: prepared(table, to=to)}
    if key_out is not None:
        files[key_out] = prepared(table, to=to, key=True)
    for name, file in files.items():  # before any of them is written
        file.check_place(name)
    for name, file in files.items():
        file.write(name)
        held = {"label"} if key_out is not None else set()
        left_out = [role for role in file.left_out if role not in held]
        notes += [note.about(name) for note in notes_on(left_out)]
    if as_json:
        print_json({"out": out, "key_out": key_out, "to": to, "trials": len(table)}, notes)
    if not quiet:
        for note in notes:
            echo_err(note.on_command_line)


def _read(
    scores: str, key: str | None, options: ReadOptions, *, needs_label: bool
) -> tuple[Table, list[Note]]:
    """Trials, and notes on how they were read. Labels are kept even if they are not needed."""
    from llrcal.trials.reading import read_and_join

    has_key = key is not None or not needs_label
    return read_and_join(scores, key, options, options.request("scores" if has_key else "trials"))
