"""Roles for the columns of a file: by what they hold, by convention, or by their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from llrcal.errors import TrialFileError
from llrcal.inputs.labels import FORENSIC_WORDS
from llrcal.messages import Message, Setting
from llrcal.trials.conventions import (
    CONVENTIONS,
    IDS,
    SPEAKERS,
    Convention,
    is_decision,
    kept_role,
    role_of,
)
from llrcal.trials.request import Request

NUMBER = re.compile(
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)", re.ASCII | re.IGNORECASE
)
_WHOLE = re.compile(r"\d+", re.ASCII)
_PRECISE = re.compile(r"-\d*\.\d+.*|[+-]?\d*\.\d{4,}.*", re.ASCII)
_ATTACK = re.compile(r"[A-Z]\d{2}")
_KIND = re.compile(rf"bonafide|spoof|-|Task\d-team\d+|{_ATTACK.pattern}")
_SIDE = re.compile(r"[abAB]")
_MAYBE_COMMA = re.compile(r"[+-]?\d+(?:,\d+)?(?:[eE][+-]?\d+)?", re.ASCII)


_MOST = 0.9  # a few odd values do not make a different column: they are reported later


@dataclass(frozen=True)
class ColumnSketch:
    """What the values at the beginning of a column have in common."""

    number: bool
    """Most are numbers."""
    measurement: bool
    """Most are numbers with a point, a sign or an exponent, which ids are not."""
    precise: bool
    """Many are numbers that cannot be names: negative with a point, or with many digits."""
    label: bool
    """Most are words for target, non-target or spoof."""
    kind: bool
    """Each says bona fide, or which attack."""
    attack: bool
    """Each looks like the name of an attack, such as A07, which may be an id as well."""
    side: bool
    """Each is a or b."""
    decimal_comma: bool
    """Each is a number, and many have a decimal comma."""
    forensic: bool
    """Each is a hypothesis, Hp or Hd."""

    @classmethod
    def of(cls, values: Sequence[str], words: frozenset[str]) -> ColumnSketch:
        count = max(len(values), 1)
        numbers = [value for value in values if NUMBER.fullmatch(value.strip())]
        whole = sum(1 for value in numbers if _WHOLE.fullmatch(value))
        distinct = set(values)

        def all_match(pattern: re.Pattern[str]) -> bool:
            return bool(distinct) and all(pattern.fullmatch(value) for value in distinct)

        return cls(
            number=len(numbers) >= _MOST * count,
            measurement=len(numbers) - whole >= count / 2,
            precise=sum(1 for value in numbers if _PRECISE.fullmatch(value)) >= count / 4,
            label=sum(1 for value in values if value in words) >= _MOST * count
            and not (1 - _MOST) * count < len(numbers) < _MOST * count,  # "1" and "no" don't mix
            kind=all_match(_KIND),
            attack=all_match(_ATTACK),
            side=all_match(_SIDE),
            decimal_comma=2 * sum("," in value for value in values) >= count
            and all_match(_MAYBE_COMMA),
            forensic=bool(distinct) and distinct <= FORENSIC_WORDS,
        )

    def fits(self, role: str) -> bool:
        """Whether a column like this is likely to have a role: names are not measurements."""
        return self.may_fit(role) and not (role in IDS and self.measurement)

    def may_fit(self, role: str) -> bool:
        """Whether a column like this can have a role at all: numbers can be names."""
        if role in {"score", "label", "kind", "side"}:
            return bool(getattr(self, "number" if role == "score" else role))
        if role in IDS:
            is_kind = self.kind and not self.attack
            is_word = self.label and not self.number
            return not is_kind and not is_word and not self.precise
        return True

    def __str__(self) -> str:
        if self.label:
            return "label or number" if self.number else "label"
        return "number" if self.number else "text"


# ---------------------------------------------------------------- columns without names


def fitting_conventions(
    rows: Sequence[Sequence[str]], sketches: Sequence[ColumnSketch], request: Request, source: str
) -> list[Convention]:
    """The conventions that the columns agree with; an error if there are none."""
    if request.columns:
        return [_as_given(sketches, request, source)]
    if request.contents == "class" and request.convention is None and sketches[-1].number:
        return [_last_column(sketches, request, source)]
    possible = [
        convention
        for convention in CONVENTIONS
        if request.convention in {None, convention.name}
        and _fits(convention, rows, sketches, request)
    ]
    if request.contents == "key":  # the labels are the same whether a number is an id or a score
        possible = [c for c in possible if not c.has_score] or possible
    possible = [c for c in possible if not _repeats(c, rows)] or possible
    likely = [c for c in possible if _is_likely(c, sketches)]
    if likely and not any(_is_weak(c, sketches) for c in likely):
        possible = likely
    out: dict[tuple[str, ...], Convention] = {}
    for convention in possible:
        out.setdefault(_what_matters(convention, request), convention)
    if out:
        return list(out.values())
    raise _nothing_fits(rows, sketches, request, source)


def _is_likely(convention: Convention, sketches: Sequence[ColumnSketch]) -> bool:
    """Whether the names look like names, and not like measurements."""
    return all(sketch.fits(role) for role, sketch in zip(convention.columns, sketches, strict=True))


def _repeats(convention: Convention, rows: Sequence[Sequence[str]]) -> bool:
    """Whether most trials would occur more than once."""
    ids = [i for i, role in enumerate(convention.columns) if role in IDS or role == SPEAKERS[0]]
    distinct = {tuple(row[i] for i in ids) for row in rows}
    return "test" in convention.columns and 2 * len(distinct) < len(rows)


def _is_weak(convention: Convention, sketches: Sequence[ColumnSketch]) -> bool:
    """Whether the labels are numbers, or follow from the speakers: they may not be labels."""
    if "label" in convention.columns:
        return sketches[convention.columns.index("label")].number
    return convention.has_label


def _last_column(sketches: Sequence[ColumnSketch], request: Request, source: str) -> Convention:
    """The scores of one class, unless an earlier column looks more like them."""
    *others, last = sketches
    for number, sketch in enumerate(others, 1):
        if (sketch.measurement and not last.measurement) or (sketch.number and last.label):
            raise TrialFileError(
                f"{source}: the scores could be in column {number} or in the last; choose: ",
                request.setting("columns", f"{','.join('-' for _ in others)},score"),
            )
    roles = ("-",) * len(others) + ("score",)
    return Convention("class", "scores in the last column", roles)


def _fits(
    convention: Convention,
    rows: Sequence[Sequence[str]],
    sketches: Sequence[ColumnSketch],
    request: Request,
) -> bool:
    if len(convention.columns) != len(sketches):
        return False
    if (request.needs_score and not convention.has_score) or (
        request.needs_label and not convention.has_label
    ):
        return False
    if not all(
        sketch.may_fit(role) for role, sketch in zip(convention.columns, sketches, strict=True)
    ):
        return False
    if "kind" in convention.columns and sketches[convention.columns.index("label")].number:
        return False  # files that say how a recording was made have words for labels
    if request.convention is None and set(SPEAKERS) <= set(convention.columns):
        # Somebody must be who they claim to be.
        claimed, real = (convention.columns.index(role) for role in SPEAKERS)
        return any(row[claimed] == row[real] for row in rows)
    return True


def _what_matters(convention: Convention, request: Request) -> tuple[str, ...]:
    """The columns that are read: conventions that agree in these give the same trials."""
    roles = {*IDS, *SPEAKERS}
    if request.needs_score:
        roles.add("score")
    if request.needs_label:
        roles.add("label")
    return tuple(role if role in roles else "-" for role in convention.columns)


def _as_given(sketches: Sequence[ColumnSketch], request: Request, source: str) -> Convention:
    request.check_columns(len(sketches), source)
    for role in (role for role in ("score", "label") if role in request.columns):
        number = request.columns.index(role) + 1
        if not sketches[number - 1].fits(role):
            raise TrialFileError(
                f"{source}: column {number} was named as the {role}, but looks like "
                f"{sketches[number - 1]}: ",
                request.given_columns,
            )
    return Convention("as given", "columns as given", request.columns)


def _nothing_fits(
    rows: Sequence[Sequence[str]], sketches: Sequence[ColumnSketch], request: Request, source: str
) -> TrialFileError:
    seen = ", ".join([*map(str, sketches[:8]), *(["..."] if len(sketches) > 8 else [])])
    first = " ".join(rows[0])[:60]
    named = [c for c in CONVENTIONS if request.convention in {None, c.name}]
    only = [
        contents
        for contents in ("key", "scores")
        if any(_fits(c, rows, sketches, replace(request, contents=contents)) for c in named)
    ]
    hint: Message
    if request.contents != "key" and "key" in only:
        hint = ("there are labels but no scores: this is a key",)
    elif request.contents == "trials" and "scores" in only:
        hint = ("there are scores but no labels; give a key: ", Setting("key", "FILE"))
    elif request.contents == "key" and "scores" in only:
        hint = ("there are scores but no labels: this is not a key",)
    elif request.convention is not None:
        hint = (f"this is not the format {request.convention}",)
    else:
        roles = "enrol,test" + ",score" * request.needs_score + ",label" * request.needs_label
        hint = ("name them: ", request.setting("columns", roles), ", with - for any other")
    return TrialFileError(f"{source}: the columns look like {seen} ({first!r}); ", *hint)


# ---------------------------------------------------------------- columns with names


def roles_by_name(
    names: Sequence[str], sketches: Sequence[ColumnSketch], request: Request, source: str
) -> tuple[str, ...]:
    """A role for every named column, or ``-``; an error if a role that is needed is not clear."""
    roles = _roles_by_common_names(names, request, source)
    needed = {"score": request.needs_score, "label": request.needs_label}
    for i, role in roles.items():
        if role in needed and not sketches[i].fits(role):
            if role in dict(request.named) or needed[role]:
                raise _unfit(source, role, names[i], request)
            roles[i] = "-"
    taken = set(roles.values())
    for i, name in enumerate(names):  # a column with another role is kept by with_derived_columns
        if name in request.keep and roles[i] == "-":
            roles[i] = kept_role(name)
    free = [i for i in roles if roles[i] == "-"]
    if request.needs_score and "score" not in taken:
        numbers = [i for i in free if sketches[i].number and not sketches[i].label]
        roles[_the_one(numbers, names, "score", request, source)] = "score"
    if request.needs_label and "label" not in taken and not {*SPEAKERS} <= taken:
        labels = [i for i in free if sketches[i].label and not is_decision(names[i])]
        if not labels and request.contents == "trials":
            raise TrialFileError(
                f"{source}: none of the columns {_listed(names)} looks like the label; name it: ",
                request.setting("columns", "label=NAME"),
                ", or give a key: ",
                Setting("key", "FILE"),
            )
        roles[_the_one(labels, names, "label", request, source)] = "label"
    return tuple(roles.values())


def could_be_ids(
    names: Sequence[str], roles: Sequence[str], sketches: Sequence[ColumnSketch]
) -> tuple[str, ...]:
    """The named columns without a role that may hold ids, not being labels or measurements."""
    return tuple(
        name
        for name, role, sketch in zip(names, roles, sketches, strict=True)
        if role == "-" and name and sketch.fits("test")
    )


def _roles_by_common_names(names: Sequence[str], request: Request, source: str) -> dict[int, str]:
    """Roles by what the user says, then by common names."""
    roles = dict.fromkeys(range(len(names)), "-")
    for role, name in request.named:
        count = list(names).count(name)
        if count != 1:
            what = f"there are {count} columns" if count else "there is no column"
            raise TrialFileError(f"{source}: {what} {name!r}; the columns are {_listed(names)}")
        roles[list(names).index(name)] = role
    for role in (*IDS, *SPEAKERS, "label", "score"):
        if role in roles.values():
            continue
        free = [i for i, name in enumerate(names) if roles[i] == "-" and role_of(name) == role]
        if len(free) > 1:
            if role in (*IDS, *SPEAKERS) and not request.needs_ids:
                continue
            raise _ambiguous(source, role, [names[i] for i in free], request)
        for i in free:
            roles[i] = role
    return roles


def _the_one(
    free: Sequence[int], names: Sequence[str], role: str, request: Request, source: str
) -> int:
    if len(free) > 1:
        raise _ambiguous(source, role, [names[i] for i in free], request)
    if not free:
        raise TrialFileError(
            f"{source}: none of the columns {_listed(names)} looks like the {role}; name it: ",
            request.setting("columns", f"{role}=NAME"),
        )
    return free[0]


def _ambiguous(source: str, role: str, names: Sequence[str], request: Request) -> TrialFileError:
    return TrialFileError(
        f"{source}: {len(names)} columns could be the {role}: {_listed(names)}; choose one: ",
        request.setting("columns", f"{role}={names[0]}"),
    )


def _unfit(source: str, role: str, name: str, request: Request) -> TrialFileError:
    holds = "does not hold numbers" if role == "score" else "does not hold labels"
    words: Message = ()
    if role == "label":
        words = (", or define its labels: ", Setting("labels", "TARGET,NONTARGET"))
    return TrialFileError(
        f"{source}: column {name!r} should be the {role}, but {holds}; name another: ",
        request.setting("columns", f"{role}=NAME"),
        *words,
    )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:12])
    return shown if len(names) <= 12 else f"{shown} and {len(names) - 12} more"
