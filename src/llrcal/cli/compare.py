"""``llrcal compare``: train every calibration on one set of trials, test it on another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.options import comparison_options, methods_with, operating_points
from llrcal.cli.reading import (
    check_direction,
    direction_options,
    form_options,
    policy_options,
    read,
    wrong_way,
)
from llrcal.cli.scale import Scale, opened, scale_options
from llrcal.files.overwriting import refuse_to_bury, refuse_to_read_twice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from llrcal.comparison import Comparison
    from llrcal.trials import Trials


@click.command()
@click.option("--train", required=True, metavar="FILE", help="Trials to train on.")
@click.option("--train-key", metavar="FILE", help="Their labels, if they are somewhere else.")
@click.option("--test", required=True, metavar="FILE", help="Trials to test on.")
@click.option("--test-key", metavar="FILE", help="Their labels, likewise.")
@click.option("--out", required=True, metavar="DIR", help="Folder for the results.")
@comparison_options
@form_options
@click.option("--key-columns", metavar="ROLES", help="The columns of the keys, likewise.")
@click.option(
    "--key-format", "key_convention", metavar="NAME", help="Whose convention they follow."
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
    as TARGETS,NONTARGETS. What is said about columns holds for both files. It may also be a folder
    of such files, or a pattern in quotes, of any size; intervals are then left out.

    \b
    llrcal compare --train dev.npz --test eval.npz --out results
    llrcal compare --train dev.txt --train-key dev-key.txt \\
                   --test eval.txt --test-key eval-key.txt --out results --preset sre16
    """
    from llrcal.errors import OptionError

    refuse_to_read_twice(train, train_key, test, test_key)
    if _same_file(train, test):
        raise OptionError(
            f"{train} is given for training and for testing: a calibration tested on its own "
            "training trials looks better than it is. Give other trials to test on"
        )
    refuse_to_bury(out, train, train_key, test, test_key)
    reading = {
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
        "quiet": settings["quiet"],
    }

    scale = Scale(in_pieces, workers, scheduler)
    keys = {"missing": missing, "unknown": unknown, "duplicates": duplicates}
    meant = [
        scale.is_meant(name, {"key": key, **keys})
        for name, key in ((train, train_key), (test, test_key))
    ]
    if any(meant):
        _in_pieces(
            train, test, out, scale, reading, distance=distance, inverted=inverted, **settings
        )
        return

    def trials() -> tuple[Trials, Trials]:
        both = read(train, key=train_key, **reading), read(test, key=test_key, **reading)
        for one in both:
            check_direction(one, distance=distance, inverted=inverted)
        return (both[0].negated(), both[1].negated()) if distance else both

    run(trials, out, lower_is_better=distance, **settings)


def _in_pieces(
    train: str,
    test: str,
    out: str,
    scale: Scale,
    reading: dict[str, Any],
    *,
    distance: bool,
    inverted: bool,
    alphas: Sequence[str],
    p_target: Sequence[float],
    c_miss: Sequence[float],
    c_fa: Sequence[float],
    preset: Sequence[str],
    replicates: int,
    force: bool,
    quiet: bool,
) -> None:
    """The same for trials that are read in pieces."""
    from llrcal.cli.output import write_results
    from llrcal.cli.terminal import said_aloud, show
    from llrcal.comparison.in_pieces import Set, compare_in_pieces
    from llrcal.files.atomic import atomic_folder
    from llrcal.scale.pieces.piece import Mapped

    methods = methods_with(alphas)
    points = operating_points(p_target, c_miss, c_fa, preset)
    factor = -1.0 if distance else 1.0
    with (
        atomic_folder(out, force=force) as folder,
        said_aloud(),
        scale.engine(quiet=quiet) as engine,
    ):
        training, testing = (
            Set([Mapped.of(p, factor=factor) for p in opened(name, reading, quiet=quiet)], name)
            for name in (train, test)
        )
        if replicates and not quiet:
            click.echo("There are no intervals where trials are read in pieces.", err=True)
        comparison = compare_in_pieces(training, testing, engine, methods=methods, points=points)
        if not inverted and comparison.raw.runs_backwards:
            raise wrong_way(test, distance=distance)
        write_results(comparison, folder, lambda _: None, lower_is_better=distance)
        if not quiet:
            show(comparison)
    if not quiet:
        click.echo(f"Report: {Path(out) / 'report.html'}")


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
    preset: Sequence[str] = (),
    lower_is_better: bool = False,
) -> None:
    """Compare two sets of trials and write everything to a folder, as the options say."""
    from llrcal.cli.output import write_results
    from llrcal.cli.terminal import progress_bar, show
    from llrcal.comparison import compare as compare_trials
    from llrcal.files.atomic import atomic_folder

    methods = methods_with(alphas)
    points = operating_points(p_target, c_miss, c_fa, preset)
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
            comparison = _with_gaps(comparison)
            write_results(comparison, folder, progress, lower_is_better=lower_is_better)
    if not quiet:
        show(comparison)
        click.echo(f"Report: {Path(out) / 'report.html'}")


def _with_gaps(comparison: Comparison) -> Comparison:
    """The comparison with a word about trials that were left out, first of all."""
    from llrcal.comparison import Finding

    said = (*comparison.train.left_out, *comparison.test.left_out)
    findings = [Finding("trials left out", None, text) for text in said]
    return replace(comparison, findings=(*findings, *comparison.findings))


def _same_file(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:
        return one == other
