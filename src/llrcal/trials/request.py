"""How to read trials: what the user says about files, and what the reader of each looks for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, TypedDict, get_args

import numpy as np
import polars as pl

from llrcal.arrays import Array, Bools
from llrcal.errors import OptionError, TrialFileError
from llrcal.inputs.labels import LABEL_OF_WORD, Label
from llrcal.messages import Message, Setting
from llrcal.notes import Note
from llrcal.trials.conventions import ROLES, SPEAKERS, ConventionName, known_from, names_in
from llrcal.trials.speakers import rule_of

Contents = Literal["scores", "key", "trials", "class"]
"""Scores; a key; scores with labels; or the scores of one class."""

Columns = str | Mapping[str, str] | Sequence[str]
"""Roles in the order of the file, or the name of the column for each role."""

LabelWords = str | Sequence[str]
"""The words for target and non-target, and perhaps a third for spoof."""

Separator = Literal["tab", "comma", "semicolon", "space", "\t", ",", ";", " "]

Decimal = Literal["point", "comma"]
"""What separates the fraction of a number in a text file."""

OnMissing = Literal["error", "skip"]
"""What becomes of trials without a score, or of scores without a trial in the key."""

OnDuplicates = Literal["error", "first", "all"]
"""What becomes of trials that occur more than once."""

OnNan = Literal["error", "drop"]
"""What becomes of trials whose score is NaN."""

Spoof = Literal["error", "omit", "nontarget", "only"]
"""Refuse them, leave them out, or count them as non-targets: with the others or instead of them."""

_WITH_COMMA = re.compile(r"[+-]?\d*,\d*(?:[eE][+-]?\d+)?", re.ASCII)
SEPARATORS = {"tab": "\t", "comma": ",", "semicolon": ";", "space": " "}
_SIGNS = frozenset(SEPARATORS.values())
TO_DROP_NAN: Message = (", or leave out trials whose score is NaN: ", Setting("on_nan", "drop"))
"""The end of a complaint about scores that are NaN."""

_CHOICES: dict[str, tuple[object, ...]] = {
    "convention": (None, *get_args(ConventionName)),
    "key_convention": (None, *get_args(ConventionName)),
    "separator": (None, *get_args(Separator)),
    "header": (None, True, False),
    "decimal": get_args(Decimal),
    "missing": get_args(OnMissing),
    "unknown": get_args(OnMissing),
    "duplicates": get_args(OnDuplicates),
    "spoof": get_args(Spoof),
    "on_nan": get_args(OnNan),
}
"""What options can be that are one of a few words."""


class ReadKeywords(TypedDict, total=False):
    """The fields of :class:`ReadOptions` as keyword arguments."""

    columns: Columns | None
    convention: ConventionName | None
    key_columns: Columns | None
    key_convention: ConventionName | None
    labels: LabelWords | None
    separator: Separator | None
    header: bool | None
    decimal: Decimal
    missing: OnMissing
    unknown: OnMissing
    duplicates: OnDuplicates
    spoof: Spoof
    allow_infinite: bool
    on_nan: OnNan
    keep: Sequence[str]
    nontargets: Any | None
    speakers_from: str | PathLike[str] | None


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How to read trials, in the words of :func:`llrcal.read_trials`, which explains them.

    They are checked here, once, and passed on as they are.

    Raises
    ------
    OptionError
        If one of them has the wrong type, or is not one of the words that it can be.
    """

    columns: Columns | None = None
    convention: ConventionName | None = None
    key_columns: Columns | None = None
    key_convention: ConventionName | None = None
    labels: LabelWords | None = None
    separator: Separator | None = None
    header: bool | None = None
    decimal: Decimal = "point"
    missing: OnMissing = "error"
    unknown: OnMissing = "error"
    duplicates: OnDuplicates = "error"
    spoof: Spoof = "error"
    allow_infinite: bool = False
    on_nan: OnNan = "error"
    keep: Sequence[str] = ()
    nontargets: Any | None = None
    speakers_from: str | PathLike[str] | None = None

    def __post_init__(self) -> None:
        for name, allowed in _CHOICES.items():
            value = getattr(self, name)
            if not any(isinstance(value, type(one)) and value == one for one in allowed):
                words = ", ".join(
                    str(one) for one in allowed if one is not None and one not in _SIGNS
                )
                raise OptionError(Setting(name), f" cannot be {value!r:.80}; choose {words}")
        if self.decimal == "comma" and self.separator in ("comma", ","):
            raise OptionError("a comma cannot separate both columns and the fraction of a number")
        if isinstance(self.keep, str) or (len(self.keep) and not _are_texts(self.keep)):
            raise OptionError(f"keep is {self.keep!r:.80}; give a list of names of columns")
        rule_of(self.speakers_from)  # or refused; so are columns and labels, below
        if self.names_speakers and self.speakers_from is not None:
            raise OptionError(
                "columns are said to name the speakers, and so is something else: give either ",
                Setting("columns"),
                " or ",
                Setting("speakers_from"),
            )

    @property
    def names_speakers(self) -> bool:
        """Whether the user says which columns name speakers."""
        given = {*self.request("trials").given_roles, *self.request("key").given_roles}
        return not given.isdisjoint(SPEAKERS)

    def unused(self, key: Any | None) -> list[Note]:
        """Notes on options that are about a key, if there is none."""
        of_key = ("key_columns", "key_convention", "missing", "unknown")
        return [] if key is not None else ignored(self, of_key, " is about a key; there is none")

    def refuse_key_and_nontargets(self, key: Any | None) -> None:
        """Raise an OptionError if labels are given in two ways."""
        if key is not None and self.nontargets is not None:
            raise OptionError(
                "a key has the labels of all trials, and non-targets in a file of their own need "
                "none: give either ",
                Setting("key"),
                " or ",
                Setting("nontargets"),
            )

    def request(self, contents: Contents, *, joins: bool = True) -> Request:
        """What the reader of one file should look for.

        ``joins`` says whether scores and labels are joined on ids, which must then be known.
        """
        is_key = contents == "key"
        columns = self.key_columns if is_key else self.columns
        named, roles = ((), ()) if columns is None else self._roles(columns, is_key=is_key)
        words = LABEL_OF_WORD if self.labels is None else _vocabulary(self.labels)
        return Request(
            contents,
            convention=self.key_convention if is_key else self.convention,
            columns=roles,
            named=named,
            separator=SEPARATORS.get(self.separator or "", self.separator),
            header=self.header,
            label_of_word=tuple(words.items()),
            allow_infinite=self.allow_infinite and not is_key,
            on_nan="error" if is_key else self.on_nan,
            keep=tuple(dict.fromkeys(self.keep)),
            decimal=self.decimal,
            joins=joins,
            spoof=self.spoof,
            finds_speakers=self.speakers_from is None,
        )

    def _roles(
        self, columns: Columns, *, is_key: bool
    ) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
        """Roles with the names of their columns, if names are given; or the roles in order."""
        setting = Setting("key_columns" if is_key else "columns")
        if isinstance(columns, str):
            columns = names_in(columns)
        texts = [*columns, *columns.values()] if isinstance(columns, Mapping) else columns
        if not _are_texts(texts):
            raise OptionError(
                setting,
                f" cannot be {columns!r}; give the roles in the order of the file "
                "('enrol,test,score,label' or a tuple), or a name for each role "
                "('score=plda,label=key' or a dict)",
            )
        pairs = columns.items() if isinstance(columns, Mapping) else ()
        given = [*pairs] or [(one.partition("=")[0], one.partition("=")[2]) for one in columns]
        roles, names = [role for role, _ in given], [name for _, name in given if name]
        if names and len(names) < len(given):
            raise OptionError(
                setting,
                f" {columns!r} mixes two ways of naming: give roles in the order of the file "
                "(enrol,test,score,label), or a name for each role (score=plda,label=key)",
            )
        for role in roles:
            if role not in ROLES:
                known = ", ".join(ROLES)
                raise OptionError(setting, f": there is no role {role!r}; choose from {known}")
            if role != "-" and roles.count(role) > 1:
                raise OptionError(setting, f": the role {role} occurs twice")
        if names and self.header is False:
            raise OptionError(
                setting,
                " gives names of columns, but the file has none: ",
                Setting("header", False),
            )
        return (tuple(given), ()) if names else ((), tuple(roles))


