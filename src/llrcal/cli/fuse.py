"""``llrcal fuse``: train a fusion of several systems and write it to a file."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.options import FILE, flag, refuse, weight
from llrcal.cli.reading import Scale, opener, reading_options, scale_options
from llrcal.cli.systems import (
    both_classes,
    side_columns,
    side_files,
    sides_of,
    sources_of,
    with_label,
)
from llrcal.cli.terminal import echo_err, json_option, print_json, print_notes, print_table
from llrcal.files.overwriting import refuse_to_overwrite, refuse_to_read_twice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llrcal.fusion import Fused
    from llrcal.fusion.contributions import Contributions
    from llrcal.notes import Note
    from llrcal.trials.request import ReadOptions
    from llrcal.trials.systems import Systems


@click.command()
@click.argument("files", metavar="SCORES...", type=FILE, nargs=-1, required=True)
@click.option(
    "-o", "--out", required=True, metavar="MODEL", type=FILE, help="The model file (JSON)."
)
@click.option(
    "--scores",
    metavar="COLUMNS",
    help="The columns of scores of one table, each of a system: cos,plda.",
)
@click.option("--label", metavar="COLUMN", help="The column of labels.")
@click.option(
    "--quality",
    metavar="FILE|COLUMNS",
    type=FILE,
    help="Side information, such as durations: columns of the first file or of the key; or a file "
    "with the id of a recording, or both of a trial, and numbers in each line.",
)
@click.option(
    "--condition", metavar="COLUMN", help="The condition of each trial, likewise in a column."
)
@click.option(
    "--alpha",
    metavar="WEIGHT",
    default="0.5",
    help="Weight of the targets: a number between 0 and 1, or 'empirical'.",
)
@click.option(
    "--bounds",
    type=click.Choice(["range", "counts"]),
    default="range",
    help="Take scores beyond those of training for the nearest of these; with counts, also limit "
    "LLRs to what the number of trials supports.",
)
@reading_options(systems=True)
@scale_options
@flag(
    "--contributions",
    "Also give what each system adds: Cllr on trials held out, by speaker if they are known.",
)
@json_option
@flag("--quiet", "Print only warnings and errors.")
def fuse(
    files: Sequence[str],
    out: str,
    scores: str | None,
    label: str | None,
    quality: str | None,
    condition: str | None,
    alpha: str,
    bounds: str,
    contributions: bool,
    as_json: bool,
    quiet: bool,
    key: str | None,
    reading: ReadOptions,
    partial: bool,
    scale: Scale,
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
    from llrcal.errors import TrialFileError
    from llrcal.files.compression import check_place
    from llrcal.fusion.fuse import fusion
    from llrcal.messages import Setting
    from llrcal.trials.systems import read_systems

    check_place(out, by_name=True)
    sources = sources_of(files, scores)
    names = [source for source, _ in sources.values()]
    refuse_to_read_twice(*dict.fromkeys(names), key)
    refuse_to_overwrite(out, *names, key, *side_files(quality))
    if label is not None:
        reading = replace(reading, columns=with_label(reading.columns, label))
    sides = side_columns(quality)
    not_in_pieces = {
        "--condition": condition,
        "--contributions": contributions,
        "--quality FILE": side_files(quality),
    }
    finish = functools.partial(_finish, out=out, as_json=as_json, quiet=quiet)
    by_pieces = _fused_in_pieces(
        sources,
        sides,
        reading,
        scale,
        {**not_in_pieces, "--key": key, "--missing": reading.missing != "error"},
        quiet=quiet,
        alpha=alpha,
        bounds=bounds,
    )
    if by_pieces is not None:
        finish(*by_pieces)
        return
    keep = [*sides, *([condition] if condition else [])]
    try:
        options = replace(reading, keep=keep)
        systems = read_systems(sources, key, options=options, partial=partial)
    except TrialFileError as problem:
        if scores is None and len(files) == 1 and Path(files[0]).exists():
            hint = ". If columns of this table are the scores of several systems, name them: "
            raise problem.followed_by(hint, Setting("scores", "A,B")) from problem
        raise
    print_notes(systems.notes, quiet=quiet)
    speakers = None if systems.speakers is None else systems.split(systems.speakers)
    model = fusion(
        *systems.split(systems.scores),
        names=systems.names,
        alpha=weight(alpha),
        quality=both_classes(systems, sides_of(systems, quality)),
        condition=systems.split(systems.kept[condition].to_numpy()) if condition else None,
        speakers=speakers,
        missing="patterns" if partial else "error",
        bounds=bounds,
    )
    added = _contributions(systems, speakers, weight(alpha)) if contributions else None
    finish(model, systems.notes, added)


def _finish(
    model: Fused,
    read: Sequence[Note],
    added: Contributions | None = None,
    *,
    out: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write the model, and print its numbers and notes."""
    model.save(out)
    if as_json:
        more = {} if added is None else {"contributions": _contributions_as_numbers(added)}
        notes = [*read, *model.report.all_notes, *(added.notes if added else ())]
        print_json({"model": out, **_fusion_as_numbers(model), **more}, notes)
    elif not quiet:
        _show_fusion(model)
        if added is not None:
            _show_contributions(added)
    print_notes(model.report.all_notes, quiet=quiet, lead="note: ")
    print_notes(() if added is None else added.notes, quiet=quiet, lead="note: ")
    if not quiet:
        echo_err(f"Model: {out}")


