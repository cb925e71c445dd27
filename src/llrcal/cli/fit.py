"""``llrcal fit``: train one calibration and write it to a file."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import click

from llrcal.cli.options import (
    JSON,
    QUIET,
    RULES,
    WEIGHTED,
    File,
    NewFile,
    argument,
    command,
    option,
    output,
    scoring_rule,
    weight,
)
from llrcal.cli.reading import Direction, Reading, Scale, opener
from llrcal.cli.terminal import echo_err, print_json, print_notes
from llrcal.method_table import DEFAULT, TABLE


@command()
def fit(
    *,
    scores: File = argument("SCORES"),
    method: Annotated[str, click.Choice(list(TABLE))] = option("The method to train.", DEFAULT),
    out: NewFile = output("The model file (JSON).", "MODEL"),
    alpha: str | None = option(
        f"Weight of the targets for {WEIGHTED}: a number between 0 and 1, or 'empirical'.  "
        "[default: 0.5]",
        metavar="WEIGHT",
    ),
    rule: str | None = option(
        f"Scoring rule that logistic minimises: {RULES}.  [default: log]", metavar="RULE"
    ),
    bayes: bool = option(
        "Integrate the parameters out rather than estimate them, for few trials: see "
        "docs/few-trials.md. Not for smooth and pav."
    ),
    bounds: Literal["counts", "elub", "range", "none"] = option(
        "Outside the range of the training scores: use the LLR of the nearest one, and limit LLRs "
        "to what the number of trials supports (counts), or to the empirical bounds of the "
        "training LLRs (elub); without such a limit (range); or extrapolate (none).",
        "counts",
    ),
    rising: bool = option(
        "Hold LLRs where they would fall although the score rises, or give the plain formula.", True
    ),
    condition: str | None = option(
        "Give each condition in this column, of the scores or of the key, a slope and an offset "
        "of its own, as far as its trials can tell.",
        metavar="COLUMN",
    ),
    reading: Reading,
    direction: Direction,
    scale: Scale,
    json: bool = JSON,
    quiet: bool = QUIET,
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
    from llrcal.calibrations.conditions import conditioned
    from llrcal.calibrations.fit import fit_methods
    from llrcal.files.compression import check_place

    check_place(out, by_name=True)
    options: dict[str, Any] = {} if alpha is None else {"alpha": weight(alpha)}
    if rule is not None:
        options["rule"] = scoring_rule(rule)
    if bayes:
        options["bayes"] = True
    with opener(scale, quiet=quiet) as open_trials:
        trials = open_trials(scores, reading, keep=[condition] if condition else [])
        (model,) = fit_methods(
            trials,
            methods=[(method, options)],
            bounds=bounds,
            rising=rising,
            lower_is_better=direction.lower_is_better,
        ).values()
    direction.check(model.report.notes, scores)
    by_condition = None if condition is None else conditioned(model, trials, None, condition)
    found = by_condition or model
    found.save(out)
    report, notes = model.report, found.report.all_notes
    if json:
        names = ("method", "tar_count", "non_count", "training_range")
        answer = {"model": out, **{name: getattr(model, name) for name in names}}
        answer["report"] = {name: one for name, one in dict(report).items() if name != "notes"}
        if by_condition:
            answer["conditions"] = by_condition.conditions.to_dict()
        print_json(answer, notes)
    print_notes(notes, quiet=quiet, lead="note: ")
    if not quiet:
        echo_err(
            f"{model.method}: {model.tar_count:,} targets, {model.non_count:,} non-targets; "
            f"{report.reason}"
        )
        echo_err(f"Model: {out}")
