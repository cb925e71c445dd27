"""``llrcal watch``: whether scores still look as in training."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import partial
from shlex import quote
from typing import TYPE_CHECKING

import click

from llrcal.cli.options import (
    FORCE,
    JSON,
    QUIET,
    SPEAKERS,
    File,
    NewFolder,
    argument,
    command,
    option,
)
from llrcal.cli.reading import Form, Scale, unlabelled
from llrcal.cli.terminal import echo_err, in_words, print_json, print_notes, print_table

if TYPE_CHECKING:
    from llrcal.adaptation import Watched

STATUS = {"as in training": 0, "moved": 3, "cannot tell": 4}
"""The exit status of each verdict."""


@command()
def watch(
    *,
    model: File = argument("MODEL"),
    scores: File = argument("SCORES"),
    p_target: float | None = option("Rough share of targets among SCORES, if it is known."),
    factor: float = option(
        "How far off that share may be: a factor that is one standard deviation.", 2.0
    ),
    speakers: str | None = SPEAKERS,
    reading: Form,
    scale: Scale,
    json: bool = JSON,
    figures: NewFolder | None = option("Draw a figure into this folder.", metavar="DIR"),
    force: bool = FORCE,
    quiet: bool = QUIET,
) -> None:
    """Tell whether scores look as in training.

    MODEL is a calibration by any method. SCORES is a file of scores from the field, which need no
    labels; labels in it are not used. It may also be a folder of files or a pattern in quotes, of
    any size. The verdict goes by what a change costs, in bits of Cllr.

    The exit status is 0 if scores look as in training (a change costs less than 0.05 bits), 3 if
    they have moved, and 4 if unlabelled scores cannot tell; 2 is an error, as for all verbs. So a
    nightly job can act on it.

    \b
    llrcal watch nig.json field-scores.txt
    llrcal watch nig.json 'night/*.parquet' --p-target 0.01 --figures figures
    llrcal watch nig.json field.npy --json --quiet
    """
    from llrcal.adaptation.adapt import check_options, portrait_of
    from llrcal.adaptation.watch import watched
    from llrcal.calibrations import load
    from llrcal.files.atomic import atomic_folder

    calibration = load(model)
    portrait_of(calibration)  # or refused, before any scores are read
    check_options(p_target, factor)
    field, people = unlabelled(scores, calibration, reading, scale, speakers, quiet=quiet)
    with atomic_folder(figures, force=force) if figures else nullcontext() as folder:
        seen = watched(calibration, field, p_target=p_target, factor=factor, speakers=people)
        if folder is not None:
            from llrcal.figures.folder import draw_into
            from llrcal.figures.watching import draw_watched

            draw_into(folder, [("watch", partial(draw_watched, seen, calibration, field))])
    if json:
        print_json(
            {"model": model, "source": scores, "figures": figures, **seen.to_dict()}, seen.notes
        )
    elif not quiet:
        _show(seen)
    print_notes(seen.notes, quiet=quiet)
    if not quiet:
        if figures:
            echo_err(f"Figure: {figures}")
        for line in _next(seen, quote(model), quote(scores), speakers):
            echo_err(line)
    if status := STATUS[seen.verdict]:
        sys.stdout.flush()  # as a verb that ends with 0 does
        sys.exit(status)


def _show(seen: Watched) -> None:
    from llrcal.calibrations.adapted import Estimate

    click.echo(str(seen))
    if seen.verdict != "cannot tell":
        click.echo(f"probability that nothing has moved: {in_words(seen.unmoved)}")
    cost = Estimate(*(max(number, 0.001) for number in seen.cost))  # never 0.000
    estimates = {
        "cost of the change (bits of Cllr)": (cost, ".3f"),
        "expected Cllr as it is": (seen.cllr, ".3f"),
        "share of targets": (seen.share, ".3g"),
    }
    print_table(
        ("", "estimate", "95 % interval"),
        [
            (name, f"{one.value:{form}}", f"{one.low:{form}} to {one.high:{form}}")
            for name, (one, form) in estimates.items()
        ],
        words=("",),
    )
    click.echo(f"{seen.count:,} scores by range, and what is expected if nothing has moved:")
    rows = [
        (_range(one.low, one.high), f"{one.seen:.1%}", f"{one.expected:.1%}")
        for one in seen.differences
    ]
    print_table(("scores", "seen", "expected"), rows, words=("scores",))


def _range(low: float, high: float) -> str:
    if low == -float("inf"):
        return f"below {high:.4g}"
    return f"above {low:.4g}" if high == float("inf") else f"{low:.4g} to {high:.4g}"


def _next(seen: Watched, model: str, scores: str, speakers: str | None) -> list[str]:
    """What to do now, as commands to type."""
    if seen.verdict == "as in training":
        return ["There is nothing to do."]
    files, known = f"{model} {scores}", ""
    if seen.p_target is not None:
        known += f" --p-target {seen.p_target:g}"
    if speakers is not None:
        known += f" --speakers {quote(speakers)}"
    if seen.verdict == "moved":
        return [f"Adapt to these scores: llrcal adapt {files}{known} -o adapted.json"]
    few = f"llrcal adapt {files}{known} --labelled FEW -o adapted.json"
    out = [f"If you can label some of the scores: {few}"]
    if seen.p_target is None:
        share = f"llrcal watch {files} --p-target SHARE{known}"
        out.insert(0, f"If you know the share of targets: {share}")
    return out
