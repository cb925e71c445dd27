"""``llrcal fit``: train one calibration and write it to a file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.options import FILE, RULES, WEIGHTED, flag, scoring_rule, weight
from llrcal.cli.reading import (
    Scale,
    direction_options,
    opener,
    reading_options,
    refuse_wrong_way,
    scale_options,
)
from llrcal.cli.terminal import echo_err, json_option, print_json, print_notes
from llrcal.files.overwriting import refuse_to_overwrite, refuse_to_read_twice
from llrcal.method_table import DEFAULT, TABLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llrcal.calibrations import Calibration
    from llrcal.calibrations.bounds import Policy
    from llrcal.calibrations.conditions import Conditions
    from llrcal.notes import Note
    from llrcal.trials.request import ReadOptions


@click.command()
@click.argument("scores", metavar="SCORES", type=FILE)
@click.option(
    "--method", type=click.Choice(list(TABLE)), default=DEFAULT, help="The method to train."
)
@click.option(
    "-o", "--out", required=True, metavar="MODEL", type=FILE, help="The model file (JSON)."
)
@click.option(
    "--alpha",
    metavar="WEIGHT",
    help=f"Weight of the targets for {WEIGHTED}: a number between 0 and 1, or "
    "'empirical'.  [default: 0.5]",
)
@click.option(
    "--rule",
    metavar="RULE",
    help=f"Scoring rule that logistic minimises: {RULES}.  [default: log]",
)
@flag(
    "--bayes",
    "Integrate the parameters out rather than estimate them, for few trials: see "
    "docs/few-trials.md. Not for smooth and pav.",
)
@click.option(
    "--bounds",
    type=click.Choice(["counts", "elub", "range", "none"]),
    default="counts",
    help="Outside the range of the training scores: use the LLR of the nearest one, and limit LLRs "
    "to what the number of trials supports (counts), or to the empirical bounds of the training "
    "LLRs (elub); without such a limit (range); or extrapolate (none).",
)
@click.option(
    "--rising/--no-rising",
    default=True,
    help="Hold LLRs where they would fall although the score rises, or give the plain formula.",
)
@click.option(
    "--condition",
    metavar="COLUMN",
    help="Give each condition in this column, of the scores or of the key, a slope and an offset "
    "of its own, as far as its trials can tell.",
)
@reading_options()
@direction_options
@scale_options
@json_option
@flag("--quiet", "Print only warnings and errors.")
def fit(
    scores: str,
    method: str,
    out: str,
    alpha: str | None,
    rule: str | None,
    bayes: bool,
    bounds: Policy,
    rising: bool,
    condition: str | None,
    distance: bool,
    inverted: bool,
    as_json: bool,
    quiet: bool,
    key: str | None,
    reading: ReadOptions,
    scale: Scale,
) -> None:
    """Train a calibration on scores and labels.

    SCORES is a score file of any toolkit (see docs/formats.md), plain or compressed, or - for
    standard input. Its form is detected and printed; if it is ambiguous, you are asked to specify
    it by options. SCORES may also be a folder of such files or a pattern in quotes, of any size.

    \b
    llrcal fit dev-scores.txt --key dev-key.txt -o model.json
    llrcal fit dev.tsv.gz --method logistic --alpha empirical -o model.json
    llrcal fit dev.tsv.gz --method logistic --alpha 0.1 --rule brier -o model.json
    llrcal fit casework.csv --method nig --bayes -o model.json
    llrcal fit faces.csv --columns score=cosine,label=same --distance -o faces.json
    llrcal fit 'night/*.parquet' --method nig --workers 4 -o nig.json
    llrcal fit dev.csv --condition channel -o by-channel.json
    """
    from llrcal.calibrations import Calibration
    from llrcal.calibrations.conditions import Conditioned, conditioned
    from llrcal.calibrations.fit import fit_methods
    from llrcal.files.compression import check_place

    check_place(out, by_name=True)
    refuse_to_read_twice(scores, key, reading.nontargets)
    refuse_to_overwrite(out, scores, key, reading.nontargets)
    options: dict[str, Any] = {} if alpha is None else {"alpha": weight(alpha)}
    if rule is not None:
        options["rule"] = scoring_rule(rule)
    if bayes:
        options["bayes"] = True
    with opener(scale, quiet=quiet) as open_trials:
        trials = open_trials(scores, key, replace(reading, keep=[condition] if condition else []))
        (model,) = fit_methods(
            trials,
            methods=[(method, options)],
            bounds=bounds,
            rising=rising,
            lower_is_better=distance,
        ).values()
    if not inverted:
        refuse_wrong_way(model.report.notes, scores, distance=distance)
    found: Calibration | Conditioned = model
    if condition is not None:
        found = conditioned(model, trials, None, condition)
    found.save(out)
    notes = found.report.all_notes
    if as_json:
        conditions = None if isinstance(found, Calibration) else found.conditions
        _print_json(model, out, conditions, [*trials.notes, *notes])
    print_notes(notes, quiet=quiet, lead="note: ")
    if not quiet:
        echo_err(
            f"{model.method}: {model.tar_count:,} targets, {model.non_count:,} non-targets; "
            f"{model.report.reason}"
        )
        echo_err(f"Model: {out}")


def _print_json(
    model: Calibration, out: str, conditions: Conditions | None, notes: Sequence[Note]
) -> None:
    answer = {
        "model": out,
        "method": model.method,
        "tar_count": model.tar_count,
        "non_count": model.non_count,
        "training_range": model.training_range,
        "report": {name: value for name, value in dict(model.report).items() if name != "notes"},
        **({} if conditions is None else {"conditions": conditions.to_dict()}),
    }
    print_json(answer, notes)
