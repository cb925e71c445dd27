"""What every file is read into, before scores and labels are joined."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from llrcal.trials.conventions import IDS


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

    def __len__(self) -> int:
        return self.frame.height

    def has(self, role: str) -> bool:
        return role in self.frame.columns

    @property
    def ids(self) -> list[str]:
        """The columns that identify a trial; none if only the model is known."""
        found = [role for role in IDS if self.has(role)]
        return found if "test" in found else []
