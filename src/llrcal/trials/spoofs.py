"""Spoof trials: neither targets nor non-targets until the user says how to count them."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from llrcal.errors import TrialFileError
from llrcal.inputs.labels import Label
from llrcal.messages import Setting
from llrcal.notes import Note
from llrcal.trials.request import Spoof
from llrcal.trials.table import Table


def are_spoofs(source: str, count: int, total: int) -> TrialFileError:
    """The error for spoofs in a file if the user did not say how to count them."""
    return TrialFileError(
        f"{source}: {count} of {total} trials are spoofs; choose how to count them: ",
        Setting("spoof", "omit"),
        " (leave them out), ",
        Setting("spoof", "nontarget"),
        " (with the other non-targets) or ",
        Setting("spoof", "only"),
        " (instead of the other non-targets)",
    )


def without_spoof(table: Table, spoof: Spoof) -> tuple[Table, list[Note]]:
    """The table with its spoof trials left out or relabelled, and what was done."""
    frame = table.frame
    is_spoof = frame["label"] == Label.SPOOF.value
    count = int(is_spoof.sum())
    if not count:
        return table, []
    if spoof == "error":
        raise are_spoofs(table.source, count, frame.height)
    if spoof == "omit":
        note = Note.of("spoof", f"{count:,} spoof trials left out")
        return replace(table, frame=frame.filter(~is_spoof)), [note]
    relabelled = pl.col("label").replace(Label.SPOOF.value, Label.NONTARGET.value)
    note = Note.of("spoof", f"{count:,} spoof trials count as non-targets")
    if spoof == "only":
        frame = frame.filter(is_spoof | (frame["label"] == Label.TARGET.value))
        note = Note.of("spoof", f"{count:,} spoof trials are the only non-targets")
    return replace(table, frame=frame.with_columns(relabelled)), [note]
