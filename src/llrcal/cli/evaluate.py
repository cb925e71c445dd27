"""``llrcal evaluate``: the quality of LLRs, in numbers and figures."""

from __future__ import annotations

import math
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.options import (
    FILE,
    RULES,
    UNITS,
    averaged_points,
    flag,
    operating_points,
    point_options,
    scoring_rule,
    split_names,
)
from llrcal.cli.reading import (
    Scale,
    direction_options,
    opener,
    reading_options,
    refuse_wrong_way,
    scale_options,
)
from llrcal.cli.terminal import echo_err, json_option, print_json, print_notes, progress_bar
from llrcal.errors import OptionError
from llrcal.files.overwriting import refuse_output_around_inputs, refuse_to_read_twice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from llrcal.arrays import Array
    from llrcal.evaluation import ByCondition, Evaluation, OperatingPoint
    from llrcal.notes import Note
    from llrcal.trials.request import ReadOptions
    from llrcal.trials.trials import TrialSet

_RATIO = "ratio"


@click.command()
@click.argument("llrs", metavar="LLRS", type=FILE)
@reading_options()
@click.option(
    "--units",
    type=click.Choice([*UNITS, _RATIO]),
    help="Logarithm of the LLRs in the file, or ratio for likelihood-ratios.  [default: nats]",
)
@point_options
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="RULE",
    help=f"Also give the cost by this scoring rule: {RULES}. Repeatable.",
)
@flag("--forensic", "Also give devPAV, ELUB, rates of misleading evidence and expected LRs.")
@flag(
    "--error-rates",
    "Also give miss rates (FNMR) at false-alarm rates (FMR) of 1e-2 to 1e-6, with the numbers "
    "of errors behind them.",
)
@flag(
    "--intervals",
    "Also give intervals by resampling: by speaker where speakers are known, else by trial. "
    "Figures get bands.",
)
@click.option(
    "--level",
    type=float,
    help="Share of drawn test sets that an interval covers.  [default: 0.95]",
)
@click.option(
    "--replicates",
    type=int,
    help="Number of test sets to draw for the intervals.  [default: 1000]",
)
@click.option(
    "--by",
    metavar="COLUMNS",
    help="Also evaluate each condition, and their average: columns of the file or of the key, "
    "such as channel,gender.",
)
@flag(
    "--plain",
    "Print detection costs as they are, rather than in units of the cost of deciding by the "
    "prior alone.",
)
@json_option
@click.option("--figures", metavar="DIR", type=FILE, help="Draw figures into this folder.")
@flag("--force", "Replace the folder if it exists.")
@direction_options
@scale_options
@flag("--quiet", "Do not print how the files were read.")
def evaluate(
    llrs: str,
    units: str | None,
    p_target: Sequence[float],
    c_miss: Sequence[float],
    c_fa: Sequence[float],
    preset: Sequence[str],
    rules: Sequence[str],
    forensic: bool,
    error_rates: bool,
    intervals: bool,
    level: float | None,
    replicates: int | None,
    by: str | None,
    plain: bool,
    as_json: bool,
    figures: str | None,
    force: bool,
    distance: bool,
    inverted: bool,
    quiet: bool,
    key: str | None,
    reading: ReadOptions,
    scale: Scale,
) -> None:
    """Evaluate LLRs: Cllr, EER and detection costs.

    LLRS is a file of LLRs with labels or with a key. Raw scores can be evaluated as well: their
    minimum costs show how well they discriminate, whatever their calibration.

    \b
    llrcal evaluate eval-llrs.txt --key eval-key.txt
    llrcal evaluate eval-llrs.txt --key eval-key.txt --p-target 0.01 --c-miss 10 --json
    llrcal evaluate eval.tsv --preset sre16 --preset voxsrc --figures figures
    llrcal evaluate eval.tsv --rule brier --rule 0.5,-0.5
    llrcal evaluate lrs.csv --units ratio --forensic
    llrcal evaluate faces.csv --distance --error-rates
    llrcal evaluate eval.tsv --intervals --figures figures
    llrcal evaluate eval.tsv --by channel,gender --figures figures
    llrcal evaluate 'night/*.parquet' --workers 4
    """
    from llrcal.cli.evaluation_tables import show_evaluation
    from llrcal.comparison.folds import in_memory
    from llrcal.evaluation.evaluate import by_condition, evaluate_quietly
    from llrcal.evaluation.forensic import STRENGTHS, misleading_thresholds
    from llrcal.files.atomic import atomic_folder
    from llrcal.messages import Setting
    from llrcal.scoring_rule import ScoringRule

    points = operating_points(p_target, c_miss, c_fa, preset)
    averages = averaged_points(points, preset, are_asked_for=bool(p_target))
    columns = split_names(by)
    by_rules = [ScoringRule.of(scoring_rule(rule)) for rule in rules]
    draws = _draws(intervals, level, replicates)
    refuse_to_read_twice(llrs, key, reading.nontargets)
    refuse_output_around_inputs(figures, llrs, key, reading.nontargets)
    with (
        # First, so that a bad folder is refused at once.
        nullcontext() if figures is None else atomic_folder(figures, force=force) as folder,
        opener(scale, quiet=quiet) as open_trials,
    ):
        trials = open_trials(llrs, key, replace(reading, allow_infinite=True, keep=columns))
        if intervals or error_rates:  # before any work
            in_memory(trials, Setting("intervals" if intervals else "error_rates"))
        in_nats = trials.mapped(InNats(units or _unit_of(trials), -1.0 if distance else 1.0))
        # Misleading evidence, if asked for, is counted in the same pass.
        misleading = misleading_thresholds(STRENGTHS if forensic else ())
        priors = [point.prior_log_odds for point in points] + [-x for x in misleading]
        evaluation = evaluate_quietly(in_nats, prior_log_odds=priors)
        if not inverted:
            refuse_wrong_way(evaluation.direction_notes, llrs, distance=distance)
        notes = _notes(evaluation, units)
        divided = by_condition(evaluation, in_nats, None, columns) if columns else None
        notes += divided.notes if divided else ()
        asked: dict[str, Any] = {"rules": by_rules, "forensic": forensic}
        also: dict[str, Any] = {"error_rates": error_rates}
        found = None
        if intervals:
            with progress_bar(quiet=quiet) as show:
                found = evaluation.intervals(
                    points,
                    **asked,
                    **draws,
                    progress=lambda i, n: show("drawing test sets", completed=i, total=n),
                )
        if as_json:
            numbers = evaluation.to_dict(points, **asked, **also, intervals=found)
            numbers |= _more(evaluation, averages, divided, points)
            print_json({"source": llrs, **numbers}, [*trials.notes, *notes])
        else:
            also |= {"plain": plain, "intervals": found, "divided": divided}
            show_evaluation(evaluation, points, averages, **asked, **also)
        print_notes(notes, quiet=quiet)
        if folder is not None:
            from llrcal.figures.folder import draw_evaluation

            drawn = evaluation if divided is None else divided.largest
            draw_evaluation(drawn, folder, points, **draws)
    if figures is not None and not quiet:
        echo_err(f"Figures: {figures}")


