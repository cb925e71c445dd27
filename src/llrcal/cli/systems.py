"""Scores and side information of several systems, as the command line names them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from llrcal.cli.options import split_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llrcal.arrays import Floats
    from llrcal.trials.systems import Systems


def sources_of(files: Sequence[str], scores: str | None) -> dict[str, tuple[str, str | None]]:
    """By the name of each system: its file, and its column if one file has those of all."""
    from llrcal.errors import OptionError
    from llrcal.trials.systems import named_files

    if scores is None:
        return {name: (file, None) for name, file in named_files(files).items()}
    if len(files) > 1:
        raise OptionError("columns of scores (--scores) are those of one file; give only that")
    return {column: (files[0], column) for column in split_names(scores)}


def with_label(columns: str | None, label: str) -> str:
    """The roles of columns that the user named, and that of the label."""
    return f"label={label}" if columns is None else f"{columns},label={label}"


def side_files(quality: str | None) -> list[str]:
    """The file of side information, if that is what was given."""
    return [quality] if quality is not None and Path(quality).is_file() else []


def side_columns(quality: str | None) -> list[str]:
    """The columns of side information, if those were given."""
    return [] if side_files(quality) else split_names(quality)


def sides_of(systems: Systems, quality: str | None, names: Sequence[str] = ()) -> dict[str, Floats]:
    """Side information by name: of a file, of columns that were given, or of other ones."""
    import polars as pl

    from llrcal.errors import TrialFileError
    from llrcal.trials.side_information import read_side_information

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
    if not sides:
        return None
    parts = {name: systems.split(side) for name, side in sides.items()}
    tar, non = ({name: part[k] for name, part in parts.items()} for k in (0, 1))
    return tar, non
