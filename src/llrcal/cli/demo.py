"""``llrcal demo``: simulate and compare in one go, without any input file."""

from __future__ import annotations

from typing import Any

import click

from llrcal.cli.comparing import compare_and_write
from llrcal.cli.options import FILE, comparison_options, flag
from llrcal.cli.reading import Scale
from llrcal.cli.simulate import CONDITIONS, simulated


@click.command()
@click.option(
    "--out", default="llrcal-demo", metavar="DIR", type=FILE, help="Folder for the results."
)
@flag("--full", "The paper's size: 42 million and 9 million trials.")
@click.option("--seed", default=0, type=click.IntRange(min=0), help="Seed of the simulation.")
@comparison_options
def demo(out: str, full: bool, seed: int, **settings: Any) -> None:
    """Simulate a recognizer and compare every calibration on it."""
    quiet = settings["quiet"]
    compare_and_write(
        lambda _: [simulated(one, full, seed, quiet=quiet) for one in CONDITIONS],
        out,
        Scale(in_pieces=False, workers=None, scheduler=None),
        **settings,
    )
