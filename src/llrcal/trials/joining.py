"""Scores and labels meet: trial by trial on their ids, in whatever order the files have them."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import polars as pl

from llrcal.errors import OptionError, TrialFileError
from llrcal.trials.conventions import IDS
from llrcal.trials.table import Table

OnDuplicates = Literal["error", "first", "mean", "all"]
OnMissing = Literal["error", "skip"]


_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Policy:
    """What to do where scores and key do not match one to one."""

    missing: OnMissing = "error"
    """Trials of the key that have no score."""
    unknown: OnMissing = "error"
    """Scores of trials that the key does not have."""
    duplicates: OnDuplicates = "error"
    """Trials that are there more than once: keep the first, the mean score, or all of them."""

    def __post_init__(self) -> None:
        words = {"missing": OnMissing, "unknown": OnMissing, "duplicates": OnDuplicates}
        for name, allowed in words.items():
            value = getattr(self, name)
            if value not in get_args(allowed):
                raise OptionError(
                    f"{name} cannot be {value!r}; choose {', '.join(get_args(allowed))}"
                )


def without_duplicates(
    table: Table, policy: Policy, *, labels_from: str | None = None
) -> tuple[Table, list[str]]:
    """A table in which each trial is there once, as the policy says, and what was done.

    ``labels_from`` is the file to look for wrong labels in, if they are from another.

    Raises
    ------
    TrialFileError
        If there are duplicates and the policy does not say what to do, or if the same trial is
        both target and non-target.
    """
    ids = table.ids
    repeated = _repeated(table)
    _refuse_contradictions(repeated, ids, labels_from or table.source)
    if policy.duplicates == "all" or not repeated.height:
        return table, []
    kept = table.frame.height - repeated.height + repeated.n_unique(ids)
    excess = table.frame.height - kept
    examples = _examples(repeated.unique(ids, maintain_order=True), ids)
    said = f"{excess} repeated trials, such as {examples}"
    if policy.duplicates == "error":
        raise TrialFileError(
            f"{table.source}: {said}; choose what to do: --duplicates first, mean or all"
        )
    frame = table.frame
    if policy.duplicates == "mean" and table.has("score"):
        frame = frame.with_columns(pl.col("score").mean().over(ids))
    frame = frame.unique(ids, keep="first", maintain_order=True)
    done = "only the first of each was kept" if policy.duplicates == "first" else "averaged"
    return _with(table, frame), [f"{table.source}: {said}; {done}"]


def joined(scores: Table, key: Table, policy: Policy) -> tuple[Table, list[str]]:
    """Scores with the labels of a key, in the order of the scores, and what was done.

    Raises
    ------
    TrialFileError
        If trials are missing, unknown or repeated and the policy does not say what to do.
    """
    ids = [role for role in scores.ids if role in key.ids]
    if not ids:
        return _in_order(scores, key)
    if scores.frame.height == key.frame.height and all(
        (scores.frame[name] == key.frame[name]).all() for name in ids
    ):
        table = _with_label(scores, key.frame["label"])
        table, said = without_duplicates(table, policy, labels_from=key.source)
        return table, [*said, "scores and key are in the same order: nothing to join"]
    scores, said = without_duplicates(scores, policy)
    # Where every score of a trial is kept, one label will do for all of them.
    once = replace(policy, duplicates="first") if policy.duplicates == "all" else policy
    key, more = without_duplicates(_only(key, ids), once)
    place, found = _places(scores.frame, key.frame, ids)
    said += more
    unknown = scores.frame.filter(place.is_null())
    missing = key.frame.filter(~found)
    if unknown.height == scores.frame.height:
        raise TrialFileError(
            f"{scores.source} and {key.source} have no trial in common: "
            f"{_examples(scores.frame, ids)} against {_examples(key.frame, ids)}"
        )
    for trials, what, decision, option in (
        (missing, f"trials of {key.source} have no score", policy.missing, "--missing skip"),
        (unknown, f"scores of {scores.source} are not in the key", policy.unknown,
         "--unknown skip"),
    ):  # fmt: skip
        if trials.height:
            sentence = f"{trials.height} {what}, such as {_examples(trials, ids)}"
            if decision == "error":
                raise TrialFileError(f"{sentence}; to leave them out: {option}")
            said.append(f"{sentence}; left out")
    if unknown.height:
        scores = _with(scores, scores.frame.filter(place.is_not_null()))
        place = place.drop_nulls()
    said.append(f"scores and key joined on {' and '.join(ids)}")
    return _with_label(scores, key.frame["label"].gather(place)), said


def _in_order(scores: Table, key: Table) -> tuple[Table, list[str]]:
    """Labels for scores that have no ids, or a key that has none: line by line."""
    if _names(scores) and _names(key):
        raise TrialFileError(
            f"{scores.source} has {', '.join(_names(scores))} and {key.source} "
            f"{', '.join(_names(key))}; say what to join them on: --columns enrol=NAME,test=NAME"
        )
    if len(scores) != len(key):
        raise TrialFileError(
            f"{scores.source} has {len(scores)} scores and {key.source} {len(key)} labels, with "
            "no ids in common to join them on"
        )
    ids = key.frame.select([name for name in key.ids if not scores.has(name)])
    table = _with(scores, scores.frame.hstack(ids))
    table = _with_label(table, key.frame["label"])
    _refuse_contradictions(_repeated(table), table.ids, key.source)
    return table, ["no ids to join on: scores taken in the order of the key"]


def _names(table: Table) -> list[str]:
    """Columns that tell trials apart, or may do so."""
    return [*(role for role in IDS if table.has(role)), *table.unnamed]


def _with_label(table: Table, labels: pl.Series) -> Table:
    """The table with labels from the key; its own, where it has some, must agree."""
    if table.has("label"):
        differ = table.frame["label"] != labels
        if differ.any():
            row = int(differ.arg_max() or 0)
            raise TrialFileError(
                f"{table.source}: {int(differ.sum())} of its own labels contradict the key; the "
                f"first is that of trial {row + 1}"
            )
    return _with(table, table.frame.with_columns(labels.rename("label")))


def _with(table: Table, frame: pl.DataFrame) -> Table:
    return replace(table, frame=frame)


def _only(key: Table, ids: list[str]) -> Table:
    return _with(key, key.frame.select([*ids, "label"]))


def _hash(frame: pl.DataFrame, ids: list[str], seed: int = 0) -> pl.Series:
    """A number for each trial that is the same for the same ids, and hardly ever for others."""
    first, *others = ids
    out = frame[first].hash(seed).to_numpy()
    for name in others:
        out = out * _ODD  # so that the order of the ids matters
        out ^= frame[name].hash(seed).to_numpy()
    return pl.Series("hash", out)


def _repeated(table: Table) -> pl.DataFrame:
    """The rows of trials that are there more than once."""
    frame, ids = table.frame, table.ids
    if not ids or _hash(frame, ids).n_unique() == frame.height:  # far cheaper than to compare ids
        return frame.clear()
    return frame.filter(pl.struct(ids).is_duplicated())


def _places(scores: pl.DataFrame, key: pl.DataFrame, ids: list[str]) -> tuple[pl.Series, pl.Series]:
    """Row of the key for each score (null where it has none), and which rows of it were found.

    Joined on a hash of the ids, which is several times faster than on the texts. A second hash,
    with a seed that nobody can know beforehand, must then agree as well: two trials that share
    all 128 bits are not to be met with. Where it does not, the texts are joined instead.
    """
    left = _hash(scores, ids).to_frame()
    right = _hash(key, ids).to_frame().with_row_index("place")
    place = left.join(right, on="hash", how="left", maintain_order="left")["place"]
    if len(place) > scores.height:
        return _places_by_text(scores, key, ids)
    known = place.is_not_null()
    rows = place.filter(known)
    seed = secrets.randbits(64)
    ours, theirs = _hash(scores, ids, seed).filter(known), _hash(key, ids, seed).gather(rows)
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
    """Refuse a trial that is a target here and none there: whatever is kept, one of them is wrong.

    Raises
    ------
    TrialFileError
        If there is one, with its ids.
    """
    if "label" not in repeated.columns or not repeated.height:
        return
    torn = repeated.group_by(ids, maintain_order=True).agg(pl.col("label").n_unique())
    torn = torn.filter(pl.col("label") > 1)
    if torn.height:
        raise TrialFileError(
            f"{source}: {torn.height} trials are both target and non-target, such as "
            f"{_examples(torn, ids)}"
        )


def _examples(frame: pl.DataFrame, ids: list[str]) -> str:
    """Up to three trials by their ids."""
    rows = frame.select(ids).head(3).rows()
    return ", ".join("(" + " ".join(str(value) for value in row) + ")" for row in rows)
