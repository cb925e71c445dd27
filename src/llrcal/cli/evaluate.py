"""``llrcal evaluate``: the quality of LLRs, in numbers and figures."""

from __future__ import annotations

import json
import math
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.opening import opener, scale_options
from llrcal.cli.options import UNITS, operating_points, point_options
from llrcal.cli.reading import direction_options, form_options, key_options, refuse_wrong_way
from llrcal.files.overwriting import refuse_to_bury, refuse_to_read_twice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llrcal.evaluation import Evaluation, OperatingPoint


@click.command()
@click.argument("llrs", metavar="LLRS")
@key_options
@form_options
@click.option(
    "--units",
    type=click.Choice([*UNITS, "ratio"]),
    help="Logarithm of the LLRs in the file, or ratio for likelihood-ratios.  [default: nats]",
)
@point_options
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.option("--figures", metavar="DIR", help="Draw figures into this folder.")
@click.option("--force", is_flag=True, help="Replace the folder if it exists.")
@direction_options
@scale_options
@click.option("--quiet", is_flag=True, help="Do not print how the files were read.")
def evaluate(
    llrs: str,
    units: str | None,
    p_target: Sequence[float],
    c_miss: Sequence[float],
    c_fa: Sequence[float],
    preset: Sequence[str],
    as_json: bool,
    figures: str | None,
    force: bool,
    distance: bool,
    inverted: bool,
    in_pieces: bool,
    workers: int | None,
    scheduler: str | None,
    quiet: bool,
    **reading: Any,
) -> None:
    """Evaluate LLRs: Cllr, EER and detection costs.

    LLRS is a file of LLRs with labels or with a key. Raw scores can be evaluated as well: their
    minimum costs show how well they discriminate, whatever their calibration.

    \b
    llrcal evaluate eval-llrs.txt --key eval-key.txt
    llrcal evaluate eval-llrs.txt --key eval-key.txt --p-target 0.01 --c-miss 10 --json
    llrcal evaluate eval.tsv --preset sre16 --preset voxsrc --figures figures
    llrcal evaluate 'night/*.parquet' --workers 4
    """
    from llrcal.cli.terminal import show_evaluation
    from llrcal.cli.units import InNats, doubts, unit_of
    from llrcal.evaluation.evaluation import evaluated
    from llrcal.onepass.direction import WRONG_WAY

    points = operating_points(p_target, c_miss, c_fa, preset)
    refuse_to_read_twice(llrs, reading["key"])
    refuse_to_bury(figures, llrs, reading["key"])
    where: dict[str, Any] = {"in_pieces": in_pieces, "workers": workers, "scheduler": scheduler}
    with (
        _folder(figures, force=force) as folder,  # first, so that a bad one is refused at once
        opener(**where, quiet=quiet) as open_trials,
    ):
        trials = open_trials(llrs, allow_infinite=True, **reading)
        in_nats = InNats(units or unit_of(trials), -1.0 if distance else 1.0)
        priors = [point.prior_log_odds for point in points]
        evaluation = evaluated(trials.mapped(in_nats), prior_log_odds=priors)
        if not inverted:
            refuse_wrong_way(evaluation.direction_notes, llrs, distance=distance)
        warnings = ([] if units else doubts(evaluation)) or [
            note.on_command_line for note in evaluation.notes if note.code != WRONG_WAY
        ]
        if as_json:
            numbers = _numbers(evaluation, points)
            document = {"source": llrs, **numbers, "warnings": warnings}
            click.echo(json.dumps(document, indent=1, allow_nan=False))
        else:
            show_evaluation(evaluation, points)
        for warning in warnings:
            click.echo(f"warning: {warning}", err=True)
        if folder is not None:
            from llrcal.figures.evaluation import draw_evaluation

            draw_evaluation(evaluation, folder, points)
    if figures is not None and not quiet:
        click.echo(f"Figures: {figures}", err=True)


def _folder(name: str | None, *, force: bool) -> AbstractContextManager[Path | None]:
    """A folder for figures, if they are asked for."""
    from llrcal.files.atomic import atomic_folder

    return nullcontext() if name is None else atomic_folder(name, force=force)


def _numbers(evaluation: Evaluation, points: Sequence[OperatingPoint]) -> dict[str, Any]:
    """The numbers of an evaluation, as values that JSON can represent."""
    return {name: _finite(value) for name, value in evaluation.to_dict(points).items()}


def _finite(value: Any) -> Any:
    if isinstance(value, list):
        return [_finite(one) for one in value]
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else str(value)
