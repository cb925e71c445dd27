"""``llrcal fuse``: train a fusion of several systems and write it to a file."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.opening import say
from llrcal.cli.options import split_names, weight
from llrcal.cli.reading import form_options, key_options
from llrcal.files.overwriting import refuse_to_overwrite, refuse_to_read_twice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llrcal.arrays import Floats
    from llrcal.fusion import Fused
    from llrcal.fusion.contributions import Contributions
    from llrcal.trials.systems import Systems


@click.command()
@click.argument("files", metavar="SCORES...", nargs=-1, required=True)
@click.option("-o", "--out", required=True, metavar="MODEL", help="The model file (JSON).")
@click.option(
    "--scores",
    metavar="COLUMNS",
    help="The columns of scores of one table, each of a system: cos,plda.",
)
@click.option("--label", metavar="COLUMN", help="The column of labels.")
@click.option(
    "--quality",
    metavar="COLUMNS",
    help="Columns of side information on each trial, such as durations, in the first file or in "
    "the key.",
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
@partial(key_options, patterns=True)
@form_options
@click.option(
    "--contributions",
    is_flag=True,
    help="Also give what each system adds: Cllr on trials held out, by speaker if they are known.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the weights as JSON.")
@click.option("--quiet", is_flag=True, help="Print only warnings and errors.")
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
    **reading: Any,
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
    """
    from llrcal.fusion.fuse import fusion
    from llrcal.trials.packing import check_place
    from llrcal.trials.systems import read_systems

    check_place(out, by_name=True)
    sources = sources_of(files, None if scores is None else split_names(scores))
    names = [source for source, _ in sources.values()]
    refuse_to_read_twice(*dict.fromkeys(names), reading["key"])
    refuse_to_overwrite(out, *names, reading["key"])
    sides = split_names(quality or "")
    if label is not None:
        reading["columns"] = with_label(reading["columns"], label)
    keep = [*sides, *([condition] if condition else [])]
    systems = read_systems(sources, keep=keep, **reading)
    say(systems.notes, quiet=quiet)
    speakers = None if systems.speakers is None else systems.split(systems.speakers)
    model = fusion(
        *systems.split(systems.scores),
        names=systems.names,
        alpha=weight(alpha),
        quality=named_sides(systems, sides),
        condition=systems.split(systems.kept[condition].to_numpy()) if condition else None,
        speakers=speakers,
        missing="patterns" if reading["missing"] == "patterns" else "error",
        bounds=bounds,
    )
    added = _contributions(systems, speakers, weight(alpha)) if contributions else None
    model.save(out)
    if as_json:
        more = {} if added is None else {"contributions": _numbers(added)}
        click.echo(json.dumps({**_document(model), **more}, indent=1, allow_nan=False))
    elif not quiet:
        show(model)
        if added is not None:
            _show_contributions(added)
    say(model.report.all_notes, quiet=quiet, lead="note: ")
    say(() if added is None else added.notes, quiet=quiet, lead="note: ")
    if not quiet:
        click.echo(f"Model: {out}", err=True)


def sources_of(
    files: Sequence[str], columns: Sequence[str] | None
) -> dict[str, tuple[str, str | None]]:
    """By the name of each system: its file, and its column if one file has those of all."""
    from llrcal.errors import OptionError
    from llrcal.trials.systems import named_files

    if columns is None:
        return {name: (file, None) for name, file in named_files(files).items()}
    if len(files) > 1:
        raise OptionError("columns of scores (--scores) are those of one file; give only that")
    return {column: (files[0], column) for column in columns}


def with_label(columns: str | None, label: str) -> str:
    """The roles of columns that the user named, and that of the label."""
    return f"label={label}" if columns is None else f"{columns},label={label}"


