"""Trials that were counted: distinct scores, and how many targets and non-targets have each.

A million embeddings have half a trillion pairs. Their scores fit into no file, but their counts do:
everything that is fitted or evaluated follows from these, with the same bits as from the scores
written out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from llrcal.arrays import Array, Floats, is_number
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.training import Training
from llrcal.errors import ScoreError
from llrcal.inputs.scores import as_scores
from llrcal.messages import Position
from llrcal.notebook import html_table
from llrcal.notes import Note
from llrcal.onepass.ranks import Distinct, merged
from llrcal.onepass.summary import Summary
from llrcal.onepass.two_classes import InCounts
from llrcal.trials.trials import Transform, Trials, TrialSet, known_after

if TYPE_CHECKING:
    from llrcal.evaluation.llrs import LLRs, WholeLLRs

_SHOWN = 2**19  # scores of a class, at most, that figures are drawn from
MOST = 10**13
"""The most trials of a class: sums over more would not fit into 64 bits everywhere."""


@dataclass(frozen=True, repr=False, eq=False)
class Counts(TrialSet):
    """Trials given as distinct scores, with counts of targets and non-targets.

    Parameters
    ----------
    scores
        One-dimensional scores, in any order. Equal ones are merged, and those without a trial left
        out, so that ``counts.scores`` is strictly rising.
    targets, nontargets
        As many whole numbers: how many target and non-target trials have each score.
    without
        For intervals by a jackknife over groups of speakers, the same trials without those in
        which anybody of one group takes part: one set of counts for each group. Their scores may
        be rounded more coarsely.

    Raises
    ------
    ScoreError
        If a score is not finite, a count is negative or no whole number, the arrays differ in
        length, or there are more than 10^13 trials of a class.

    Examples
    --------
    >>> import llrcal
    >>> counts = llrcal.Counts([-1.0, 0.5, 2.0], targets=[1, 4, 20], nontargets=[300, 40, 2])
    >>> cal = llrcal.fit(counts, method="logistic")
    >>> llrcal.evaluate(counts.mapped(cal)).eer
    0.08783783783783783
    """

    scores: Array
    targets: Array
    nontargets: Array
    source: str = "counts"
    notes: tuple[Note, ...] = ()
    score_name: str | None = None
    forensic: bool = False
    allow_infinite: bool = False
    without: tuple[Counts, ...] = ()

    def __post_init__(self) -> None:
        try:
            scores = as_scores(self.scores, "counted", allow_infinite=self.allow_infinite)
            rows = (
                scores.astype(np.float64, copy=False),
                *(
                    as_counts(getattr(self, name), name, len(scores))
                    for name in ("targets", "nontargets")
                ),
            )
        except ScoreError as problem:
            raise problem.within(self.source) from None
        if max(side.sum(dtype=np.float64) for side in rows[1:]) > MOST:
            raise ScoreError(f"{self.source}: there are more than 10^13 trials of a class")
        for name, column in zip(("scores", "targets", "nontargets"), merged(*rows), strict=True):
            column.flags.writeable = False
            object.__setattr__(self, name, column)
        if len(self.without) == 1:
            raise ScoreError(f"{self.source}: without has one set; a jackknife needs two or more")
        for group, one in enumerate(self.without, 1):
            if all(self.counts) and not all(one.counts):
                side = "non-targets" if one.counts[0] else "targets"
                raise ScoreError(f"{self.source}: without group {group} there are no {side}")

    @cached_property
    def counts(self) -> tuple[int, int]:
        """How many targets and non-targets there are."""
        return int(self.targets.sum()), int(self.nontargets.sum())

    def __len__(self) -> int:
        return sum(self.counts)

    @cached_property
    def _rows(self) -> tuple[Array, Array, Array]:
        """Scores and counts as they were before scores were mapped to others.

        So calibrations can be compared trial by trial, even where one of them falls.
        """
        return self.scores, self.targets, self.nontargets

    @cached_property
    def _sides(self) -> tuple[Distinct, Distinct]:
        """Both classes.

        Raises
        ------
        ScoreError
            If there is nobody of a class.
        """
        for name, count in zip(("targets", "non-targets"), self.counts, strict=True):
            if not count:
                raise ScoreError(f"{self.source}: there are no {name} among the counted trials")
        tar, non = (Distinct.merged(self.scores, n) for n in (self.targets, self.nontargets))
        return tar, non

    def training(self, *, summarised: bool, ranked: bool, lower_is_better: bool) -> Training:
        trials = self.negated() if lower_is_better else self
        tar, non = trials._sides
        given = tar.values, non.values
        return Training(InCounts(tar, non), summarised=summarised, given=given)

    def llrs(self, thresholds: Floats) -> LLRs:
        from llrcal.evaluation.llrs import CountedLLRs  # which reading a file does not need

        return CountedLLRs(*self._sides, self._whole, thresholds)

    @property
    def _whole(self) -> WholeLLRs:
        """Both classes, in the order of the scores that were mapped."""
        from llrcal.evaluation.llrs import WholeLLRs

        scores, *kinds = self._rows
        (tar, tar_counts), (non, non_counts) = (
            (scores[kind > 0], kind[kind > 0]) for kind in kinds
        )
        groups = tuple(one._whole for one in self.without if one._sides)
        return WholeLLRs(tar, non, counts=(tar_counts, non_counts), without=groups)

    def pooled(self) -> Summary:
        return Summary.of(self.scores, counts=self.targets + self.nontargets)

    def mapped(self, transform: Transform) -> Counts:
        if isinstance(transform, Calibration):  # distinct scores look like no field
            transform = transform.without_warnings
        scores, tar, non = self._rows
        rows = transform(scores).astype(np.float64, copy=False), tar, non
        without = tuple(one.mapped(transform) for one in self.without)
        found = replace(
            self,
            scores=rows[0],
            targets=tar,
            nontargets=non,
            without=without,
            allow_infinite=True,
            **known_after(transform),
        )
        vars(found)["_rows"] = rows
        return found

    def preview(self, counts: tuple[int, int]) -> Trials:
        tar, non = (side.thinned(_SHOWN) for side in self._sides)
        return Trials(tar, non, self.source, totals=self.counts, allow_infinite=True)

    @property
    def in_memory(self) -> None:
        return None

    def save(self, path: str | PathLike[str]) -> None:
        """Write the counts to a file, which appears whole or not at all.

        Its columns are ``score``, ``targets`` and ``nontargets``, and ``without``, if there are
        counts without groups of speakers: 0 for those of all trials. :func:`llrcal.read_trials`
        and all that reads scores takes such files.

        Parameters
        ----------
        path
            The extension tells the format: ``.csv``, ``.parquet``, or ``.npz`` (in which scores are
            called ``scores``); ``.csv.gz`` and ``.csv.zst`` are compressed.

        Raises
        ------
        OptionError
            If the extension is another, or no file can be written there.
        """
        from llrcal.trials.count_files import write_counts

        write_counts(self, path)

    @property
    def words(self) -> str:
        """What they are, in a few words."""
        tar, non = self.counts
        groups = f", without each of {len(self.without)} groups of speakers" if self.without else ""
        return (
            f"counted trials: {len(self.scores):,} distinct scores, {tar:,} targets, "
            f"{non:,} non-targets{groups}"
        )

    def __repr__(self) -> str:
        return f"<{self.words}>"

    def _repr_html_(self) -> str:
        tar, non = self.counts
        rows = {
            "distinct scores": len(self.scores),
            "targets": tar,
            "non-targets": non,
            "groups left out": len(self.without),
        }
        return html_table(f"Counted trials of {self.source}", rows, map(str, self.notes))


def as_counts(counts: Any, name: str, length: int) -> Array:
    """Counts as 64-bit integers; otherwise raises a ScoreError."""
    array = np.asarray(counts)
    if array.dtype.kind == "O" and all(is_number(one) for one in array.flat):
        # Integers beyond 64 bits, or even beyond doubles.
        array = np.array([float(min(one, 1e30)) for one in array.flat]).reshape(array.shape)
    if array.shape != (length,):
        raise ScoreError(
            f"{name} have shape {array.shape}; pass one count for each of {length:,} scores"
        )
    if array.dtype.kind not in "iuf":
        raise ScoreError(f"{name} have type {array.dtype}; pass whole numbers")
    with np.errstate(invalid="ignore"):
        wrong = ~((array >= 0) & (array <= MOST))
        if array.dtype.kind == "f":
            wrong |= array != np.rint(array)
    if wrong.any():
        first = int(wrong.argmax())
        raise ScoreError(
            f"{int(wrong.sum())} of {length:,} counts of {name} are no whole numbers from 0 to "
            f"10^13; the first is {array[first]} at ",
            Position("index", first),
        )
    return array.astype(np.int64, copy=False)
