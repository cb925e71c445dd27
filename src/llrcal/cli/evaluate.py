"""``llrcal evaluate``: how good LLRs are, in numbers and pictures."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.options import UNITS, operating_points, point_options
from llrcal.cli.reading import (
    check_direction,
    direction_options,
    form_options,
    key_options,
    read,
    wrong_way,
)
from llrcal.cli.scale import Scale, name_of_scores, opened, scale_options
from llrcal.files.overwriting import refuse_to_bury, refuse_to_read_twice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llrcal.arrays import Array
    from llrcal.evaluation import Evaluation, OperatingPoint
    from llrcal.trials import Trials

_RATIO = "ratio"


@click.command()
@click.argument("llrs", metavar="LLRS")
@key_options
@form_options
@click.option(
    "--units",
    type=click.Choice([*UNITS, _RATIO]),
    help="Logarithm of the LLRs in the file, or ratio if they are no logarithms.  [default: nats]",
)
@point_options
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON, on standard output.")
@click.option("--figures", metavar="DIR", help="Draw figures into this folder.")
@click.option("--force", is_flag=True, help="Replace the folder if it exists.")
@direction_options
@scale_options
@click.option("--quiet", is_flag=True, help="Do not say how the files were read.")
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

    LLRS is a file of LLRs with labels, or with a key. Raw scores can be evaluated as well: their
    minimum costs say how well they tell speakers apart, whatever their calibration.

    \b
    llrcal evaluate eval-llrs.txt --key eval-key.txt
    llrcal evaluate eval-llrs.txt --key eval-key.txt --p-target 0.01 --c-miss 10 --json
    llrcal evaluate eval.tsv --preset sre16 --preset voxsrc --figures figures
    llrcal evaluate 'night/*.parquet' --workers 4
    """
    points = operating_points(p_target, c_miss, c_fa, preset)
    refuse_to_read_twice(llrs, reading["key"])
    refuse_to_bury(figures, llrs, reading["key"])
    scale = Scale(in_pieces, workers, scheduler)
    request = _Request(llrs, units, distance=distance, inverted=inverted, quiet=quiet)
    with (
        _folder(figures, force=force) as folder,  # first: a bad one is no use waiting for
        _evaluated(request, scale, points, reading) as (evaluation, warnings),
    ):
        if as_json:
            numbers = _numbers(evaluation, points)
            document = {"source": llrs, **numbers, "warnings": warnings}
            click.echo(json.dumps(document, indent=1, allow_nan=False))
        else:
            from llrcal.cli.terminal import show_evaluation

            show_evaluation(evaluation, points)
        for warning in warnings:
            click.echo(f"warning: {warning}", err=True)
        if folder is not None:
            from llrcal.figures.evaluation import draw_evaluation

            draw_evaluation(evaluation, folder, points)
    if figures is not None and not quiet:
        click.echo(f"Figures: {figures}", err=True)


def _folder(name: str | None, *, force: bool) -> AbstractContextManager[Path | None]:
    """A folder for figures, where they are asked for."""
    from llrcal.files.atomic import atomic_folder

    return nullcontext() if name is None else atomic_folder(name, force=force)


@dataclass(frozen=True)
class _Request:
    """What is to be evaluated, and what its user says of it."""

    source: str
    units: str | None
    distance: bool
    inverted: bool
    quiet: bool


@contextmanager
def _evaluated(
    request: _Request, scale: Scale, points: Sequence[OperatingPoint], reading: dict[str, Any]
) -> Iterator[tuple[Evaluation, list[str]]]:
    """An evaluation and what to warn of, for as long as somebody can go through the trials."""
    from llrcal.evaluation import evaluate as evaluated

    sign = -1.0 if request.distance else 1.0
    if scale.is_meant(request.source, reading):
        with _evaluated_in_pieces(request, scale, points, reading, sign) as evaluation:
            yield evaluation, []
        return
    trials = read(request.source, quiet=request.quiet, allow_infinite=True, **reading)
    check_direction(trials, distance=request.distance, inverted=request.inverted)
    unit = request.units or _unit_of(trials.source, trials.score_name, forensic=trials.forensic)
    tar, non = (sign * _in_nats(scores, unit) for scores in (trials.tar, trials.non))
    evaluation = evaluated(tar, non)
    yield evaluation, [] if request.units else _doubts(evaluation, trials)


