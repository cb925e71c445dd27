"""Scores of several systems on the same trials, and side information on these."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import numpy as np
import polars as pl

from llrcal.arrays import Array, Floats
from llrcal.errors import OptionError, TrialFileError
from llrcal.files.compression import plain_name
from llrcal.messages import Setting
from llrcal.notes import Note
from llrcal.trials.conventions import IDS
from llrcal.trials.joining import examples, hashes_of_ids, match, refuse_other_rows
from llrcal.trials.leaving_out import left_out, without_spoof
from llrcal.trials.reading import read_and_join, with_who
from llrcal.trials.request import Contents, OnMissing, ReadOptions, Request
from llrcal.trials.text.columns import read_columns
from llrcal.trials.text.roles import NUMBER

_SIDES = ["enrol", "test"]
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
    """The enrolment and the test speaker of each trial as whole numbers, where they are known."""
    kept: pl.DataFrame
    """Further columns that were asked for, as text."""
    notes: tuple[Note, ...]
    source: str = "several systems"
    """Where they come from, for people."""
    speaker_names: Array | None = None
    """The names of the speakers by number, where they have names."""

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
    sizes = {name: len(_words(name)) for name in known if {*_words(name)} <= {*words}}
    largest = [name for name, size in sizes.items() if size == max(sizes.values())]
    return largest[0] if len(largest) == 1 else None


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
        if partial or request.on_nan == "drop":  # once trials are joined
            request = replace(request, on_nan="keep")
        try:
            table = with_who(read_and_join(source, key, reading, request), reading)
        except TrialFileError as problem:
            if isinstance(source, str) and source not in str(problem):
                raise problem.within(source) from problem
            raise
        if labelled:
            table = without_spoof(table, options.spoof)
        # Where scores may be missing, a trial without one is not left out.
        notes += (note for note in table.notes if not partial or note.code != "missing")
        one = table.frame.rename({"score": _column(name)})
        if out is None:
            out, first = one, table
        else:
            if not (first.ids and table.ids):
                refuse_other_rows(first, table)
            out = _joined(out, one, name)
    if out is None:
        raise OptionError("there are no systems to fuse")
    files = (one if isinstance(one, str) else "a frame" for one, _ in sources.values())
    where = ", ".join(dict.fromkeys(files))
    if not partial:
        out = _complete(out, sources, options.missing, notes)
    if options.on_nan == "drop" and not partial:
        is_nan = out.select(pl.any_horizontal(pl.col(map(_column, sources)).is_nan())).to_series()
        notes += left_out(where, int(is_nan.sum()), out.height)
        out = out.filter(~is_nan)
    both = replace(table, frame=out, source=where)
    speakers, names = both.speakers or (None, None)
    scores = out.select(map(_column, sources)).fill_null(float("nan"))
    return Systems(
        tuple(sources),
        scores.to_numpy().astype(np.float64),
        both.is_target if both.has("label") else None,
        both.all_ids,
        speakers,
        both.kept(options.keep, both.source),
        tuple(dict.fromkeys(notes)),
        both.source,
        names,
    )


def with_score(options: ReadOptions, score: str | None) -> ReadOptions:
    """The options, with the name of the column of scores if it is known."""
    return options if score is None else _OneColumn(**vars(options), score=score)


@dataclass(frozen=True, kw_only=True)
class _OneColumn(ReadOptions):
    """How to read one of several columns of scores, whatever the roles of the others."""

    score: str = ""

    def request(self, contents: Contents, *, joins: bool = True) -> Request:
        found = super().request(contents, joins=joins)
        if contents == "key":
            return found
        if self.header is False:
            raise OptionError(
                Setting("scores"),
                " gives names of columns, but the file has none: ",
                Setting("header", False),
            )
        return replace(found, named=tuple({**dict(found.named), "score": self.score}.items()))


def _joined(left: pl.DataFrame, right: pl.DataFrame, name: str) -> pl.DataFrame:
    """The scores of some systems with those of one more; null where one of them has none."""
    ids = [role for role in IDS if role in left.columns and role in right.columns]
    new = [column for column in right.columns if column not in left.columns]
    if not ids:
        if len(left) != len(right):
            raise TrialFileError(
                f"{name} has {len(right)} scores, and the first system {len(left)}, with no ids "
                "in common to join them on"
            )
        return left.hstack(right.select(new))
    if hashes_of_ids(right, ids).n_unique() < right.height:
        raise TrialFileError(
            f"{name}: {' and '.join(ids)} do not tell its trials apart, so that they cannot be "
            "matched with those of another system",
            "; keep the first score of each: ",
            Setting("duplicates", "first"),
        )
    place, found = match(left, right, ids)
    both = left.hstack(right.select(pl.col(new).gather(place)))
    return pl.concat([both, right.filter(~found)], how="diagonal")


def _complete(
    frame: pl.DataFrame, names: Iterable[str], missing: OnMissing, notes: list[Note]
) -> pl.DataFrame:
    """The trials that every system has a score of; ``missing`` says what becomes of others."""
    ids = [role for role in IDS if role in frame.columns]
    for name in names:
        absent = frame.filter(pl.col(_column(name)).is_null())
        if not absent.height:
            continue
        sentence = f"{absent.height} trials have no score of it, such as {examples(absent, ids)}"
        if missing == "error":
            raise TrialFileError(
                f"{name}: {sentence}", "; to leave them out: ", Setting("missing", "skip")
            )
        notes.append(Note.warning("missing", f"{sentence}; left out").about(name))
    return frame.drop_nulls([_column(name) for name in names])


def _column(name: str) -> str:
    return f"score of {name}"


def read_side_information(name: str, ids: pl.DataFrame | None) -> dict[str, Floats]:
    """Columns of side information in a file of its own, one value for each trial.

    Lines begin with the id of a recording, or with both ids of a trial; numbers follow. Columns are
    separated by commas, semicolons, tabs or blanks, and may have names in the first line.

    Values of recordings become two columns, minimum and maximum of both sides of a trial; or those
    of the test side alone, if the file has none of the models.
    """
    if ids is None or "test" not in ids.columns:
        raise TrialFileError(f"{name}: is joined on the ids of trials, and the scores have none")
    table = _side_table(name)
    if _is_by_trial(table):
        if "enrol" not in ids.columns:
            raise TrialFileError(f"{name}: has two ids in a line, and the scores only one")
        return _side_values(name, table, ids, _SIDES)
    known = table.to_series(0).implode()
    is_known = "enrol" in ids.columns and ids["enrol"].is_in(known).any()
    sides = [_side_values(name, table, ids, [side]) for side in (_SIDES if is_known else ["test"])]
    if len(sides) == 1:
        return sides[0]
    ends = {"minimum": np.minimum, "maximum": np.maximum}
    return {
        f"{end} of {one}": function(*(side[one] for side in sides))
        for end, function in ends.items()
        for one in sides[0]
    }


def _side_table(name: str) -> pl.DataFrame:
    """The file as text; columns are numbered, unless the first line names them.

    The name of the file must not matter: a fusion is applied with another file.
    """
    rows = [*read_columns(name).values()]
    width = len(rows[0]) if rows else 0
    if width < 2:
        raise TrialFileError(f"{name}: expected lines of an id and a number")
    names = ["id", *(f"quality {i}" for i in range(1, width))]
    if not NUMBER.fullmatch(rows[0][-1]):
        names = rows.pop(0)
    if len({*names}) < width or not rows:
        raise TrialFileError(f"{name}: has two columns of one name, or no lines")
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def _is_by_trial(table: pl.DataFrame) -> bool:
    """Whether the second column is an id as well: no number, or needed to tell lines apart."""
    first, second = table.get_columns()[:2]
    is_number = second.cast(pl.Float64, strict=False).is_not_null().all()
    return table.width > 2 and not (is_number and first.is_unique().all())


def _side_values(
    name: str, table: pl.DataFrame, ids: pl.DataFrame, on: Sequence[str]
) -> dict[str, Floats]:
    """Values of trials, or of one of their sides: the columns after those of ids."""
    table = table.rename(dict(zip(table.columns, on, strict=False)))
    repeated = table.filter(pl.struct(on).is_duplicated())
    if repeated.height:
        raise TrialFileError(f"{name}: {examples(repeated, on)} occur more than once")
    place, _ = match(ids, table, on)
    values = table.drop(on).cast(pl.Float64, strict=False).select(pl.all().gather(place))
    is_good = values.select(pl.all_horizontal(pl.all().is_finite().fill_null(False))).to_series()
    if not is_good.all():
        wrong = ids.filter(~is_good)
        raise TrialFileError(
            f"{name}: has no finite numbers on {wrong.height:,} of {ids.height:,} trials, such as "
            f"{examples(wrong, on)}"
        )
    return {column.name: column.to_numpy() for column in values}
