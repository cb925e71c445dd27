"""Scores and labels joined on the ids of the trials, in whatever order the files have them."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from llrcal.errors import TrialFileError
from llrcal.messages import Setting
from llrcal.notes import Note
from llrcal.trials.conventions import IDS, SPEAKERS, is_kept
from llrcal.trials.request import ReadOptions
from llrcal.trials.table import Table

_ODD = np.uint64(0x9E3779B97F4A7C15)


def without_duplicates(
    table: Table, options: ReadOptions, *, labels_from: str | None = None
) -> tuple[Table, list[Note]]:
    """A table in which no trial is repeated, as the options say, and what was done.

    ``labels_from`` names the file with the labels, if they come from another one. A trial
    that is both target and non-target is refused, whatever the options.
    """
    ids = table.ids
    repeated = _repeated(table)
    _refuse_contradictions(repeated, ids, labels_from or table.source)
    if options.duplicates == "all" or not repeated.height:
        return table, []
    kept = table.frame.height - repeated.height + repeated.n_unique(ids)
    excess = table.frame.height - kept
    examples = named(repeated.unique(ids, maintain_order=True), ids)
    found = f"{excess} repeated trials, such as {examples}"
    if options.duplicates == "error":
        raise TrialFileError(
            f"{table.source}: {found}; choose which scores to keep: ",
            Setting("duplicates", "first"),
            ", ",
            Setting("duplicates", "mean"),
            " or ",
            Setting("duplicates", "all"),
        )
    frame = table.frame
    if options.duplicates == "mean" and table.has("score"):
        frame = frame.with_columns(pl.col("score").mean().over(ids))
    frame = frame.unique(ids, keep="first", maintain_order=True)
    done = "only the first of each was kept" if options.duplicates == "first" else "averaged"
    note = Note.warning("duplicates", f"{found}; {done}").about(table.source)
    return replace(table, frame=frame), [note]


def joined(scores: Table, key: Table, options: ReadOptions) -> tuple[Table, list[Note]]:
    """Scores with the labels of a key, in the order of the scores, and what was done."""
    ids = [role for role in scores.ids if role in key.ids]
    if not ids:
        return _in_order(scores, key)
    if scores.frame.height == key.frame.height and all(
        (scores.frame[name] == key.frame[name]).all() for name in ids
    ):
        table = _with_key(scores, key.frame)
        table, notes = without_duplicates(table, options, labels_from=key.source)
        return table, [
            *notes,
            Note.of("joined", "scores and key are in the same order: nothing to join"),
        ]
    scores, notes = without_duplicates(scores, options)
    # If every score of a trial is kept, one label will do for all of them.
    once = replace(options, duplicates="first") if options.duplicates == "all" else options
    key, more = without_duplicates(_only(key, ids), once)
    place, found = _places(scores.frame, key.frame, ids)
    notes += more
    unknown = scores.frame.filter(place.is_null())
    missing = key.frame.filter(~found)
    if unknown.height == scores.frame.height:
        raise TrialFileError(
            f"{scores.source} and {key.source} have no trial in common: "
            f"{named(scores.frame, ids)} against {named(key.frame, ids)}"
        )
    for setting, trials, what in (
        ("missing", missing, f"trials of {key.source} have no score"),
        ("unknown", unknown, f"scores of {scores.source} are not in the key"),
    ):
        if trials.height:
            sentence = f"{trials.height} {what}, such as {named(trials, ids)}"
            if getattr(options, setting) == "error":
                raise TrialFileError(f"{sentence}; to leave them out: ", Setting(setting, "skip"))
            notes.append(Note.warning(setting, f"{sentence}; left out"))
    if unknown.height:
        scores = replace(scores, frame=scores.frame.filter(place.is_not_null()))
        place = place.drop_nulls()
    notes.append(Note.of("joined", f"scores and key joined on {' and '.join(ids)}"))
    return _with_key(scores, key.frame[place]), notes


def _in_order(scores: Table, key: Table) -> tuple[Table, list[Note]]:
    """Labels taken line by line, since the scores or the key have no ids."""
    if _names(scores) and _names(key):
        raise TrialFileError(
            f"{scores.source} has {', '.join(_names(scores))} and {key.source} "
            f"{', '.join(_names(key))}; name the columns to join them on: ",
            Setting("columns", "enrol=NAME,test=NAME"),
            " and ",
            Setting("key_columns", "enrol=NAME,test=NAME"),
        )
    if len(scores) != len(key):
        raise TrialFileError(
            f"{scores.source} has {len(scores)} scores and {key.source} {len(key)} labels, with "
            "no ids in common to join them on"
        )
    ids = key.frame.select([name for name in key.ids if not scores.has(name)])
    table = replace(scores, frame=scores.frame.hstack(ids))
    table = _with_key(table, key.frame)
    _refuse_contradictions(_repeated(table), table.ids, key.source)
    return table, [Note.of("joined", "no ids to join on: scores taken in the order of the key")]


def _names(table: Table) -> list[str]:
    """Columns that identify trials, or may do so."""
    return [*(role for role in IDS if table.has(role)), *table.unnamed]


def _with_key(table: Table, key: pl.DataFrame) -> Table:
    """The table with labels from the rows of the key; labels of its own must agree with them.

    Speakers come along, if only the key knows them, and so do columns that are kept.
    """
    labels = key["label"]
    if table.has("label"):
        differ = table.frame["label"] != labels
        if differ.any():
            row = int(differ.arg_max() or 0)
            raise TrialFileError(
                f"{table.source}: {int(differ.sum())} of its labels contradict the key; the first "
                f"is that of trial {row + 1}"
            )
    speakers = _speakers_of(key) if not any(map(table.has, SPEAKERS)) else []
    more = [name for name in key.columns if is_kept(name) and not table.has(name)]
    columns = (key[name] for name in (*speakers, *more))
    return replace(table, frame=table.frame.with_columns(labels, *columns))


def _speakers_of(key: pl.DataFrame) -> list[str]:
    """The columns of both speakers, if the key has them."""
    return [*SPEAKERS] if set(SPEAKERS) <= set(key.columns) else []


def _only(key: Table, ids: list[str]) -> Table:
    kept = [name for name in key.frame.columns if is_kept(name)]
    return replace(key, frame=key.frame.select([*ids, "label", *_speakers_of(key.frame), *kept]))


def hashes_of_ids(frame: pl.DataFrame, ids: Sequence[str], seed: int = 0) -> pl.Series:
    """A number for each trial: equal for equal ids, and hardly ever for others."""
    first, *others = ids
    out = frame[first].hash(seed).to_numpy()
    for name in others:
        out = out * _ODD  # so that the order of the ids matters
        out ^= frame[name].hash(seed).to_numpy()
    return pl.Series("hash", out)


def _repeated(table: Table) -> pl.DataFrame:
    """The rows of trials that occur more than once."""
    frame, ids = table.frame, table.ids
    # Far cheaper than comparing the ids themselves.
    if not ids or hashes_of_ids(frame, ids).n_unique() == frame.height:
        return frame.clear()
    return frame.filter(pl.struct(ids).is_duplicated())


def _places(scores: pl.DataFrame, key: pl.DataFrame, ids: list[str]) -> tuple[pl.Series, pl.Series]:
    """The row of the key for each score (null if there is none), and which rows were found.

    Joining on a hash of the ids is several times faster than on the texts. A second hash, with a
    seed that nobody can know beforehand, must agree as well: two trials that share all 128 bits
    do not occur in practice. If it does not agree, the texts are joined instead.
    """
    left = hashes_of_ids(scores, ids).to_frame()
    right = hashes_of_ids(key, ids).to_frame().with_row_index("place")
    place = left.join(right, on="hash", how="left", maintain_order="left")["place"]
    if len(place) > scores.height:
        return _places_by_text(scores, key, ids)
    known = place.is_not_null()
    rows = place.filter(known)
    seed = secrets.randbits(64)
    ours, theirs = (
        hashes_of_ids(scores, ids, seed).filter(known),
        hashes_of_ids(key, ids, seed).gather(rows),
    )
    if not (ours == theirs).all():
        return _places_by_text(scores, key, ids)
    return place, _found(rows, key.height)


def _places_by_text(
    scores: pl.DataFrame, key: pl.DataFrame, ids: list[str]
) -> tuple[pl.Series, pl.Series]:
    right = key.select(ids).with_row_index("place")
    place = scores.select(ids).join(right, on=ids, how="left", maintain_order="left")["place"]
    return place, _found(place.drop_nulls(), key.height)


def _found(rows: pl.Series, height: int) -> pl.Series:
    found = np.zeros(height, bool)
    found[rows.to_numpy()] = True
    return pl.Series(found)


def _refuse_contradictions(repeated: pl.DataFrame, ids: list[str], source: str) -> None:
    """Refuse trials with two different labels: whichever is kept may be the wrong one."""
    if "label" not in repeated.columns or not repeated.height:
        return
    torn = repeated.group_by(ids, maintain_order=True).agg(pl.col("label").n_unique())
    torn = torn.filter(pl.col("label") > 1)
    if torn.height:
        raise TrialFileError(
            f"{source}: {torn.height} trials are both target and non-target, such as "
            f"{named(torn, ids)}"
        )


def named(frame: pl.DataFrame, ids: Sequence[str]) -> str:
    """Up to three trials by their ids, for messages."""
    rows = frame.select(ids).head(3).rows()
    return ", ".join("(" + " ".join(str(value) for value in row) + ")" for row in rows)
