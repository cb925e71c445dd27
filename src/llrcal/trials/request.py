"""What the reader of a file is told: what to look for, and what it is not to guess."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self, get_args

import numpy as np

from llrcal.arrays import Array, Bools
from llrcal.errors import OptionError
from llrcal.inputs.labels import LABEL_OF_WORD, Label
from llrcal.trials.conventions import NAMES, ROLES

Contents = Literal["scores", "key", "trials", "class"]
"""Scores; a key; scores with labels; or the scores of one class alone."""

OnNan = Literal["error", "drop"]
"""What becomes of trials whose score is NaN."""

MATRIX = "matrix"
SEPARATORS = {"tab": "\t", "comma": ",", "semicolon": ";", "space": " "}
TO_DROP_NAN = "or leave out trials whose score is NaN: --on-nan drop"
"""The end of a complaint about scores that are NaN."""


@dataclass(frozen=True)
class Request:
    """What a file is to hold, and whatever the user says about its form."""

    contents: Contents = "trials"
    convention: str | None = None
    columns: tuple[str, ...] = ()
    """The role of each column in order, as far as there are no names."""
    named: tuple[tuple[str, str], ...] = ()
    """Role and name of columns that have names."""
    separator: str | None = None
    header: bool | None = None
    label_of_word: tuple[tuple[str, Label], ...] = tuple(LABEL_OF_WORD.items())
    allow_infinite: bool = False
    on_nan: OnNan = "error"

    @classmethod
    def of(
        cls,
        contents: Contents,
        *,
        convention: str | None = None,
        columns: str | None = None,
        separator: str | None = None,
        header: bool | None = None,
        labels: str | None = None,
        allow_infinite: bool = False,
        on_nan: OnNan = "error",
    ) -> Self:
        """A request in the words of the command line.

        Raises
        ------
        OptionError
            If a word is not known.
        """
        if convention is not None and convention not in (*NAMES, MATRIX):
            raise OptionError(
                f"there is no format {convention!r}; choose one of {', '.join((*NAMES, MATRIX))}"
            )
        if separator is not None:
            separator = SEPARATORS.get(separator, separator)
            if separator not in SEPARATORS.values():
                raise OptionError(
                    f"the separator cannot be {separator!r}; choose {', '.join(SEPARATORS)}"
                )
        if on_nan not in get_args(OnNan):
            raise OptionError(f"on_nan cannot be {on_nan!r}; choose {', '.join(get_args(OnNan))}")
        request = cls(
            contents,
            convention=convention,
            separator=separator,
            header=header,
            allow_infinite=allow_infinite,
            on_nan=on_nan,
        )
        if labels is not None:
            request = replace(request, label_of_word=_vocabulary(labels))
        return request if columns is None else request._with_columns(columns)

    def _with_columns(self, columns: str) -> Self:
        entries = [entry.strip() for entry in columns.split(",")]
        pairs = [tuple(entry.split("=", 1)) for entry in entries if "=" in entry]
        if pairs and len(pairs) < len(entries):
            raise OptionError(
                f"columns {columns!r} mix two ways of naming: give roles in the order of the file "
                "(enrol,test,score,label), or a name for each role (score=plda,label=key)"
            )
        roles = [pair[0] for pair in pairs] or entries
        for role in roles:
            if role not in ROLES:
                raise OptionError(f"columns: there is no {role!r}; choose from {', '.join(ROLES)}")
            if role != "-" and roles.count(role) > 1:
                raise OptionError(f"columns: {role} is there twice")
        if pairs and self.header is False:
            raise OptionError(f"columns {columns!r} are names, but the file is to have no header")
        if pairs:
            return replace(self, named=tuple((role, name) for role, name in pairs))
        return replace(self, columns=tuple(roles))

    def unusable(self, scores: Array) -> Bools:
        """Which scores are refused: infinite ones unless they are LLRs, and NaN unless dropped."""
        if self.on_nan == "error":
            return np.isnan(scores) if self.allow_infinite else ~np.isfinite(scores)
        return np.zeros(scores.shape, bool) if self.allow_infinite else np.isinf(scores)

    @property
    def needs_score(self) -> bool:
        return self.contents != "key"

    @property
    def needs_label(self) -> bool:
        return self.contents in ("key", "trials")


def _vocabulary(labels: str) -> tuple[tuple[str, Label], ...]:
    words = [word.strip() for word in labels.split(",")]
    if len(words) not in (2, 3) or len(set(words)) < len(words) or not all(words):
        raise OptionError(
            f"labels {labels!r}: give the words for target and non-target, such as Yes,No, "
            "and a third for spoof where there is one"
        )
    kinds = (Label.TARGET, Label.NONTARGET, Label.SPOOF)
    return tuple(zip(words, kinds[: len(words)], strict=True))
