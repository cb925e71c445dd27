"""``llrcal fit``: train one calibration and write it to a file."""

from __future__ import annotations

from llrcal.cli.options import (
    FORCE,
    JSON,
    QUIET,
    File,
    MethodOptions,
    NewModel,
    argument,
    command,
    option,
    output,
)
from llrcal.cli.reading import Direction, Reading, Scale, opener
from llrcal.cli.terminal import echo_err, print_json, print_notes


@command()
def fit(
    *,
    scores: File = argument("SCORES"),
    out: NewModel = output("The model file (JSON).", "MODEL"),
    asked: MethodOptions,
    rising: bool = option("Make LLRs non-decreasing in the score, or use the plain formula.", True),
    condition: str | None = option(
        "Give each condition in this column, of the scores or of the key, a slope and an offset "
        "of its own, as far as its trials can tell.",
        metavar="COLUMN",
    ),
    reading: Reading,
    direction: Direction,
    scale: Scale,
    force: bool = FORCE,  # noqa: ARG001, which is asked before
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
    from llrcal.calibrations.conditioned import conditioned
    from llrcal.calibrations.fit import fit_methods

    with opener(scale, quiet=quiet) as open_trials:
        trials = open_trials(scores, reading, keep=[condition] if condition else [])
        (model,) = fit_methods(
            trials,
            methods=[asked.chosen],
            bounds=asked.bounds,
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