def sides_of(systems: Systems, names: Sequence[str]) -> dict[str, Floats]:
    """Columns of side information as numbers.

    Raises
    ------
    TrialFileError
        If one holds anything else.
    """
    import polars as pl

    from llrcal.errors import TrialFileError

    out = {}
    for name in names:
        column = systems.kept[name].cast(pl.Float64, strict=False)
        if column.is_null().any():
            row = int(column.is_null().arg_max() or 0)
            raise TrialFileError(
                f"column {name!r} should be side information, but trial {row + 1} has "
                f"{systems.kept[name][row]!r:.50}, which is no number"
            )
        out[name] = column.to_numpy()
    return out


def named_sides(systems: Systems, names: Sequence[str]) -> tuple[Any, Any] | None:
    """Side information of targets and of non-targets; None if there is none."""
    if not names:
        return None
    parts = {name: systems.split(side) for name, side in sides_of(systems, names).items()}
    return tuple({name: part[k] for name, part in parts.items()} for k in (0, 1))  # type: ignore[return-value]


def _contributions(systems: Systems, speakers: Any, alpha: float | str) -> Contributions:
    from llrcal.fusion import contributions

    tar, non = systems.split(systems.scores)
    return contributions(tar, non, names=systems.names, alpha=alpha, speakers=speakers)


def _numbers(added: Contributions) -> dict[str, Any]:
    correlations = {"tar": added.tar_correlations, "non": added.non_correlations}
    return {
        "cllr": {"fused": added.fused, "alone": added.alone, "without": added.without},
        "correlations": {name: table.tolist() for name, table in correlations.items()},
        "notes": [note.on_command_line for note in added.notes],
    }


def _show_contributions(added: Contributions) -> None:
    from rich import box
    from rich.table import Table

    from llrcal.cli.terminal import print_whole

    caption = f"Cllr on trials held out; {added.fused:.4f} with all systems"
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), caption=caption)
    for name in ("system", "alone", "all others"):
        table.add_column(name, justify="left" if name == "system" else "right")
    for name, cllr in added.alone.items():
        others = f"{added.without[name]:.4f}" if added.without else ""
        table.add_row(name, f"{cllr:.4f}", others)
    print_whole(table)


def _document(model: Fused) -> dict[str, Any]:
    conditions = model.conditions
    by = {} if conditions is None else {"pooled": conditions.pooled, **conditions.lines}
    return {
        "systems": model.names,
        "tar_count": model.tar_count,
        "non_count": model.non_count,
        "offset": model.offset._asdict(),
        "weights": {name: one._asdict() for name, one in model.weights.items()},
        **({"conditions": by} if by else {}),
        "notes": [note.on_command_line for note in model.report.all_notes],
    }


def show(model: Fused) -> None:
    """Print the weights, and what conditions do to the LLR."""
    from rich import box
    from rich.table import Table

    from llrcal.cli.terminal import print_whole

    click.echo(
        f"{len(model.names)} systems: {model.tar_count:,} targets, {model.non_count:,} non-targets"
    )
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in ("LLR per unit of", "weight", "95 % interval"):
        table.add_column(name, justify="left" if name.startswith("LLR") else "right")
    for name, one in (*model.weights.items(), ("(offset, at the centre)", model.offset)):
        table.add_row(name, f"{one.value:.4g}", f"{one.low:.4g} to {one.high:.4g}")
    print_whole(table)
    click.echo(f"Intervals take each {model.lines[0].by} to be independent.")
    if model.conditions is not None:
        _show_conditions(model)


def _show_conditions(model: Fused) -> None:
    from rich import box
    from rich.table import Table

    from llrcal.cli.terminal import print_whole

    if model.conditions is None:
        return
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in ("condition", "slope", "offset"):
        table.add_column(name, justify="left" if name == "condition" else "right")
    rows = (("(any other)", model.conditions.pooled), *model.conditions.lines.items())
    for name, (slope, offset) in rows:
        table.add_row(name, f"{slope:.3f}", f"{offset:+.3f}")
    print_whole(table)
