"""``llrcal watch``: whether scores still look as in training."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import partial
from shlex import quote
from typing import TYPE_CHECKING

import click

from llrcal.cli.options import FORCE, JSON, QUIET, File, NewFolder, argument, command, option
from llrcal.cli.reading import Form, Scale, unlabelled
from llrcal.cli.terminal import echo_err, print_json, print_notes, print_table

if TYPE_CHECKING:
    from llrcal.adaptation import Watched

MOVED = 3
"""The exit status if scores do not look as in training."""


@command()
def watch(
    *,
    model: File = argument("MODEL"),
    scores: File = argument("SCORES"),
    p_target: float | None = option("Rough share of targets among SCORES, if it is known."),
    factor: float = option(
        "How far off that share may be: a factor that is one standard deviation.", 2.0
    ),
    reading: Form,
    scale: Scale,
    json: bool = JSON,
    out: NewFolder | None = option("Draw a figure into this folder.", metavar="DIR"),
    force: bool = FORCE,
    quiet: bool = QUIET,
) -> None:
    """Tell whether scores look as in training.

    MODEL is a calibration by any method. SCORES is a file of scores from the field, which need no
    labels; labels in it are not used. It may also be a folder of files or a pattern in quotes, of
    any size. Can these scores be a mixture of the two training classes, at any share of targets?
    If not, what is expected to be lost by it, in bits of Cllr?

    The exit status is 0 if scores look as in training, and 3 if they have moved, whether or not
    the cost is known; 2 is an error, as for all verbs. So a nightly job can act on it.

    \b
    llrcal watch nig.json field-scores.txt
    llrcal watch nig.json 'night/*.parquet' --p-target 0.01 --out figures
    llrcal watch nig.json field.npy --json --quiet
    """
    from llrcal.adaptation.adapt import check_options, portrait_of
    from llrcal.adaptation.watch import watched
    from llrcal.calibrations import load
    from llrcal.files.atomic import atomic_folder

    calibration = load(model)
    portrait_of(calibration)  # or refused, before any scores are read
    check_options(p_target, factor)
    field = unlabelled(scores, calibration, reading, scale, quiet=quiet)
    with atomic_folder(out, force=force) if out else nullcontext() as folder:
        seen = watched(calibration, field, p_target=p_target, factor=factor)
        if folder is not None:
            from llrcal.figures.folder import draw_into
            from llrcal.figures.watching import draw_watched

            draw_into(folder, [("watch", partial(draw_watched, seen, calibration, field))])
    if json:
        print_json({"model": model, "source": scores, "figures": out, **seen.to_dict()}, seen.notes)
    elif not quiet:
        _show(seen)
    print_notes(seen.notes, quiet=quiet)
    if not quiet:
        if out:
            echo_err(f"Figure: {out}")
        for line in _next(seen, quote(model), quote(scores)):
            echo_err(line)
    if seen.moved:
        sys.stdout.flush()  # as a verb that ends with 0 does
        sys.exit(MOVED)


def _show(seen: Watched) -> None:
    click.echo(str(seen))
    click.echo(f"probability that nothing has moved: {seen.unmoved:.2g}")
    if seen.verdict != "moved, cost unknown":
        estimates = {
            "expected cost of the change (bits of Cllr)": (seen.cost, "z.3f"),
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
    click.echo(
        f"{seen.count:,} scores, beside the mixture of the training classes that fits them best:"
    )
    rows = [
        (_range(one.low, one.high), f"{one.seen:.1%}", f"{one.expected:.1%}")
        for one in seen.differences
    ]
    print_table(("scores", "seen", "expected"), rows, words=("scores",))


def _range(low: float, high: float) -> str:
    if low == -float("inf"):
        return f"below {high:.4g}"
    return f"above {low:.4g}" if high == float("inf") else f"{low:.4g} to {high:.4g}"


def _next(seen: Watched, model: str, scores: str) -> list[str]:
    """What to do now, as commands to type."""
    if not seen.moved:
        return ["There is nothing to do."]
    share = "" if seen.p_target is None else f" --p-target {seen.p_target:g}"
    adapt = f"llrcal adapt {model} {scores}{share}"
    if seen.verdict == "moved":
        return [f"Adapt to these scores: {adapt} -o adapted.json"]
    labelled = f"{adapt} --labelled FEW -o adapted.json"
    if seen.p_target is not None:
        return [f"Adapt with a few labelled scores: {labelled}"]
    return [
        f"If you know the share of targets: llrcal watch {model} {scores} --p-target SHARE",
        f"If you have a few labelled scores: {labelled}",
    ]
