"""``llrcal demo``: simulate and compare in one go, without any input file."""

from __future__ import annotations

from llrcal.cli.comparing import Comparing, compare_and_write
from llrcal.cli.options import NewFolder, command, option
from llrcal.cli.reading import Scale
from llrcal.cli.simulate import CONDITIONS, FULL, SEED, Seed, simulated


@command()
def demo(
    *,
    out: NewFolder = option("Folder for the results.", "llrcal-demo", metavar="DIR"),
    full: bool = FULL,
    seed: Seed = SEED,
    comparing: Comparing,
) -> None:
    """Simulate a recognizer and compare every calibration on it."""
    compare_and_write(
        lambda _: [simulated(one, full, seed, quiet=comparing.quiet) for one in CONDITIONS],
        out,
        comparing,
        Scale(),
    )