@dataclass(frozen=True)
class Request:
    """What a file should hold, and whatever the user says about its form."""

    contents: Contents = "trials"
    convention: str | None = None
    columns: tuple[str, ...] = ()
    """The role of each column in order; empty unless the user gave them all."""
    named: tuple[tuple[str, str], ...] = ()
    """Role and name of the columns that the user named; beside roles in order only the score."""
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
    spoof: Spoof = "error"
    finds_speakers: bool = True
    """Whether columns with the usual names are taken for those of speakers."""

    @property
    def given_roles(self) -> tuple[str, ...]:
        """The roles of the columns that the user gave, in order or with their names."""
        return self.columns or tuple(role for role, _ in self.named)

    @property
    def for_text(self) -> list[Note]:
        """Notes on options that are about text, where a file is something else."""
        of_text = ("convention", "separator", "header", "decimal")
        return ignored(self, of_text, " is about text files; this is none")

    def setting(self, name: str, value: str | None = None) -> Setting:
        """A setting for the file in question; some of those for a key have names of their own."""
        if self.contents == "key" and name in {"columns", "convention"}:
            name = f"key_{name}"
        return Setting(name, value)

    @property
    def given_columns(self) -> Setting:
        """The roles of the columns, as the user gave them."""
        return self.setting("columns", ",".join(self.columns))

    def check_columns(self, count: int) -> None:
        """Raise a TrialFileError if a file cannot have the columns that the user gave."""
        if len(self.columns) != count:
            raise TrialFileError(
                f"has {count} columns, but {len(self.columns)} were named: ", self.given_columns
            )
        for role in self.needed:
            if role not in known_from(self.columns):
                raise TrialFileError(f"no column was named as the {role}: ", self.given_columns)

    def unusable(self, scores: Array) -> Bools:
        """Which scores are refused: infinite ones unless they are LLRs, and NaN unless dropped."""
        if self.on_nan == "error":
            return np.isnan(scores) if self.allow_infinite else ~np.isfinite(scores)
        return np.zeros(scores.shape, bool) if self.allow_infinite else np.isinf(scores)

    def with_point(self, value: str) -> str:
        """A value in which a decimal comma is a point."""
        is_number = self.decimal == "comma" and _WITH_COMMA.fullmatch(value)
        return value.replace(",", ".") if is_number else value

    def score_in(self, text: pl.Expr) -> pl.Expr:
        """Texts as scores; null where one is not a number, or refused.

        Only what is written as infinite is so: other numbers may be too large for a double.
        """
        if self.decimal == "comma":
            text = text.str.replace(",", ".", literal=True)
        number = text.cast(pl.Float64, strict=False)
        is_usable = number.is_finite()
        if self.on_nan != "error":
            is_usable |= number.is_nan()
        if self.allow_infinite:
            is_usable |= number.is_infinite() & text.str.contains("(?i)inf")
        return pl.when(is_usable).then(number)

    def as_number(self, values: Array) -> pl.Series:
        """Values to write; numbers with a decimal comma as text."""
        numbers = pl.Series(np.asarray(values))
        if self.decimal == "point":
            return numbers
        return numbers.cast(pl.String).str.replace(".", ",", literal=True)

    @property
    def needed(self) -> list[str]:
        """What must be there: the score, the label, or both."""
        return ["score"] * self.needs_score + ["label"] * self.needs_label

    @property
    def needs_score(self) -> bool:
        return self.contents != "key"

    @property
    def needs_ids(self) -> bool:
        return self.joins and self.contents in ("scores", "key")

    @property
    def needs_label(self) -> bool:
        return self.contents in ("key", "trials")


def ignored(given: ReadOptions | Request, names: Sequence[str], why: str) -> list[Note]:
    """Notes on those of some options that were given."""
    default = type(given)()
    changed = [name for name in names if getattr(given, name) != getattr(default, name)]
    return [Note.of("ignored", Setting(name), why) for name in changed]


def _vocabulary(labels: LabelWords) -> dict[str, Label]:
    """What the words for labels mean that the user gave."""
    words = names_in(labels) if isinstance(labels, str) else labels
    is_good = _are_texts(words) and all(words) and len({*words}) == len(words)
    if not is_good or len(words) not in (2, 3):
        raise OptionError(
            Setting("labels"),
            f" cannot be {labels!r}; give the words for target and non-target, such as 'Yes,No', "
            "and a third for spoof if there is one",
        )
    return dict(zip(words, (Label.TARGET, Label.NONTARGET, Label.SPOOF), strict=False))


def _are_texts(values: Any) -> bool:
    """Whether this is a sequence of strings that is not empty."""
    is_filled = isinstance(values, Sequence) and len(values) > 0
    return is_filled and all(isinstance(value, str) for value in values)
