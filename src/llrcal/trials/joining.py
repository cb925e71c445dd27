"""Tables joined on the ids of the trials, in whatever order they have them."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from llrcal.errors import TrialFileError
from llrcal.inputs.labels import Label
from llrcal.messages import Setting
from llrcal.notes import Note
from llrcal.trials.conventions import IDS, SPEAKERS, is_kept, unit_in
from llrcal.trials.request import ReadOptions
from llrcal.trials.table import Table

OTHER_UNITS = "columns are named as if scores had different units; convert them, or rename columns"
_ODD = np.uint64(0x9E3779B97F4A7C15)


def match(
    left: pl.DataFrame, right: pl.DataFrame, ids: Sequence[str]
) -> tuple[pl.Series, pl.Series]:
    """The row of ``right`` for each of ``left``, null if there is none; and which rows were found.

    No trial may be repeated in ``right``. Joining on a hash of the ids is several times faster than
    on the texts. A second hash, with a seed that nobody can know beforehand, must agree as well:
    two trials that share all 128 bits do not occur in practice. If it does not agree, the texts are
    joined instead.
    """
    hashes = hashes_of_ids(right, ids).to_frame().with_row_index("place")
    place = _looked_up(hashes_of_ids(left, ids).to_frame(), hashes)
    seed = secrets.randbits(64)
    agree = (
        len(place) == left.height
        and (
            hashes_of_ids(left, ids, seed).filter(place.is_not_null())
            == hashes_of_ids(right, ids, seed).gather(place.drop_nulls())
        ).all()
    )
    if not agree:
        place = _looked_up(left.select(ids), right.select(ids).with_row_index("place"))
    found = np.zeros(right.height, bool)
    found[place.drop_nulls().to_numpy()] = True
    return place, pl.Series(found)


def _looked_up(left: pl.DataFrame, right: pl.DataFrame) -> pl.Series:
    return left.join(right, on=left.columns, how="left", maintain_order="left")["place"]


def hashes_of_ids(frame: pl.DataFrame, ids: Sequence[str], seed: int = 0) -> pl.Series:
    """A number for each trial: equal for equal ids, and hardly ever for others."""
    first, *others = ids
    out = frame[first].hash(seed).to_numpy()
    for name in others:
        out = out * _ODD  # so that the order of the ids matters
        out ^= frame[name].hash(seed).to_numpy()
    return pl.Series("hash", out)


def examples(frame: pl.DataFrame, ids: Sequence[str]) -> str:
    """Up to three trials by their ids, for messages."""
    rows = frame.select(ids).head(3).rows()
    return ", ".join("(" + " ".join(str(value) for value in row) + ")" for row in rows)


def without_duplicates(
    table: Table, options: ReadOptions, *, labels_from: str | None = None
) -> Table:
    """A table in which no trial is repeated, as the options say.

    ``labels_from`` names the file with the labels, if they come from another one. A trial
    that is both target and non-target is refused, whatever the options.
    """
    frame, ids = table.frame, table.ids
    # Hashes are far cheaper than comparing the ids themselves.
    if not ids or hashes_of_ids(frame, ids).n_unique() == frame.height:
        return table
    repeated = frame.filter(pl.struct(ids).is_duplicated())
    once = repeated.unique(ids, maintain_order=True)
    if table.has("label"):
        labels = repeated.group_by(ids, maintain_order=True).agg(pl.col("label").n_unique())
        conflicting = labels.filter(pl.col("label") > 1)
        if conflicting.height:
            raise TrialFileError(
                f"{labels_from or table.source}: {conflicting.height} trials are both target and "
                f"non-target, such as {examples(conflicting, ids)}"
            )
    if options.duplicates == "all" or not repeated.height:
        return table
    found = f"{repeated.height - once.height} repeated trials, such as {examples(once, ids)}"
    if options.duplicates == "error":
        raise TrialFileError(
            f"{table.source}: {found}; choose which scores to keep: ",
            Setting("duplicates", "first"),
            " or ",
            Setting("duplicates", "all"),
        )
    note = Note.warning("duplicates", f"{found}; only the first of each was kept")
    frame = frame.unique(ids, keep="first", maintain_order=True)
    return table.changed(frame, note.about(table.source))


def both_classes(tar: Table, non: Table) -> Table:
    """The trials of a table of targets and of one of non-targets as one table.

    Raises
    ------
    TrialFileError
        If labels of their own contradict that, both hold the same scores, or their units differ.
    """
    frames, source = [], f"{tar.source}, {non.source}"
    for table, label in ((tar, Label.TARGET), (non, Label.NONTARGET)):
        frames.append(table.frame.with_columns(pl.lit(label.value, pl.Int8).alias("label")))
        if table.has("label") and (table.is_target != (table is tar)).any():
            raise TrialFileError(
                f"{table.source}: is given for one class, and has labels of another; leave out ",
                Setting("nontargets"),
                ", or name the scores if these are not labels: ",
                Setting("columns", "score=NAME"),
            )
    if len(tar) > 1 and tar.frame["score"].equals(non.frame["score"]):
        raise TrialFileError(f"{source}: targets and non-targets have the same scores")
    if unit_in(tar.score_name) != unit_in(non.score_name):
        raise TrialFileError(f"{source}: {OTHER_UNITS}")
    both = pl.concat(frames, how="diagonal")
    known = [c for c in both.columns if is_kept(c) or all(c in frame for frame in frames)]
    table = replace(tar, source=source, forensic=tar.forensic | non.forensic)
    return table.changed(both.select(known), *non.notes)


def joined(scores: Table, key: Table, options: ReadOptions) -> Table:
    """Scores with the labels of a key, in the order of the scores."""
    ids = [role for role in scores.ids if role in key.ids]
    if not ids:
        return _in_order(scores, key)
    if len(scores) == len(key) and scores.frame.select(ids).equals(key.frame.select(ids)):
        table = _with_key(scores, key, "scores and key are in the same order: nothing to join")
        return without_duplicates(table, options, labels_from=key.source)
    scores = without_duplicates(scores, options)
    # If every score of a trial is kept, one label will do for all of them.
    once = replace(options, duplicates="first") if options.duplicates == "all" else options
    others = [role for role in IDS if role not in ids]
    key = without_duplicates(key.changed(key.frame.drop(others, strict=False)), once)
    place, found = match(scores.frame, key.frame, ids)
    unknown = scores.frame.filter(place.is_null())
    if len(unknown) == len(scores):
        raise TrialFileError(
            f"{scores.source} and {key.source} have no trial in common: "
            f"{examples(scores.frame, ids)} against {examples(key.frame, ids)}"
        )
    notes = []
    for setting, trials, what in (
        ("missing", key.frame.filter(~found), f"trials of {key.source} have no score"),
        ("unknown", unknown, f"scores of {scores.source} are not in the key"),
    ):
        if trials.height:
            sentence = f"{trials.height} {what}, such as {examples(trials, ids)}"
            if getattr(options, setting) == "error":
                raise TrialFileError(f"{sentence}; to leave them out: ", Setting(setting, "skip"))
            notes.append(Note.warning(setting, f"{sentence}; left out"))
    if unknown.height:
        scores = scores.changed(scores.frame.filter(place.is_not_null()))
    key = key.changed(key.frame[place.drop_nulls()], *notes)
    return _with_key(scores, key, f"scores and key joined on {' and '.join(ids)}")


def _in_order(scores: Table, key: Table) -> Table:
    """Labels taken line by line, since the scores or the key have no ids."""
    names = [
        [*(role for role in IDS if table.has(role)), *table.unnamed] for table in (scores, key)
    ]
    if all(names):
        raise TrialFileError(
            f"{scores.source} has {', '.join(names[0])} and {key.source} "
            f"{', '.join(names[1])}; name the columns to join them on: ",
            Setting("columns", "enrol=NAME,test=NAME"),
            " and ",
            Setting("key_columns", "enrol=NAME,test=NAME"),
        )
    if len(scores) != len(key):
        raise TrialFileError(
            f"{scores.source} has {len(scores)} scores and {key.source} {len(key)} labels, with "
            "no ids in common to join them on"
        )
    refuse_other_rows(scores, key)
    ids = key.frame.select([name for name in key.ids if not scores.has(name)])
    scores = scores.changed(scores.frame.hstack(ids))
    table = _with_key(scores, key, "no ids to join on: scores taken in the order of the key")
    return without_duplicates(table, ReadOptions(duplicates="all"), labels_from=key.source)


def refuse_other_rows(one: Table, other: Table) -> None:
    """Refuse to join frames of pandas row by row if the index says that rows are others."""
    if one.index is not None and other.index is not None and not one.index.equals(other.index):
        raise TrialFileError(
            "the frames have no ids to join them on, and different indexes: add ids, or reset the "
            "indexes if their rows are in the same order"
        )


def _with_key(scores: Table, key: Table, how: str) -> Table:
    """Scores with labels from the rows of the key; labels of their own must agree with them.

    Both speakers come along, if only the key knows them, and so do columns that are kept.
    """
    if scores.has("label"):
        differ = scores.frame["label"] != key.frame["label"]
        if differ.any():
            wrong = scores.frame.with_row_index("row").filter(differ)
            raise TrialFileError(
                f"{scores.source}: {wrong.height} of its labels contradict the key, such as that "
                f"of {examples(wrong, scores.ids or ['row'])}"
            )
    bring_speakers = all(map(key.has, SPEAKERS)) and not any(map(scores.has, SPEAKERS))
    more = [*(SPEAKERS if bring_speakers else ()), *filter(is_kept, key.frame.columns)]
    brought = key.frame.select("label", *(name for name in more if not scores.has(name)))
    table = replace(scores, forensic=key.forensic, others=(*scores.others, *key.others))
    notes = (*key.notes, Note.of("joined", how))
    return table.changed(table.frame.with_columns(brought), *notes)
