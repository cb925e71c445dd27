"""``llrcal apply``: replace the scores in a file by LLRs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.options import FILE, UNITS, flag, refuse
from llrcal.cli.reading import reading_options
from llrcal.cli.terminal import (
    echo_err,
    json_option,
    print_json,
    print_notes,
    print_warnings,
    progress_bar,
    refuse_two_outputs,
)
from llrcal.files.overwriting import refuse_to_overwrite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from llrcal.arrays import Array, Floats
    from llrcal.calibrations import Calibration
    from llrcal.evaluation import OperatingPoint
    from llrcal.notes import Note
    from llrcal.trials.request import ReadOptions


@click.command()
@click.argument("model", metavar="MODEL", type=FILE)
@click.argument("files", metavar="SCORES...", type=FILE, nargs=-1, required=True)
@click.option(
    "-o",
    "--out",
    required=True,
    metavar="OUT",
    type=FILE,
    help="The new file; - for standard output.",
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
@flag("--decision", "Add a column with the decision: accept or reject.")
@flag("--posterior", "Add a column with the posterior probability of a target.")
@click.option("--p-target", type=float, help="Prior of a target, for --decision and --posterior.")
@click.option("--c-miss", type=float, default=1.0, help="Cost of a miss, for --decision.")
@click.option("--c-fa", type=float, default=1.0, help="Cost of a false alarm, for --decision.")
@reading_options(labels=False)
@click.option(
    "--condition", metavar="COLUMN", help="Of a model with conditions: the column of these."
)
@click.option(
    "--quality",
    metavar="FILE",
    type=FILE,
    help="Of a fusion with side information: a file with it, as for llrcal fuse, if it is not in "
    "columns of the first file.",
)
@flag("--force", "Replace the folder if it exists.")
@json_option
@flag("--quiet", "Print no progress bar, and only warnings.")
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
    quality: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    reading: ReadOptions,
) -> None:
    """Replace the scores in a file by calibrated LLRs.

    OUT has the format of SCORES: every line, id and comment stays as it is, byte for byte, and
    only the scores are replaced. If its name ends in .gz or .zst, OUT is compressed. OUT cannot be
    SCORES: repeating the command would then calibrate the scores twice. If SCORES is a folder or a
    pattern in quotes, OUT is a folder with as many files.

    If MODEL is a fusion, SCORES are the files of all its systems, known by their names as for
    llrcal fuse, or one table with a column for each; and OUT is a new file with their LLRs. So it
    is if MODEL is a calibration by condition.

    \b
    llrcal apply nig.json eval-scores.txt -o eval-llrs.txt
    llrcal apply nig.json eval.tsv.gz -o eval-llrs.tsv.gz --units log10
    llrcal apply nig.json eval.csv -o eval-llrs.csv --interval
    llrcal apply nig.json new.txt -o - --decision --p-target 0.01 --c-miss 10
    llrcal apply nig.json 'night/*.parquet' -o night-llrs
    llrcal apply fused.json cos-eval.txt plda-eval.txt -o eval-llrs.txt
    llrcal apply by-channel.json eval.csv -o eval-llrs.csv --condition channel
    """
    from llrcal.calibrations import Calibration
    from llrcal.cli.systems import apply_to_systems
    from llrcal.fusion import load

    point = _point(p_target, c_miss, c_fa, needed=decision or posterior)
    refuse_to_overwrite(out, model, *files)
    refuse_two_outputs(out, as_json=as_json)
    calibration = load(model)
    more = partial(_decisions, point=point, decision=decision, posterior=posterior)
    if not isinstance(calibration, Calibration):
        refuse({f"{model}: its LLRs have no intervals: leave out --interval": interval is not None})
        side = {"condition": condition, "quality": quality}
        trials, notes = apply_to_systems(
            calibration, files, out, more, units=units, reading=reading, **side
        )
    else:
        one_system = (
            f"{model} is a calibration of one system, and the same for all trials: give one file, "
            "and neither --condition nor --quality"
        )
        refuse({one_system: condition is not None or quality is not None or len(files) > 1})
        asked: dict[str, Any] = {"units": units, "interval": interval}
        trials, notes = _apply(
            calibration, files[0], out, more, **asked, force=force, quiet=quiet, reading=reading
        )
    if as_json:
        print_json({"model": model, "out": out, "units": units, "trials": trials}, notes)
    print_notes(notes, quiet=quiet)
    if not quiet and units != "nats":
        echo_err(f"LLRs are in {units}: give --units {units} when you evaluate them")


def _apply(
    calibration: Calibration,
    scores: str,
    out: str,
    more: Callable[[Floats], Mapping[str, Array]],
    *,
    units: str,
    interval: float | None,
    force: bool,
    quiet: bool,
    reading: ReadOptions,
) -> tuple[int, list[Note]]:
    """Apply a calibration; ``more`` gives further columns. Returns the number of trials."""
    from llrcal.calibrations.bounds import OutOfRangeCounter
    from llrcal.files.compression import display_name
    from llrcal.notes import Note
    from llrcal.scale.applying import LLRColumns, apply_to_files, one_by_one
    from llrcal.scale.files import is_many
    from llrcal.trials.rewriting import rewrite

    if interval is not None:  # before any work
        calibration.interval(0.0, level=interval)
    seen = OutOfRangeCounter(calibration)

    answers = LLRColumns(calibration, interval, seen, UNITS[units], more)
    request = reading.request("scores")
    if scores != "-" and is_many(scores):
        with print_warnings(), progress_bar(quiet=quiet) as show:
            each = one_by_one(lambda what, done, total: show(what, completed=done, total=total))
            count = apply_to_files(answers, request, scores, out, each, force=force)
        how = f"{count} files"
    else:
        path = Path(scores)
        size = path.stat().st_size if path.is_file() else None
        with print_warnings(), progress_bar("bytes", quiet=quiet) as show:
            how = rewrite(
                scores,
                out,
                answers,
                request,
                progress=lambda done: show("applying", total=size, advance=done),
            )
    read = Note.of("read", how).about(display_name(scores))
    return seen.total, [*seen.notes, read]


def _point(
    p_target: float | None, c_miss: float, c_fa: float, *, needed: bool
) -> OperatingPoint | None:
    """The operating point of decisions and posteriors, if any are asked for."""
    from llrcal.evaluation import OperatingPoint

    has_prior = p_target is not None
    refuse(
        {
            "a decision or a posterior needs a prior: give --p-target": needed and not has_prior,
            "a prior does not change LLRs: give --decision or --posterior with --p-target": (
                has_prior and not needed
            ),
        }
    )
    return None if p_target is None else OperatingPoint(p_target, c_miss, c_fa)


def _decisions(
    llrs: Floats, *, point: OperatingPoint | None, decision: bool, posterior: bool
) -> Mapping[str, Array]:
    """Decisions and posteriors at an operating point, if they were asked for."""
    import numpy as np
    from scipy.special import expit, logit

    columns: dict[str, Array] = {}
    if point and decision:
        columns["decision"] = np.where(llrs >= -point.prior_log_odds, "accept", "reject")
    if point and posterior:
        columns["posterior"] = expit(llrs + logit(point.p_target))
    return columns
