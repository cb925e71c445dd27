"""``llrcal compare``: train every calibration on some trials and test it on others."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.opening import opener, say, scale_options
from llrcal.cli.options import comparison_options, methods_with, operating_points, split_names
from llrcal.cli.reading import direction_options, form_options, policy_options, refuse_wrong_way
from llrcal.cli.terminal import tell
from llrcal.files.overwriting import refuse_to_bury, refuse_to_read_twice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from llrcal.trials.trial_set import TrialSet

_File = tuple[str | None, str | None]
"""Trials and their key, as far as they are given."""

_FOLDS = 5


@click.command()
@click.option("--train", metavar="FILE", help="Trials to train on.")
@click.option("--train-key", metavar="FILE", help="Their labels, if they are in another file.")
@click.option("--test", metavar="FILE", help="Trials to test on.")
@click.option("--test-key", metavar="FILE", help="Their labels, if they are in another file.")
@click.option(
    "--data", metavar="FILE", help="One set of trials, for training and testing in folds."
)
@click.option("--data-key", metavar="FILE", help="Their labels, if they are in another file.")
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    help=f"Number of folds for --data.  [default: {_FOLDS}]",
)
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
    train: str | None,
    train_key: str | None,
    test: str | None,
    test_key: str | None,
    data: str | None,
    data_key: str | None,
    folds: int | None,
    out: str,
    columns: str | None,
    convention: str | None,
    key_columns: str | None,
    key_convention: str | None,
    labels: str | None,
    separator: str | None,
    header: bool | None,
    decimal: str,
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

    With one set of trials only, give --data: each trial is then tested by calibrations that were
    trained on other folds of it, and so on other speakers where the file names speakers. The models
    that are saved are trained on all trials. See docs/comparing.md.

    \b
    llrcal compare --train dev.npz --test eval.npz --out results
    llrcal compare --data all.npz --folds 5 --out results --learning-curve
    llrcal compare --train dev.txt --train-key dev-key.txt \\
                   --test eval.txt --test-key eval-key.txt --out results --preset sre16
    """
    refuse_to_read_twice(train, train_key, test, test_key, data, data_key)
    sets = _sets((train, train_key), (test, test_key), (data, data_key), folds)
    refuse_to_bury(out, *(name for one in sets for name in one))
    reading: dict[str, Any] = {
        "columns": columns,
        "convention": convention,
        "key_columns": key_columns,
        "key_convention": key_convention,
        "labels": labels,
        "separator": separator,
        "header": header,
        "decimal": decimal,
        "on_nan": on_nan,
        "missing": missing,
        "unknown": unknown,
        "duplicates": duplicates,
        "spoof": spoof,
    }
    where: dict[str, Any] = {"in_pieces": in_pieces, "workers": workers, "scheduler": scheduler}

    @contextmanager
    def trials() -> Iterator[tuple[TrialSet, ...]]:
        with opener(**where, quiet=settings["quiet"]) as open_trials:
            yield tuple(open_trials(file, key=key, **reading) for file, key in sets)

    settings["folds"] = None if data is None else folds or _FOLDS
    run(trials(), out, lower_is_better=distance, inverted=inverted, **settings)


def run(
    trials: AbstractContextManager[tuple[TrialSet, ...]],
    out: str,
    *,
    alphas: Sequence[str],
    rules: Sequence[str],
    bayes: bool,
    p_target: Sequence[float],
    c_miss: Sequence[float],
    c_fa: Sequence[float],
    criterion: str | None,
    replicates: int,
    formats: str,
    force: bool,
    quiet: bool,
    learning_curve: bool,
    adapt: float | None = None,
    paper: bool = False,
    folds: int | None = None,
    preset: Sequence[str] = (),
    lower_is_better: bool = False,
    inverted: bool = True,
) -> None:
    """Compare on two sets of trials, or on folds of one, and write everything to a folder."""
    from llrcal.cli.show_comparison import show, show_learning_curve
    from llrcal.cli.terminal import progress_bar
    from llrcal.comparison import compare as compare_trials
    from llrcal.comparison.figure_formats import figure_formats
    from llrcal.comparison.learning import SIZES
    from llrcal.files.atomic import atomic_folder
    from llrcal.report.folder import write_results

    wanted = [] if formats == "none" else figure_formats(split_names(formats))
    methods = methods_with(alphas, rules, bayes=bayes)
    points = operating_points(p_target, c_miss, c_fa, preset)
    moved = 0 if adapt is None else 1 + 3 * (1 + bayes)  # gaussian, student-t and nig
    steps = len(methods) + moved + 6 + (folds or 0) + (SIZES if learning_curve else 0)
    with (
        atomic_folder(out, force=force) as folder,  # first, so that a bad folder is refused at once
        trials as sets,
        progress_bar("comparing", total=steps, quiet=quiet) as progress,
    ):
        comparison = compare_trials(
            *sets,
            folds=folds,
            methods=methods,
            points=points if p_target or preset else None,
            criterion=criterion,
            replicates=replicates,
            lower_is_better=lower_is_better,
            learning_curve=learning_curve,
            adapt=adapt,
            settings="paper" if paper else "default",
            progress=progress,
        )
        if not inverted:
            raw = comparison.raw.direction_notes
            refuse_wrong_way(raw, sets[-1].source, distance=lower_is_better)
            refuse_wrong_way(comparison.notes, sets[0].source, distance=lower_is_better)
        write_results(comparison, folder, formats=wanted, progress=progress)
    if comparison.folds is not None:
        say([comparison.folds.note], quiet=quiet)
    if not quiet:
        show(comparison)
        if comparison.learning_curve is not None:
            show_learning_curve(comparison.learning_curve)
        tell(f"Report: {Path(out) / 'report.html'}", err=False)


def _sets(
    train: _File, test: _File, data: _File, folds: int | None
) -> list[tuple[str, str | None]]:
    """The files of training and test trials, or those of one set; any other mixture is refused."""
    from llrcal.errors import OptionError

    if data[0] is None and data[1] is not None:
        raise OptionError("--data-key is for --data, which is not given")
    if data[0] is None and folds is not None:
        raise OptionError(
            "--folds is for one set of trials: give it as --data, or leave --folds out to test on "
            "other trials than those of --train"
        )
    if data[0] is None:
        return _two_sets(train, test)
    given = {"--train": train[0], "--train-key": train[1], "--test": test[0], "--test-key": test[1]}
    for name, value in given.items():
        if value is not None:
            raise OptionError(
                f"--data is for one set of trials, and {name} is given as well: give either "
                "--data, or --train and --test"
            )
    return [(data[0], data[1])]


def _two_sets(train: _File, test: _File) -> list[tuple[str, str | None]]:
    """Training and test trials, of different files."""
    from llrcal.errors import OptionError

    if train[0] is None or test[0] is None:
        missing = "--train" if train[0] is None else "--test"
        raise OptionError(
            f"{missing} is missing: give --train and --test, or one set of trials as --data"
        )
    if _same_file(train[0], test[0]):
        raise OptionError(
            f"{train[0]} is given for training and for testing: a calibration tested on its own "
            "training trials looks better than it is. Give other trials to test on, or --data "
            f"{train[0]} for cross-validation"
        )
    return [(train[0], train[1]), (test[0], test[1])]


def _same_file(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:
        return one == other
