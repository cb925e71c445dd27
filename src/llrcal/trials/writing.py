"""Trials written in one of the formats that others use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any

import numpy as np
import polars as pl

from llrcal.errors import OptionError, TrialFileError
from llrcal.files.compression import check_place, output, plain_name
from llrcal.inputs.labels import Label
from llrcal.messages import SPEAKER_COLUMNS, Message, Setting
from llrcal.notes import Note
from llrcal.trials.conventions import (
    CONVENTIONS,
    IDS,
    NAMES,
    ROLES,
    SPEAKERS,
    Convention,
    known_from,
)
from llrcal.trials.hdf5 import write_hdf5
from llrcal.trials.table import Table
from llrcal.trials.trials import Trials

TABLES = {"csv": ",", "tsv": "\t", "nist-tsv": "\t"}
_BINARY = ("parquet", "npz", "hdf5")
FORMATS = (*NAMES, *TABLES, *_BINARY)
_FORMS = (
    *CONVENTIONS,
    Convention("npz", "arrays", ("score", "label")),
    Convention("npz", "an array", ("label",)),
    Convention("hdf5", "a matrix", ("enrol", "test", "score")),
    Convention("hdf5", "a matrix", ("enrol", "test", "label")),
)
"""The columns of all formats but tables, which have any."""

_WORDS = {Label.TARGET: "target", Label.NONTARGET: "nontarget", Label.SPOOF: "spoof"}
_NUMBERS = {Label.TARGET: "1", Label.NONTARGET: "0"}
_NUMBERED = {"speechbrain", "voxceleb", "labels", "score-label", "label-score", "npz", "hdf5"}
_ENDINGS = {"csv": "csv", "tsv": "tsv", "parquet": "parquet", "npz": "npz", "h5": "hdf5"}
_NIST_NAMES = {"enrol": "modelid", "test": "segmentid", "score": "LLR", "label": "targettype"}
_PLURALS = {"enrol": "models", "test": "recordings", "side": "sides", "score": "scores"}
_PLURALS |= {"label": "labels", **dict.fromkeys(SPEAKERS, "speakers")}

# Ids that would be read back as something else: what each kind of text cannot hold.
_UNFIT_IDS = {
    " ": (r"^$|[\s\x00\x1c-\x1f]", "its columns are separated by blanks"),
    "\t": (r"^$|^ | $|[\t\r\n\x00]", "it has no way to write tabs, line ends or outer blanks"),
    ",": (r"^$|^ | $|[\r\n\x00]", "it has no way to write line ends or outer blanks"),
}
_NAMED = 8  # columns in a note
_NO_BEGINNING = r"^[#\x{feff}]"  # of a line: a comment, or a byte order mark


def format_of(name: str) -> str:
    """The format that goes with the extension of a file; an error if none does."""
    ending = plain_name(name).rpartition(".")[2].replace("hdf5", "h5")
    if ending not in _ENDINGS:
        raise OptionError(
            f"{name}: the extension does not tell the format; choose one (",
            Setting("to", "FORMAT"),
            f") of {', '.join(FORMATS)}",
        )
    return _ENDINGS[ending]


def table_format(name: str) -> str:
    """The format of a table with this extension; an error for what is no table."""
    ending = plain_name(name).rpartition(".")[2]
    if ending not in ("csv", "tsv", "parquet"):
        raise OptionError(f"{name}: trials are written to a table: name it .csv, .tsv or .parquet")
    return ending


def write_trials(trials: Trials, path: str | PathLike[str]) -> None:
    """Write trials to a table, which :func:`llrcal.read_trials` and all verbs read.

    Its columns are ids, score, label and speakers, as far as they are known, and those that were
    kept; its rows are in the order of the trials.

    Parameters
    ----------
    trials
        Trials in memory.
    path
        A file ``.csv``, ``.tsv`` or ``.parquet``; the first two also compressed, such as
        ``.csv.gz``.

    Raises
    ------
    OptionError
        If no such file can be written.
    TrialFileError
        If the format cannot hold an id.

    Examples
    --------
    >>> import llrcal
    >>> trials = llrcal.simulate(targets=200, nontargets=5_000)
    >>> llrcal.write_trials(llrcal.cross_validated(trials), "llrs.csv")  # doctest: +SKIP
    """
    if not isinstance(trials, Trials):
        raise OptionError(
            f"trials in memory are expected, not a {type(trials).__name__}: pass what "
            "llrcal.read_trials or llrcal.cross_validated gives"
        )
    out = fspath(path)
    columns: dict[str, Any] = {"score": trials.scores, "label": trials.labels.astype(np.int8)}
    if trials.speakers is not None:
        both = np.empty((len(trials), 2), trials.speakers[0].dtype)
        both[trials.labels], both[~trials.labels] = trials.speakers
        who = both if trials.speaker_names is None else trials.speaker_names[both]
        columns |= dict(zip(SPEAKERS, who.T, strict=True))
    more = pl.DataFrame(columns)
    frame = more if trials.ids is None else trials.ids.hstack(more)
    written = prepared(Table(frame, trials.source, "trials"), to=table_format(out))
    if trials.kept is not None:
        new = [one for one in trials.kept if one.name not in written.frame.columns]
        breaks = {"csv": "[\r\n]", "tsv": "[\t\r\n]"}.get(written.to)
        if breaks and any(one.str.contains(breaks).any() for one in new):
            raise TrialFileError(
                f"{trials.source}: a column that was kept has tabs or line ends, which format "
                f"{written.to} cannot hold; write parquet"
            )
        written = replace(written, frame=written.frame.hstack(new))
    written.write(out)


@dataclass(frozen=True)
class Prepared:
    """Trials in the form of a file, before it is written."""

    frame: pl.DataFrame
    """The columns of the file in order; unused ones hold ``-``."""
    to: str
    left_out: tuple[str, ...]
    """The roles of the columns that the format has no place for."""
    others: tuple[str, ...] = ()
    """The names of columns that have no role."""

    def check_place(self, out: str) -> None:
        """Raise an OptionError where no such file can be written."""
        check_place(out, by_name=self.to == "hdf5")

    def write(self, out: str) -> None:
        """Write the file, which appears whole or not at all."""
        if self.to == "hdf5":
            write_hdf5(out, self.frame)
            return
        with output(out) as file:
            if self.to == "npz":
                arrays: dict[str, Any] = {f"{c.name}s": c.to_numpy() for c in self.frame}
                np.savez(file, **arrays)
            elif self.to == "parquet":
                self.frame.write_parquet(file)
            elif self.to == "csv":
                self.frame.write_csv(file)
            else:
                self.frame.write_csv(
                    file,
                    separator=TABLES.get(self.to, " "),
                    include_header=self.to in TABLES,
                    quote_style="never",
                )


def prepared(table: Table, *, to: str, key: bool = False) -> Prepared:
    """Trials in the form that a format requires; with ``key``, only ids and labels."""
    if to not in FORMATS:
        raise OptionError(f"there is no format {to!r}; choose one of {', '.join(FORMATS)}")
    frame = table.frame.drop("score", strict=False) if key else table.frame
    form = _form(table.source, frame, to, key=key)
    columns = [
        pl.lit("-").alias(f"- {i}") if role == "-" else pl.col(role)
        for i, role in enumerate(form.columns)
    ]
    chosen = _with_words(frame.select(columns), table.source, to)
    if to not in _BINARY:
        _refuse_unfit_ids(chosen, table.source, to)
    if to == "nist-tsv":
        chosen = chosen.rename(_NIST_NAMES, strict=False)
    written = {*form.columns, *_what_follows(frame, form, table.source)}
    left_out = tuple(role for role in frame.columns if role not in written)
    return Prepared(chosen, to, left_out, () if key else table.others)


def notes_on(left_out: Sequence[str], others: Sequence[str] = ()) -> list[Note]:
    """What a file does not hold, in words: roles, and other columns."""
    names = list(dict.fromkeys(_PLURALS[role] for role in left_out if role != "label"))
    notes = [Note.of("not written", f"{' and '.join(names)} are not in it")] if names else []
    if "label" in left_out:
        notes += [Note.of("not written", "labels are not in it; add ", Setting("key_out"))]
    if others:
        names = [*others[:_NAMED], *([f"{len(others) - _NAMED} more"] if others[_NAMED:] else [])]
        text = f"columns that are not in it: {', '.join(names)}; if they name speakers, say so: "
        notes += [Note.of("not written", text, SPEAKER_COLUMNS)]
    return notes


def _form(source: str, frame: pl.DataFrame, to: str, *, key: bool) -> Convention:
    """The form of this name that holds the most of what there is."""
    forms = [form for form in _FORMS if form.name == to]
    if not forms:
        value = "label" if key else "score"
        if value not in frame.columns:
            raise TrialFileError(f"{source}: has no {value}, which format {to} needs")
        return Convention(to, "a table", tuple(role for role in ROLES if role in frame.columns))
    wants_score = not key and any("score" in form.columns for form in forms)
    right = [form for form in forms if ("score" in form.columns) is wants_score]
    if not right:
        hint: Message = ("they are in the file with the scores",)
        if "label" not in known_from(forms[0].columns):
            hint = ("write them with ", Setting("to", "labels"))
        raise TrialFileError(f"{source}: format {to} has no file for labels alone; ", *hint)
    fitting = [form for form in right if {*form.columns} <= {*frame.columns, "-"}]  # and no kind
    if not fitting:
        asked = " or ".join(",".join(form.columns) for form in right)
        has = ", ".join(frame.columns)
        raise TrialFileError(f"{source}: format {to} needs {asked}; the trials have {has}")
    return max(fitting, key=lambda form: len(form.columns))


def _what_follows(frame: pl.DataFrame, form: Convention, source: str) -> Sequence[str]:
    """What need not be written, since it follows from the speakers."""
    if "label" in form.columns or "label" not in known_from(form.columns):
        return ()
    same = frame["enrol_speaker"] == frame["test_speaker"]
    if "label" in frame.columns and not (frame["label"] == same.cast(pl.Int8)).all():
        raise TrialFileError(
            f"{source}: in format {form.name} the labels follow from the speakers, and some "
            "of these trials have other labels"
        )
    named = "enrol" in frame.columns and (frame["enrol"] == frame["enrol_speaker"]).all()
    return ("label", "enrol") if named else ("label",)


def _with_words(frame: pl.DataFrame, source: str, to: str) -> pl.DataFrame:
    """The frame with labels as the format has them."""
    if "label" not in frame.columns:
        return frame
    words = _NUMBERS if to in _NUMBERED else _WORDS
    if not frame["label"].is_in([*words]).all():
        raise TrialFileError(
            f"{source}: format {to} has no word for spoof trials; leave them out (",
            Setting("spoof", "omit"),
            "), or write csv or parquet",
        )
    if to in ("npz", "hdf5"):
        return frame.with_columns(pl.col("label").cast(pl.Boolean))
    meaning = {label.value: word for label, word in words.items()}
    return frame.with_columns(pl.col("label").replace_strict(meaning, return_dtype=pl.String))


def _refuse_unfit_ids(frame: pl.DataFrame, source: str, to: str) -> None:
    """Refuse ids that would be read back as something else."""
    pattern, reason = _UNFIT_IDS[TABLES.get(to, " ")]
    for column in frame.get_columns():
        if column.name not in (*IDS, *SPEAKERS):
            continue
        text = column.cast(pl.String)  # speakers may be numbers
        unfit = text.str.contains(pattern)
        if column.name == frame.columns[0]:
            unfit |= text.str.contains(_NO_BEGINNING)
        if unfit.any():
            raise TrialFileError(
                f"{source}: format {to} cannot hold the id {column.filter(unfit)[0]!r}: {reason}, "
                "and # begins a comment; write parquet"
            )
