"""Trials that cannot be used as they are: scores that are NaN, and spoofs.

They are refused, or left out before anything else is done, and counted. Spoofs are neither targets
nor non-targets until the user says how to count them.
"""

from __future__ import annotations

import polars as pl

from llrcal.errors import TrialFileError
from llrcal.inputs.labels import Label
from llrcal.messages import Setting
from llrcal.notes import Note
from llrcal.trials.request import Spoof
from llrcal.trials.table import Table

DROPPED_NAN = "dropped nan"
"""The code of notes on trials that were left out because their score is NaN."""


def without_nan(scores: Table, key: Table | None) -> tuple[Table, Table | None]:
    """Scores that are not NaN, and the key without the trials of those that are.

    This comes before scores and key are joined, since the trials would be missing.
    """
    is_nan = scores.frame["score"].is_nan()
    notes = left_out(scores.source, int(is_nan.sum()), len(scores))
    if not notes:
        return scores, key
    kept = scores.changed(scores.frame.filter(~is_nan), *notes)
    if key is None:
        return kept, None
    ids = [role for role in scores.ids if role in key.ids]
    if ids:  # a trial that has another score as well is still in the key
        gone = scores.frame.filter(is_nan).join(kept.frame, on=ids, how="anti")
        key = key.changed(key.frame.join(gone, on=ids, how="anti", maintain_order="left"))
    elif len(scores) == len(key):  # line by line
        key = key.changed(key.frame.filter(~is_nan))
    return kept, key


def left_out(source: str, count: int, total: int) -> list[Note]:
    """The note on trials that were left out, if there are any; an error if no trial is left."""
    if not count:
        return []
    if count == total:
        raise TrialFileError(f"{source}: every score is NaN, so there is nothing left")
    text = f"{count:,} of {total:,} trials left out because their score is NaN"
    return [Note.warning(DROPPED_NAN, text).about(source)]


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


def without_spoof(table: Table, spoof: Spoof) -> Table:
    """The table with its spoof trials left out or relabelled."""
    frame = table.frame
    is_spoof = frame["label"] == Label.SPOOF.value
    count = int(is_spoof.sum())
    if not count:
        return table
    if spoof == "error":
        raise are_spoofs(table.source, count, frame.height)
    done = {
        "omit": "left out",
        "nontarget": "count as non-targets",
        "only": "are the only non-targets",
    }
    if spoof == "omit":
        frame = frame.filter(~is_spoof)
    elif spoof == "only":
        frame = frame.filter(is_spoof | (frame["label"] == Label.TARGET.value))
    relabelled = pl.col("label").replace(Label.SPOOF.value, Label.NONTARGET.value)
    note = Note.of("spoof", f"{count:,} spoof trials {done[spoof]}")
    return table.changed(frame.with_columns(relabelled), note)
