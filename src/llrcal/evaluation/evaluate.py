"""LLRs of two classes, or of a set of trials wherever it is, evaluated overall and by condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np

from llrcal.arrays import Array, ArrayLike, Floats
from llrcal.errors import OptionError, ScoreError
from llrcal.evaluation.evaluation import Evaluation
from llrcal.evaluation.line_check import CALIBRATION_LOSS, RAW_SCORES
from llrcal.evaluation.llrs import ArrayLLRs, Evaluable, Names
from llrcal.evaluation.operating_points import DEFAULT_POINTS, OperatingPoint, as_prior_log_odds
from llrcal.inputs.beside_scores import WithConditions, condition_texts, pair
from llrcal.inputs.scores import as_scores
from llrcal.inputs.units import Unit
from llrcal.messages import Setting
from llrcal.notebook import html_table
from llrcal.notes import Note, warn

Cell = tuple[str, ...]
"""One value for each column, such as ``("mic", "female")``."""
_AT_POINTS = ("act_dcf", "min_dcf", "pmiss", "pfa")
_MOST_LINES = 7  # of conditions in a figure
_NAMED = 5  # conditions in a note


@overload
def evaluate(
    tar: ArrayLike | Evaluable,
    non: ArrayLike | None = None,
    *,
    prior_log_odds: ArrayLike = (),
    units: Unit | None = None,
) -> Evaluation: ...
@overload
def evaluate(
    tar: ArrayLike | Evaluable,
    non: ArrayLike | None = None,
    *,
    prior_log_odds: ArrayLike = (),
    units: Unit | None = None,
    by: Sequence[Any],
) -> ByCondition: ...
def evaluate(
    tar: ArrayLike | Evaluable,
    non: ArrayLike | None = None,
    *,
    prior_log_odds: ArrayLike = (),
    units: Unit | None = None,
    by: Sequence[Any] | None = None,
) -> Evaluation | ByCondition:
    """Evaluate target and non-target LLRs, which may be infinite.

    Parameters
    ----------
    tar, non
        One-dimensional arrays of LLRs of target and non-target trials; or, as the only argument,
        trials whose scores are LLRs, as for :func:`llrcal.fit`. To evaluate a calibration on raw
        scores, pass ``trials.mapped(cal)``.
    prior_log_odds
        Operating points that you are going to ask for. For trials that are not in memory, each
        request for others costs another pass; otherwise this makes no difference.
    units
        ``"nats"`` (natural logarithms), ``"log10"``, ``"bits"``, or ``"ratio"`` for plain
        likelihood-ratios. By default those that the columns and labels of a file suggest, or nats.
    by
        Evaluate conditions as well: for arrays, a pair with the condition of each target and of
        each non-target trial (or several conditions, as rows of a table); for trials, the names of
        columns that :func:`llrcal.read_trials` was told to keep.

    Returns
    -------
    Evaluation
        Rates and costs, computed when they are needed. With ``by``, a :class:`ByCondition`: the
        evaluation of all trials (``pooled``), of each condition (``cells``), and averages over
        these with equal weight (``average``).

    Raises
    ------
    ScoreError
        If a class is empty, or an LLR is NaN or not a real number.
    OptionError
        If the units of a file are in doubt.

    Warns
    -----
    LlrcalWarning
        If targets have lower LLRs than non-targets; if the LLRs look like raw scores; or if much
        is lost by their calibration.

    Examples
    --------
    >>> import llrcal
    >>> ev = llrcal.evaluate([2.0, 3.0, -1.0], [-2.0, -3.0, 0.5, -1.5])
    >>> round(ev.cllr, 4), ev.eer
    (0.6016, 0.14285714285714285)
    >>> ev.bayes_error(0.0), ev.act_dcf(0.5), ev.min_dcf(p_target=0.5)
    (0.5833333333333333, 0.5833333333333333, 0.25)
    """
    if isinstance(tar, Evaluable) and non is None:
        tar = tar.in_nats(units)
    elif units is not None:
        raise OptionError(Setting("units", units), " is for files; give arrays of LLRs in nats")
    evaluation = evaluate_quietly(tar, non, prior_log_odds=prior_log_odds)
    warn(evaluation.notes)
    if by is None:
        return evaluation
    found = by_condition(evaluation, tar, non, by)
    warn(found.notes)
    return found


def evaluate_quietly(
    tar: ArrayLike | Evaluable, non: ArrayLike | None = None, *, prior_log_odds: ArrayLike = ()
) -> Evaluation:
    """The same as :func:`evaluate`, for callers that handle the notes themselves."""
    thresholds = -as_prior_log_odds(prior_log_odds).ravel() + 0.0
    if isinstance(tar, Evaluable) and non is None:
        return Evaluation(tar.llrs(thresholds))
    return Evaluation(ArrayLLRs(tar, non, thresholds=thresholds))


def optimal_llrs(tar: ArrayLike, non: ArrayLike) -> tuple[Floats, Floats]:
    """The LLRs of these scores by the best rising transformation, infinities kept.

    The Cllr of the result is the minCllr of the scores. For new scores, fit ``pav`` instead.
    """
    tar = as_scores(tar, "target", allow_infinite=True)
    non = as_scores(non, "non-target", allow_infinite=True)
    evaluation = evaluate_quietly(tar, non)
    edges = evaluation.groups.edges[evaluation.hull.first_group]
    of_tar, of_non = (
        evaluation.hull.llrs[np.searchsorted(edges, side, side="right") - 1] for side in (tar, non)
    )
    return of_tar, of_non


@dataclass(frozen=True, repr=False)
class ByCondition:
    """Evaluations of all trials and of each condition."""

    columns: tuple[str, ...]
    pooled: Evaluation
    cells: Mapping[Cell, Evaluation]
    """The evaluation of each cell with trials of both classes and no missing value."""
    notes: tuple[Note, ...]
    """On trials that are in no cell."""

    @property
    def by_label(self) -> dict[str, Evaluation]:
        """All of them by label, for figures: pooled first."""
        return {"pooled": self.pooled} | {self.label(cell): one for cell, one in self.cells.items()}

    @property
    def largest(self) -> dict[str, Evaluation]:
        """The same, but only the seven conditions with the most targets."""
        # Pooled has the most targets of all.
        ordered = sorted(self.by_label.items(), key=lambda item: -item[1].tar_count)
        return dict(ordered[: _MOST_LINES + 1])

    def label(self, cell: Cell) -> str:
        """A cell in words."""
        return ", ".join(cell)

    @cached_property
    def average(self) -> dict[str, float]:
        """Cllr, minCllr, EER and so on, averaged with equal weight over the cells."""
        rows = [cell.numbers(()) for cell in self.cells.values()]
        return {
            same[0].name: float(np.mean([number.value for number in same]))
            for same in zip(*rows, strict=True)
        }

    def average_at(self, points: Sequence[OperatingPoint]) -> dict[str, list[float]]:
        """Normalised detection costs and rates of error, averaged likewise, at operating points.

        Actual costs are linear in the rates of error, so that this is the cost of averaged rates,
        which NIST calls equalised.
        """
        every = [one.to_dict(points) for one in self.cells.values()]
        return {name: np.mean([one[name] for one in every], axis=0).tolist() for name in _AT_POINTS}

    @property
    def bad(self) -> dict[str, Evaluation]:
        """The conditions in which LLRs are not what they should be, by label."""
        told = (RAW_SCORES, CALIBRATION_LOSS)
        return {
            self.label(cell): one
            for cell, one in self.cells.items()
            if any(note.code in told for note in one.notes)
        }

    def to_dict(self, points: Sequence[OperatingPoint] = DEFAULT_POINTS) -> dict[str, Any]:
        """All numbers as plain values."""
        return {
            "columns": list(self.columns),
            "pooled": self.pooled.to_dict(points),
            "average": {**self.average, **self.average_at(points)},
            "cells": [
                {"values": list(cell), **one.to_dict(points)} for cell, one in self.cells.items()
            ],
        }

    def _repr_html_(self) -> str:
        rows = {label: one.cllr for label, one in self.by_label.items()}
        rows["average of conditions"] = self.average["cllr"]
        return html_table(f"Cllr by {', '.join(self.columns)}", rows, map(str, self.notes))

    def __repr__(self) -> str:
        return (
            f"<evaluation by {', '.join(self.columns)}, {len(self.cells)} conditions: Cllr pooled "
            f"{self.pooled.cllr:.4f}, average {self.average['cllr']:.4f}>"
        )


def by_condition(
    pooled: Evaluation, tar: Any, non: ArrayLike | None, by: Sequence[Any]
) -> ByCondition:
    """Evaluations of each condition, beside that of all trials."""
    trials = _of_trials(tar, by) if non is None else _of_arrays(tar, non, by)
    cells, alone, unknown = dict[Cell, Evaluation](), list[str](), 0
    for cell in sorted({tuple(row) for table in trials.conditions for row in table.tolist()}):
        chosen = trials.chosen(cell)
        targets, nontargets = (int(of_class.sum()) for of_class in chosen)
        if not all(cell):
            unknown += targets + nontargets
        elif targets and nontargets:
            cells[cell] = Evaluation(trials.llrs(chosen))
        else:
            count = f"{targets:,} targets" if targets else f"{nontargets:,} non-targets"
            alone.append(f"{', '.join(cell)} ({count})")
    if not cells:
        raise ScoreError(
            f"no condition of {', '.join(trials.columns)} has both target and non-target trials"
        )
    notes = []
    if unknown:
        text = f"{unknown:,} trials have no condition: they are in the pooled numbers only"
        notes.append(Note.warning("no condition", text))
    if alone:
        others = f"; and {len(alone) - _NAMED} others" if len(alone) > _NAMED else ""
        text = (
            "there is nothing to evaluate where one class is missing: "
            f"{'; '.join(alone[:_NAMED])}{others}. These trials are in the pooled numbers only"
        )
        notes.append(Note.warning("one class", text))
    return ByCondition(trials.columns, pooled, cells, tuple(notes))


class _Trials(NamedTuple):
    """LLRs of both classes, with the conditions of each trial as rows of text."""

    tar: Array
    non: Array
    conditions: tuple[Array, Array]
    columns: tuple[str, ...]
    speakers: tuple[Array, Array] | None = None
    names: Names | None = None

    def chosen(self, cell: Cell) -> tuple[Array, Array]:
        """Which targets and non-targets are in a cell."""
        values = np.array(cell, dtype=object)
        tar, non = ((table == values).all(axis=1) for table in self.conditions)
        return tar, non

    def llrs(self, chosen: tuple[Array, Array]) -> ArrayLLRs:
        """Those of some trials."""
        tar, non = chosen
        speakers = self.speakers and (self.speakers[0][tar], self.speakers[1][non])
        return ArrayLLRs(self.tar[tar], self.non[non], speakers, names=self.names)


def _of_arrays(tar: ArrayLike, non: ArrayLike, by: Sequence[Any]) -> _Trials:
    """LLRs with a pair of conditions."""
    llrs = (
        as_scores(tar, "target", allow_infinite=True),
        as_scores(non, "non-target", allow_infinite=True),
    )
    of_tar, of_non = pair(by, "by")
    tables = (
        condition_texts(of_tar, len(llrs[0]), "target"),
        condition_texts(of_non, len(llrs[1]), "non-target"),
    )
    columns = tuple(f"condition {i + 1}" for i in range(tables[0].shape[1]))
    return _Trials(*llrs, tables, columns)


def _of_trials(trials: Any, by: Sequence[Any]) -> _Trials:
    """Trials with the names of columns."""
    if not isinstance(trials, WithConditions):
        raise OptionError(
            "conditions can only be evaluated for trials in memory; to read a file whole: ",
            Setting("in_pieces", False),
        )
    columns = (by,) if isinstance(by, str) else tuple(by)
    if not columns or not all(columns) or len({*columns}) < len(columns):
        raise OptionError(Setting("by"), f" is {by!r:.80}; give names of columns, each once")
    arrays = _of_arrays(trials.tar, trials.non, trials.conditions(columns))
    names = Names(trials.speaker_names)
    return arrays._replace(columns=columns, speakers=trials.speakers, names=names)
