"""``llrcal apply``: replace the scores in a file by LLRs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from llrcal.cli.options import (
    FORCE,
    JSON,
    File,
    NewFile,
    argument,
    command,
    option,
    output,
    refuse_two_outputs,
)
from llrcal.cli.reading import Form
from llrcal.cli.terminal import (
    echo_err,
    print_json,
    print_notes,
    print_warnings,
    progress_bar,
)
from llrcal.errors import OptionError

if TYPE_CHECKING:
    from llrcal.arrays import Array, Floats
    from llrcal.calibrations import Calibration
    from llrcal.evaluation import OperatingPoint
    from llrcal.notes import Note
    from llrcal.trials.request import ReadOptions


@dataclass(frozen=True)
class Columns:
    """What to write of each trial: its LLR in some unit, and perhaps more."""

    units: Literal["nats", "log10", "bits"] = option("Logarithm of the LLRs.", "nats")
    interval: float | None = option(
        "Add columns low and high: the ends of the interval of each LLR, at this level.  "
        "[0.95 if none is given]",
        is_flag=False,
        flag_value=0.95,
        metavar="[LEVEL]",
    )
    decision: bool = option("Add a column with the decision: accept or reject.")
    posterior: bool = option("Add a column with the posterior probability of a target.")
    p_target: float | None = option("Prior of a target, for --decision and --posterior.")
    c_miss: float = option("Cost of a miss, for --decision.", 1.0)
    c_fa: float = option("Cost of a false alarm, for --decision.", 1.0)

    def point(self) -> OperatingPoint | None:
        """The operating point of decisions and posteriors, if any are asked for."""
        from llrcal.evaluation import OperatingPoint

        is_needed, has_prior = self.decision or self.posterior, self.p_target is not None
        if is_needed and not has_prior:
            raise OptionError("a decision or a posterior needs a prior: give --p-target")
        if has_prior and not is_needed:
            text = "a prior does not change LLRs: give --decision or --posterior with --p-target"
            raise OptionError(text)
        if (self.c_miss, self.c_fa) != (1, 1) and not self.decision:
            raise OptionError("costs are for decisions: give --decision with --c-miss and --c-fa")
        return (
            None if self.p_target is None else OperatingPoint(self.p_target, self.c_miss, self.c_fa)
        )

    def more(self, llrs: Floats) -> dict[str, Array]:
        """Decisions and posteriors, if they were asked for."""
        import numpy as np
        from scipy.special import expit, logit

        point = self.point()
        columns: dict[str, Array] = {}
        if point and self.decision:
            columns["decision"] = np.where(llrs >= -point.prior_log_odds, "accept", "reject")
        if point and self.posterior:
            columns["posterior"] = expit(llrs + logit(point.p_target))
        return columns


@command()
def apply(
    *,
    model: File = argument("MODEL"),
    files: Sequence[File] = argument("SCORES..."),
    out: NewFile = output("The new file; - for standard output.", "OUT"),
    columns: Columns,
    reading: Form,
    condition: str | None = option("Column with each trial's condition.", metavar="COLUMN"),
    quality: File | None = option(
        "Of a fusion with side information: a file with it, as for llrcal fuse, if it is not in "
        "columns of the first file.",
        metavar="FILE",
    ),
    force: bool = FORCE,
    json: bool = JSON,
    quiet: bool = option("Print no progress bar, and only warnings."),
) -> None:
    """Replace the scores in a file by calibrated LLRs.

    OUT has the format of SCORES: its columns in order, its header and its comments stay, and
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
    from llrcal.models import load

    columns.point()  # or refused, before any work
    refuse_two_outputs(out, json=json)
    found, units = load(model), columns.units
    if isinstance(found, Calibration):
        if condition is not None or quality is not None or len(files) > 1:
            raise OptionError(
                f"{model} is a calibration of one system, and the same for all trials: give one "
                "file, and neither --condition nor --quality"
            )
        options = reading.options()
        trials, notes = _apply(found, files[0], out, columns, options, force=force, quiet=quiet)
    else:
        if columns.interval is not None:
            raise OptionError(f"{model}: its LLRs have no intervals: leave out --interval")
        trials, notes = apply_to_systems(
            found, files, out, columns, reading, condition=condition, quality=quality
        )
    if json:
        print_json({"model": model, "out": out, "units": units, "trials": trials}, notes)
    print_notes(notes, quiet=quiet)
    if not quiet and units != "nats":
        echo_err(f"LLRs are in {units}: give --units {units} when you evaluate them")


def _apply(
    calibration: Calibration,
    scores: str,
    out: str,
    columns: Columns,
    options: ReadOptions,
    *,
    force: bool,
    quiet: bool,
) -> tuple[int, list[Note]]:
    """Apply a calibration; returns the number of trials, and notes."""
    from llrcal.calibrations.bounds import OutOfRangeCounter
    from llrcal.files.names import display_name, is_many
    from llrcal.inputs.units import UNITS
    from llrcal.notes import Note
    from llrcal.scale.applying import FieldCounter, LLRColumns, apply_to_files
    from llrcal.scale.engine import Threads
    from llrcal.scale.files import hold_counts
    from llrcal.trials.rewriting import rewrite

    if columns.interval is not None:  # before any work
        calibration.interval(0.0, level=columns.interval)
    seen, field = OutOfRangeCounter(*calibration.training_range), FieldCounter(calibration)
    nats = UNITS[columns.units]
    answers = LLRColumns(calibration, columns.interval, seen, field, nats, columns.more)
    request = options.request("scores")
    is_folder = scores != "-" and is_many(scores)
    with print_warnings(), progress_bar(quiet=quiet) as show:
        if is_folder:
            engine = Threads(lambda what, done, total: show(what, completed=done, total=total))
            how = f"{apply_to_files(answers, request, scores, out, engine, force=force)} files"
        else:
            path = Path(scores)
            size = path.stat().st_size if path.is_file() else None
            how = rewrite(
                scores,
                out,
                answers,
                request,
                progress=lambda done: show("applying", total=size, advance=done),
            )
    read = Note.of("read", how).about(display_name(scores))
    if hold_counts(scores):  # distinct scores look like no field
        return seen.total, [read]
    return seen.total, [*seen.notes, *field.notes, read]
