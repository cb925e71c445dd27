"""``llrcal demo``: simulate and compare in one go, without any input file."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.comparing import compare_and_write
from llrcal.cli.options import FILE, comparison_options
from llrcal.cli.simulate import simulated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llrcal.trials import Trials


@click.command()
@click.option(
    "--out", default="llrcal-demo", metavar="DIR", type=FILE, help="Folder for the results."
)
@click.option("--full", is_flag=True, help="The paper's size: 42 million and 9 million trials.")
@click.option("--seed", default=0, type=click.IntRange(min=0), help="Seed of the simulation.")
@comparison_options
def demo(out: str, full: bool, seed: int, **settings: Any) -> None:
    """Simulate a recognizer and compare every calibration on it."""

    @contextmanager
    def trials() -> Iterator[tuple[Trials, ...]]:
        train, test = (simulated(c, full, seed, quiet=settings["quiet"]) for c in ("train", "test"))
        yield train, test

    compare_and_write(trials(), out, **settings)
