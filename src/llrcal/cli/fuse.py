"""``llrcal fuse``: train a fusion of several systems and write it to a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from llrcal.cli.options import (
    FORCE,
    JSON,
    KEY,
    QUIET,
    File,
    NewModel,
    argument,
    command,
    option,
    output,
    weight,
)
from llrcal.cli.reading import LabelledForm, Scale, opener
from llrcal.cli.systems import both_classes, side_columns, side_files, sides_of, sources_of
from llrcal.cli.terminal import cells, echo_err, print_json, print_notes, print_table

if TYPE_CHECKING:
    from llrcal.fusion.fused import Fused
    from llrcal.trials.request import ReadOptions
    from llrcal.trials.systems import Systems


@dataclass(frozen=True)
class _Form(LabelledForm):
    """The form of files of several systems, some of which may lack scores."""

    missing: Annotated[str, click.Choice(["error", "skip", "patterns"])] = option(
        "Trials of the key that have no score of a system: refuse the files, skip them, or fuse "
        "the systems that are there.",
        "error",
    )


@command()
def fuse(
    *,
    files: Sequence[File] = argument("SCORES..."),
    out: NewModel = output("The model file (JSON).", "MODEL"),
    scores: str | None = option(
        "The columns of scores of one table, each of a system: cos,plda.", metavar="COLUMNS"
    ),
    label: str | None = option("The column of labels.", metavar="COLUMN"),
    quality: File | None = option(
        "Side information, such as durations: columns of the first file or of the key; or a file "
        "with the id of a recording, or both of a trial, and numbers in each line.",
        metavar="FILE|COLUMNS",
    ),
    condition: str | None = option(
        "The condition of each trial, likewise in a column.", metavar="COLUMN"
    ),
    alpha: str = option(
        "Weight of the targets: a number between 0 and 1, or 'empirical'.", "0.5", metavar="WEIGHT"
    ),
    bounds: Literal["counts", "range"] = option(
        "Outside the range of the training scores: use the nearest of these, and limit LLRs to "
        "what trials and their speakers support (counts); or without such a limit (range).",
        "counts",
    ),
    key: File | None = KEY,
    form: _Form,
    scale: Scale,
    force: bool = FORCE,  # noqa: ARG001, which is asked before
    json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """Fuse the scores of several systems into one LLR.

    SCORES are files with the scores of a system each, joined on the ids of the trials in any order;
    or one table with a column for each system. A system is called by what distinguishes the name of
    its file from the others: those of cos-dev.txt and plda-dev.txt are cos and plda. NAME=FILE
    gives it another name.

    \b
    llrcal fuse cos-dev.txt plda-dev.txt --key dev-key.txt -o fused.json
    llrcal apply fused.json cos-eval.txt plda-eval.txt -o eval-llrs.txt
    llrcal fuse all.csv --scores cos,plda --label y --condition channel -o fused.json
    llrcal fuse all.csv --scores cos --quality duration,snr -o calibrated.json
    llrcal fuse 'night/*.parquet' --scores cos,plda --workers 4 -o fused.json
    llrcal fuse cos-dev.txt plda-dev.txt --key dev-key.txt --quality utt2dur -o fused.json
    """
    from llrcal.fusion.fuse import fusion
    from llrcal.scale.fusing import fused_columns, opened_columns
    from llrcal.scale.opening import is_in_pieces

    sources = sources_of(files, scores)
    names = [source for source, _ in sources.values()]
    if label is not None:
        roles = [form.columns, f"label={label}"]
        form = replace(form, columns=",".join(filter(None, roles)))
    sides = side_columns(quality)
    partial = form.missing == "patterns"
    options = form.options(missing="skip" if partial else form.missing)
    not_in_pieces = {
        "systems in several files, rather than in columns of one table (--scores)": scores is None,
        "--condition": condition,
        "--quality FILE": side_files(quality),
        "--key": key,
        "--missing": form.missing != "error",
    }
    whole = next((name for name, is_given in not_in_pieces.items() if is_given), None)
    with opener(scale, quiet=quiet) as opened:
        if is_in_pieces(names[0], key, options, asked=opened.in_pieces, whole=whole):
            trials = opened_columns(names[0], opened.engine, list(sources), sides, options)
            read = trials.notes
            print_notes(read, quiet=quiet)
            model = fused_columns(trials, list(sources), sides, alpha=weight(alpha), bounds=bounds)
        else:
            keep = [*sides, *([condition] if condition else [])]
            systems = _systems(sources, key, replace(options, keep=keep), partial=partial)
            read = systems.notes
            print_notes(read, quiet=quiet)
            where = systems.kept[condition].to_numpy() if condition else None
            tar, non = systems.split(systems.scores)
            model = fusion(
                tar,
                non,
                names=systems.names,
                alpha=weight(alpha),
                quality=both_classes(systems, sides_of(systems, quality)),
                condition=None if where is None else systems.split(where),
                speakers=None if systems.speakers is None else systems.split(systems.speakers),
                missing="patterns" if partial else "error",
                bounds=bounds,
            )
    model.save(out)
    notes = model.report.all_notes
    answer = _answer(model)
    if json:
        print_json({"model": out, **answer}, [*read, *notes])
    elif not quiet:
        _show(model, answer)
    print_notes(notes, quiet=quiet, lead="note: ")
    if not quiet:
        echo_err(f"Model: {out}")


def _systems(
    sources: Mapping[str, tuple[str, str | None]],
    key: str | None,
    options: ReadOptions,
    *,
    partial: bool,
) -> Systems:
    from llrcal.errors import TrialFileError
    from llrcal.messages import Setting
    from llrcal.trials.systems import read_systems

    try:
        return read_systems(sources, key, options=options, partial=partial)
    except TrialFileError as problem:
        (file, column), *others = sources.values()
        if column is None and not others and Path(file).exists():
            hint = ". If columns of this table are the scores of several systems, name them: "
            raise problem.followed_by(hint, "--scores A,B") from problem
        if options.missing == "error" and Setting("missing", "skip") in problem.args:
            hint = ", or fuse the systems that are there: "
            raise problem.followed_by(hint, Setting("missing", "patterns")) from problem
        raise


def _answer(model: Fused) -> dict[str, Any]:
    """Weights and conditions as plain values."""
    answer: dict[str, Any] = {
        "systems": model.names,
        "tar_count": model.tar_count,
        "non_count": model.non_count,
        "offset": model.offset._asdict(),
        "weights": {name: one._asdict() for name, one in model.weights.items()},
    }
    if model.conditions is not None:
        answer["conditions"] = model.conditions.to_dict()
    return answer


def _show(model: Fused, answer: Mapping[str, Any]) -> None:
    """Print the weights, and what conditions do to the LLR."""
    count = "1 system" if len(model.names) == 1 else f"{len(model.names)} systems"
    click.echo(f"{count}: {model.tar_count:,} targets, {model.non_count:,} non-targets")
    columns = {"LLR per unit of": "{name}", "weight": "{value:.4g}"}
    columns["95 % interval"] = "{low:.4g} to {high:.4g}"
    weights = {**answer["weights"], "(offset, at the centre)": answer["offset"]}
    rows = [cells(columns, name=name, **one) for name, one in weights.items()]
    print_table(columns, rows, words=("LLR per unit of",))
    click.echo(f"Intervals take each {model.lines[0].by} to be independent.")
    if model.conditions is not None:
        lines = (("(any other)", model.conditions.pooled), *model.conditions.lines.items())
        rows = [[name, f"{slope:.3f}", f"{offset:+.3f}"] for name, (slope, offset) in lines]
        print_table(("condition", "slope", "offset"), rows, words=("condition",))
