"""How much the numbers of an evaluation could vary with the choice of the test set.

Percentile intervals of the bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap,
1993, chapters 10 and 13): the test set is resampled many times with replacement, the bias of the
resampling is corrected for, and equal numbers of the smallest and of the largest are left out.
Speakers are resampled if they are known, and trials otherwise: the trials of a speaker are not
independent, so that resampling trials gives intervals that are too narrow.
:mod:`llrcal.evaluation.speaker_draws` explains how trials of drawn speakers count.

A resampled set repeats trials, so PAV overfits it more than the original set: its minCllr, EER and
minimum costs are too low, and its calibration loss is too high. So the replicates of each number
are shifted until their mean is the number itself, and negative values are set to zero. EER and
minimum detection costs are corrected otherwise:
:func:`llrcal.evaluation.percentiles.bias_corrected`. Intervals of actual costs reach at least as
far as errors that nobody made could: :mod:`llrcal.evaluation.unseen`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Floats, is_whole
from llrcal.errors import OptionError
from llrcal.evaluation.cells import Cells
from llrcal.evaluation.intervals import Intervals, RuleIntervals
from llrcal.evaluation.percentiles import bias_corrected, centred, interval
from llrcal.inputs.level import check_level
from llrcal.messages import Setting

AT_A_VERTEX = ("eer", "min_dcf")
"""Numbers at one place of the hull, whose bias in drawn sets is small enough to be corrected."""


@dataclass(frozen=True)
class Replicates:
    """The numbers of an evaluation in every drawn set."""

    numbers: Floats
    """A row a draw, with the columns of :meth:`llrcal.evaluation.cells.Cells.metrics`."""
    actual: Floats
    """The numbers of the set itself."""
    cells: Cells
    """The trials of the set itself, as far as they are counted."""
    by: str
    """What was drawn: "trial" or "speaker"."""

    @classmethod
    def of(cls, cells: Cells, numbers: Floats, *, by: str) -> Replicates:
        """Drawn numbers of the trials in some cells."""
        actual = cells.metrics(cells.tar.counts, cells.non.counts)
        return cls(numbers, actual, cells.counted, by)

    def __len__(self) -> int:
        return len(self.numbers)

    def of_number(self, name: str) -> Floats:
        """The columns of a number, by its name in :attr:`llrcal.evaluation.cells.Cells.columns`."""
        return self.numbers[:, self.cells.columns[name]]

    def intervals(self, level: float = 0.95) -> Intervals:
        """Percentile intervals of every number."""
        most = np.full(len(self.actual), np.inf)
        for name in ("min_cllr", "min_rule_cost"):  # cannot be worse than the default
            most[self.cells.columns[name]] = 1.0
        found = interval(np.minimum(centred(self.numbers, self.actual), most), level)
        for name in AT_A_VERTEX:
            where = self.cells.columns[name]
            found[where] = bias_corrected(self.of_number(name), self.actual[where], level)
        at_points = self.cells.columns["act_dcf"]
        found[at_points] = [
            (low, max(high, least))
            for (low, high), least in zip(
                found[at_points], self.cells.possible_costs(level).tolist(), strict=True
            )
        ]
        named = {name: tuple(found[where]) for name, where in self.cells.columns.items()}
        by_rule = zip(named["rule_cost"], named["min_rule_cost"], named["rule_loss"], strict=True)
        rules = zip((rule.name for rule in self.cells.rules[1:]), by_rule, strict=True)
        cllr, min_cllr, loss, eer = found[:4]
        return Intervals(
            cllr,
            min_cllr,
            loss,
            eer,
            named["act_dcf"],
            named["min_dcf"],
            self.by,
            len(self),
            mean_error=named["mean_error"][0] if named["mean_error"] else None,
            level=level,
            rules={name: RuleIntervals(*ends) for name, ends in rules},
        )


def check_draws(*, level: float, replicates: int, seed: int = 0) -> None:
    """Raise an OptionError where no such intervals can be drawn."""
    check_replicates(replicates)
    if not is_whole(seed) or seed < 0:
        raise OptionError(f"seed is {seed!r}; it must be a non-negative integer")
    check_level(level)
    if replicates < enough_for(level):
        raise OptionError(
            f"level is {level!r}, which {replicates:,} replicates cannot show: give at least ",
            Setting("replicates", enough_for(level)),
        )


def enough_for(level: float) -> int:
    """The least number of drawn sets such that some lie outside at either end."""
    return math.ceil(2 / (1 - level) - 1 - 1e-9)


def check_replicates(replicates: int) -> None:
    """Raise an OptionError where that is no number of drawn sets."""
    if not is_whole(replicates) or replicates < 1:
        raise OptionError(f"replicates is {replicates!r}; it must be a positive integer")
