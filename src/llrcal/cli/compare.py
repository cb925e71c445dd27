"""``llrcal compare``: train every calibration on one set of trials, test it on another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.options import comparison_options, methods_with, operating_points

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from llrcal.trials import Trials


@click.command()
@click.option("--train", required=True, metavar="FILE", help="Trials to train on.")
@click.option("--test", required=True, metavar="FILE", help="Trials to test on.")
@click.option("--out", required=True, metavar="DIR", help="Folder for the results.")
@comparison_options
def compare(train: str, test: str, out: str, **settings: Any) -> None:
    """Compare every calibration of the paper, in numbers and pictures.

    FILE is an .npz archive with arrays tar and non (or scores and labels), a pair of .npy files
    written as TAR.npy,NON.npy, or a text file with a score and a label on each line.

    \b
    llrcal compare --train dev.npz --test eval.npz --out results
    llrcal compare --train dev.txt --test eval.txt --out results --p-target 0.01 --c-miss 10
    """
    from llrcal.errors import OptionError
    from llrcal.trials import read_trials

    if _same_file(train, test):
        raise OptionError(
            f"{train} is given for training and for testing: a calibration tested on its own "
            "training trials looks better than it is. Give other trials to test on"
        )
    run(lambda: (read_trials(train), read_trials(test)), out, **settings)


def run(
    trials: Callable[[], tuple[Trials, Trials]],
    out: str,
    *,
    alphas: Sequence[str],
    p_target: Sequence[float],
    c_miss: Sequence[float],
    c_fa: Sequence[float],
    replicates: int,
    force: bool,
    quiet: bool,
) -> None:
    """Compare two sets of trials and write everything to a folder, as the options say."""
    from llrcal.cli.output import write_results
    from llrcal.cli.terminal import progress_bar, show
    from llrcal.comparison import compare as compare_trials
    from llrcal.files import atomic_folder

    methods = methods_with(alphas)
    points = operating_points(p_target, c_miss, c_fa)
    with atomic_folder(out, force=force) as folder:  # first: a bad folder is no use waiting for
        train, test = trials()
        with progress_bar("comparing", total=len(methods) + 5, quiet=quiet) as progress:
            comparison = compare_trials(
                train,
                test,
                methods=methods,
                points=points,
                replicates=replicates,
                progress=progress,
            )
            write_results(comparison, folder, progress)
    if not quiet:
        show(comparison)
        click.echo(f"Report: {Path(out) / 'report.html'}")


def _same_file(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:
        return one == other
