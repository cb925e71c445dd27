"""``llrcal apply`` with a fusion: LLRs from the scores of several systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.fuse import sides_of
from llrcal.cli.opening import say
from llrcal.cli.options import UNITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llrcal.fusion import Fused


def apply_fusion(
    model: str,
    files: Sequence[str],
    out: str,
    *,
    units: str,
    condition: str | None,
    quiet: bool,
    **form: Any,
) -> None:
    """Write the LLRs of the trials in some files, in the format that goes with the name."""
    from llrcal.errors import OptionError
    from llrcal.fusion import Fused
    from llrcal.messages import Setting
    from llrcal.trials.systems import read_systems

    fused = Fused.load(model)
    if (condition is None) != (fused.conditions is None):
        raise OptionError(
            "the fusion was trained ",
            *(["with conditions: give their column by "] if condition is None else ["without "]),
            Setting("condition"),
        )
    sides = fused.quality_names
    keep = [*sides, *([condition] if condition else [])]
    systems = read_systems(
        _sources(fused, files),
        labelled=False,
        missing="patterns" if fused.missing else "error",
        keep=keep,
        **form,
    )
    say(systems.notes, quiet=quiet)
    llrs, notes = fused.answers(
        systems.scores,
        quality=sides_of(systems, sides) if sides else None,
        condition=systems.kept[condition].to_numpy() if condition else None,
    )
    _write(out, systems.ids, llrs / UNITS[units])
    say(notes, quiet=quiet)


def _sources(fused: Fused, files: Sequence[str]) -> dict[str, tuple[str, str | None]]:
    """The file of each system of the fusion, and its column if all are in one.

    Raises
    ------
    ScoreError
        If a system is missing or unknown, with its name.
    """
    from llrcal.fusion.inputs import refuse_others
    from llrcal.trials.systems import named_files

    if len(files) == 1 and len(fused.names) > 1:
        return {name: (files[0], name) for name in fused.names}
    given = named_files(files, fused.names)
    if len(files) == len(fused.names) == 1:
        return {fused.names[0]: (next(iter(given.values())), None)}
    refuse_others(list(given), fused.names, "systems, by the names of their files (NAME=FILE)")
    return {name: (given[name], None) for name in fused.names}


def _write(out: str, ids: Any, llrs: Any) -> None:
    import polars as pl

    from llrcal.errors import OptionError
    from llrcal.trials.table import Table
    from llrcal.trials.writing import format_of, prepared

    scores = pl.Series("score", llrs)
    frame = scores.to_frame() if ids is None else ids.with_columns(scores)
    try:
        to = format_of(out)
    except OptionError:  # a text, in the form of most toolkits
        text = {("enrol", "test"): "kaldi", ("enrol", "test", "side"): "nist"}
        text |= {("test",): "asvspoof2021", (): "scores"}
        to = text.get(tuple(frame.columns[:-1]), "scores")
    written = prepared(Table(frame, "the fusion", "fused"), to=to)
    written.check_place(out)
    written.write(out)
    if out != "-":
        click.echo(f"{len(frame):,} LLRs: {out}", err=True)
