"""``llrcal apply``: replace the scores in a file by LLRs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.options import UNITS
from llrcal.cli.reading import form_options
from llrcal.cli.terminal import tell
from llrcal.files.overwriting import refuse_to_overwrite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from llrcal.arrays import Array, Floats
    from llrcal.calibrations import Calibration
    from llrcal.evaluation import OperatingPoint


@click.command()
@click.argument("model", metavar="MODEL")
@click.argument("files", metavar="SCORES...", nargs=-1, required=True)
@click.option(
    "-o", "--out", required=True, metavar="OUT", help="The new file; - for standard output."
)
@click.option(
    "--units", type=click.Choice(list(UNITS)), default="nats", help="Logarithm of the LLRs."
)
@click.option(
    "--interval",
    is_flag=False,
    flag_value=0.95,
    type=float,
    metavar="[LEVEL]",
    help="Add columns low and high: the ends of the interval of each LLR, at this level.  "
    "[0.95 if none is given]",
)
@click.option("--decision", is_flag=True, help="Add a column with the decision: accept or reject.")
@click.option(
    "--posterior", is_flag=True, help="Add a column with the posterior probability of a target."
)
@click.option("--p-target", type=float, help="Prior of a target, for --decision and --posterior.")
@click.option("--c-miss", type=float, default=1.0, help="Cost of a miss, for --decision.")
@click.option("--c-fa", type=float, default=1.0, help="Cost of a false alarm, for --decision.")
@form_options
@click.option(
    "--condition", metavar="COLUMN", help="Of a fusion with conditions: the column of these."
)
@click.option("--force", is_flag=True, help="Replace the folder if it exists.")
@click.option("--quiet", is_flag=True, help="Print no progress bar, and only warnings.")
def apply(
    model: str,
    files: Sequence[str],
    out: str,
    units: str,
    interval: float | None,
    decision: bool,
    posterior: bool,
    p_target: float | None,
    c_miss: float,
    c_fa: float,
    condition: str | None,
    force: bool,
    quiet: bool,
    **form: Any,
) -> None:
    """Replace the scores in a file by calibrated LLRs.

    OUT has the format of SCORES: every line, id and comment stays as it is, byte for byte, and
    only the scores are replaced. If its name ends in .gz or .zst, OUT is compressed. OUT cannot be
    SCORES: repeating the command would then calibrate the scores twice. If SCORES is a folder or a
    pattern in quotes, OUT is a folder with as many files.

    If MODEL is a fusion, SCORES are the files of all its systems, known by their names as for
    llrcal fuse, or one table with a column for each; and OUT is a new file with their LLRs.

    \b
    llrcal apply nig.json eval-scores.txt -o eval-llrs.txt
    llrcal apply nig.json eval.tsv.gz -o eval-llrs.tsv.gz --units log10
    llrcal apply nig.json eval.csv -o eval-llrs.csv --interval
    llrcal apply nig.json new.txt -o - --decision --p-target 0.01 --c-miss 10
    llrcal apply nig.json 'night/*.parquet' -o night-llrs
    llrcal apply fused.json cos-eval.txt plda-eval.txt -o eval-llrs.txt
    """
    from llrcal.calibrations import load
    from llrcal.calibrations.beyond import Beyond
    from llrcal.calibrations.model_file import is_fusion
    from llrcal.cli.apply_fusion import apply_fusion
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
    refuse_to_overwrite(out, model, *files)
    if is_fusion(model):
        if point is not None:
            raise OptionError("fusions give LLRs alone: leave out --decision and --posterior")
        apply_fusion(model, files, out, units=units, condition=condition, quiet=quiet, **form)
        return
    if condition is not None or len(files) > 1:
        raise OptionError(
            f"{model} is no fusion, but a calibration of one system: give one file, and no "
            "--condition"
        )
    (scores,) = files
    calibration = load(model)
    if interval is not None:  # before any work
        calibration.interval(0.0, level=interval)

    seen = Beyond(calibration)

    def answers(values: Floats) -> Mapping[str, Array]:
        seen.count(values)
        asked: dict[str, Any] = {"decision": decision, "posterior": posterior}
        return _columns(calibration, values, units, point, interval=interval, **asked)

    request = Request.of("scores", **form)
    if scores != "-" and is_many(scores):
        with printed_warnings(), counting_bar("applying to files", quiet=quiet) as done_so_far:
            each = one_by_one(lambda _what, done, total: done_so_far(done, total))
            count = apply_to_files(Rewriter(answers, request), scores, out, each, force=force)
        reading = f"{count} files"
    else:
        with printed_warnings(), byte_bar("applying", scores, quiet=quiet) as progress:
            reading = rewrite(scores, out, answers, request, progress=progress)
    for note in seen.notes:
        tell(f"warning: {note.on_command_line}")
    if not quiet:
        name = "standard input" if scores == "-" else scores
        tell(f"{name}: {reading}")
        if units != "nats":
            tell(f"LLRs are in {units}: give --units {units} when you evaluate them")


def _columns(
    calibration: Calibration,
    scores: Floats,
    units: str,
    point: OperatingPoint | None,
    *,
    interval: float | None,
    decision: bool,
    posterior: bool,
) -> Mapping[str, Array]:
    """The columns to write for scores: LLRs, and those that were asked for."""
    import numpy as np
    from scipy.special import expit, logit

    llrs = calibration.quietly(scores)
    columns: dict[str, Array] = {"llr": llrs / UNITS[units]}
    if interval is not None:
        low, high = calibration.interval(scores, level=interval)
        columns |= {"low": low / UNITS[units], "high": high / UNITS[units]}
    if point and decision:
        accepted = llrs >= -point.prior_log_odds
        columns["decision"] = np.where(accepted, "accept", "reject")
    if point and posterior:
        columns["posterior"] = expit(llrs + logit(point.p_target))
    return columns
