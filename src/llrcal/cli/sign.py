"""``llrcal sign``: write a model file again, with the checksum of what it says now."""

from __future__ import annotations

from llrcal.cli.options import JSON, QUIET, File, argument, command
from llrcal.cli.terminal import echo_err, print_json


@command()
def sign(
    *,
    model: File = argument("MODEL"),
    json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """Sign a model file that was edited on purpose.

    MODEL was written by `llrcal fit`, `adapt` or `fuse`. It holds a checksum, and is refused if
    anything in it was changed since. After an edit by hand, `sign` checks every field, and writes
    the file again with the checksum of what it says now: see docs/model-files.md.

    \b
    llrcal sign model.json
    """
    from llrcal.calibrations.model_file import document_in
    from llrcal.files.overwriting import tell_edited
    from llrcal.models import load

    found = load(model, edited=True)
    tell_edited(model)
    found.save(model)
    if json:
        print_json({"model": model, "checksum": document_in(model)["checksum"]})
    if not quiet:
        echo_err(f"{model}: signed: {repr(found).strip('<>')}")
