"""Scores and side information of several systems, as the command line names them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llrcal.cli.options import split_names
from llrcal.errors import OptionError
from llrcal.messages import Setting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llrcal.arrays import Array, Floats
    from llrcal.calibrations import Conditioned
    from llrcal.cli.apply import Columns
    from llrcal.cli.reading import Form
    from llrcal.fusion.fused import Fused
    from llrcal.notes import Note
    from llrcal.trials.systems import Systems


_ADVICE = {
    Setting("missing", "skip"): "remove them from the other files, or train a fusion that can do "
    "without: llrcal fuse --missing patterns",
    Setting("duplicates", "first"): "keep one line of each",
}
"""What to do where a fusion is applied to other trials than its systems share."""


def sources_of(files: Sequence[str], scores: str | None) -> dict[str, tuple[str, str | None]]:
    """By the name of each system: its file, and its column if one file has those of all."""
    from llrcal.trials.systems import named_files

    if scores is None:
        return {name: (file, None) for name, file in named_files(files).items()}
    if len(files) > 1:
        raise OptionError("columns of scores (--scores) are those of one file; give only that")
    return {column: (files[0], column) for column in split_names(scores, "scores")}


def side_files(quality: str | None) -> list[str]:
    """The file of side information, if that is what was given."""
    return [quality] if quality is not None and Path(quality).is_file() else []


def side_columns(quality: str | None) -> list[str]:
    """The columns of side information, if those were given."""
    return [] if side_files(quality) else split_names(quality, "quality")


def sides_of(systems: Systems, quality: str | None, names: Sequence[str] = ()) -> dict[str, Floats]:
    """Side information by name: of a file, of columns that were given, or of other ones."""
    import polars as pl

    from llrcal.errors import TrialFileError
    from llrcal.trials.systems import read_side_information

    for file in side_files(quality):
        return read_side_information(file, systems.ids)
    out = {}
    for name in names or side_columns(quality):
        column = systems.kept[name].cast(pl.Float64, strict=False)
        if column.is_null().any():
            row = int(column.is_null().arg_max() or 0)
            raise TrialFileError(
                f"column {name!r} should be side information, but trial {row + 1} has "
                f"{systems.kept[name][row]!r:.50}, which is not a number"
            )
        out[name] = column.to_numpy()
    return out


def both_classes(systems: Systems, sides: dict[str, Floats]) -> tuple[Any, Any] | None:
    """Side information of targets and of non-targets; None if there is none."""
    tar, non = {}, {}
    for name, side in sides.items():
        tar[name], non[name] = systems.split(side)
    return (tar, non) if sides else None


def apply_to_systems(
    model: Fused | Conditioned,
    files: Sequence[str],
    out: str,
    columns: Columns,
    reading: Form,
    *,
    condition: str | None,
    quality: str | None,
) -> tuple[int, list[Note]]:
    """Write the LLRs of the trials in some files, in the format that goes with the name.

    Returns the number of trials, and notes.
    """
    from llrcal.errors import TrialFileError
    from llrcal.fusion.fused import Fused
    from llrcal.inputs.units import UNITS
    from llrcal.trials.systems import read_systems

    fused = model if isinstance(model, Fused) else None
    names, sides = (fused.names, fused.quality) if fused else (("score",), ())
    has_conditions = model.conditions is not None
    if has_conditions and condition is None:
        raise OptionError("the model was trained with conditions: give their column by --condition")
    if condition is not None and not has_conditions:
        raise OptionError("the model was trained without conditions: leave out --condition")
    if quality and not sides:
        raise OptionError("the model was trained without --quality: leave it out")
    if quality and not side_files(quality):
        raise OptionError(f"there is no file {quality!r}; columns are found by their names")
    keep = [*(() if side_files(quality) else sides), *([condition] if condition else [])]
    try:
        systems = read_systems(
            _sources(names, files),
            options=reading.options(keep=keep, duplicates="all"),
            labelled=False,
            partial=fused is not None and fused.missing,
        )
    except TrialFileError as problem:
        for setting, advice in _ADVICE.items():  # in place of options for training
            if setting in problem.args:
                raise TrialFileError(problem.args[0], f"; {advice}") from problem
        if len(files) == 1 < len(names):
            needed = f". The model fuses {', '.join(names)}: give a file of each, or one table "
            raise problem.followed_by(needed, "with a column of each") from problem
        raise
    where = systems.kept[condition].to_numpy() if condition else None
    if isinstance(model, Fused):
        known = sides_of(systems, quality, sides) if sides else None
        llrs, notes = model.answers(systems.scores, quality=known, condition=where)
    else:
        llrs, notes = model.answers(systems.scores[:, 0], condition=where)
    _write(out, systems.ids, llrs / UNITS[columns.units], columns.more(llrs))
    return len(llrs), [*systems.notes, *notes]


def _sources(names: Sequence[str], files: Sequence[str]) -> dict[str, tuple[str, str | None]]:
    """The file of each system, and its column if all are in one."""
    from llrcal.fusion.inputs import refuse_others
    from llrcal.trials.systems import named_files

    if len(files) == 1 and len(names) > 1:
        return {name: (files[0], name) for name in names}
    given = named_files(files, names)
    if len(files) == len(names) == 1:
        return {names[0]: (next(iter(given.values())), None)}
    refuse_others(list(given), names, "systems, by the names of their files (NAME=FILE)")
    return {name: (given[name], None) for name in names}


def _write(out: str, ids: Any, llrs: Floats, more: Mapping[str, Array]) -> None:
    import polars as pl

    from llrcal.trials.table import Table
    from llrcal.trials.writing import format_of, prepared

    scores = pl.Series("score", llrs)
    frame = scores.to_frame() if ids is None else ids.with_columns(scores)
    try:
        to = format_of(out)
    except OptionError:  # a text, in the form of most toolkits
        text = {("enrol", "test"): "kaldi", ("enrol", "test", "side"): "nist"}
        to = (text | {("test",): "asvspoof2021"}).get(tuple(frame.columns[:-1]), "scores")
    if more and to == "hdf5":
        raise OptionError(
            f"{out}: files of this kind hold no columns beside LLRs; write .txt, .csv or .parquet"
        )
    written = prepared(Table(frame, "the fusion", "fused"), to=to)
    written = replace(written, frame=written.frame.with_columns(**more))
    written.check_place(out)
    written.write(out)
