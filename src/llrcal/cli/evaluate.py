"""``llrcal evaluate``: the quality of LLRs, in numbers and figures."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.answers import json_option, print_json
from llrcal.cli.opening import opener, scale_options
from llrcal.cli.options import (
    RULES,
    UNITS,
    averaged_points,
    operating_points,
    point_options,
    scoring_rule,
    split_names,
)
from llrcal.cli.reading import direction_options, form_options, key_options, refuse_wrong_way
from llrcal.cli.terminal import counting_bar, say, tell
from llrcal.files.overwriting import refuse_to_bury, refuse_to_read_twice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from llrcal.evaluation import ByCondition, Evaluation, OperatingPoint
    from llrcal.evaluation.intervals import Intervals
    from llrcal.notes import Note
    from llrcal.scoring_rule import ScoringRule


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
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="RULE",
    help=f"Also give the cost by this scoring rule: {RULES}. Repeatable.",
)
@click.option(
    "--forensic",
    is_flag=True,
    help="Also give devPAV, ELUB, rates of misleading evidence and expected LRs.",
)
@click.option(
    "--error-rates",
    is_flag=True,
    help="Also give miss rates (FNMR) at false-alarm rates (FMR) of 1e-2 to 1e-6, with the numbers "
    "of errors behind them.",
)
@click.option(
    "--intervals",
    is_flag=True,
    help="Also give intervals by resampling: by speaker where speakers are known, else by trial. "
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
@click.option(
    "--plain",
    is_flag=True,
    help="Print detection costs as they are, rather than in units of the cost of deciding by the "
    "prior alone.",
)
@json_option
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
    **reading: Any,
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
    from llrcal.cli.units import InNats, unit_of
    from llrcal.comparison.parts import in_memory
    from llrcal.evaluation.evaluating import by_condition, evaluated
    from llrcal.evaluation.forensic import STRENGTHS, misleading_thresholds
    from llrcal.files.atomic import atomic_folder
    from llrcal.messages import Setting
    from llrcal.scoring_rule import ScoringRule

    points = operating_points(p_target, c_miss, c_fa, preset)
    averages = averaged_points(points, preset, are_asked_for=bool(p_target))
    columns = split_names(by)
    by_rules = [ScoringRule.of(scoring_rule(rule)) for rule in rules]
    draws = _draws(intervals, level, replicates)
    refuse_to_read_twice(llrs, reading["key"])
    refuse_to_bury(figures, llrs, reading["key"])
    with (
        # First, so that a bad folder is refused at once.
        nullcontext() if figures is None else atomic_folder(figures, force=force) as folder,
        opener(quiet=quiet) as open_trials,
    ):
        trials = open_trials(llrs, allow_infinite=True, keep=columns, **reading)
        if intervals or error_rates:  # before any work
            in_memory(trials, Setting("intervals" if intervals else "error_rates"))
        in_nats = trials.mapped(InNats(units or unit_of(trials), -1.0 if distance else 1.0))
        # Misleading evidence, if asked for, is counted in the same pass.
        misleading = misleading_thresholds(STRENGTHS if forensic else ())
        priors = [point.prior_log_odds for point in points] + [-x for x in misleading]
        evaluation = evaluated(in_nats, prior_log_odds=priors)
        if not inverted:
            refuse_wrong_way(evaluation.direction_notes, llrs, distance=distance)
        notes = _notes(evaluation, units)
        divided = by_condition(evaluation, in_nats, None, columns) if columns else None
        notes += divided.notes if divided else ()
        asked: dict[str, Any] = {"rules": by_rules, "forensic": forensic}
        also: dict[str, Any] = {"error_rates": error_rates}
        found = None
        if intervals:
            with counting_bar("drawing test sets", quiet=quiet) as progress:
                found = evaluation.intervals(points, **asked, **draws, progress=progress)
        if as_json:
            numbers = evaluation.to_dict(points, **asked, **also, intervals=found)
            numbers |= _more(evaluation, averages, divided, points)
            print_json({"source": llrs, **numbers}, [*trials.notes, *notes])
        else:
            also |= {"plain": plain, "intervals": found, "divided": divided}
            _show(evaluation, points, averages, **asked, **also)
        say(notes, quiet=quiet)
        if folder is not None:
            from llrcal.figures.evaluation import draw_evaluation

            drawn = evaluation if divided is None else divided.largest
            draw_evaluation(drawn, folder, points, **draws)
    if figures is not None and not quiet:
        tell(f"Figures: {figures}")


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


def _show(
    evaluation: Evaluation,
    points: Sequence[OperatingPoint],
    averages: Mapping[str, Sequence[OperatingPoint]],
    *,
    rules: Sequence[ScoringRule],
    forensic: bool,
    error_rates: bool,
    plain: bool,
    intervals: Intervals | None,
    divided: ByCondition | None,
) -> None:
    """Print what was asked for."""
    from llrcal.cli.show_conditions import show_conditions
    from llrcal.cli.show_error_rates import show_error_rates
    from llrcal.cli.show_evaluation import show_evaluation
    from llrcal.cli.show_forensic import show_forensic
    from llrcal.cli.show_intervals import show_intervals

    show_evaluation(evaluation, points, averages, rules, plain=plain)
    if forensic:
        show_forensic(evaluation.forensic)
    if error_rates:
        show_error_rates(evaluation.error_rates, evaluation.non_count)
    if divided is not None:
        show_conditions(divided, points)
    if intervals is not None:
        show_intervals(evaluation, intervals, points)


def _draws(intervals: bool, level: float | None, replicates: int | None) -> dict[str, Any]:
    """Level and replicates of the intervals, if these are asked for."""
    from llrcal.errors import OptionError
    from llrcal.evaluation.bootstrap import check_draws
    from llrcal.evaluation.resampling import REPLICATES

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
    from llrcal.cli.units import doubts
    from llrcal.onepass.direction import WRONG_WAY

    return ([] if units else doubts(evaluation)) or [
        note for note in evaluation.notes if note.code != WRONG_WAY
    ]
