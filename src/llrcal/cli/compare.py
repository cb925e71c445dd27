"""``llrcal compare``: train every calibration on some trials and test it on others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.comparing import compare_and_write
from llrcal.cli.options import (
    FILE,
    Command,
    comparison_options,
    refuse,
    split_names,
    together,
)
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
    from collections.abc import Callable, Sequence

    from llrcal.trials.request import ReadOptions
    from llrcal.trials.systems import Systems
    from llrcal.trials.trials import TrialSet

_Files = tuple[str | None, str | None, str | None]
"""Trials, their key, and non-targets in a file of their own, as far as they are given."""

_FOLDS = 5


def _set_of_trials(name: str, text: str, *, multiple: bool = True) -> Callable[[Command], Command]:
    """The files of one set of trials."""
    file: dict[str, Any] = {"metavar": "FILE", "type": FILE}
    labels, classes = "Their labels, if they are in another file.", "Their non-targets, likewise."
    return together(
        click.option(f"--{name}", **file, multiple=multiple, help=text),
        click.option(f"--{name}-key", **file, help=labels),
        click.option(f"--{name}-nontargets", **file, help=classes),
    )


@click.command()
@_set_of_trials("train", "Trials to train on. Several files are of several systems: see below.")
@_set_of_trials("test", "Trials to test on.")
@_set_of_trials("data", "One set of trials, for training and testing in folds.", multiple=False)
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
    train_nontargets: str | None,
    test: Sequence[str],
    test_key: str | None,
    test_nontargets: str | None,
    data: str | None,
    data_key: str | None,
    data_nontargets: str | None,
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
    with a key; an .npz archive with arrays tar and non; or targets alone, with non-targets in a
    file of their own. Options about columns apply to all files. FILE may also be a folder of such
    files, or a pattern in quotes, of any size; intervals are then left out.

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
    systems = max(len(train), len(test)) > 1 or scores is not None
    first, second = (None if not files else files[0] for files in (train, test))
    given: dict[str, _Files] = {
        "train": (first, train_key, train_nontargets),
        "test": (second, test_key, test_nontargets),
        "data": (data, data_key, data_nontargets),
    }
    beside = [name for files in given.values() for name in files[1:]]
    refuse_to_read_twice(*dict.fromkeys(train), *dict.fromkeys(test), data, *beside)
    sets = _sets(given, folds)
    refuse_output_around_inputs(out, *train, *test, data, *beside)
    reading = replace(reading, keep=split_names(by))

    def read(opened: Opener) -> list[TrialSet | Systems]:
        if systems:
            apart = train_nontargets or test_nontargets
            refuse({"several systems need labels or keys, not --train-nontargets": apart})
            both = (train, train_key), (test, test_key)
            return [
                _systems(files, key, scores, reading, quiet=opened.quiet) for files, key in both
            ]
        return [_opened(opened, *files, name, reading) for name, files in sets.items()]

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
    opened: Opener,
    file: str | None,
    key: str | None,
    nontargets: str | None,
    name: str,
    reading: ReadOptions,
) -> TrialSet:
    """A set of trials; an error that asks for a key asks for the option of this set."""
    from llrcal.errors import TrialFileError

    try:
        return opened(str(file), key, replace(reading, nontargets=nontargets))
    except TrialFileError as problem:
        names = {"key": f"{name}_key", "nontargets": f"{name}_nontargets"}
        raise problem.naming(**names) from problem


def _sets(given: dict[str, _Files], folds: int | None) -> dict[str, _Files]:
    """The files of training and test trials, or those of one set; any other mixture is refused."""
    data = given.pop("data")
    (train, *_), (test, *_) = given.values()
    if data[0] is not None:
        names = (f"--{name}{part}" for name in given for part in ("", "-key", "-nontargets"))
        values = (value for files in given.values() for value in files)
        also = next((name for name, value in zip(names, values, strict=True) if value), None)
        refuse(
            {
                f"--data is for one set of trials, and {also} is given as well: give either "
                "--data, or --train and --test": also
            }
        )
        return {"data": data}
    missing = "--train" if train is None else "--test"
    refuse(
        {
            "--data-key is for --data, which is not given": data[1] is not None,
            "--data-nontargets is for --data, which is not given": data[2] is not None,
            "--folds is for one set of trials: give it as --data, or leave --folds out to test on "
            "other trials than those of --train": folds is not None,
            f"{missing} is missing: give --train and --test, or one set of trials as --data": (
                None in (train, test)
            ),
            f"{train} is given for training and for testing: a calibration tested on its own "
            "training trials looks better than it is. Give other trials to test on, or --data "
            f"{train} for cross-validation": _same_file(train, test),
        }
    )
    return given


def _same_file(one: str | None, other: str | None) -> bool:
    try:
        return Path(one or "").samefile(other or "")
    except OSError:
        return one == other
