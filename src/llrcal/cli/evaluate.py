"""``llrcal evaluate``: the quality of LLRs, in numbers and figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Literal

from llrcal.cli.options import (
    FORCE,
    JSON,
    RULES,
    File,
    NewFolder,
    Points,
    argument,
    command,
    option,
    refuse,
    split_names,
)
from llrcal.cli.reading import Direction, Reading, Scale, opener
from llrcal.cli.terminal import echo_err, print_json, print_notes, progress_bar

if TYPE_CHECKING:
    from llrcal.evaluation import Evaluation
    from llrcal.messages import Setting
    from llrcal.notes import Note
    from llrcal.trials.trials import TrialSet


@command()
def evaluate(
    *,
    llrs: File = argument("LLRS"),
    reading: Reading,
    units: Literal["nats", "log10", "bits", "ratio"] | None = option(
        "Logarithm of the LLRs in the file, or ratio for likelihood-ratios.  [default: nats]"
    ),
    points: Points,
    rule: Sequence[str] = option(
        f"Also give the cost by this scoring rule: {RULES}. Repeatable.", metavar="RULE"
    ),
    forensic: bool = option(
        "Also give devPAV, ELUB, rates of misleading evidence and expected LRs."
    ),
    error_rates: bool = option(
        "Also give miss rates (FNMR) at false-alarm rates (FMR) of 1e-2 to 1e-6, with the numbers "
        "of errors behind them, and intervals: by speaker where speakers are known."
    ),
    worst: int | None = option(
        "Also give so many of the most misleading trials and, where speakers are known, of the "
        "speakers who cost most.",
        metavar="N",
    ),
    intervals: bool = option(
        "Also give intervals by resampling: by speaker where speakers are known, else by trial. "
        "Figures get bands."
    ),
    level: float | None = option(
        "Share of drawn test sets that an interval covers.  [default: 0.95]"
    ),
    replicates: int | None = option(
        "Number of test sets to draw for the intervals.  [default: 1000]"
    ),
    by: str | None = option(
        "Also evaluate each condition, and their average: columns of the file or of the key, such "
        "as channel,gender.",
        metavar="COLUMNS",
    ),
    plain: bool = option(
        "Print detection costs as they are, rather than in units of the cost of deciding by the "
        "prior alone."
    ),
    json: bool = JSON,
    figures: NewFolder | None = option("Draw figures into this folder.", metavar="DIR"),
    force: bool = FORCE,
    direction: Direction,
    scale: Scale,
    quiet: bool = option("Do not print how the files were read."),
) -> None:
    """Evaluate LLRs: Cllr, EER and detection costs.

    LLRS is a file of LLRs with labels or with a key. Raw scores can be evaluated as well: their
    minimum costs show how well they discriminate, whatever their calibration.

    \b
    llrcal evaluate eval-llrs.txt --key eval-key.txt
    llrcal evaluate eval-llrs.txt --key eval-key.txt --p-target 0.01 --c-miss 10 --json
    llrcal evaluate eval.tsv --preset sre16 --preset voxsrc --figures figures
    llrcal evaluate eval.tsv --rule brier
    llrcal evaluate lrs.csv --units ratio --forensic
    llrcal evaluate faces.csv --distance --error-rates
    llrcal evaluate eval.tsv --intervals --figures figures
    llrcal evaluate eval.tsv --worst 10 --figures figures
    llrcal evaluate eval.tsv --by channel,gender --figures figures
    llrcal evaluate 'night/*.parquet' --workers 4
    """
    import numpy as np

    from llrcal.cli.evaluation_tables import show_evaluation
    from llrcal.evaluation.evaluate import by_condition, evaluate_quietly
    from llrcal.evaluation.measures import STRENGTHS, misleading_thresholds
    from llrcal.evaluation.operating_points import DEFAULT_POINTS
    from llrcal.files.atomic import atomic_folder
    from llrcal.scoring_rule import as_rule

    chosen = points.given() or DEFAULT_POINTS
    columns = split_names(by, "by")
    asked: dict[str, Any] = {"rules": [as_rule(one) for one in rule]}
    asked["forensic"] = forensic
    draws = _draws(intervals, level=level, replicates=replicates)
    _check_worst(worst)
    with (
        # First, so that a bad folder is refused at once.
        nullcontext() if figures is None else atomic_folder(figures, force=force) as folder,
        opener(scale, quiet=quiet) as open_trials,
    ):
        whole = _needs_all(error_rates=error_rates, worst=worst is not None)
        trials = open_trials(llrs, reading, whole=whole, allow_infinite=True, keep=columns)
        unit = units or _unit_of(trials)
        in_nats = trials.in_nats(unit)
        in_nats = in_nats.negated() if direction.lower_is_better else in_nats
        # Misleading evidence, if asked for, is counted in the same pass.
        misleading = np.concatenate(misleading_thresholds(STRENGTHS if forensic else ()))
        priors = [*(point.prior_log_odds for point in chosen), *-misleading]
        evaluation = evaluate_quietly(in_nats, prior_log_odds=priors)
        direction.check(evaluation.direction_notes, llrs)
        notes = _notes(evaluation, units)
        divided = by_condition(evaluation, in_nats, None, columns) if columns else None
        notes += divided.notes if divided else ()
        found = None
        if intervals:
            with progress_bar(quiet=quiet) as show:
                found = evaluation.intervals(
                    chosen,
                    **asked,
                    **draws,
                    progress=lambda i, n: show("drawing test sets", completed=i, total=n),
                )
        also: dict[str, Any] = {"error_rates": error_rates, "worst": worst or 0}
        answer = evaluation.to_dict(chosen, **asked, **also, intervals=found)
        answer["averages"] = _averages(evaluation, points)
        if divided:
            answer["by"] = divided.to_dict(chosen)
        if json:
            print_json({"source": llrs, **answer}, [*notes, *(found.notes if found else ())])
        else:
            numbers = evaluation.numbers(chosen, **asked, intervals=found)
            show_evaluation(answer, numbers, plain=plain)
        print_notes(notes, quiet=quiet)
        if folder is not None:
            from llrcal.figures.folder import draw_evaluation

            drawn = evaluation if divided is None else divided.largest
            usual = unit == "ratio" or (units is None and unit == "nats")
            draw_evaluation(drawn, folder, chosen, **draws, units=None if usual else unit)
    if figures is not None and not quiet:
        echo_err(f"Figures: {figures}")


def _check_worst(count: int | None) -> None:
    from llrcal.arrays import check_whole

    check_whole("worst", 1 if count is None else count, least=1)


def _needs_all(**asked: bool) -> Setting | None:
    """An option that needs all trials in memory, if one is given."""
    from llrcal.messages import Setting

    return next((Setting(name) for name, is_given in asked.items() if is_given), None)


def _averages(evaluation: Evaluation, points: Points) -> dict[str, dict[str, float]]:
    """Mean costs of sets of operating points, normalised and as they are."""
    names = ("act_dcf", "min_dcf", "act_dcf_unnormalised", "min_dcf_unnormalised")
    mean = evaluation.mean_dcf
    return {
        name: dict(zip(names, (*mean(some), *mean(some, normalised=False)), strict=True))
        for name, some in points.averages().items()
    }


def _draws(intervals: bool, **given: Any) -> dict[str, Any]:
    """Level and replicates of the intervals, if these are asked for."""
    from llrcal.evaluation.bootstrap import REPLICATES, check_draws

    asked = {name: value for name, value in given.items() if value is not None}
    if intervals:
        asked = {"level": 0.95, "replicates": REPLICATES, **asked}
        check_draws(**asked)
        return asked
    refuse({f"--{name} is for --intervals, which is not given": True for name in asked})
    return {}


def _notes(evaluation: Evaluation, units: str | None) -> list[Note]:
    """Notes on the LLRs, or only on their unit if that is in doubt."""
    from llrcal.onepass.rank_scale import WRONG_WAY

    return ([] if units else _doubts(evaluation)) or [
        note for note in evaluation.notes if note.code != WRONG_WAY
    ]


def _unit_of(trials: TrialSet) -> str:
    """The unit that a file suggests."""
    from llrcal.notes import Note

    if trials.unit == "log10":
        text = f"column {trials.score_name!r} contains common logarithms (log10)"
        print_notes([Note.of("log10 column", text).about(trials.source)], quiet=False)
    return trials.unit


def _doubts(evaluation: Evaluation) -> list[Note]:
    """A warning if the LLRs would be far better when read as common logarithms."""
    from llrcal.inputs.units import UNITS
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
