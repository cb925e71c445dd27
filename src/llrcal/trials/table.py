"""What every file is read into, before scores and labels are joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from llrcal.arrays import Array, Bools
from llrcal.errors import TrialFileError
from llrcal.inputs.labels import Label
from llrcal.notes import Note
from llrcal.trials.conventions import COUNTED, IDS, SPEAKERS, kept_role


@dataclass(frozen=True)
class Table:
    """Trials in the order of the file, in columns named by their roles.

    ``score`` is Float64, ``label`` is Int8 (see :class:`llrcal.inputs.labels.Label`), ids and
    speakers are text. Columns that the file does not have are absent.
    """

    frame: pl.DataFrame
    source: str
    reading: str
    """How it was read, in a few words."""
    score_name: str | None = None
    """The name of the column of scores, if columns have names."""
    forensic: bool = False
    """Whether the labels are hypotheses, Hp and Hd."""
    unnamed: tuple[str, ...] = ()
    """Columns with unknown names that may well hold ids."""
    others: tuple[str, ...] = ()
    """The names of all columns that were not read."""
    notes: tuple[Note, ...] = ()
    """How it was read, and what was done to the trials."""
    index: Any = None
    """The names of its rows, where it is a frame of pandas."""

    def changed(self, frame: pl.DataFrame, *notes: Note) -> Table:
        """The table with other trials, and what was done to them."""
        return replace(self, frame=frame, notes=(*self.notes, *notes))

    def __len__(self) -> int:
        return self.frame.height

    def has(self, role: str) -> bool:
        return role in self.frame.columns

    @property
    def ids(self) -> list[str]:
        """The columns that identify a trial; none if only the model is known."""
        return [role for role in IDS if self.has(role)] if self.has("test") else []

    @property
    def all_ids(self) -> pl.DataFrame | None:
        """The columns of ids, if there are any, even where they do not identify trials."""
        found = [role for role in IDS if self.has(role)]
        return self.frame.select(found) if found else None

    @property
    def is_target(self) -> Bools:
        """Which trials are targets."""
        return (self.frame["label"] == Label.TARGET.value).to_numpy()

    @property
    def speakers(self) -> tuple[Array, Array | None] | None:
        """Who is speaking, as whole numbers in two columns; and the names by number, if there are.

        None where the speakers are not known.
        """
        if not all(map(self.has, SPEAKERS)):
            return None
        both = pl.concat([self.frame[role].rename("speaker") for role in SPEAKERS])
        names = None
        if not both.dtype.is_integer():
            names = both.unique().drop_nulls().sort()
            both = both.cast(pl.Enum(names)).to_physical()
        codes = both.to_numpy().astype(np.int64).reshape(2, -1).T
        return codes, None if names is None else names.to_numpy()

    @property
    def is_counted(self) -> bool:
        """Whether its rows are distinct scores, and how many trials have each."""
        return all(self.has(kept_role(name)) for name in COUNTED)

    def kept(self, names: Sequence[str], where: str) -> pl.DataFrame:
        """The further columns that were asked for, by their names.

        Raises
        ------
        TrialFileError
            If one of them is in none of the files, which are called ``where``.
        """
        missing = [repr(name) for name in names if not self.has(kept_role(name))]
        if missing:
            raise TrialFileError(
                f"{where}: there is no column {', '.join(missing)}; give the names in the first "
                "line of the file"
            )
        chosen = dict.fromkeys(names)
        return self.frame.select(pl.col(kept_role(name)).alias(name) for name in chosen)