def _more(
    evaluation: Evaluation,
    averages: Mapping[str, Sequence[OperatingPoint]],
    divided: ByCondition | None,
    points: Sequence[OperatingPoint],
) -> dict[str, Any]:
    """The parts of an answer that are not numbers of the evaluation itself."""
    names = ("act_dcf", "min_dcf")
    found = {name: evaluation.mean_dcf(some) for name, some in averages.items()}
    means = {name: dict(zip(names, both, strict=True)) for name, both in found.items()}
    return {"averages": means, **({} if divided is None else {"by": divided.to_dict(points)})}


def _draws(intervals: bool, level: float | None, replicates: int | None) -> dict[str, Any]:
    """Level and replicates of the intervals, if these are asked for."""
    from llrcal.evaluation.bootstrap import REPLICATES, check_draws

    if not intervals:
        for name, value in (("--level", level), ("--replicates", replicates)):
            if value is not None:
                raise OptionError(f"{name} is for --intervals, which is not given")
        return {}
    draws: dict[str, Any] = {
        "level": 0.95 if level is None else level,
        "replicates": REPLICATES if replicates is None else replicates,
    }
    check_draws(**draws)
    return draws


def _notes(evaluation: Evaluation, units: str | None) -> list[Note]:
    """Notes on the LLRs, or only on their unit if that is in doubt."""
    from llrcal.onepass.rank_scale import WRONG_WAY

    return ([] if units else _doubts(evaluation)) or [
        note for note in evaluation.notes if note.code != WRONG_WAY
    ]


@dataclass(frozen=True)
class InNats:
    """The transform of LLRs in some unit to natural logarithms."""

    unit: str
    sign: float = 1.0

    def __call__(self, values: Array) -> Array:
        import numpy as np

        if self.unit != _RATIO:
            return np.asarray(values) * (self.sign * UNITS[self.unit])
        if (values < 0).any():
            raise OptionError("a likelihood-ratio cannot be negative; are these logarithms?")
        with np.errstate(divide="ignore"):
            return self.sign * np.log(values)


def _unit_of(trials: TrialSet) -> str:
    """The unit that a file suggests; natural logarithms by default."""
    from llrcal.trials.conventions import is_log10, is_plain_ratio

    source, name = trials.source, trials.score_name
    if name is not None and is_log10(name):
        echo_err(f"{source}: column {name!r} contains common logarithms (log10)")
        return "log10"
    if name is not None and is_plain_ratio(name):
        raise OptionError(
            f"{source}: column {name!r} may contain likelihood-ratios or their logarithms; "
            "specify which: --units ratio, nats, log10 or bits"
        )
    if trials.forensic:
        raise OptionError(
            f"{source}: its labels are hypotheses, and tools that write these often write "
            "common logarithms; specify which: --units log10 or --units nats"
        )
    return "nats"


def _doubts(evaluation: Evaluation) -> list[Note]:
    """A warning if the LLRs would be far better when read as common logarithms."""
    from llrcal.messages import Setting
    from llrcal.notes import Note

    loss = evaluation.calibration_loss
    # Classes that do not overlap look better the larger the LLRs.
    if evaluation.min_cllr == 0 or loss < 0.01:
        return []
    as_log10 = evaluation.cllr_multiplied(UNITS["log10"])
    if as_log10 == math.inf or as_log10 - evaluation.min_cllr > loss / 2:
        return []
    text = (
        f"read as common logarithms, these LLRs would have a Cllr of {as_log10:.4f} rather than "
        f"{evaluation.cllr:.4f}; if that is what they are, give "
    )
    return [Note.warning("log10", text, Setting("units", "log10"))]
