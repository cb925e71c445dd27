"""Side information in a file of its own: durations or noise of recordings, or of trials.

Lines begin with the id of a recording, or with both ids of a trial; numbers follow. Columns are
separated by commas, semicolons, tabs or blanks, and may have names in the first line.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from llrcal.arrays import Floats
from llrcal.errors import TrialFileError
from llrcal.trials.joining import named
from llrcal.trials.source import Source

_SIDES = ["enrol", "test"]


def read_side_information(name: str, ids: pl.DataFrame | None) -> dict[str, Floats]:
    """Columns of side information, one value for each trial.

    Values of recordings become two columns, minimum and maximum of both sides of a trial; or those
    of the test side alone, if the file has none of the models.
    """
    if ids is None or "test" not in ids.columns:
        raise TrialFileError(f"{name}: is joined on the ids of trials, and the scores have none")
    table = _table(name)
    if _is_by_trial(table):
        if "enrol" not in ids.columns:
            raise TrialFileError(f"{name}: has two ids in a line, and the scores only one")
        first, second, *values = table.columns
        return _joined(name, table.rename({first: "enrol", second: "test"}), ids, values)
    key, *values = table.columns
    sides = [
        _joined(name, table.rename({key: side}), ids.select(side), values)
        for side in _SIDES
        if side == "test" or (side in ids.columns and ids[side].is_in(table[key].implode()).any())
    ]
    if len(sides) == 1:
        return sides[0]
    ends = {"minimum": np.minimum, "maximum": np.maximum}
    return {
        f"{end} of {one}": function(*(side[one] for side in sides))
        for end, function in ends.items()
        for one in values
    }


def _table(name: str) -> pl.DataFrame:
    """The file as text; columns are numbered, unless the first line names them.

    The name of the file must not matter: a fusion is applied with another file.
    """
    try:
        lines = Source(name).content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as problem:
        raise TrialFileError(f"{name}: is not text: {problem}") from None
    lines = [line.rstrip("\r") for line in lines]
    separator = next((sign for sign in "\t,;" if sign in lines[0]), None)
    rows = [[one.strip() for one in line.split(separator)] for line in lines if line.strip()]
    width = len(rows[0]) if rows else 0
    if width < 2:
        raise TrialFileError(f"{name}: expected lines of an id and a number")
    for number, row in enumerate(rows, 1):
        if len(row) != width:
            raise TrialFileError(
                f"{name}: line {number} has {len(row)} columns, and the first {width}"
            )
    if _is_number(rows[0][-1]):
        names = ["id", *(f"quality {i}" for i in range(1, width))]
    else:
        names, rows = rows[0], rows[1:]
    if len(set(names)) < width or not rows:
        raise TrialFileError(f"{name}: has two columns of one name, or no lines")
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_by_trial(table: pl.DataFrame) -> bool:
    """Whether the second column is an id as well: no number, or needed to tell lines apart."""
    first, second = table.columns[:2]
    if table.width == 2:
        return False
    return bool(
        table[second].cast(pl.Float64, strict=False).is_null().any()
        or table[first].is_duplicated().any()
    )


def _joined(
    name: str, table: pl.DataFrame, ids: pl.DataFrame, values: Sequence[str]
) -> dict[str, Floats]:
    """Values of trials, or of one of their sides."""
    on = [side for side in _SIDES if side in table.columns and side in ids.columns]
    repeated = table.filter(pl.struct(on).is_duplicated())
    if repeated.height:
        raise TrialFileError(f"{name}: {named(repeated, on)} occur more than once")
    found = ids.select(on).join(table, on=on, how="left", maintain_order="left")
    absent = found.filter(pl.col(values[0]).is_null())
    if absent.height:
        raise TrialFileError(
            f"{name}: has nothing on {absent.height:,} of {ids.height:,} trials, such as "
            f"{named(absent, on)}"
        )
    out = {}
    for one in values:
        column = found[one].cast(pl.Float64, strict=False)
        wrong = found.filter(column.is_null() | ~column.is_finite())
        if wrong.height:
            raise TrialFileError(
                f"{name}: column {one!r} has {wrong[one][0]!r:.50} for {named(wrong, on)}, which "
                "is not a finite number"
            )
        out[one] = column.to_numpy()
    return out
