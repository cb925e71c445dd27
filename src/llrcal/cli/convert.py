"""``llrcal convert``: write trials in another format."""

from __future__ import annotations

from pathlib import Path

from llrcal.cli.options import (
    JSON,
    QUIET,
    File,
    NewFile,
    argument,
    command,
    option,
    output,
    refuse_two_outputs,
)
from llrcal.cli.reading import Reading
from llrcal.cli.terminal import print_json, print_notes
from llrcal.errors import OptionError


@command()
def convert(
    *,
    scores: File = argument("SCORES"),
    out: NewFile = output("The new file; - for standard output.", "OUT"),
    to: str | None = option(
        "Its format: kaldi, wespeaker, speechbrain, voxceleb, nist-tsv, csv, tsv, parquet, npz, "
        "hdf5, ...  [default: by the ending of OUT]",
        metavar="FORMAT",
    ),
    key_out: NewFile | None = option(
        "Also write the labels to a key of the same format.", metavar="FILE"
    ),
    reading: Reading,
    json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """Write trials in another format.

    \b
    llrcal convert scores.txt --key trials.txt -o trials.parquet
    llrcal convert scores.h5 --key key.h5 -o scores.txt --to wespeaker
    llrcal convert speechbrain.txt -o scores.txt --to kaldi --key-out trials.txt
    """
    from llrcal.trials.leaving_out import without_spoof
    from llrcal.trials.reading import read_and_join, with_who
    from llrcal.trials.writing import format_of, notes_on, prepared

    to = to or format_of(out)
    places = [out] if key_out is None else [out, key_out]
    same = key_out is not None and Path(out).absolute() == Path(key_out).absolute()
    if same:
        raise OptionError(f"{out} cannot be both the scores and the key")
    for place in places:
        refuse_two_outputs(place, json=json)
    options = reading.options(allow_infinite=True)
    # Labels are kept even if they are not needed.
    has_key = reading.key is not None or key_out is None
    request = options.request("scores" if has_key else "trials")
    table = read_and_join(scores, reading.key, options, request)
    if reading.speakers_from is not None:  # others are in columns or in ids already
        table = with_who(table, options)
    if table.has("label") and reading.spoof != "error":
        table = without_spoof(table, reading.spoof)
    notes = [*table.notes]
    files = {place: prepared(table, to=to, key=place != out) for place in places}
    for name, file in files.items():  # before any of them is written
        file.check_place(name)
    for name, file in files.items():
        file.write(name)
        left_out = [role for role in file.left_out if role != "label" or key_out is None]
        notes += [note.about(name) for note in notes_on(left_out, file.others)]
    print_notes(notes, quiet=quiet)
    if json:
        print_json({"out": out, "key_out": key_out, "to": to, "trials": len(table)})
