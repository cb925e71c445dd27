"""``llrcal validate``: a validation of one calibration, for a case file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import click

from llrcal.cli.options import (
    FOLDS,
    FORCE,
    JSON,
    File,
    MethodOptions,
    NewModel,
    NewPath,
    argument,
    command,
    fold_count,
    option,
    output,
)
from llrcal.cli.reading import Direction, Reading, Scale, opener
from llrcal.cli.terminal import (
    echo_err,
    print_json,
    print_lines,
    print_notes,
    print_table,
    progress_bar,
)
from llrcal.errors import OptionError, TrialFileError
from llrcal.files.marks import PAGE
from llrcal.messages import printable

if TYPE_CHECKING:
    from llrcal.validation import Validation

_WHOLE = "a validation"  # which needs all trials in memory

NOT_MET = 3
"""The exit status if a criterion is not met."""


@command()
def validate(
    *,
    scores: File = argument("SCORES"),
    out: Annotated[str, NewPath(PAGE)] = output("The page (HTML).", "PAGE"),
    test: File | None = option(
        "Other trials to test on; SCORES are then for training alone.", metavar="FILE"
    ),
    test_key: File | None = option("Their labels, if they are in another file.", metavar="FILE"),
    test_nontargets: File | None = option("Their non-targets, likewise.", metavar="FILE"),
    folds: str | None = option(
        "Number of folds of SCORES, without --test; or all, to leave out the two speakers of each "
        f"trial and nobody else, for small sets.  [default: {FOLDS}]",
        metavar="NUMBER|all",
    ),
    asked: MethodOptions,
    require: Sequence[str] = option(
        "A criterion, in quotes: a measure, <, <=, > or >=, and a number, such as 'cllr<0.3', "
        "'eer<5%', 'misleading_non_100<0.1%'. Repeatable.",
        metavar="CRITERION",
    ),
    title: str | None = option("Title of the page."),
    author: str = option("Author of the validation.", ""),
    date: str | None = option("Date of the validation.  [default: today]"),
    state: Sequence[str] = option(
        "What only you can know, for the page: purpose, propositions, population, conditions or "
        "system, as NAME=TEXT. Repeatable.",
        metavar="NAME=TEXT",
    ),
    level: float = option("Share of drawn test sets that an interval covers.", 0.95),
    replicates: int = option("Number of test sets to draw for the intervals.", 1000),
    model: NewModel | None = option("Also write the validated model (JSON).", metavar="FILE"),
    reading: Reading,
    direction: Direction,
    json: bool = JSON,
    force: bool = FORCE,  # noqa: ARG001, which is asked before
    quiet: bool = option("Print no progress bars and no table."),
) -> None:
    """Validate a calibration for a case file, and write a page to print.

    SCORES is a score file of any toolkit, with labels or with a key (see docs/formats.md). Each
    trial is tested by a calibration that has seen neither of its speakers, where these are known;
    with --test, other trials are tested. The page has the data with checksums, the model, every
    number with an interval by speaker, the criteria, figures, and where guidelines for the
    validation of likelihood-ratio methods are answered.

    The exit status is 0 if all criteria are met, and 3 if one is not; 2 is an error, as for all
    verbs. See docs/forensics.md.

    \b
    llrcal validate casework.csv -o case.html --require 'cllr<0.3' --require 'eer<10%'
    llrcal validate training.csv -o case.html --author Expert --state population=men
    llrcal validate training.csv --test validation.csv -o case.html --method logistic --model m.json
    """
    from llrcal.validation import validate as validated
    from llrcal.validation.requirements import requirements
    from llrcal.validation.validate import TITLE

    requirements(require)  # before any file is read
    stated, number = _stated(state), None if test else fold_count(folds)
    of_test = {"--test-key": test_key, "--test-nontargets": test_nontargets}
    for name in (name for name, file in of_test.items() if test is None and file is not None):
        raise OptionError(f"{name} is for --test, which is not given")
    if test and folds:
        raise OptionError("--folds is for one set of trials: leave it out, or --test")
    if out == model:
        raise OptionError(f"{out} cannot be both the page and the model")
    with opener(Scale(), quiet=quiet) as opened, progress_bar(quiet=quiet) as show:
        sets = [opened(scores, reading, whole=_WHOLE)]
        if test is not None:
            other = replace(reading, key=test_key, nontargets=test_nontargets)
            try:
                sets.append(opened(test, other, whole=_WHOLE))
            except TrialFileError as problem:
                named = problem.naming(key="test_key", nontargets="test_nontargets")
                raise named from problem

        def progress(step: str, done: int = 0, total: int | None = None) -> None:
            show("validating", description=f"validating: {step}", completed=done, total=total)

        found = validated(
            *sets,
            folds=number,
            method=asked.chosen,
            bounds=asked.bounds,
            require=require,
            title=TITLE if title is None else title,
            author=author,
            date=date,
            stated=stated,
            level=level,
            replicates=replicates,
            lower_is_better=direction.lower_is_better,
            inverted=direction.inverted,
            progress=progress,
        )
        found.save(out)
        if model is not None:
            found.model.save(model)
    if json:
        print_json({"out": out, "model": model, **found.to_dict()}, found.notes)
    elif not quiet:
        _show(found)
    told = {note for some in sets for note in some.notes}  # when they were read
    print_notes([note for note in found.notes if note not in told], quiet=quiet)
    if not quiet:
        echo_err(f"Page: {out}")
    if not found.met:
        sys.stdout.flush()  # as a verb that ends with 0 does
        sys.exit(NOT_MET)


def _stated(given: Sequence[str]) -> dict[str, str]:
    """What the author states, by name."""
    stated: dict[str, str] = {}
    for one in given:
        name, is_there, text = one.partition("=")
        if not is_there:
            raise OptionError(
                f"--state is {one!r:.80}; give NAME=TEXT, such as 'population=adult men'"
            )
        if name in stated:
            raise OptionError(f"--state {name!r:.40} is given twice: give it once")
        stated[name] = text
    return stated


def _show(found: Validation) -> None:
    """Print the data, the numbers and the criteria."""
    for some in found.data:
        who = "speakers not known" if some.speakers is None else f"{some.speakers:,} speakers"
        counts = f"{some.targets:,} targets, {some.nontargets:,} non-targets, {who}"
        print_lines(f"{some.source}: {counts}")
        for file in some.files:
            click.echo(printable(f"SHA-256 {file.sha256}  {file.path}"))
    print_lines(f"{found.candidate.label}, bounds {found.bounds}")
    click.echo(f"SHA-256 {found.model_sha256}  (model file)")
    heads = ["", "number", "from", "to", *(["criterion"] if found.criteria else [])]
    rows = []
    for name, one in found.measures.items():
        row = [one.words, *map(one.written, (one.value, *one.interval))]
        if found.criteria:
            about = [each for each in found.criteria if each.requirement.name == name]
            row.append("; ".join(f"{each.requirement.limit}: {each.verdict}" for each in about))
        rows.append(row)
    ends = found.intervals
    caption = f"{100 * ends.level:g} % intervals by {ends.by}, {ends.replicates:,} drawn test sets"
    print_table(heads, rows, words=("", "criterion"), caption=caption)
    print_lines(found.verdict)
