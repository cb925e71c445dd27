"""``llrcal fit``: train one calibration and write it to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.options import weight
from llrcal.cli.reading import (
    check_direction,
    check_direction_of,
    direction_options,
    form_options,
    key_options,
    read,
)
from llrcal.cli.scale import Scale, opened, scale_options
from llrcal.files.overwriting import refuse_to_overwrite, refuse_to_read_twice

if TYPE_CHECKING:
    from llrcal.calibrations import Calibration

_METHODS = ("linear-gaussian", "logistic", "pav", "gaussian", "student-t", "nig")


@click.command()
@click.argument("scores", metavar="SCORES")
@click.option("--method", type=click.Choice(_METHODS), default="logistic", help="What to train.")
@click.option("-o", "--out", required=True, metavar="MODEL", help="The model file (JSON).")
@click.option(
    "--alpha",
    metavar="WEIGHT",
    help="Weight of the targets for the linear methods: a number between 0 and 1, or "
    "'empirical'.  [default: 0.5]",
)
@click.option(
    "--bounds",
    type=click.Choice(["range", "counts", "none"]),
    default="range",
    help="Beyond the training scores: hold the LLR of the nearest (range), also keep to what the "
    "number of trials supports (counts), or extrapolate (none).",
)
@key_options
@form_options
@direction_options
@scale_options
@click.option("--quiet", is_flag=True, help="Say nothing but warnings and errors.")
def fit(
    scores: str,
    method: str,
    out: str,
    alpha: str | None,
    bounds: str,
    distance: bool,
    inverted: bool,
    in_pieces: bool,
    workers: int | None,
    scheduler: str | None,
    quiet: bool,
    **reading: Any,
) -> None:
    """Train a calibration on scores and labels.

    SCORES is a score file of any toolkit (see docs/formats.md), plain or compressed, or - for
    standard input. Its form is found out and printed; where two readings fit, say which. It may
    also be a folder of such files or a pattern in quotes, of any size.

    \b
    llrcal fit dev-scores.txt --key dev-key.txt --method nig -o nig.json
    llrcal fit dev.tsv.gz --method logistic --alpha empirical -o model.json
    llrcal fit faces.csv --columns score=cosine,label=same --distance -o faces.json
    llrcal fit 'night/*.parquet' --method nig --workers 4 -o nig.json
    """
    from llrcal.calibrations.methods import train
    from llrcal.trials.packing import check_place

    check_place(out, by_name=True)
    refuse_to_read_twice(scores, reading["key"])
    refuse_to_overwrite(out, scores, reading["key"])
    options = {} if alpha is None else {"alpha": weight(alpha)}
    scale = Scale(in_pieces, workers, scheduler)
    if scale.is_meant(scores, reading):
        from llrcal.cli.terminal import said_aloud
        from llrcal.scale.jobs import train_on_pieces

        pieces = opened(scores, reading, quiet=quiet)
        with said_aloud(), scale.engine(quiet=quiet) as engine:
            every = train_on_pieces(
                pieces, engine, [(method, options)], bounds, lower_is_better=distance
            )
        model = next(iter(every.values()))
        check_direction_of(model, scores, inverted=inverted)
    else:
        trials = read(scores, quiet=quiet, **reading)
        check_direction(trials, distance=distance, inverted=inverted)
        model = train(
            trials.tar,
            trials.non,
            method=method,
            bounds=bounds,
            lower_is_better=distance,
            **options,
        )
    model.save(out)
    _say(model, quiet=quiet)
    if not quiet:
        click.echo(f"Model: {out}", err=True)


def _say(model: Calibration, *, quiet: bool) -> None:
    report = model.report
    if not report.converged:
        click.echo(f"warning: the fit did not converge: {report.reason}", err=True)
    for note in report.notes:
        click.echo(f"note: {note}", err=True)
    if not quiet:
        click.echo(
            f"{model.method}: {model.tar_count:,} targets, {model.non_count:,} non-targets; "
            f"{report.reason}",
            err=True,
        )
