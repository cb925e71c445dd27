"""``llrcal fit``: train one calibration and write it to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.options import weight
from llrcal.cli.places import refuse_to_overwrite, refuse_to_read_twice
from llrcal.cli.reading import check_direction, direction_options, form_options, key_options, read

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
@click.option("--quiet", is_flag=True, help="Say nothing but warnings and errors.")
def fit(
    scores: str,
    method: str,
    out: str,
    alpha: str | None,
    bounds: str,
    distance: bool,
    inverted: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Train a calibration on scores and labels.

    SCORES is a score file of any toolkit (see docs/formats.md), plain or compressed, or - for
    standard input. Its form is found out and printed; where two readings fit, say which.

    \b
    llrcal fit dev-scores.txt --key dev-key.txt --method nig -o nig.json
    llrcal fit dev.tsv.gz --method logistic --alpha empirical -o model.json
    llrcal fit faces.csv --columns score=cosine,label=same --distance -o faces.json
    """
    from llrcal.calibrations.methods import train
    from llrcal.trials.packing import check_place

    check_place(out, by_name=True)
    refuse_to_read_twice(scores, reading["key"])
    refuse_to_overwrite(out, scores, reading["key"])
    trials = read(scores, quiet=quiet, **reading)
    check_direction(trials, distance=distance, inverted=inverted)
    options = {} if alpha is None else {"alpha": weight(alpha)}
    model = train(
        trials.tar, trials.non, method=method, bounds=bounds, lower_is_better=distance, **options
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
