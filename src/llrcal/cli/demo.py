"""``llrcal demo``: simulate and compare in one go, with no file of the user's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from llrcal.cli.compare import run
from llrcal.cli.options import comparison_options, methods_with, operating_points
from llrcal.cli.simulate import simulated

if TYPE_CHECKING:
    from llrcal.trials import Trials


@click.command()
@click.option("--out", default="llrcal-demo", show_default=True, metavar="DIR")
@click.option("--full", is_flag=True, help="The paper's size: 42 million and 9 million trials.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0))
@comparison_options
def demo(
    out: str,
    full: bool,
    seed: int,
    alphas: tuple[str, ...],
    p_target: tuple[float, ...],
    c_miss: tuple[float, ...],
    c_fa: tuple[float, ...],
    replicates: int,
    force: bool,
    quiet: bool,
) -> None:
    """Simulate a recognizer, compare every calibration on it, and write the report."""

    def trials() -> tuple[Trials, Trials]:
        from llrcal.trials import Trials

        train, test = (simulated(c, full, seed, quiet=quiet) for c in ("train", "test"))
        return (
            Trials(train.tar, train.non, "simulated training trials"),
            Trials(
                test.tar, test.non, "simulated test trials", test.tar_speakers, test.non_speakers
            ),
        )

    run(
        trials,
        out,
        methods=methods_with(alphas),
        points=operating_points(p_target, c_miss, c_fa),
        replicates=replicates,
        force=force,
        quiet=quiet,
    )
