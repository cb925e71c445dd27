"""Labels from one place, scores from another: a calibration for where the scores come from."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from llrcal.adaptation.findings import IN_THE_WAY, moves_found, notes_on
from llrcal.adaptation.hypotheses import Averaged, averaged
from llrcal.adaptation.misfit import misfit
from llrcal.adaptation.move import Place, place_of
from llrcal.adaptation.moved_calibration import densities_of, moved_calibration
from llrcal.adaptation.objective import Evidence
from llrcal.adaptation.pool import Pool
from llrcal.adaptation.prediction import Axis, predicted
from llrcal.arrays import ArrayLike, Floats, is_number
from llrcal.calibrations.adapted import Adapted, estimate
from llrcal.calibrations.bounds import Bounds
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.training import check_spread
from llrcal.errors import DegenerateError, OptionError, ScoreError
from llrcal.fitting.report import Report
from llrcal.inputs.scores import as_scores
from llrcal.notes import warn
from llrcal.onepass.grid import Grid
from llrcal.onepass.summary import Summary

# The unlabelled scores weigh as much as so many independent ones, divided by the square root of
# the share of the rarer class; and each as at most a third of one.
_TRUST, _AT_MOST = 1000.0, 1 / 3
_LABEL_WEIGHT = 0.25  # of a labelled score beside unlabelled ones
_DRAWS = 200


def adapt(
    cal: Calibration,
    scores: ArrayLike | Summary | None = None,
    *,
    p_target: float = 0.01,
    factor: float = 2.0,
    tar: ArrayLike | None = None,
    non: ArrayLike | None = None,
    force: bool = False,
) -> Calibration:
    """Adapt a calibration to another place by unlabelled scores, a few labelled ones, or both.

    Parameters
    ----------
    cal
        A calibration by ``gaussian``, ``student-t`` or ``nig``, plug-in or Bayesian.
    scores
        Scores of the new place, whose labels nobody knows; or a summary of them.
    p_target
        Roughly the share of targets among ``scores``.
    factor
        How far off ``p_target`` may be: a factor that is one standard deviation.
    tar, non
        Labelled scores of the new place, if there are any; both or neither.
    force
        Whether to adapt even if the model does not fit the scores, they cannot tell the classes
        apart, or the share of targets is far from what was said.

    Returns
    -------
    Calibration
        An ordinary calibration of the same kind. Its ``adapted`` says how far the classes have
        moved, the share of targets, and the expected Cllr, EER and detection cost in the new place,
        each with an interval. If there is a reason not to adapt, it is the calibration that was
        given, with ``adapted.applied`` False.

    Raises
    ------
    OptionError
        If the calibration has no densities, or an option is out of range.
    ScoreError
        If there are no scores, or they cannot be used.

    Warns
    -----
    LlrcalWarning
        If the calibration was left as it is, and why.

    Examples
    --------
    >>> import llrcal
    >>> old, new = llrcal.simulate(seed=1), llrcal.simulate(seed=2)
    >>> cal = llrcal.fit(old.tar, old.non, method="nig")
    >>> moved = [*(new.tar + 1), *(new.non + 1)]
    >>> there = llrcal.adapt(cal, moved, p_target=len(new.tar) / len(moved))
    >>> round(there.adapted.non_shift.value, 1)
    1.0
    """
    adapted = adaptation(
        cal, scores, p_target=p_target, factor=factor, tar=tar, non=non, force=force
    )
    warn(adapted.report.notes)
    return adapted


def adaptation(
    cal: Calibration,
    scores: ArrayLike | Summary | None = None,
    *,
    p_target: float = 0.01,
    factor: float = 2.0,
    tar: ArrayLike | None = None,
    non: ArrayLike | None = None,
    force: bool = False,
) -> Calibration:
    """The same as :func:`adapt`, for callers that handle the notes themselves."""
    place = place_of(*densities_of(cal))
    _check(p_target, factor)
    given = _Given.of(cal, scores, tar, non)
    data = given.evidence(place, p_target)
    deviation = math.log(factor)
    found = averaged(data, deviation)
    new = _with_bounds(moved_calibration(cal, place, found.moves), given, place, found.moves)
    what = _findings(cal, new, given, place, found, p_target=p_target, factor=factor, data=data)
    notes = notes_on(what, found, deviation, _old_eer(cal, place))
    report = replace(_report(found), notes=notes)
    if not force and any(note.code in IN_THE_WAY for note in notes):
        notes = (*cal.report.notes, *notes)
        return replace(
            cal, adapted=replace(what, applied=False), report=replace(cal.report, notes=notes)
        )
    return replace(new, adapted=what, report=report, margins=None)


@dataclass(frozen=True)
class _Given:
    """The scores of the new place, in the direction in which the calibration was trained."""

    scores: Summary | None
    tar: Summary | None
    non: Summary | None

    @classmethod
    def of(
        cls,
        cal: Calibration,
        scores: ArrayLike | Summary | None,
        tar: ArrayLike | None,
        non: ArrayLike | None,
    ) -> _Given:
        if (tar is None) != (non is None):
            raise ScoreError("labelled scores of one class only: give both tar and non, or neither")
        if scores is None and tar is None:
            raise ScoreError("there are no scores of the new place: give scores, or tar and non")
        sign = -1 if cal.lower_is_better else 1
        return cls(
            None if scores is None else _summary(scores, "unlabelled", sign),
            None if tar is None else _summary(tar, "target", sign, may_be_equal=True),
            None if non is None else _summary(non, "non-target", sign, may_be_equal=True),
        )

    def evidence(self, place: Place, p_target: float) -> Evidence:
        pool, tar, non = (
            Pool.empty() if side is None else Pool.of(side).seen_from(place.origin, place.unit)
            for side in (self.scores, self.tar, self.non)
        )
        trust = min(_TRUST / math.sqrt(min(p_target, 1 - p_target)), _AT_MOST * pool.count)
        weight = _LABEL_WEIGHT if pool.count else 1.0
        log_odds = math.log(p_target) - math.log1p(-p_target)
        return Evidence(place, pool, tar, non, trust, weight, log_odds)

    @property
    def range(self) -> tuple[float, float]:
        every = [side for side in (self.scores, self.tar, self.non) if side is not None]
        return min(side.least for side in every), max(side.greatest for side in every)


def _summary(
    scores: ArrayLike | Summary, name: str, sign: int, *, may_be_equal: bool = False
) -> Summary:
    if isinstance(scores, Summary):
        if sign < 0:
            raise ScoreError("a summary of distances must be one of the negated distances")
        return scores
    values = as_scores(scores, name)
    values = -values if sign < 0 else values
    if not may_be_equal and values.min() == values.max():
        raise DegenerateError(
            f"all {len(values):,} {name} scores equal {values[0]:g}: they say nothing about how "
            "the classes have moved"
        )
    grid = Grid.of(values)
    if values.min() < values.max():
        check_spread(grid.unit, name)
    return Summary.of(values, grid)


def _check(p_target: float, factor: float) -> None:
    if not is_number(p_target) or not 1e-9 <= p_target <= 1 - 1e-9:
        raise OptionError(
            f"p_target is {p_target!r:.50}; give the rough share of targets among the scores, a "
            "number strictly between 0 and 1"
        )
    if not is_number(factor) or not 1 < factor <= 1e6:
        raise OptionError(f"factor is {factor!r:.50}; give a number above 1, such as 2")


def _with_bounds(new: Calibration, given: _Given, place: Place, moves: Floats) -> Calibration:
    """The calibration with the range of the new scores, and with the old range, moved along."""
    old = new.bounds
    low, high = given.range
    for end in (old.lowest_score, old.highest_score):
        if abs(end) < math.sqrt(np.finfo(float).max):
            at = _moved_along(place, moves, end)
            low, high = min(low, at), max(high, at)
    meeting = None
    if old.meeting is not None:
        axis = Axis.around(place, moves)
        meeting = min(max(axis.meeting(axis.shares(moves)), low), high)
    limits: Bounds = replace(old, lowest_score=low, highest_score=high, meeting=meeting)
    return replace(new, bounds=limits)


def _moved_along(place: Place, moves: Floats, score: float) -> float:
    """Where a score of the nearer class goes."""
    seen = (score - place.origin) / place.unit
    sides = zip((place.tar, place.non), place.moved(moves), strict=True)
    old, new = min(sides, key=lambda side: abs(seen - side[0][0]) / np.exp(side[0][1]))
    wider = np.exp(new.theta[1] - old[1])
    return place.origin + place.unit * float(new.theta[0] + (seen - old[0]) * wider)


def _findings(
    old: Calibration,
    new: Calibration,
    given: _Given,
    place: Place,
    found: Averaged,
    *,
    p_target: float,
    factor: float,
    data: Evidence,
) -> Adapted:
    draws = found.draws(_DRAWS)
    axis = Axis.around(place, found.moves)
    here = axis.shares(found.moves)
    everywhere = [axis.shares(row) for row in draws]
    before, after = (
        [predicted(llrs, shares, p_target) for shares in (here, *everywhere)]
        for llrs in (axis.llrs(old), axis.llrs(new))
    )
    share = 1 / (1 + np.exp(-data.log_odds - np.r_[found.moves[-1], draws[:, -1]]))
    return Adapted(
        applied=True,
        p_target=float(p_target),
        factor=float(factor),
        unlabelled=given.scores.count if given.scores else 0,
        tar=given.tar.count if given.tar else 0,
        non=given.non.count if given.non else 0,
        trust=data.trust,
        unmoved=min(found.unmoved, 1.0),
        misfit=misfit(given.scores, axis, here, float(share[0])) if given.scores else 0.0,
        share=estimate(float(share[0]), share[1:]),
        cllr_before=estimate(before[0].cllr, [one.cllr for one in before[1:]]),
        cllr=estimate(after[0].cllr, [one.cllr for one in after[1:]]),
        eer=estimate(after[0].eer, [one.eer for one in after[1:]]),
        dcf=estimate(after[0].dcf, [one.dcf for one in after[1:]]),
        **moves_found(place, found, draws),
    )


def _old_eer(cal: Calibration, place: Place) -> float:
    still = np.zeros(len(place.names))
    axis = Axis.around(place, still)
    return predicted(axis.llrs(cal), axis.shares(still), 0.5).eer


def _report(found: Averaged) -> Report:
    ends = [hypothesis.solution for hypothesis in found.hypotheses]
    best = found.best.solution
    return Report(
        converged=all(end.converged for end in ends),
        reason="adapted: " + best.reason,
        iterations=sum(end.iterations for end in ends),
        objective=best.value,
        gradient_norm=best.gradient_norm,
        saddles_escaped=sum(end.saddles_escaped for end in ends),
        positive_definite=best.positive_definite,
    )
