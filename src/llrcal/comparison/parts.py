"""Parts of a set of trials, parts as a whole again, and settings that say how many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from llrcal.arrays import Bools, is_whole
from llrcal.errors import OptionError
from llrcal.messages import Setting
from llrcal.trials import Trials
from llrcal.trials.trial_set import TrialSet

if TYPE_CHECKING:
    import polars as pl


def in_memory(trials: TrialSet, needed_by: Setting) -> Trials:
    """The trials, or an error where they are read in pieces."""
    known = trials.in_memory
    if known is None:
        raise OptionError(
            f"{trials.source}: ",
            needed_by,
            " needs all trials in memory, and these are read in pieces; leave it out, or give "
            "fewer trials",
        )
    return known


def part(trials: Trials, tar: Bools, non: Bools) -> Trials:
    """Some of the trials: those whose places are true."""
    return replace(
        trials,
        tar=trials.tar[tar],
        non=trials.non[non],
        tar_speakers=None if trials.tar_speakers is None else trials.tar_speakers[tar],
        non_speakers=None if trials.non_speakers is None else trials.non_speakers[non],
        is_target=None,
        ids=None,
        kept=_kept(trials, tar, non),
    )


def _kept(trials: Trials, tar: Bools, non: Bools) -> pl.DataFrame | None:
    """Columns that were kept, of some of the trials: those of the targets first."""
    if trials.kept is None:
        return None
    rows = np.concatenate([np.flatnonzero(trials.labels)[tar], np.flatnonzero(~trials.labels)[non]])
    return trials.kept[rows]


def both(flags: Bools) -> Bools:
    """Whether both columns are true: of so few, ten times as fast as ``all(axis=1)``."""
    return np.asarray(flags[:, 0] & flags[:, 1])


def pooled(sets: Sequence[Trials]) -> Trials:
    """The trials of several parts of a set, as one."""
    tar, non = (np.concatenate(side) for side in zip(*sets, strict=True))
    whole = replace(sets[0], tar=tar, non=non, tar_speakers=None, non_speakers=None, kept=None)
    tables = [one.kept for one in sets if one.kept is not None]
    if tables:  # targets come first
        sides = [
            table.filter(one.labels == side)
            for side in (True, False)
            for table, one in zip(tables, sets, strict=True)
        ]
        first, *others = sides
        for other in others:
            first = first.vstack(other)
        whole = replace(whole, kept=first)
    if not sets[0].has_speakers:
        return whole
    return replace(
        whole,
        tar_speakers=np.concatenate([one.tar_speakers for one in sets]),
        non_speakers=np.concatenate([one.non_speakers for one in sets]),
    )


def check_whole(name: str, value: object, *, least: int, most: float = math.inf) -> None:
    """Refuse a setting that is no whole number, or out of range."""
    if not is_whole(value):
        raise OptionError(Setting(name), f" is {value!r}; give a whole number")
    if not least <= value <= most:
        limit = f"{least:,} or more" if value < least else f"{most:,} or less"
        raise OptionError(Setting(name), f" is {value!r}; give {limit}")
