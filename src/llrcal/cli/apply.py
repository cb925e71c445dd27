"""``llrcal apply``: replace the scores in a file by LLRs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.options import UNITS
from llrcal.cli.reading import form_options
from llrcal.files.overwriting import refuse_to_overwrite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from llrcal.arrays import Array, Floats
    from llrcal.calibrations import Calibration
    from llrcal.evaluation import OperatingPoint


@click.command()
@click.argument("model", metavar="MODEL")
@click.argument("scores", metavar="SCORES")
@click.option(
    "-o", "--out", required=True, metavar="OUT", help="The new file; - for standard output."
)
@click.option(
    "--units", type=click.Choice(list(UNITS)), default="nats", help="Logarithm of the LLRs."
)
@click.option("--decision", is_flag=True, help="Add a column with the decision: accept or reject.")
@click.option(
    "--posterior", is_flag=True, help="Add a column with the posterior probability of a target."
)
@click.option("--p-target", type=float, help="Prior of a target, for --decision and --posterior.")
@click.option("--c-miss", type=float, default=1.0, help="Cost of a miss, for --decision.")
@click.option("--c-fa", type=float, default=1.0, help="Cost of a false alarm, for --decision.")
@form_options
@click.option("--force", is_flag=True, help="Replace the folder if it exists.")
@click.option("--quiet", is_flag=True, help="Print no progress bar, and only warnings.")
def apply(
    model: str,
    scores: str,
    out: str,
    units: str,
    decision: bool,
    posterior: bool,
    p_target: float | None,
    c_miss: float,
    c_fa: float,
    force: bool,
    quiet: bool,
    **form: Any,
) -> None:
    """Replace the scores in a file by calibrated LLRs.

    OUT has the format of SCORES: every line, id and comment stays as it is, byte for byte, and
    only the scores are replaced. If its name ends in .gz or .zst, OUT is compressed. OUT cannot be
    SCORES: repeating the command would then calibrate the scores twice. If SCORES is a folder or a
    pattern in quotes, OUT is a folder with as many files.

    \b
    llrcal apply nig.json eval-scores.txt -o eval-llrs.txt
    llrcal apply nig.json eval.tsv.gz -o eval-llrs.tsv.gz --units log10
    llrcal apply nig.json new.txt -o - --decision --p-target 0.01 --c-miss 10
    llrcal apply nig.json 'night/*.parquet' -o night-llrs
    """
    from llrcal.calibrations import load
    from llrcal.calibrations.beyond import Beyond
    from llrcal.cli.terminal import byte_bar, counting_bar, printed_warnings
    from llrcal.errors import OptionError
    from llrcal.evaluation import OperatingPoint
    from llrcal.scale.applying import Rewriter, apply_to_files, one_by_one
    from llrcal.scale.pieces.file_names import is_many
    from llrcal.trials.request import Request
    from llrcal.trials.rewriting import rewrite

    if (decision or posterior) and p_target is None:
        raise OptionError("a decision or a posterior needs a prior: give --p-target")
    if p_target is not None and not (decision or posterior):
        raise OptionError(
            "a prior does not change LLRs: give --decision or --posterior with --p-target"
        )
    point = None if p_target is None else OperatingPoint(p_target, c_miss, c_fa)
    refuse_to_overwrite(out, model, scores)
    calibration = load(model)

    seen = Beyond(calibration)

    def answers(values: Floats) -> Mapping[str, Array]:
        seen.count(values)
        return _columns(calibration, values, units, point, decision=decision, posterior=posterior)

    request = Request.of("scores", **form)
    if scores != "-" and is_many(scores):
        with printed_warnings(), counting_bar("applying to files", quiet=quiet) as files:
            each = one_by_one(lambda _what, done, total: files(done, total))
            count = apply_to_files(Rewriter(answers, request), scores, out, each, force=force)
        reading = f"{count} files"
    else:
        with printed_warnings(), byte_bar("applying", scores, quiet=quiet) as progress:
            reading = rewrite(scores, out, answers, request, progress=progress)
    for note in seen.notes:
        click.echo(f"warning: {note.on_command_line}", err=True)
    if not quiet:
        name = "standard input" if scores == "-" else scores
        click.echo(f"{name}: {reading}", err=True)
        if units != "nats":
            click.echo(
                f"LLRs are in {units}: give --units {units} when you evaluate them", err=True
            )


def _columns(
    calibration: Calibration,
    scores: Floats,
    units: str,
    point: OperatingPoint | None,
    *,
    decision: bool,
    posterior: bool,
) -> Mapping[str, Array]:
    """The columns to write for scores: LLRs, and those that were asked for."""
    import numpy as np
    from scipy.special import expit, logit

    llrs = calibration.quietly(scores)
    columns: dict[str, Array] = {"llr": llrs / UNITS[units]}
    if point and decision:
        accepted = llrs >= -point.prior_log_odds
        columns["decision"] = np.where(accepted, "accept", "reject")
    if point and posterior:
        columns["posterior"] = expit(llrs + logit(point.p_target))
    return columns