@contextmanager
def _evaluated_in_pieces(
    request: _Request,
    scale: Scale,
    points: Sequence[OperatingPoint],
    reading: dict[str, Any],
    sign: float,
) -> Iterator[Evaluation]:
    from llrcal.cli.terminal import said_aloud
    from llrcal.errors import OptionError
    from llrcal.scale.jobs import evaluation_of_pieces

    pieces = opened(request.source, reading, quiet=request.quiet, allow_infinite=True)
    name, forensic = name_of_scores(pieces)
    unit = request.units or _unit_of(request.source, name, forensic=forensic)
    if unit == _RATIO:
        raise OptionError("likelihood-ratios are not read in pieces; write their logarithms")
    with said_aloud(), scale.engine(quiet=request.quiet) as engine:
        evaluation = evaluation_of_pieces(
            pieces,
            engine,
            factor=sign * UNITS[unit],
            prior_log_odds=[point.prior_log_odds for point in points],
        )
        if not request.inverted and evaluation.runs_backwards:
            raise wrong_way(request.source, distance=request.distance)
        yield evaluation


def _unit_of(source: str, name: str | None, *, forensic: bool) -> str:
    """The unit that a file gives away; natural logarithms where it does not."""
    from llrcal.errors import OptionError
    from llrcal.trials.conventions import is_log10, is_plain_ratio

    if name is not None and is_log10(name):
        click.echo(f"{source}: column {name!r} holds common logarithms (log10)", err=True)
        return "log10"
    if name is not None and is_plain_ratio(name):
        raise OptionError(
            f"{source}: column {name!r} may hold likelihood-ratios or their logarithms; "
            "say which: --units ratio, nats, log10 or bits"
        )
    if forensic:
        raise OptionError(
            f"{source}: its labels are hypotheses, and tools that write these often write "
            "common logarithms; say which: --units log10 or --units nats"
        )
    return "nats"


def _in_nats(values: Array, unit: str) -> Array:
    import numpy as np

    from llrcal.errors import OptionError

    if unit != _RATIO:
        return np.asarray(values) * UNITS[unit]
    if (values < 0).any():
        raise OptionError("a likelihood-ratio cannot be negative; are these logarithms?")
    with np.errstate(divide="ignore"):
        return np.log(values)


def _doubts(evaluation: Evaluation, trials: Trials) -> list[str]:
    """What the numbers give away: LLRs that would be far better as another logarithm."""
    from llrcal.evaluation import cllr

    loss = evaluation.calibration_loss
    if evaluation.min_cllr == 0:  # classes that do not overlap look better the larger the LLRs
        return []
    as_log10 = cllr(trials.tar * UNITS["log10"], trials.non * UNITS["log10"])
    if loss < 0.01 or as_log10 == math.inf or as_log10 - evaluation.min_cllr > loss / 2:
        return []
    return [
        f"read as common logarithms, these LLRs would have a Cllr of {as_log10:.4f} rather than "
        f"{evaluation.cllr:.4f}; if that is what they are, say --units log10"
    ]


def _numbers(evaluation: Evaluation, points: Sequence[OperatingPoint]) -> dict[str, Any]:
    """The numbers of an evaluation, under its own names; lists run over the operating points."""
    priors = [point.prior_log_odds for point in points]
    p_target, c_miss, c_fa = (
        [getattr(point, name) for point in points] for name in ("p_target", "c_miss", "c_fa")
    )
    costs = (p_target, c_miss, c_fa)
    return {
        "tar_count": evaluation.tar_count,
        "non_count": evaluation.non_count,
        "cllr": _finite(evaluation.cllr),
        "min_cllr": _finite(evaluation.min_cllr),
        "calibration_loss": _finite(evaluation.calibration_loss),
        "eer": evaluation.eer,
        "rule_of_30": [_finite(end) for end in evaluation.rule_of_30],
        "p_target": p_target,
        "c_miss": c_miss,
        "c_fa": c_fa,
        "prior_log_odds": priors,
        "act_dcf": evaluation.act_dcf(*costs).tolist(),
        "min_dcf": evaluation.min_dcf(*costs).tolist(),
        "act_dcf_unnormalised": evaluation.act_dcf(*costs, normalised=False).tolist(),
        "min_dcf_unnormalised": evaluation.min_dcf(*costs, normalised=False).tolist(),
        "pmiss": evaluation.pmiss([-x for x in priors]).tolist(),
        "pfa": evaluation.pfa([-x for x in priors]).tolist(),
    }


def _finite(value: float) -> float | str | None:
    """A number as JSON can hold it."""
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else str(value)
