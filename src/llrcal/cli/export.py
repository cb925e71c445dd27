"""``llrcal export``: write a calibration as code for other places."""

from __future__ import annotations

from typing import Annotated, Literal

from llrcal.cli.options import FORCE, JSON, File, NewPath, argument, command, option, output
from llrcal.cli.terminal import echo_err, print_json
from llrcal.files.marks import EXPORT


@command()
def export(
    *,
    model: File = argument("MODEL"),
    out: Annotated[str, NewPath(EXPORT)] = output("The file to write.", "FILE"),
    to: Literal["c", "js", "onnx"] | None = option(
        "The language: C (and C++), JavaScript, or ONNX.  [default: by the ending of FILE]"
    ),
    name: str = option("The name of the function, or of the ONNX graph.", "llr"),
    force: bool = FORCE,  # noqa: ARG001, which is asked before
    json: bool = JSON,
    quiet: bool = option("Print only errors."),
) -> None:
    """Write a calibration as a function in C, JavaScript or ONNX.

    MODEL was written by `llrcal fit`. The function takes a score and gives its LLR, the same as
    the model, and needs no library: see docs/export.md.

    \b
    llrcal export model.json -o llr.c
    llrcal export model.json -o calibration.js --name calibrated
    llrcal export model.json -o calibration.onnx
    """
    from llrcal.exports import export as write
    from llrcal.models import load

    exported = write(load(model), out, to=to, name=name)
    if json:
        print_json({"model": model, "out": out, "name": name, **vars(exported)})
    if not quiet:
        echo_err(
            f"{out}: {exported.pieces:,} pieces, at most {exported.largest_error:.1e} nats from "
            "the formula at any score (relative above one)"
        )
