"""Roles for columns that have names: by the names people use, then by their looks."""

from __future__ import annotations

from collections.abc import Sequence

from llrcal.errors import TrialFileError
from llrcal.trials.conventions import IDS, SPEAKERS, is_decision, role_of
from llrcal.trials.request import Request
from llrcal.trials.text.column_kinds import Look


def roles_by_name(
    names: Sequence[str], looks: Sequence[Look], request: Request, source: str
) -> tuple[str, ...]:
    """A role for every named column, ``-`` where it has none.

    Raises
    ------
    TrialFileError
        If a role that is asked for has no column, or more than one that could be it.
    """
    roles = _by_name(names, request, source)
    for i, role in roles.items():
        if role in {"score", "label"} and not looks[i].fits(role):
            if role in dict(request.named) or getattr(request, f"needs_{role}"):
                raise _unfit(source, role, names[i])
            roles[i] = "-"
    taken = set(roles.values())
    free = [i for i in roles if roles[i] == "-"]
    if request.needs_score and "score" not in taken:
        numbers = [i for i in free if looks[i].number and not looks[i].label]
        roles[_the_one(numbers, names, "score", source)] = "score"
    if request.needs_label and "label" not in taken and not {*SPEAKERS} <= taken:
        labels = [i for i in free if looks[i].label and not is_decision(names[i])]
        if not labels and request.contents == "trials":
            raise TrialFileError(
                f"{source}: has no column of labels among {_listed(names)}; name it "
                "(--columns label=NAME), or give a key (--key)"
            )
        roles[_the_one(labels, names, "label", source)] = "label"
    return tuple(roles.values())


def could_be_ids(
    names: Sequence[str], roles: Sequence[str], looks: Sequence[Look]
) -> tuple[str, ...]:
    """The columns without a role that may hold ids: named, and no labels or measurements."""
    return tuple(
        name
        for name, role, look in zip(names, roles, looks, strict=True)
        if role == "-" and name and look.fits("test")
    )


def _by_name(names: Sequence[str], request: Request, source: str) -> dict[int, str]:
    """Roles by what the user says, then by the names that people use."""
    roles = dict.fromkeys(range(len(names)), "-")
    for role, name in request.named:
        if list(names).count(name) != 1:
            raise TrialFileError(
                f"{source}: there is no one column {name!r}; its columns are {_listed(names)}"
            )
        roles[list(names).index(name)] = role
    for role in (*IDS, *SPEAKERS, "label", "score"):
        if role in roles.values():
            continue
        free = [i for i, name in enumerate(names) if roles[i] == "-" and role_of(name) == role]
        if len(free) > 1:
            raise _ambiguous(source, role, [names[i] for i in free])
        for i in free:
            roles[i] = role
    return roles


def _the_one(free: Sequence[int], names: Sequence[str], role: str, source: str) -> int:
    if len(free) > 1:
        raise _ambiguous(source, role, [names[i] for i in free])
    if not free:
        raise TrialFileError(
            f"{source}: none of its columns {_listed(names)} looks like the {role}; name it: "
            f"--columns {role}=NAME"
        )
    return free[0]


def _ambiguous(source: str, role: str, names: Sequence[str]) -> TrialFileError:
    return TrialFileError(
        f"{source}: {len(names)} columns could be the {role}: {_listed(names)}; "
        f"choose one: --columns {role}={names[0]}"
    )


def _unfit(source: str, role: str, name: str) -> TrialFileError:
    holds = "does not hold numbers" if role == "score" else "does not hold labels"
    words = "" if role == "score" else ", or its words: --labels TARGET,NONTARGET"
    return TrialFileError(
        f"{source}: column {name!r} should be the {role}, but {holds}; name another: "
        f"--columns {role}=NAME{words}"
    )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:12])
    return shown if len(names) <= 12 else f"{shown} and {len(names) - 12} more"
