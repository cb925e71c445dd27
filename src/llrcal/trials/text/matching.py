"""Which conventions the columns of a file without names agree with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from llrcal.errors import TrialFileError
from llrcal.trials.conventions import CONVENTIONS, IDS, SPEAKERS, Convention
from llrcal.trials.request import Request
from llrcal.trials.text.column_kinds import Look


def fitting_conventions(
    rows: Sequence[Sequence[str]], looks: Sequence[Look], request: Request, source: str
) -> list[Convention]:
    """The conventions that the columns agree with; an error where none does."""
    if request.columns:
        return [_as_told(looks, request, source)]
    if request.contents == "class" and request.convention is None and looks[-1].number:
        return [_last_column(looks, source)]
    possible = [
        convention
        for convention in CONVENTIONS
        if request.convention in {None, convention.name} and _fits(convention, rows, looks, request)
    ]
    if request.contents == "key":  # the labels are the same whether a number is an id or a score
        possible = [c for c in possible if not c.has_score] or possible
    possible = [c for c in possible if not _repeats(c, rows)] or possible
    likely = [c for c in possible if _is_likely(c, looks)]
    if likely and not any(_is_weak(c, looks) for c in likely):
        possible = likely
    out: dict[tuple[str, ...], Convention] = {}
    for convention in possible:
        out.setdefault(_what_matters(convention, request), convention)
    if out:
        return list(out.values())
    raise _nothing_fits(rows, looks, request, source)


def _is_likely(convention: Convention, looks: Sequence[Look]) -> bool:
    """Whether the names look like names, and not like measurements."""
    return all(look.fits(role) for role, look in zip(convention.columns, looks, strict=True))


def _repeats(convention: Convention, rows: Sequence[Sequence[str]]) -> bool:
    """Whether most trials would be there more than once."""
    ids = [i for i, role in enumerate(convention.columns) if role in IDS or role == SPEAKERS[0]]
    distinct = {tuple(row[i] for i in ids) for row in rows}
    return "test" in convention.columns and 2 * len(distinct) < len(rows)


def _is_weak(convention: Convention, looks: Sequence[Look]) -> bool:
    """Whether the labels are numbers, or none: they may be something else."""
    if "label" in convention.columns:
        return looks[convention.columns.index("label")].number
    return convention.has_label


def _last_column(looks: Sequence[Look], source: str) -> Convention:
    """The scores of one class, unless an earlier column looks more like them."""
    *others, last = looks
    for number, look in enumerate(others, 1):
        if (look.measurement and not last.measurement) or (look.number and last.label):
            raise TrialFileError(
                f"{source}: the scores could be in column {number} or in the last; say which: "
                f"--columns {','.join('-' for _ in others)},score"
            )
    roles = ("-",) * len(others) + ("score",)
    return Convention("class", "scores in the last column", roles)


def _fits(
    convention: Convention, rows: Sequence[Sequence[str]], looks: Sequence[Look], request: Request
) -> bool:
    if len(convention.columns) != len(looks):
        return False
    if (request.needs_score and not convention.has_score) or (
        request.needs_label and not convention.has_label
    ):
        return False
    if not all(look.may_fit(role) for role, look in zip(convention.columns, looks, strict=True)):
        return False
    if "kind" in convention.columns and looks[convention.columns.index("label")].number:
        return False  # who says how a recording was made labels trials in words
    if request.convention is None and set(SPEAKERS) <= set(convention.columns):
        # Somebody must be who they claim to be.
        claimed, real = (convention.columns.index(role) for role in SPEAKERS)
        return any(row[claimed] == row[real] for row in rows)
    return True


def _what_matters(convention: Convention, request: Request) -> tuple[str, ...]:
    """Two conventions with the same of this give the same trials."""
    roles = {*IDS, *SPEAKERS}
    if request.needs_score:
        roles.add("score")
    if request.needs_label:
        roles.add("label")
    return tuple(role if role in roles else "-" for role in convention.columns)


def _as_told(looks: Sequence[Look], request: Request, source: str) -> Convention:
    if len(request.columns) != len(looks):
        raise TrialFileError(
            f"{source}: has {len(looks)} columns, but {len(request.columns)} were named"
        )
    told = Convention("as told", "columns as told", request.columns)
    for role, wanted in (("score", request.needs_score), ("label", request.needs_label)):
        there = told.has_score if role == "score" else told.has_label
        if wanted and not there:
            raise TrialFileError(f"{source}: no column was named as the {role}")
        if role in request.columns and not looks[request.columns.index(role)].fits(role):
            number = request.columns.index(role) + 1
            raise TrialFileError(
                f"{source}: column {number} was named as the {role}, but holds other things: "
                f"{looks[number - 1]}"
            )
    return told


def _nothing_fits(
    rows: Sequence[Sequence[str]], looks: Sequence[Look], request: Request, source: str
) -> TrialFileError:
    seen = ", ".join(str(look) for look in looks[:8]) + (", ..." if len(looks) > 8 else "")
    first = " ".join(rows[0])[:60]
    named = [c for c in CONVENTIONS if request.convention in {None, c.name}]
    only = [
        contents
        for contents in ("key", "scores")
        if any(_fits(c, rows, looks, replace(request, contents=contents)) for c in named)
    ]
    if request.contents != "key" and "key" in only:
        hint = "there are labels but no scores: this is a key"
    elif request.contents == "trials" and "scores" in only:
        hint = "there are scores but no labels; give a key (--key)"
    elif request.contents == "key" and "scores" in only:
        hint = "there are scores but no labels: this is not a key"
    elif request.convention is not None:
        hint = f"this is not the format {request.convention}"
    else:
        hint = "say what they are: --columns enrol,test,score,label, with - for any other"
    return TrialFileError(f"{source}: the columns look like {seen} ({first!r}); {hint}")
