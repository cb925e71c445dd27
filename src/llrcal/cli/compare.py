"""``llrcal compare``: train every calibration on some trials and test it on others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.comparing import compare_and_write
from llrcal.cli.options import FILE, comparison_options, refuse, split_names
from llrcal.cli.reading import (
    Opener,
    Scale,
    direction_options,
    reading_options,
    scale_options,
)
from llrcal.cli.systems import sources_of
from llrcal.cli.terminal import print_notes
from llrcal.files.overwriting import refuse_output_around_inputs, refuse_to_read_twice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llrcal.trials.request import ReadOptions
    from llrcal.trials.systems import Systems
    from llrcal.trials.trials import TrialSet

_File = tuple[str | None, str | None]
"""Trials and their key, as far as they are given."""

_FOLDS = 5


@click.command()
@click.option(
    "--train",
    metavar="FILE",
    type=FILE,
    multiple=True,
    help="Trials to train on. Several files are of several systems: see below.",
)
@click.option(
    "--train-key", metavar="FILE", type=FILE, help="Their labels, if they are in another file."
)
@click.option("--test", metavar="FILE", type=FILE, multiple=True, help="Trials to test on.")
@click.option(
    "--test-key", metavar="FILE", type=FILE, help="Their labels, if they are in another file."
)
@click.option(
    "--data",
    metavar="FILE",
    type=FILE,
    help="One set of trials, for training and testing in folds.",
)
@click.option(
    "--data-key", metavar="FILE", type=FILE, help="Their labels, if they are in another file."
)
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    help=f"Number of folds for --data.  [default: {_FOLDS}]",
)
@click.option(
    "--scores",
    metavar="COLUMNS",
    help="The columns of scores of one table, each of a system, to compare with their fusion.",
)
@click.option(
    "--by",
    metavar="COLUMNS",
    help="Columns of the test trials or of their key: give every number also for each condition.",
)
@click.option("--out", required=True, metavar="DIR", type=FILE, help="Folder for the results.")
@comparison_options
@reading_options(key=False)
@direction_options
@scale_options
def compare(
    train: Sequence[str],
    train_key: str | None,
    test: Sequence[str],
    test_key: str | None,
    data: str | None,
    data_key: str | None,
    folds: int | None,
    scores: str | None,
    by: str | None,
    out: str,
    distance: bool,
    inverted: bool,
    reading: ReadOptions,
    scale: Scale,
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

    Several systems on the same trials, each with a FILE of its own, or in one table (--scores), are
    compared with their fusion: each is calibrated by a line, as llrcal fuse does.

    \b
    llrcal compare --train dev.npz --test eval.npz --out results
    llrcal compare --data all.npz --folds 5 --out results --learning-curve
    llrcal compare --train dev.txt --train-key dev-key.txt \\
                   --test eval.txt --test-key eval-key.txt --out results --preset sre16
    llrcal compare --train dev.csv --test eval.csv --by channel,gender --out results
    llrcal compare --train cos-dev.txt --train plda-dev.txt --train-key dev-key.txt \\
                   --test cos-eval.txt --test plda-eval.txt --test-key eval-key.txt --out results
    """
    refuse_to_read_twice(*dict.fromkeys(train), train_key, *dict.fromkeys(test), test_key)
    refuse_to_read_twice(*train, data, data_key)
    systems = max(len(train), len(test)) > 1 or scores is not None
    first, second = (None if not files else files[0] for files in (train, test))
    sets = _sets((first, train_key), (second, test_key), (data, data_key), folds)
    refuse_output_around_inputs(out, *train, *test, *(name for one in sets for name in one))
    reading = replace(reading, keep=split_names(by))

    def read(opened: Opener) -> list[TrialSet | Systems]:
        if systems:
            both = (train, train_key), (test, test_key)
            return [
                _systems(files, key, scores, reading, quiet=opened.quiet) for files, key in both
            ]
        names = ("data_key",) if data is not None else ("train_key", "test_key")
        every = zip(sets, names, strict=True)
        return [_opened(opened, file, key, name, reading) for (file, key), name in every]

    compare_and_write(
        read,
        out,
        scale,
        systems=systems,
        folds=None if data is None else folds or _FOLDS,
        by=split_names(by),
        lower_is_better=distance,
        inverted=inverted or systems,
        **settings,
    )


def _systems(
    files: Sequence[str],
    key: str | None,
    scores: str | None,
    reading: ReadOptions,
    *,
    quiet: bool,
) -> Systems:
    """Scores of several systems on the same trials."""
    from llrcal.trials.systems import read_systems

    found = read_systems(sources_of(files, scores), key, options=reading)
    print_notes(found.notes, quiet=quiet)
    return found


def _opened(
    opened: Opener, file: str, key: str | None, name: str, reading: ReadOptions
) -> TrialSet:
    """A set of trials; an error that asks for a key asks for the option of this set."""
    from llrcal.errors import TrialFileError

    try:
        return opened(file, key, reading)
    except TrialFileError as problem:
        raise problem.naming(key=name) from problem


def _sets(
    train: _File, test: _File, data: _File, folds: int | None
) -> list[tuple[str, str | None]]:
    """The files of training and test trials, or those of one set; any other mixture is refused."""
    if data[0] is not None:
        given = zip(
            ("--train", "--train-key", "--test", "--test-key"), (*train, *test), strict=True
        )
        also = next((name for name, value in given if value is not None), None)
        refuse(
            {
                f"--data is for one set of trials, and {also} is given as well: give either "
                "--data, or --train and --test": also
            }
        )
        return [(data[0], data[1])]
    missing = "--train" if train[0] is None else "--test"
    refuse(
        {
            "--data-key is for --data, which is not given": data[1] is not None,
            "--folds is for one set of trials: give it as --data, or leave --folds out to test on "
            "other trials than those of --train": folds is not None,
            f"{missing} is missing: give --train and --test, or one set of trials as --data": (
                None in (train[0], test[0])
            ),
            f"{train[0]} is given for training and for testing: a calibration tested on its own "
            "training trials looks better than it is. Give other trials to test on, or --data "
            f"{train[0]} for cross-validation": _same_file(train[0], test[0]),
        }
    )
    return [(str(file), key) for file, key in (train, test)]


def _same_file(one: str | None, other: str | None) -> bool:
    try:
        return Path(one or "").samefile(other or "")
    except OSError:
        return one == other
