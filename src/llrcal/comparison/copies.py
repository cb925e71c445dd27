"""Whether test trials are copies of training trials: by their ids, or else by scores and labels.

Of t trials of a class with the same score, let a be for training and b for testing. Where both sets
are independent, each of them is for training with some probability p, so that the mean of ab is
t (t - 1) p (1 - p), at most t (t - 1) / 4, however scores are tied and however the sets differ. So

    sum over scores of ab / (t - 1) - t / 4,   with variances of t / (8 (t - 1)) at p = 1/2,

exceeds z standard deviations with a probability of at most exp(-z^2 / 2): moments of exp(x) are no
larger than those of a normal distribution. Copies raise it. With few different scores it cannot
become large, but then all counts of two independent sets agree, a = b = m, with a probability of at
most the product of 1 / sqrt(pi m). Trials are called copies if one of these is below 10^-6; if the
first is below 10^-3, a warning tells of them. The same file is the same trials, however few.

This is asked of scores as they are, and of 14 bits of them, so that copies written with six digits,
or as single floats, are found too; of millions of trials, of some of the scores. It takes scores
to be drawn independently: ranks, or evenly spaced quantiles, in both sets look like copies.
"""

from __future__ import annotations

import filecmp
import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from llrcal.arrays import Array, Counts
from llrcal.errors import OptionError, TrialFileError
from llrcal.notes import Note
from llrcal.trials.conventions import IDS, unit_in
from llrcal.trials.joining import OTHER_UNITS, hashes_of_ids
from llrcal.trials.trials import TrialSet

_MOST_SHARED = 0.01  # of the test trials
_TOLD, _REFUSED = math.log(1e-3), math.log(1e-6)  # chances
_LAST_BITS = 1, 38  # of a double, that copies need not share
_SAMPLE = 2**19  # test trials, about
IN_FOLDS = Note.of("separation", "tested on trials not used in training")


def separation(train: TrialSet, test: TrialSet) -> Note:
    """Refuse copies of training trials as test trials; a note says what was compared.

    A warning, if a few trials are in both sets.

    Raises
    ------
    OptionError
        If more than 1 % of the test trials are training trials.
    TrialFileError
        If columns of scores are named as if their units differed.
    """
    names = [one.score_name for one in (train, test)]
    if all(names) and unit_in(names[0]) != unit_in(names[1]):
        places = f"{names[0]!r} in {train.source} and {names[1]!r} in {test.source}"
        raise TrialFileError(f"{places}: {OTHER_UNITS}")
    sides = [one.llrs(np.empty(0)) for one in (train, test)]
    count = sides[1].tar_count + sides[1].non_count
    part = count // _SAMPLE | 1
    roles = [next(_ids(one), pl.DataFrame()).columns for one in (train, test)]
    ids = [role for role in IDS if all(role in some for some in roles)]
    known = "test" in ids and ("enrol" in ids or "enrol" not in roles[0] + roles[1])
    if known:
        old, new = (
            pl.concat(some.filter(some % part == 0) for some in hashes)
            for hashes in (
                (hashes_of_ids(some, ids) for some in _ids(one)) for one in (train, test)
            )
        )
        what, chance, share = "the ids", -math.inf, float(np.isin(new, old, kind="sort").mean())
    else:
        what, some = "the score and the label", partial(_Some, part)
        found = [one.fold(some, some, "sampling scores").sides for one in sides]
        same = train is test or _are_same_files(train.source, test.source)
        chance, share = _shared_scores(*found[0], *found[1], same=same)
    if not share:
        return Note.of("separation", f"no test trial is known by {what} to be a training trial")
    text = (
        f"{round(share * count):,} of {count:,} test trials ({test.source}) have {what} of a "
        f"training trial ({train.source})"
    )
    if share > _MOST_SHARED and chance < _REFUSED:
        raise OptionError(
            f"{text}: a calibration tested on its own training trials looks better than it is. "
            "Give other trials to test on, or one set alone, for cross-validation"
            f"{'' if known else '; if they are others, read both sets with their ids'}"
        )
    return Note.warning("separation", text)


def _are_same_files(one: str, other: str) -> bool:
    try:
        return filecmp.cmp(one, other, shallow=False)
    except OSError:  # there are no such files
        return False


def _bits(scores: Array, last: int) -> Counts:
    """Scores as whole numbers, without their last bits."""
    bits = (scores.astype(np.float64) + 0.0).view(np.int64)  # -0.0 becomes 0.0
    return (bits + (1 << last >> 1)) >> last


def _ids(trials: Any) -> Iterator[pl.DataFrame]:
    """The ids of trials in memory or in pieces, if they are known."""
    if getattr(trials, "ids", None) is not None:
        yield trials.ids
    pieces = getattr(trials, "pieces", ())
    if all(piece.has_ids for piece in pieces):
        yield from (frame for piece in pieces for frame in piece.read(IDS))


class _Some:
    """About one of so many scores, the same ones of every set, and how often each occurs."""

    def __init__(self, part: int) -> None:
        self._part, self.scores, self.counts = part, [np.empty(0)], [np.empty(0)]

    def add(self, scores: Array, counts: Counts | None = None) -> None:
        chosen = _bits(scores, _LAST_BITS[-1]) % self._part == 0
        self.scores.append(scores[chosen])
        self.counts.append(np.ones(chosen.sum()) if counts is None else counts[chosen])

    def merge(self, other: _Some) -> _Some:
        out = _Some(self._part)
        out.scores, out.counts = self.scores + other.scores, self.counts + other.counts
        return out

    @property
    def value(self) -> _Some:
        return self


def _shared_scores(*sides: _Some, same: bool) -> tuple[float, float]:
    """The chance of independent sets, and the share of the test trials with a training score.

    The share is zero unless more agree than in independent sets.
    """
    scores = [np.concatenate(side.scores) for side in sides]
    times = np.concatenate([count for side in sides for count in side.counts])
    kinds, found = np.repeat(range(len(sides)), [len(side) for side in scores]), [(0.0, 0.0)]
    for last in _LAST_BITS:
        keys = _bits(np.concatenate(scores), last) * 2 + kinds % 2
        _, place = np.unique(keys, return_inverse=True)
        total, new = np.bincount(place, times), np.bincount(place, times * (kinds > 1))
        old, others, tied = total - new, np.maximum(total - 1, 1), total * (total > 1)
        excess = max(float((old * new / others - tied / 4).sum()), 0.0)
        chance = -(excess**2) / (2 * float((tied / others).sum() / 8 or 1.0))
        if (old == new).all():
            agreed = -math.inf if same else -float(np.log(np.pi * new).sum()) / 2
            chance = min(chance, agreed) if agreed < _REFUSED else chance
        if chance < _TOLD:
            found.append((chance, 1 - float(new[old == 0].sum() / max(new.sum(), 1))))
    return min(found)
