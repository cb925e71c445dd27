"""``llrcal compare``: train every calibration on some trials and test it on others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from llrcal.cli.comparing import Comparing, compare_and_write
from llrcal.cli.options import (
    FOLDS,
    File,
    NewFile,
    NewFolder,
    command,
    fold_count,
    option,
    split_names,
)
from llrcal.cli.reading import Direction, LabelledForm, Opener, Reading, Scale
from llrcal.cli.systems import sources_of
from llrcal.cli.terminal import print_notes
from llrcal.errors import OptionError
from llrcal.messages import Setting

if TYPE_CHECKING:
    from llrcal.trials.request import ReadOptions
    from llrcal.trials.systems import Systems
    from llrcal.trials.trials import TrialSet

_Files = tuple[str | None, str | None, str | None]
"""Trials, their key, and non-targets in a file of their own, as far as they are given."""

_KEY = option("Their labels, if they are in another file.", metavar="FILE")
_NONTARGETS = option("Their non-targets, likewise.", metavar="FILE")


@command()
def compare(
    *,
    train: Sequence[File] = option(
        "Trials to train on. Several files are of several systems: see below.", metavar="FILE"
    ),
    train_key: File | None = _KEY,
    train_nontargets: File | None = _NONTARGETS,
    test: Sequence[File] = option("Trials to test on.", metavar="FILE"),
    test_key: File | None = _KEY,
    test_nontargets: File | None = _NONTARGETS,
    data: Sequence[File] = option(
        "One set of trials, for training and testing in folds.", metavar="FILE"
    ),
    data_key: File | None = _KEY,
    data_nontargets: File | None = _NONTARGETS,
    folds: str | None = option(
        "Number of folds for --data; or all, to leave out the two speakers of each trial and "
        f"nobody else, for small sets.  [default: {FOLDS}]",
        metavar="NUMBER|all",
    ),
    scores: str | None = option(
        "The columns of scores of one table, each of a system, to compare with their fusion.",
        metavar="COLUMNS",
    ),
    by: str | None = option(
        "Columns of the test trials or of their key: give every number also for each condition.",
        metavar="COLUMNS",
    ),
    out: NewFolder = option("Folder for the results.", metavar="DIR", required=True),
    llrs: NewFile | None = option(
        "Also write the tested trials to a table (.csv, .tsv, .parquet), with the LLRs of the "
        "recommended calibration; with --data, those of the cross-validation.",
        metavar="FILE",
    ),
    comparing: Comparing,
    form: LabelledForm,
    direction: Direction,
    scale: Scale,
) -> None:
    """Compare every calibration of the paper, in numbers and pictures.

    FILE is a score file of any toolkit (see docs/formats.md), plain or compressed, with labels or
    with a key; an .npz archive with arrays tar and non; or targets alone, with non-targets in a
    file of their own. Options about columns apply to all files. FILE may also be a folder of such
    files, or a pattern in quotes, of any size; intervals are then left out.

    With one set of trials only, give --data: each trial is then tested by calibrations that have
    seen neither of its speakers, where speakers are known, or at least not the trial. The models
    that are saved are trained on all trials. See docs/comparing.md.

    Several systems on the same trials, each with a FILE of its own, or in one table (--scores), are
    compared with their fusion: each is calibrated by a line, as llrcal fuse does.

    \b
    llrcal compare --train dev.npz --test eval.npz --out results
    llrcal compare --data all.npz --folds 5 --out results --learning-curve
    llrcal compare --data comparisons.csv --folds all --out results --llrs llrs.csv --forensic
    llrcal compare --train dev.txt --train-key dev-key.txt \\
                   --test eval.txt --test-key eval-key.txt --out results --preset sre16
    llrcal compare --train dev.csv --test eval.csv --by channel,gender --out results
    llrcal compare --train cos-dev.txt --train plda-dev.txt --train-key dev-key.txt \\
                   --test cos-eval.txt --test plda-eval.txt --test-key eval-key.txt --out results
    """
    systems = max(len(train), len(test), len(data)) > 1 or scores is not None
    sets: dict[str, _Files] = {
        "train": (next(iter(train), None), train_key, train_nontargets),
        "test": (next(iter(test), None), test_key, test_nontargets),
        "data": (next(iter(data), None), data_key, data_nontargets),
    }
    _check_sets(sets, folds)
    count = fold_count(folds) if data else None
    columns = split_names(by, "by")
    kept: dict[str, list[str]] = {"train": [], "test": columns, "data": columns}

    apart = scale.in_pieces or scale.workers or scale.scheduler or direction.inverted
    if systems and apart:
        raise OptionError(
            "several systems are read whole, and compared whichever way their scores run: leave "
            "out --in-pieces, --workers, --scheduler and --inverted"
        )

    def read(opened: Opener) -> list[TrialSet | Systems]:
        if systems:
            for name in (name for name, (*_, non) in sets.items() if non is not None):
                raise OptionError(f"several systems need labels or keys, not --{name}-nontargets")
            every = zip((train, test, data), sets.items(), strict=True)
            return [
                _systems(opened, one, key, scores, form.options(keep=kept[name]))
                for one, (name, (_, key, _)) in every
                if one
            ]
        curve = Setting("learning_curve") if comparing.learning_curve else None
        tested = Setting("llrs") if llrs else None
        whole = {"train": curve, "test": curve or tested, "data": Setting("folds")}
        return [
            _opened(
                opened,
                name,
                source,
                Reading(**vars(form), key=key, nontargets=non),
                whole=whole[name],
                keep=kept[name],
            )
            for name, (source, key, non) in sets.items()
            if source is not None
        ]

    compare_and_write(
        read,
        out,
        comparing,
        scale,
        systems=systems,
        llrs=llrs,
        folds=count,
        by=columns,
        lower_is_better=direction.lower_is_better,
        inverted=direction.inverted or systems,
    )


def _systems(
    opened: Opener, files: Sequence[str], key: str | None, scores: str | None, options: ReadOptions
) -> Systems:
    """Scores of several systems on the same trials."""
    from llrcal.trials.systems import read_systems

    found = read_systems(sources_of(files, scores), key, options=options)
    print_notes(found.notes, quiet=opened.quiet)
    return found


def _opened(opened: Opener, name: str, source: str, reading: Reading, **more: Any) -> TrialSet:
    """A set of trials; an error that asks for a key asks for the option of this set."""
    from llrcal.errors import TrialFileError

    try:
        return opened(source, reading, **more)
    except TrialFileError as problem:
        names = {"key": f"{name}_key", "nontargets": f"{name}_nontargets"}
        raise problem.naming(**names) from problem


def _check_sets(sets: Mapping[str, _Files], folds: str | None) -> None:
    """Refuse anything but training and test trials, or one set of trials."""
    ends = ("", "-key", "-nontargets")
    given = [
        f"--{name}{end}"
        for name, files in sets.items()
        for end, file in zip(ends, files, strict=True)
        if file is not None
    ]
    (train, *_), (test, *_), (data, *_) = sets.values()
    first, last = (given or [""])[0], (given or [""])[-1]
    if data is not None:
        if not first.startswith("--data"):
            raise OptionError(
                f"--data is for one set of trials, and {first} is given as well: give either "
                "--data, or --train and --test"
            )
        return
    if last.startswith("--data"):
        raise OptionError(f"{last} is for --data, which is not given")
    if folds is not None:
        raise OptionError(
            "--folds is for one set of trials: give it as --data, or leave --folds out to test on "
            "other trials than those of --train"
        )
    if train is None or test is None:
        raise OptionError(
            f"{'--train' if train is None else '--test'} is missing: give --train and --test, or "
            "one set of trials as --data"
        )
