"""Two classes of scores on a common scale of ranks.

The coordinate of a score is log(targets up to it + 1/2) - log(non-targets from it on + 1/2). It
depends on ranks only, rises with the score, resolves both tails, and changes its sign if the
classes change places and the scores their signs. Where the classes overlap, it is close to their
log-likelihood-ratio.

Ranks also tell which way scores run: the one rule for "targets score lower than non-targets". No
score weighs more than any other in it, however far out it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.errors import DegenerateError, OptionError
from llrcal.messages import Setting
from llrcal.notes import Note

_CELLS = 16  # per unit of the coordinate
_CLOSEST = 2.0**-40  # of their range, the least distance of knots
_OUTERMOST = 3  # of all scores, beyond which there are no knots
_NO_CHANCE = 25  # different scores: all in both classes with a probability below 10^-6


@dataclass(frozen=True)
class Ordered:
    """Distinct scores in rising order, and how many scores of each class are there."""

    scores: Floats
    tar: Floats
    non: Floats

    @classmethod
    def of(cls, tar: tuple[Floats, Floats], non: tuple[Floats, Floats]) -> Ordered:
        """From the scores of either class, and how many there are of each."""
        # Asked for indices, it sorts by merging, which is fast for two parts in order.
        scores, _, place = np.unique(
            np.concatenate([tar[0], non[0]]), return_index=True, return_inverse=True
        )
        places = np.split(place, [len(tar[0])])
        counts = (
            np.bincount(at, side[1], len(scores)).astype(np.float64)
            for at, side in zip(places, (tar, non), strict=True)
        )
        return cls(scores, *counts)

    @cached_property
    def coordinate(self) -> Floats:
        return np.asarray(np.log(self._tar_up_to + 0.5) - np.log(self._non_from + 0.5))

    @cached_property
    def _tar_up_to(self) -> Floats:
        return np.cumsum(self.tar)

    @cached_property
    def _non_from(self) -> Floats:
        return np.cumsum(self.non[::-1])[::-1]

    def cells(self) -> LabelledCells:
        """Scores pooled by their coordinate; each cell is at the mean score of its class."""
        number = np.rint(self.coordinate * _CELLS).astype(np.int64)
        number -= number.min()
        return LabelledCells(*self._pooled(number, self.tar), *self._pooled(number, self.non))

    def _pooled(self, number: Counts, counts: Floats) -> tuple[Floats, Floats]:
        total = np.bincount(number, counts).astype(np.float64)
        used = total > 0
        # Relative to a score of the cell: sums of large scores would lose the last digits.
        near = np.zeros(len(total))
        near[number] = self.scores
        away = np.bincount(number, counts * (self.scores - near[number]))
        return near[used] + away[used] / total[used], total[used]

    def evenly_spaced(self, count: int) -> tuple[Floats, Floats]:
        """Scores at even steps of the coordinate, and their coordinates.

        They lie where the classes overlap, between the lowest target and the highest non-target,
        but not beyond the third of all scores from either end: two that are far away draw no knots
        there. If the classes are apart, they lie along all scores. They are strictly rising; those
        that nearly coincide are one.
        """
        coordinate, first = np.unique(self.coordinate, return_index=True)
        if len(coordinate) == 1:  # one target below one non-target
            return self.scores, coordinate + np.array([-0.5, 0.5])
        last = np.append(first[1:], len(self.scores)) - 1
        places = 0.5 * self.scores[first] + 0.5 * self.scores[last]
        ends = [0, len(self.scores) - 1]
        both = self.tar + self.non
        low = max(_reached(self._tar_up_to, 1), _reached(np.cumsum(both), _OUTERMOST))
        high = ends[1] - max(
            _reached(self._non_from[::-1], 1), _reached(np.cumsum(both[::-1]), _OUTERMOST)
        )
        closest = _CLOSEST * (self.scores[-1] - self.scores[0])
        if low + 1 < high and self.scores[high] - self.scores[low] > closest:
            ends = [low, high]
        low_end, high_end = self.coordinate[ends]
        even = np.linspace(low_end, high_end, count)
        at = np.clip(np.interp(even, coordinate, places), *self.scores[ends])
        unit = _CLOSEST * (at[-1] - at[0])
        steps, same = np.unique(np.rint((at - at[0]) / unit), return_inverse=True)
        return at[0] + steps * unit, np.bincount(same, even) / np.bincount(same)


def _reached(up_to: Floats, count: int) -> int:
    """The first place up to which there are so many scores."""
    return int(np.searchsorted(up_to, count))


@dataclass(frozen=True)
class LabelledCells:
    """Means of neighbouring scores of each class, and how many scores each mean stands for."""

    tar_scores: Floats
    tar_counts: Floats
    non_scores: Floats
    non_counts: Floats


WRONG_WAY = "wrong way"
"""Code of the note that targets score lower than non-targets."""

_CLEARLY = 2.0  # standard errors


def mann_whitney_z(auc: float, tar_count: int, non_count: int) -> float:
    """Mann and Whitney's z: positive if targets score higher, negative if they score lower.

    ``auc`` is the share of all pairs of a target and a non-target in which the target scores
    higher, ties counted by half: the area under the ROC.
    """
    error = math.sqrt((tar_count + non_count + 1) / (12 * tar_count * non_count))
    return (auc - 0.5) / error


def auc(tar: Array, non: Array) -> float:
    """That share, from the shares of both classes at rising scores.

    Raises
    ------
    DegenerateError
        If both classes have the same scores, in whichever order they came.
    """
    if len(tar) >= _NO_CHANCE and np.array_equal(tar, non):
        raise DegenerateError(
            "targets and non-targets have the same scores; give those of each class"
        )
    return float((tar * (np.cumsum(non) - non / 2)).sum())


def runs_backwards(z: float) -> bool:
    """Whether targets score lower than non-targets, by more than chance explains."""
    return z <= -_CLEARLY


def runs_forwards(z: float) -> bool:
    """Whether targets score higher, likewise."""
    return z >= _CLEARLY


def refuse_wrong_way(notes: Iterable[Note], source: str, *, distance: bool) -> None:
    """Raise an OptionError if a note says that scores run the wrong way."""
    if not any(note.code == WRONG_WAY for note in notes):
        return
    anyway = ". To continue anyway, give ", Setting("inverted", True)
    if distance:
        raise OptionError(
            f"{source}: targets have larger distances than non-targets. If these are "
            "similarities, leave out ",
            Setting("lower_is_better", True),
            *anyway,
        )
    raise OptionError(
        f"{source}: targets score lower than non-targets. If these are distances, give ",
        Setting("lower_is_better", True),
        "; if the labels are swapped, give ",
        Setting("labels"),
        *anyway,
    )
