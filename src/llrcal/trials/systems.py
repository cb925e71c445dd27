"""Scores of several systems on the same trials: from a file each, or from columns of one table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import numpy as np
import polars as pl

from llrcal.arrays import Array, Floats
from llrcal.errors import OptionError, TrialFileError
from llrcal.files.compression import plain_name
from llrcal.inputs.labels import Label
from llrcal.messages import Setting
from llrcal.notes import Note
from llrcal.trials.conventions import IDS, kept_role
from llrcal.trials.joining import named
from llrcal.trials.reading import ids_of, kept_columns, read_and_join, speakers_of
from llrcal.trials.request import OnMissing, ReadOptions
from llrcal.trials.spoofs import without_spoof

_SEPARATORS = re.compile(r"[-_. ]+")  # of words in names


@dataclass(frozen=True)
class Systems:
    """Scores of several systems, one row for each trial, in the order of the first system."""

    names: tuple[str, ...]
    scores: Floats
    """Trials x systems; NaN where a system has no score."""
    is_target: Array | None
    """Which trials are targets; None if that is not known."""
    ids: pl.DataFrame | None
    speakers: Array | None
    kept: pl.DataFrame
    """Further columns that were asked for, as text."""
    notes: tuple[Note, ...]
    source: str = "several systems"
    """Where they come from, for people."""

    def split(self, values: Any) -> tuple[Any, Any]:
        """Values of all trials as those of the targets and those of the non-targets."""
        if self.is_target is None:
            raise TypeError("the trials have no labels")
        return values[self.is_target], values[~self.is_target]


def named_files(files: Sequence[str], known: Sequence[str] = ()) -> dict[str, str]:
    """Files by the names of their systems: ``NAME=FILE``, or by words in the names of the files.

    The words are those of a system that is known, or else those that distinguish the file from the
    others: ``cos-dev.txt`` and ``plda-dev.txt`` belong to ``cos`` and ``plda``.
    """
    given = [file.partition("=") for file in files]
    words = [[] if sign else _words(PurePath(plain_name(first)).stem) for first, sign, _ in given]
    unnamed = [set(parts) for parts in words if parts]
    common = set.intersection(*unnamed) if len(unnamed) > 1 else set()
    out: dict[str, str] = {}
    for (first, sign, rest), parts in zip(given, words, strict=True):
        own = [word for word in parts if word not in common] or parts
        name, file = (first, rest) if sign else (_known(parts, known) or "-".join(own), first)
        if name in out:
            raise OptionError(
                f"{out[name]} and {file}: both systems would be called {name!r}; name them: "
                f"NAME={file}"
            )
        out[name] = file
    return out


def _words(name: str) -> list[str]:
    return [word for word in _SEPARATORS.split(name) if word] or [name]


def _known(words: list[str], known: Sequence[str]) -> str | None:
    """The known system all of whose words occur; None if two fit equally well."""
    found = sorted(
        (name for name in known if {*_words(name)} <= {*words}), key=lambda one: len(_words(one))
    )
    two = len(found) > 1 and len(_words(found[-1])) == len(_words(found[-2]))
    return found[-1] if found and not two else None


def read_systems(
    sources: Mapping[str, tuple[Any, str | None]],
    key: Any | None = None,
    *,
    options: ReadOptions,
    labelled: bool = True,
    partial: bool = False,
) -> Systems:
    """Scores of systems, joined on the ids of the trials.

    Parameters
    ----------
    sources
        By the name of the system: a file or frame, and the name of its column of scores if that is
        not the only one.
    key, options
        As for :func:`read_trials`; ``missing`` is also about trials of other systems.
    labelled
        Whether labels are needed.
    partial
        Whether to keep trials that some systems have no score of.

    Raises
    ------
    TrialFileError
        If files cannot be read, or do not have the same trials.
    """
    out: pl.DataFrame | None = None
    notes: list[Note] = []
    if partial:
        options = replace(options, missing="skip")
    for name, (source, column) in sources.items():
        reading = with_score(options, column)
        request = reading.request("trials" if labelled and key is None else "scores")
        if partial:
            request = replace(request, on_nan="keep")
        try:
            table, more = read_and_join(source, key, reading, request)
        except TrialFileError as problem:
            if isinstance(source, str) and source not in str(problem):
                raise problem.within(source) from problem
            raise
        # Where scores may be missing, a trial without one is not left out.
        notes += (note for note in more if not partial or note.code != "missing")
        if labelled:
            table, more = without_spoof(table, options.spoof)
            notes += more
        one = table.frame.rename({"score": _column(name)})
        out = (
            one
            if out is None
            else _joined(out, one, name, None if partial else options.missing, notes)
        )
    if out is None:
        raise OptionError("there are no systems to fuse")
    absent = [name for name in options.keep if kept_role(name) not in out.columns]
    if absent:
        raise TrialFileError(f"no file has a column {', '.join(map(repr, absent))}")
    files = (one if isinstance(one, str) else "a frame" for one, _ in sources.values())
    scores = out.select(map(_column, sources)).fill_null(float("nan"))
    return Systems(
        tuple(sources),
        scores.to_numpy().astype(np.float64),
        (out["label"] == Label.TARGET.value).to_numpy() if "label" in out.columns else None,
        ids_of(out),
        speakers_of(out),
        kept_columns(out, options),
        tuple(dict.fromkeys(notes)),
        ", ".join(dict.fromkeys(files)),
    )


def with_score(options: ReadOptions, score: str | None) -> ReadOptions:
    """The options, with the name of the column of scores if it is known."""
    if score is None:
        return options
    columns = options.columns
    if isinstance(columns, str):
        columns = dict(entry.split("=", 1) for entry in columns.split(",") if "=" in entry)
    named = columns if isinstance(columns, Mapping) else {}
    return replace(options, columns={**named, "score": score})


def _joined(
    left: pl.DataFrame, right: pl.DataFrame, name: str, missing: OnMissing | None, notes: list[Note]
) -> pl.DataFrame:
    """The scores of some systems joined with those of one more.

    ``missing`` says what becomes of trials that lack one of them; None to keep them.
    """
    ids = [role for role in IDS if role in left.columns and role in right.columns]
    if not ids:
        if len(left) != len(right):
            raise TrialFileError(
                f"{name} has {len(right)} scores, and the first system {len(left)}, with no ids "
                "in common to join them on"
            )
        new = [one for one in right.columns if one not in left.columns]
        return left.hstack(right.select(new))
    gone = {
        "have no score of that system": left.join(right, on=ids, how="anti"),
        "have no score of another system": right.join(left, on=ids, how="anti"),
    }
    for what, trials in gone.items():
        if trials.height and missing is not None:
            sentence = f"{trials.height} trials {what}, such as {named(trials, ids)}"
            if missing == "error":
                raise TrialFileError(
                    f"{name}: {sentence}; leave them out: ",
                    Setting("missing", "skip"),
                    ", or fuse the systems that are there: ",
                    Setting("missing", "patterns"),
                )
            notes.append(Note.warning("missing", f"{sentence}; left out").about(name))
    if missing is not None:
        new = [one for one in right.columns if one not in left.columns]
        return left.join(right.select(*ids, *new), on=ids, how="inner", maintain_order="left")
    both = left.join(right, on=ids, how="full", coalesce=True, maintain_order="left_right")
    shared = [one for one in right.columns if one in left.columns and one not in ids]
    return both.with_columns(pl.coalesce(one, f"{one}_right") for one in shared).drop(
        f"{one}_right" for one in shared
    )


def _column(name: str) -> str:
    return f"score of {name}"
