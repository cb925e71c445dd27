"""Roles for the columns of a file: by what they hold, by convention, or by their names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Self

from llrcal.errors import TrialFileError
from llrcal.inputs.labels import FORENSIC_WORDS
from llrcal.messages import Message, Setting
from llrcal.trials.conventions import (
    CONVENTIONS,
    IDS,
    PEOPLE,
    SPEAKERS,
    Convention,
    are_counts,
    is_decision,
    kept_role,
    known_from,
    person_in,
    role_of,
    roles_of_counts,
)
from llrcal.trials.request import Request

_NUMBER = r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|(?i:inf(?:inity)?|nan))"
NUMBER = re.compile(_NUMBER, re.ASCII)
_SCORES = re.compile(r"(?i)score|\bl?lr|similarity|cosine|plda")
_MOST = 0.9  # a few odd values do not make a different column: they are reported later
_ATTACK = r"[A-Z]\d{2}"
_TRAITS = {
    "number": (NUMBER, _MOST),
    "mainly number": (NUMBER, 0.5),
    "measurement": (re.compile(rf"(?!\d+$){_NUMBER}", re.ASCII), 0.5),  # as no id is
    # Many cannot be names, being negative with a point, or with many digits.
    "precise": (re.compile(rf"(?=-\d*\.\d|[+-]?\d*\.\d{{4}}){_NUMBER}", re.ASCII), 0.25),
    "kind": (re.compile(rf"bonafide|spoof|-|Task\d-team\d+|{_ATTACK}"), 1),  # bona fide, or attack
    "attack": (re.compile(_ATTACK), 1),  # such as A07, which may be an id as well
    "side": (re.compile(r"[abAB]"), 1),
    "with comma": (re.compile(r"[^,]*,.*", re.DOTALL), 0.5),
    "maybe comma": (re.compile(r"[+-]?\d+(?:,\d+)?(?:[eE][+-]?\d+)?", re.ASCII), 1),
    "forensic": (re.compile("|".join(FORENSIC_WORDS)), 1),  # a hypothesis
}
"""What values may have in common, and the share of them that makes it a trait of the column."""

_TRAIT_OF_ROLE = {"score": "number", "label": "label", "kind": "kind", "side": "side"}


class ColumnSketch(frozenset[str]):
    """What the values at the beginning of a column have in common: some of the traits above.

    ``label`` is another: most are words for target, non-target or spoof.
    """

    @classmethod
    def of(cls, values: Sequence[str], words: frozenset[str]) -> Self:
        count = max(len(values), 1)
        texts = Counter(value.strip() for value in values)
        share = {
            trait: sum(n for text, n in texts.items() if pattern.fullmatch(text)) / count
            for trait, (pattern, _) in _TRAITS.items()
        }
        found = {trait for trait, (_, least) in _TRAITS.items() if share[trait] >= least}
        are_words = sum(value in words for value in values) >= _MOST * count
        if are_words and not 1 - _MOST < share["number"] < _MOST:  # "1" and "no" don't mix
            found.add("label")
        return cls(found)

    def fits(self, role: str) -> bool:
        """Whether a column like this is likely to have a role: names are not measurements."""
        return self.may_fit(role) and not (role in IDS and "measurement" in self)

    def may_fit(self, role: str) -> bool:
        """Whether a column like this can have a role at all: numbers can be names."""
        if role in _TRAIT_OF_ROLE:
            return _TRAIT_OF_ROLE[role] in self
        is_kind = "kind" in self and "attack" not in self
        is_word = "label" in self and "number" not in self
        return role not in IDS or not (is_kind or is_word or "precise" in self)

    def __str__(self) -> str:
        return " or ".join(one for one in ("label", "number") if one in self) or "text"


Sketches = Sequence[ColumnSketch]
Rows = Sequence[Sequence[str]]
"""The values on each line."""


# ---------------------------------------------------------------- columns without names


def fitting_conventions(rows: Rows, sketches: Sketches, request: Request) -> list[Convention]:
    """The conventions that the columns agree with; an error if there are none."""
    if request.columns:
        return [_as_given(sketches, request)]
    if request.contents == "class" and request.convention is None and "number" in sketches[-1]:
        last = _last_column(sketches, request)
        with suppress(TrialFileError):  # there may be labels nevertheless
            return fitting_conventions(rows, sketches, replace(request, contents="trials"))
        return [last]
    held = _possible(rows, sketches, request)
    possible = list(held)
    if request.contents == "key":  # the labels are the same whether a number is an id or a score
        possible = [c for c in possible if "score" not in c.columns] or possible
    possible = [c for c in possible if not _repeats(c, rows)] or possible
    likely = [c for c in possible if all(s.fits(role) for role, s in held[c].items())]
    # Labels that are numbers, or follow from the speakers, may not be labels.
    labels = [held[c].get("label", {"number"}) for c in likely if "label" in known_from(c.columns)]
    if likely and not any("number" in label for label in labels):
        possible = likely
    # Those that agree in the columns that are read give the same trials.
    read = {*IDS, *SPEAKERS, *request.needed}
    out: dict[tuple[str, ...], Convention] = {}
    for convention in possible:
        matters = tuple(role if role in read else "-" for role in convention.columns)
        out.setdefault(matters, convention)
    if out:
        return list(out.values())
    raise _nothing_fits(rows, sketches, request)


def _possible(
    rows: Rows, sketches: Sketches, request: Request
) -> dict[Convention, dict[str, ColumnSketch]]:
    """The conventions that have what is needed, and whose columns can be these; and which is which.

    Files that say how a recording was made have words for labels. Where there are speakers,
    somebody must be who they claim to be, unless the user says that it is this convention.
    """
    out = {}
    for convention in CONVENTIONS:
        columns = convention.columns
        if request.convention not in {None, convention.name} or len(columns) != len(sketches):
            continue
        held = dict(zip(columns, sketches, strict=True))
        speakers = [columns.index(role) for role in SPEAKERS if role in held]
        if (
            {*request.needed} <= known_from(columns)
            and all(sketch.may_fit(role) for role, sketch in held.items())
            and not ("kind" in held and "number" in held["label"])
            and (request.convention or any(len({row[i] for i in speakers}) < 2 for row in rows))
        ):
            out[convention] = held
    return out


def _repeats(convention: Convention, rows: Rows) -> bool:
    """Whether most trials would occur more than once."""
    ids = [i for i, role in enumerate(convention.columns) if role in IDS or role == SPEAKERS[0]]
    distinct = {tuple(row[i] for i in ids) for row in rows}
    return "test" in convention.columns and 2 * len(distinct) < len(rows)


def _last_column(sketches: Sketches, request: Request) -> Convention:
    """The scores of one class, unless an earlier column looks more like them."""
    *others, last = sketches
    for number, other in enumerate(others, 1):
        if "measurement" in other - last or ("number" in other and "label" in last):
            raise TrialFileError(
                f"the scores could be in column {number} or in the last; choose: ",
                request.setting("columns", f"{','.join('-' for _ in others)},score"),
            )
    roles = ("-",) * len(others) + ("score",)
    return Convention("class", "scores in the last column", roles)


def _as_given(sketches: Sketches, request: Request) -> Convention:
    request.check_columns(len(sketches))
    for number, (role, sketch) in enumerate(zip(request.columns, sketches, strict=True), 1):
        if role in ("score", "label") and not sketch.fits(role):
            raise TrialFileError(
                f"column {number} was named as the {role}, but looks like {sketch}: ",
                request.given_columns,
            )
    return Convention("as given", "columns as given", request.columns)


def _nothing_fits(rows: Rows, sketches: Sketches, request: Request) -> TrialFileError:
    seen = ", ".join([*map(str, sketches[:8]), *(["..."] if len(sketches) > 8 else [])])
    first = " ".join(rows[0])[:60]
    is_key, is_scores = (
        bool(_possible(rows, sketches, replace(request, contents=contents)))
        for contents in ("key", "scores")
    )
    hint: Message
    if is_key and request.contents != "key":
        hint = ("there are labels but no scores: this is a key",)
    elif is_scores and request.contents == "trials":
        hint = ("there are scores but no labels; give a key: ", Setting("key", "FILE"))
    elif is_scores and request.contents == "key":
        hint = ("there are scores but no labels: this is not a key",)
    elif request.convention is not None:
        hint = (f"this is not the format {request.convention}",)
    else:
        roles = ",".join(("enrol", "test", *request.needed))
        hint = ("name them: ", request.setting("columns", roles), ", with - for any other")
    return TrialFileError(f"the columns look like {seen} ({first!r}); ", *hint)


# ---------------------------------------------------------------- columns with names


def roles_by_name(names: Sequence[str], sketches: Sketches, request: Request) -> tuple[str, ...]:
    """A role for every named column, or ``-``; an error if a role that is needed is not clear."""
    if are_counts(names):
        return roles_of_counts(names)
    with suppress(TrialFileError):
        if request.contents == "class" and not request.named:  # it may have labels nevertheless
            return roles_by_name(names, sketches, replace(request, contents="trials"))
    roles = _roles_by_common_names(names, request)
    needed = request.needed
    for i, role in enumerate(roles):
        is_half_score = role == "score" and "mainly number" in sketches[i]  # or refused later
        if role in ("score", "label") and not (sketches[i].fits(role) or is_half_score):
            if role in dict(request.named) or role in needed:
                raise _unfit(role, names[i], request)
            roles[i] = "-"
    _name_speakers(names, roles, request, PEOPLE[:-1])
    given = known_from(roles)
    for i, name in enumerate(names):  # a column with another role is kept by with_derived_columns
        if name in request.keep and roles[i] == "-":
            roles[i] = kept_role(name)
    if "label" in needed and "label" in given and "label" not in roles:
        _refuse_two_labels(names, sketches, roles, request)
    for role in needed:
        if role not in given:
            looks = [
                i
                for i, sketch in enumerate(sketches)
                if roles[i] == "-"
                and sketch.fits(role)
                and not ("label" in sketch if role == "score" else is_decision(names[i]))
            ]
            if len(looks) != 1:
                raise _unclear(role, names, looks, request)
            roles[looks[0]] = role
    _name_speakers(names, roles, request, PEOPLE[-1:])  # from which no labels follow
    return tuple(roles)


def _refuse_two_labels(
    names: Sequence[str], sketches: Sketches, roles: Sequence[str], request: Request
) -> None:
    """Refuse words for labels where labels would follow from speakers that are not named."""
    every = zip(names, roles, sketches, strict=True)
    words = [
        name
        for name, role, sketch in every
        if role == "-" and "label" in sketch and "number" not in sketch and not is_decision(name)
    ]
    if words and not {*SPEAKERS} <= {role for role, _ in request.named}:
        speakers = ",".join(f"{role}={names[roles.index(role)]}" for role in SPEAKERS)
        raise TrialFileError(
            f"labels could be those of {_listed(words)}, or follow from the speakers; choose: ",
            request.setting("columns", f"label={words[0]}"),
            " or ",
            request.setting("columns", speakers),
        )


def _name_speakers(
    names: Sequence[str], roles: list[str], request: Request, words: Sequence[str]
) -> None:
    """Give two columns the roles of speakers if their names have one of the words in common."""
    known = [person_in(name) for name in names]
    for word in words if request.finds_speakers else ():
        if not {*SPEAKERS}.isdisjoint(roles):
            return
        places = [
            [i for i, one in enumerate(known) if one == (word, role) and roles[i] == "-"]
            for role in SPEAKERS
        ]
        if [len(some) for some in places] == [1, 1]:
            for (place,), role in zip(places, SPEAKERS, strict=True):
                roles[place] = role


def are_hypotheses(roles: Sequence[str], sketches: Sketches) -> bool:
    """Whether labels are hypotheses, Hp and Hd."""
    return "label" in roles and "forensic" in sketches[roles.index("label")]


def could_be_ids(names: Sequence[str], roles: Sequence[str], sketches: Sketches) -> tuple[str, ...]:
    """The named columns without a role that may hold ids, not being labels or measurements."""
    return tuple(
        name
        for name, role, sketch in zip(names, roles, sketches, strict=True)
        if role == "-" and name and sketch.fits("test")
    )


def _roles_by_common_names(names: Sequence[str], request: Request) -> list[str]:
    """Roles by what the user says, then by common names."""
    roles = ["-"] * len(names)
    for role, name in request.named:
        roles[_place(name, names)] = role
    for role in (*IDS, *(SPEAKERS if request.finds_speakers else ()), "label", "score"):
        if role in roles or (role == "label" and request.named and request.contents == "class"):
            continue
        free = [i for i, name in enumerate(names) if roles[i] == "-" and role_of(name) == role]
        if len(free) == 1:
            roles[free[0]] = role
        elif free and (request.needs_ids or role in ("label", "score")):
            raise _unclear(role, names, free, request)
    return roles


def in_order(names: Sequence[str], request: Request) -> Request:
    """The request, with roles in order for columns that it knows by name: the score, or kept."""
    roles = list(request.columns)
    if len(roles) != len(names):  # no roles, no names, or refused later
        return request
    if request.named:
        roles = ["-" if role == "score" else role for role in roles]
        roles[_place(dict(request.named)["score"], names)] = "score"
    for i, name in enumerate(names):
        if name in request.keep and roles[i] == "-":
            roles[i] = kept_role(name)
    return replace(request, columns=tuple(roles), named=())


def _place(name: str, names: Sequence[str]) -> int:
    count = list(names).count(name)
    if count != 1:
        what = f"there are {count} columns" if count else "there is no column"
        raise TrialFileError(f"{what} {name!r}; the columns are {_listed(names)}")
    return list(names).index(name)


def _unclear(
    role: str, names: Sequence[str], free: Sequence[int], request: Request
) -> TrialFileError:
    """The error for a role that several columns could have, or none."""
    if free:
        found = [names[i] for i in free]
        likely = filter(_SCORES.search if role == "score" else None, found)
        best = f"{role}={[*likely, 'NAME'][0]}"
        return TrialFileError(
            f"{len(found)} columns could be the {role}: {_listed(found)}; choose one: ",
            request.setting("columns", f'"{best}"' if "," in best else best),
        )
    key: Message = ()
    if role == "label" and request.contents == "trials":
        key = (", or give a key: ", Setting("key", "FILE"))
    return TrialFileError(
        f"none of the columns {_listed(names)} looks like the {role}; name it: ",
        request.setting("columns", f"{role}=NAME"),
        *key,
    )


def _unfit(role: str, name: str, request: Request) -> TrialFileError:
    holds = "does not hold numbers" if role == "score" else "does not hold labels"
    words: Message = ()
    if role == "label":
        words = (", or define its labels: ", Setting("labels", "TARGET,NONTARGET"))
    return TrialFileError(
        f"column {name!r} should be the {role}, but {holds}; name another: ",
        request.setting("columns", f"{role}=NAME"),
        *words,
    )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:12])
    return shown if len(names) <= 12 else f"{shown} and {len(names) - 12} more"
