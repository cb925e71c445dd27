"""Roles for columns without names: which conventions they agree with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from llrcal.errors import TrialFileError
from llrcal.messages import Message, Setting
from llrcal.trials.conventions import CONVENTIONS, IDS, SPEAKERS, Convention
from llrcal.trials.request import Request
from llrcal.trials.text.column_profile import ColumnProfile


def fitting_conventions(
    rows: Sequence[Sequence[str]], profiles: Sequence[ColumnProfile], request: Request, source: str
) -> list[Convention]:
    """The conventions that the columns agree with; an error if there are none."""
    if request.columns:
        return [_as_given(profiles, request, source)]
    if request.contents == "class" and request.convention is None and profiles[-1].number:
        return [_last_column(profiles, request, source)]
    possible = [
        convention
        for convention in CONVENTIONS
        if request.convention in {None, convention.name}
        and _fits(convention, rows, profiles, request)
    ]
    if request.contents == "key":  # the labels are the same whether a number is an id or a score
        possible = [c for c in possible if not c.has_score] or possible
    possible = [c for c in possible if not _repeats(c, rows)] or possible
    likely = [c for c in possible if _is_likely(c, profiles)]
    if likely and not any(_is_weak(c, profiles) for c in likely):
        possible = likely
    out: dict[tuple[str, ...], Convention] = {}
    for convention in possible:
        out.setdefault(_what_matters(convention, request), convention)
    if out:
        return list(out.values())
    raise _nothing_fits(rows, profiles, request, source)


def _is_likely(convention: Convention, profiles: Sequence[ColumnProfile]) -> bool:
    """Whether the names look like names, and not like measurements."""
    return all(
        profile.fits(role) for role, profile in zip(convention.columns, profiles, strict=True)
    )


def _repeats(convention: Convention, rows: Sequence[Sequence[str]]) -> bool:
    """Whether most trials would occur more than once."""
    ids = [i for i, role in enumerate(convention.columns) if role in IDS or role == SPEAKERS[0]]
    distinct = {tuple(row[i] for i in ids) for row in rows}
    return "test" in convention.columns and 2 * len(distinct) < len(rows)


def _is_weak(convention: Convention, profiles: Sequence[ColumnProfile]) -> bool:
    """Whether the labels are numbers, or follow from the speakers: they may not be labels."""
    if "label" in convention.columns:
        return profiles[convention.columns.index("label")].number
    return convention.has_label


def _last_column(profiles: Sequence[ColumnProfile], request: Request, source: str) -> Convention:
    """The scores of one class, unless an earlier column looks more like them."""
    *others, last = profiles
    for number, profile in enumerate(others, 1):
        if (profile.measurement and not last.measurement) or (profile.number and last.label):
            raise TrialFileError(
                f"{source}: the scores could be in column {number} or in the last; choose: ",
                request.setting("columns", f"{','.join('-' for _ in others)},score"),
            )
    roles = ("-",) * len(others) + ("score",)
    return Convention("class", "scores in the last column", roles)


def _fits(
    convention: Convention,
    rows: Sequence[Sequence[str]],
    profiles: Sequence[ColumnProfile],
    request: Request,
) -> bool:
    if len(convention.columns) != len(profiles):
        return False
    if (request.needs_score and not convention.has_score) or (
        request.needs_label and not convention.has_label
    ):
        return False
    if not all(
        profile.may_fit(role) for role, profile in zip(convention.columns, profiles, strict=True)
    ):
        return False
    if "kind" in convention.columns and profiles[convention.columns.index("label")].number:
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


def _as_given(profiles: Sequence[ColumnProfile], request: Request, source: str) -> Convention:
    request.check_columns(len(profiles), source)
    for role in (role for role in ("score", "label") if role in request.columns):
        number = request.columns.index(role) + 1
        if not profiles[number - 1].fits(role):
            raise TrialFileError(
                f"{source}: column {number} was named as the {role}, but looks like "
                f"{profiles[number - 1]}: ",
                request.given_columns,
            )
    return Convention("as given", "columns as given", request.columns)


def _nothing_fits(
    rows: Sequence[Sequence[str]], profiles: Sequence[ColumnProfile], request: Request, source: str
) -> TrialFileError:
    seen = ", ".join([*map(str, profiles[:8]), *(["..."] if len(profiles) > 8 else [])])
    first = " ".join(rows[0])[:60]
    named = [c for c in CONVENTIONS if request.convention in {None, c.name}]
    only = [
        contents
        for contents in ("key", "scores")
        if any(_fits(c, rows, profiles, replace(request, contents=contents)) for c in named)
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
