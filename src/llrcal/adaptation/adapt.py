"""Labels from one place, scores from another: a calibration for where the scores come from."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from llrcal.adaptation.findings import IN_THE_WAY, estimate, moves_found, notes_on
from llrcal.adaptation.given import Given, Unlabelled
from llrcal.adaptation.hypotheses import Averaged, averaged, one_class_instead
from llrcal.adaptation.move import Place, densities_of, moved_calibration, place_of
from llrcal.adaptation.objective import Evidence
from llrcal.adaptation.prediction import Axis, misfit, predicted
from llrcal.arrays import ArrayLike, Floats, is_number
from llrcal.calibrations.adapted import Adapted
from llrcal.calibrations.bounds import Bounds
from llrcal.calibrations.calibration import Calibration
from llrcal.errors import OptionError
from llrcal.fitting.report import Report
from llrcal.messages import Setting
from llrcal.notes import warn

_DRAWS = 200


def adapt(
    cal: Calibration,
    scores: Unlabelled | None = None,
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
        Scores of the new place, whose labels nobody knows: an array; a summary, of the negated
        scores if they are distances; or trials in memory, in pieces (:mod:`llrcal.out_of_core`) or
        on a cluster (:mod:`llrcal.dask`), whose labels are not used.
    p_target
        Roughly the share of targets among ``scores``.
    factor
        How far off ``p_target`` may be: a factor that is one standard deviation.
    tar, non
        Labelled scores of the new place, if there are any; both or neither.
    force
        Whether to adapt even if the model does not fit the scores, they cannot tell the classes
        apart, look like one class alone, or the share of targets is far from what was said.

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
    scores: Unlabelled | None = None,
    *,
    p_target: float = 0.01,
    factor: float = 2.0,
    tar: ArrayLike | None = None,
    non: ArrayLike | None = None,
    force: bool = False,
) -> Calibration:
    """The same as :func:`adapt`, for callers that handle the notes themselves."""
    place = place_of(*densities_of(cal))
    check_share(p_target, "p_target")
    if not is_number(factor) or not 1 < factor <= 1e6:
        raise OptionError(f"factor is {factor!r:.50}; give a number above 1, such as 2")
    given = Given.of(cal, scores, tar, non)
    data = given.evidence(place, p_target)
    deviation = math.log(factor)
    found = averaged(data, deviation)
    new = _with_bounds(moved_calibration(cal, place, found.moves), given, place, found.moves)
    what = _findings(cal, new, given, place, found, p_target=p_target, factor=factor, data=data)
    instead = one_class_instead(data, found, deviation)
    notes = tuple(notes_on(what, found, deviation, _old_eer(cal, place), instead))
    report = replace(_report(found), notes=notes)
    if not force and any(note.code in IN_THE_WAY for note in notes):
        notes = (*cal.report.notes, *notes)
        return replace(
            cal, adapted=replace(what, applied=False), report=replace(cal.report, notes=notes)
        )
    return replace(new, adapted=what, report=report, margins=None)


def check_share(share: float, setting: str) -> None:
    """Raise an OptionError unless a share is a number between 0 and 1."""
    if not is_number(share) or not 1e-9 <= share <= 1 - 1e-9:
        raise OptionError(
            Setting(setting),
            f" is {share!r:.50}; give the rough share of targets among the scores, a number "
            "strictly between 0 and 1",
        )


def _with_bounds(new: Calibration, given: Given, place: Place, moves: Floats) -> Calibration:
    """The calibration with the range of the new scores, and with the old range, moved along."""
    old = new.bounds
    low, high = given.range
    for end in (old.lowest_score, old.highest_score):
        if abs(end) < math.sqrt(np.finfo(float).max):
            at = _moved_along(place, moves, end)
            low, high = min(low, at), max(high, at)
    eer_score = None
    if old.eer_score is not None:
        axis = Axis.around(place, moves)
        eer_score = min(max(axis.eer_score(axis.shares(moves)), low), high)
    limits: Bounds = replace(old, lowest_score=low, highest_score=high, eer_score=eer_score)
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
    given: Given,
    place: Place,
    found: Averaged,
    *,
    p_target: float,
    factor: float,
    data: Evidence,
) -> Adapted:
    draws = found.draws(_DRAWS)
    axis = Axis.around(place, found.moves)
    shares = [axis.shares(moves) for moves in (found.moves, *draws)]
    before, after = (
        [
            estimate(each)
            for each in zip(*(predicted(llrs, s, p_target) for s in shares), strict=True)
        ]
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
        misfit=misfit(given.scores, axis, shares[0], float(share[0])) if given.scores else 0.0,
        share=estimate(share),
        cllr_before=before[0],
        cllr=after[0],
        eer=after[1],
        dcf=after[2],
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
