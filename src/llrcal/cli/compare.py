"""``llrcal compare``: train every calibration on one set of trials and test it on another."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.opening import opener, scale_options
from llrcal.cli.options import comparison_options, methods_with, operating_points
from llrcal.cli.reading import direction_options, form_options, policy_options, refuse_wrong_way
from llrcal.files.overwriting import refuse_to_bury, refuse_to_read_twice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from llrcal.trials.trial_set import TrialSet


@click.command()
@click.option("--train", required=True, metavar="FILE", help="Trials to train on.")
@click.option("--train-key", metavar="FILE", help="Their labels, if they are in another file.")
@click.option("--test", required=True, metavar="FILE", help="Trials to test on.")
@click.option("--test-key", metavar="FILE", help="Their labels, if they are in another file.")
@click.option("--out", required=True, metavar="DIR", help="Folder for the results.")
@comparison_options
@form_options
@click.option("--key-columns", metavar="ROLES", help="The columns of the keys, as for --columns.")
@click.option(
    "--key-format",
    "key_convention",
    metavar="NAME",
    help="The format of the keys, as for --format.",
)
@policy_options
@direction_options
@scale_options
def compare(
    train: str,
    train_key: str | None,
    test: str,
    test_key: str | None,
    out: str,
    columns: str | None,
    convention: str | None,
    key_columns: str | None,
    key_convention: str | None,
    labels: str | None,
    separator: str | None,
    header: bool | None,
    on_nan: str,
    missing: str,
    unknown: str,
    duplicates: str,
    spoof: str,
    distance: bool,
    inverted: bool,
    in_pieces: bool,
    workers: int | None,
    scheduler: str | None,
    **settings: Any,
) -> None:
    """Compare every calibration of the paper, in numbers and pictures.

    FILE is a score file of any toolkit (see docs/formats.md), plain or compressed, with labels or
    with a key; an .npz archive with arrays tar and non; or two files of one class each, written
    as TARGETS,NONTARGETS. Options about columns apply to both files. FILE may also be a folder of
    such files, or a pattern in quotes, of any size; intervals are then left out.

    \b
    llrcal compare --train dev.npz --test eval.npz --out results
    llrcal compare --train dev.txt --train-key dev-key.txt \\
                   --test eval.txt --test-key eval-key.txt --out results --preset sre16
    """
    from llrcal.errors import OptionError

    refuse_to_read_twice(train, train_key, test, test_key)
    if _same_file(train, test):
        raise OptionError(
            f"{train} is given both for training and for testing: a calibration tested on its own "
            "training trials looks better than it is. Give other trials to test on"
        )
    refuse_to_bury(out, train, train_key, test, test_key)
    reading: dict[str, Any] = {
        "columns": columns,
        "convention": convention,
        "key_columns": key_columns,
        "key_convention": key_convention,
        "labels": labels,
        "separator": separator,
        "header": header,
        "on_nan": on_nan,
        "missing": missing,
        "unknown": unknown,
        "duplicates": duplicates,
        "spoof": spoof,
    }
    where: dict[str, Any] = {"in_pieces": in_pieces, "workers": workers, "scheduler": scheduler}

    @contextmanager
    def trials() -> Iterator[tuple[TrialSet, TrialSet]]:
        with opener(**where, quiet=settings["quiet"]) as open_trials:
            yield (
                open_trials(train, key=train_key, **reading),
                open_trials(test, key=test_key, **reading),
            )

    run(trials(), out, lower_is_better=distance, inverted=inverted, **settings)


def run(
    trials: AbstractContextManager[tuple[TrialSet, TrialSet]],
    out: str,
    *,
    alphas: Sequence[str],
    p_target: Sequence[float],
    c_miss: Sequence[float],
    c_fa: Sequence[float],
    replicates: int,
    force: bool,
    quiet: bool,
    preset: Sequence[str] = (),
    lower_is_better: bool = False,
    inverted: bool = True,
) -> None:
    """Compare calibrations on two sets of trials, and write everything to a folder."""
    from llrcal.cli.terminal import progress_bar, show
    from llrcal.comparison import compare as compare_trials
    from llrcal.files.atomic import atomic_folder
    from llrcal.report.folder import write_results

    methods = methods_with(alphas)
    points = operating_points(p_target, c_miss, c_fa, preset)
    with (
        atomic_folder(out, force=force) as folder,  # first, so that a bad folder is refused at once
        trials as (train, test),
        progress_bar("comparing", total=len(methods) + 5, quiet=quiet) as progress,
    ):
        comparison = compare_trials(
            train,
            test,
            methods=methods,
            points=points,
            replicates=replicates,
            lower_is_better=lower_is_better,
            progress=progress,
        )
        if not inverted:
            refuse_wrong_way(comparison.raw.notes, test.source, distance=lower_is_better)
            refuse_wrong_way(comparison.notes, train.source, distance=lower_is_better)
        write_results(comparison, folder, progress)
    if not quiet:
        show(comparison)
        click.echo(f"Report: {Path(out) / 'report.html'}")


def _same_file(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:
        return one == other