def _fused_in_pieces(
    sources: dict[str, tuple[str, str | None]],
    sides: Sequence[str],
    reading: ReadOptions,
    scale: Scale,
    others: dict[str, Any],
    *,
    quiet: bool,
    alpha: str,
    bounds: str,
) -> tuple[Fused, Sequence[Note]] | None:
    """A fusion of columns of one table, or of many, and notes; None to read the files whole."""
    from llrcal.scale.fusing import fused_columns, opened_columns

    (table, column), *_ = sources.values()
    with opener(scale, quiet=quiet) as opened:
        if not opened.is_in_pieces(table, others["--key"], reading):
            return None
        single = "in pieces, systems are columns of one table: name them by --scores"
        wrong = {f"a fusion in pieces cannot be made with {name}": v for name, v in others.items()}
        refuse({single: column is None, **wrong})
        names = [*sources, *sides]
        trials = opened_columns(table, opened.engine, names, reading)
        print_notes(trials.notes, quiet=quiet)
        model = fused_columns(trials, list(sources), sides, alpha=weight(alpha), bounds=bounds)
        return model, trials.notes


def _contributions(systems: Systems, speakers: Any, alpha: float | str) -> Contributions:
    from llrcal.fusion import contributions

    tar, non = systems.split(systems.scores)
    return contributions(tar, non, names=systems.names, alpha=alpha, speakers=speakers)


def _fusion_as_numbers(model: Fused) -> dict[str, Any]:
    """Weights and conditions as plain values."""
    conditions = model.conditions
    return {
        "systems": model.names,
        "tar_count": model.tar_count,
        "non_count": model.non_count,
        "offset": model.offset._asdict(),
        "weights": {name: one._asdict() for name, one in model.weights.items()},
        **({} if conditions is None else {"conditions": conditions.to_dict()}),
    }


def _contributions_as_numbers(added: Contributions) -> dict[str, Any]:
    """What each system adds, as plain values."""
    correlations = {"tar": added.tar_correlations, "non": added.non_correlations}
    return {
        "cllr": {"fused": added.fused, "alone": added.alone, "without": added.without},
        "correlations": {name: table.tolist() for name, table in correlations.items()},
    }


def _show_fusion(model: Fused) -> None:
    """Print the weights, and what conditions do to the LLR."""
    count = "1 system" if len(model.names) == 1 else f"{len(model.names)} systems"
    click.echo(f"{count}: {model.tar_count:,} targets, {model.non_count:,} non-targets")
    weights = (*model.weights.items(), ("(offset, at the centre)", model.offset))
    print_table(
        ("LLR per unit of", "weight", "95 % interval"),
        [(name, f"{one.value:.4g}", f"{one.low:.4g} to {one.high:.4g}") for name, one in weights],
        words=("LLR per unit of",),
    )
    click.echo(f"Intervals take each {model.lines[0].by} to be independent.")
    if model.conditions is not None:
        lines = (("(any other)", model.conditions.pooled), *model.conditions.lines.items())
        rows = [(name, f"{slope:.3f}", f"{offset:+.3f}") for name, (slope, offset) in lines]
        print_table(("condition", "slope", "offset"), rows, words=("condition",))


def _show_contributions(added: Contributions) -> None:
    """Print what each system adds."""
    print_table(
        ("system", "alone", "all others"),
        [
            (name, f"{cllr:.4f}", f"{added.without[name]:.4f}" if added.without else "")
            for name, cllr in added.alone.items()
        ],
        words=("system",),
        caption=f"Cllr on trials held out; {added.fused:.4f} with all systems",
    )
