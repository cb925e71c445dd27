"""Roles for columns that have names: by common names, then by what the columns hold."""

from __future__ import annotations

from collections.abc import Sequence

from llrcal.errors import TrialFileError
from llrcal.messages import Message, Setting
from llrcal.trials.conventions import (
    IDS,
    SPEAKERS,
    is_decision,
    kept_role,
    role_of,
)
from llrcal.trials.request import Request
from llrcal.trials.text.column_profile import ColumnProfile


def roles_by_name(
    names: Sequence[str], profiles: Sequence[ColumnProfile], request: Request, source: str
) -> tuple[str, ...]:
    """A role for every named column, or ``-``; an error if a role that is needed is not clear."""
    roles = _by_name(names, request, source)
    needed = {"score": request.needs_score, "label": request.needs_label}
    for i, role in roles.items():
        if role in needed and not profiles[i].fits(role):
            if role in dict(request.named) or needed[role]:
                raise _unfit(source, role, names[i], request)
            roles[i] = "-"
    taken = set(roles.values())
    for i, name in enumerate(names):  # a column with another role is kept by with_kept_columns
        if name in request.keep and roles[i] == "-":
            roles[i] = kept_role(name)
    free = [i for i in roles if roles[i] == "-"]
    if request.needs_score and "score" not in taken:
        numbers = [i for i in free if profiles[i].number and not profiles[i].label]
        roles[_the_one(numbers, names, "score", request, source)] = "score"
    if request.needs_label and "label" not in taken and not {*SPEAKERS} <= taken:
        labels = [i for i in free if profiles[i].label and not is_decision(names[i])]
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
    names: Sequence[str], roles: Sequence[str], profiles: Sequence[ColumnProfile]
) -> tuple[str, ...]:
    """The named columns without a role that may hold ids, not being labels or measurements."""
    return tuple(
        name
        for name, role, profile in zip(names, roles, profiles, strict=True)
        if role == "-" and name and profile.fits("test")
    )


def _by_name(names: Sequence[str], request: Request, source: str) -> dict[int, str]:
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
