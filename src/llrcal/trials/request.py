"""What the reader of a file looks for, and what the user has said about the file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, get_args

import numpy as np
import polars as pl

from llrcal.arrays import Array, Bools
from llrcal.errors import OptionError, TrialFileError
from llrcal.inputs.labels import LABEL_OF_WORD, Label
from llrcal.messages import Message, Setting
from llrcal.trials.conventions import ROLES, SPEAKERS, ConventionName

Contents = Literal["scores", "key", "trials", "class"]
"""Scores; a key; scores with labels; or the scores of one class."""

OnNan = Literal["error", "drop"]
"""What becomes of trials whose score is NaN."""

Columns = str | Mapping[str, str] | Sequence[str]
"""Roles in the order of the file, or the name of the column for each role."""

LabelWords = str | Sequence[str]
"""The words for target and non-target, and perhaps a third for spoof."""

Separator = Literal["tab", "comma", "semicolon", "space", "\t", ",", ";", " "]

Decimal = Literal["point", "comma"]
"""What separates the fraction of a number in a text file."""

MATRIX = "matrix"
_WITH_COMMA = re.compile(r"[+-]?\d*,\d*(?:[eE][+-]?\d+)?", re.ASCII)
SEPARATORS = {"tab": "\t", "comma": ",", "semicolon": ";", "space": " "}
TO_DROP_NAN: Message = (", or leave out trials whose score is NaN: ", Setting("on_nan", "drop"))
"""The end of a complaint about scores that are NaN."""


@dataclass(frozen=True)
class Request:
    """What a file should hold, and whatever the user says about its form."""

    contents: Contents = "trials"
    convention: str | None = None
    columns: tuple[str, ...] = ()
    """The role of each column in order; empty unless the user gave them all."""
    named: tuple[tuple[str, str], ...] = ()
    """Role and name of the columns that the user named."""
    separator: str | None = None
    header: bool | None = None
    label_of_word: tuple[tuple[str, Label], ...] = tuple(LABEL_OF_WORD.items())
    allow_infinite: bool = False
    on_nan: OnNan | Literal["keep"] = "error"
    """What becomes of trials whose score is NaN; they are kept where scores may be missing."""
    keep: tuple[str, ...] = ()
    """Names of further columns to keep as they are, if the file has them."""
    decimal: Decimal = "point"
    joins: bool = True
    """Whether scores and labels are joined on ids, which must then be known."""

    @classmethod
    def of(
        cls,
        contents: Contents,
        *,
        convention: ConventionName | None = None,
        columns: Columns | None = None,
        separator: Separator | None = None,
        header: bool | None = None,
        labels: LabelWords | None = None,
        allow_infinite: bool = False,
        on_nan: OnNan = "error",
        decimal: Decimal = "point",
        joins: bool = True,
        keep: Sequence[str] = (),
    ) -> Self:
        """A request in the words of :func:`llrcal.read_trials`, which are checked."""
        if convention is not None and convention not in get_args(ConventionName):
            known = ", ".join(get_args(ConventionName))
            raise OptionError(f"there is no format {convention!r}; choose one of {known}")
        if separator is not None and separator not in get_args(Separator):
            raise OptionError(
                f"the separator cannot be {separator!r}; choose {', '.join(SEPARATORS)}"
            )
        if header is not None and not isinstance(header, bool):
            raise OptionError(f"header cannot be {header!r}; choose True or False")
        if on_nan not in get_args(OnNan):
            raise OptionError(f"on_nan cannot be {on_nan!r}; choose {', '.join(get_args(OnNan))}")
        if decimal not in get_args(Decimal):
            raise OptionError(f"decimal cannot be {decimal!r}; choose point or comma")
        if decimal == "comma" and separator in ("comma", ","):
            raise OptionError("a comma cannot separate both columns and the fraction of a number")
        request = cls(
            contents,
            convention=convention,
            separator=None if separator is None else SEPARATORS.get(separator, separator),
            header=header,
            allow_infinite=allow_infinite,
            on_nan=on_nan,
            decimal=decimal,
            joins=joins,
            keep=_kept_names(keep),
        )
        if labels is not None:
            request = replace(request, label_of_word=_vocabulary(labels))
        return request if columns is None else request._with_columns(columns)

    def _with_columns(self, columns: Columns) -> Self:
        name = self.setting("columns")
        pairs, roles = _named_or_ordered(columns, name)
        for role in roles:
            if role not in ROLES:
                raise OptionError(
                    name, f": there is no role {role!r}; choose from {', '.join(ROLES)}"
                )
            if role != "-" and roles.count(role) > 1:
                raise OptionError(name, f": the role {role} occurs twice")
        if pairs and self.header is False:
            raise OptionError(
                name, " gives names of columns, but the file has none: ", Setting("header", False)
            )
        return replace(self, named=pairs) if pairs else replace(self, columns=roles)

    def setting(self, name: str, value: str | None = None) -> Setting:
        """A setting for the file in question; some of those for a key have names of their own."""
        if self.contents == "key" and name in {"columns", "convention"}:
            name = f"key_{name}"
        return Setting(name, value)

    @property
    def given_columns(self) -> Setting:
        """The roles of the columns, as the user gave them."""
        return self.setting("columns", ",".join(self.columns))

    def check_columns(self, count: int, source: str) -> None:
        """Raise a TrialFileError if a file cannot have the columns that the user gave."""
        if len(self.columns) != count:
            raise TrialFileError(
                f"{source}: has {count} columns, but {len(self.columns)} were named: ",
                self.given_columns,
            )
        given = {*self.columns, *(["label"] if {*SPEAKERS} <= {*self.columns} else [])}
        for role, needed in (("score", self.needs_score), ("label", self.needs_label)):
            if needed and role not in given:
                raise TrialFileError(
                    f"{source}: no column was named as the {role}: ", self.given_columns
                )

    def unusable(self, scores: Array) -> Bools:
        """Which scores are refused: infinite ones unless they are LLRs, and NaN unless dropped."""
        if self.on_nan == "error":
            return np.isnan(scores) if self.allow_infinite else ~np.isfinite(scores)
        return np.zeros(scores.shape, bool) if self.allow_infinite else np.isinf(scores)

    def with_point(self, value: str) -> str:
        """A value in which a decimal comma is a point."""
        is_number = self.decimal == "comma" and _WITH_COMMA.fullmatch(value)
        return value.replace(",", ".") if is_number else value

    def as_numbers(self, texts: pl.Series) -> pl.Series:
        """Texts as doubles; null where one is not a number."""
        if self.decimal == "comma":
            texts = texts.str.replace(",", ".", literal=True)
        return texts.cast(pl.Float64, strict=False)

    def as_text(self, numbers: Array) -> pl.Series:
        """Numbers as the shortest text that reads back as the same number."""
        texts = pl.Series(np.asarray(numbers)).cast(pl.String)
        return texts.str.replace(".", ",", literal=True) if self.decimal == "comma" else texts

    @property
    def needs_score(self) -> bool:
        return self.contents != "key"

    @property
    def needs_ids(self) -> bool:
        return self.joins and self.contents in ("scores", "key")

    @property
    def needs_label(self) -> bool:
        return self.contents in ("key", "trials")


def _named_or_ordered(
    columns: Columns, setting: Setting
) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Roles with the names of their columns, if there are names, and the roles."""
    if isinstance(columns, Mapping) and columns and _are_texts([*columns, *columns.values()]):
        return tuple(columns.items()), tuple(columns)
    entries = [one.strip() for one in columns.split(",")] if isinstance(columns, str) else columns
    if isinstance(columns, Mapping) or not _are_texts(entries):
        raise OptionError(
            setting,
            f" cannot be {columns!r}; give the roles in the order of the file "
            "('enrol,test,score,label' or a tuple), or a name for each role "
            "('score=plda,label=key' or a dict)",
        )
    split = [entry.partition("=") for entry in entries]
    pairs = [(role, name) for role, sign, name in split if sign]
    if pairs and len(pairs) < len(entries):
        raise OptionError(
            setting,
            f" {columns!r} mixes two ways of naming: give roles in the order of the file "
            "(enrol,test,score,label), or a name for each role (score=plda,label=key)",
        )
    return tuple(pairs), tuple(role for role, _ in pairs) or tuple(entries)


def _vocabulary(labels: LabelWords) -> tuple[tuple[str, Label], ...]:
    words = [word.strip() for word in labels.split(",")] if isinstance(labels, str) else labels
    if (
        not _are_texts(words)
        or len(words) not in (2, 3)
        or len(set(words)) < len(words)
        or not all(words)
    ):
        raise OptionError(
            Setting("labels"),
            f" cannot be {labels!r}; give the words for target and non-target, such as 'Yes,No', "
            "and a third for spoof if there is one",
        )
    kinds = (Label.TARGET, Label.NONTARGET, Label.SPOOF)
    return tuple(zip(words, kinds[: len(words)], strict=True))


def _kept_names(keep: Sequence[str]) -> tuple[str, ...]:
    if isinstance(keep, str) or (len(keep) and not _are_texts(keep)):
        raise OptionError(f"keep is {keep!r:.80}; give a list of names of columns")
    return tuple(dict.fromkeys(keep))


def _are_texts(values: Any) -> bool:
    """Whether this is a sequence of strings that is not empty."""
    return (
        isinstance(values, Sequence)
        and len(values) > 0
        and all(isinstance(value, str) for value in values)
    )
