"""Labels from training, scores from the field: the calibration of least expected cost there."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from llrcal.adaptation.field import Field, expected_cllr
from llrcal.adaptation.findings import findings, notes_on
from llrcal.adaptation.given import Given, Unlabelled
from llrcal.adaptation.source import SourceModel
from llrcal.arrays import ArrayLike, Floats, is_number
from llrcal.calibrations.adapted import Adapted
from llrcal.calibrations.bounds import Bounds
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.portrait import ClassPortrait, Portrait
from llrcal.errors import OptionError
from llrcal.fitting.report import Report
from llrcal.messages import Setting
from llrcal.notes import warn
from llrcal.onepass.cells import even_ranks

# Bits of Cllr: a calibration is not changed for an expected gain that is less.
_WORTHWHILE = 0.002
_NO_EVIDENCE = 0.97  # bits; LLRs that are expected to cost more say next to nothing
_NEGLIGIBLE = 1e-12  # the mass of a node at which LLRs are not kept
_CELLS = 100  # of a portrait


def adapt(
    cal: Calibration,
    scores: Unlabelled | None = None,
    *,
    p_target: float | None = None,
    factor: float = 2.0,
    tar: ArrayLike | None = None,
    non: ArrayLike | None = None,
) -> Calibration:
    """Adapt a calibration to the field by unlabelled scores, a few labelled ones, or both.

    The calibration that is returned has the least expected cost (Cllr) over what may have happened
    since training: nothing, a shift of both classes, or anything in between.

    Parameters
    ----------
    cal
        A calibration by any method.
    scores
        Scores from the field, whose labels nobody knows: an array; a summary, of the negated
        scores if they are distances; or trials in memory, in pieces (:mod:`llrcal.out_of_core`) or
        on a cluster (:mod:`llrcal.dask`), whose labels are not used.
    p_target
        Roughly the share of targets among ``scores``. What you say is believed, so say nothing if
        you do not know it.
    factor
        How far off ``p_target`` may be: a factor that is one standard deviation.
    tar, non
        Labelled scores from the field, if there are any; both or neither.

    Returns
    -------
    Calibration
        An ordinary calibration of the same method. Its ``adapted`` says what was chosen, how far
        the classes have moved, the share of targets, and the expected Cllr, EER and detection cost
        in the field, each with an interval.

    Raises
    ------
    OptionError
        If the calibration has no portrait of its classes, or an option is out of range.
    ScoreError
        If there are no scores, or they cannot be used.

    Warns
    -----
    LlrcalWarning
        If something about the scores seems wrong: what it is, and what either choice is expected
        to cost.

    Examples
    --------
    >>> import llrcal
    >>> old, new = llrcal.simulate(seed=1), llrcal.simulate(seed=2)
    >>> cal = llrcal.fit(old.tar, old.non)
    >>> moved = [*(new.tar + 1), *(new.non + 1)]
    >>> there = llrcal.adapt(cal, moved, p_target=len(new.tar) / len(moved))
    >>> there.adapted.choice, round(there.adapted.non_shift.value, 1)
    ('moved', 1.0)
    """
    adapted = adaptation(cal, scores, p_target=p_target, factor=factor, tar=tar, non=non)
    warn(adapted.report.notes)
    return adapted


def adaptation(
    cal: Calibration,
    scores: Unlabelled | None = None,
    *,
    p_target: float | None = None,
    factor: float = 2.0,
    tar: ArrayLike | None = None,
    non: ArrayLike | None = None,
) -> Calibration:
    """The same as :func:`adapt`, for callers that handle the notes themselves."""
    portrait = portrait_of(cal)
    check_options(p_target, factor)
    given = Given.of(cal, scores, tar, non)
    field = Field.of(cal, SourceModel.of(portrait), given, p_target, factor)
    llrs = np.clip(field.llrs, *_ends(cal))
    gain = expected_cllr(field.mean, field.old_llrs) - expected_cllr(field.mean, llrs)
    applied = gain >= _WORTHWHILE
    what = Adapted(
        applied=applied,
        choice=_choice(field, llrs) if applied else "as it was",
        p_target=None if p_target is None else float(p_target),
        factor=float(factor),
        unlabelled=round(given.pool.count) if given.pool else 0,
        tar=round(given.tar.count) if given.tar else 0,
        non=round(given.non.count) if given.non else 0,
        **findings(field, llrs if applied else field.old_llrs, p_target),
    )
    notes = tuple(notes_on(what, field))
    if not applied:
        if cal.adapted is not None:  # its LLRs still hold
            what = replace(what, scores=cal.adapted.scores, llrs=cal.adapted.llrs)
        return replace(cal, adapted=what, report=cal.report.with_notes(notes))
    kept = field.mean[0] + field.mean[1] > _NEGLIGIBLE
    kept &= np.append(True, np.diff(field.scores) > 0)  # or they are rounded to the same
    what = replace(what, scores=tuple(field.scores[kept].tolist()), llrs=tuple(llrs[kept].tolist()))
    return replace(
        cal,
        adapted=what,
        bounds=_bounds(cal.bounds, field, given),
        report=replace(_report(field), notes=notes),
        margins=None,
        portrait=_portrait(cal, field),
    )


def portrait_of(cal: Calibration) -> Portrait:
    """The portrait of a calibration.

    Raises
    ------
    OptionError
        If it has none; the message says what to do.
    """
    if cal.portrait is not None:
        return cal.portrait
    raise OptionError(
        f"this {cal.method} calibration has no portrait of its training scores, to which others "
        "could be compared: it was saved before there were portraits, or trained on infinite "
        "scores. Train it again, on finite ones"
    )


def check_options(p_target: float | None, factor: float) -> None:
    """Raise an OptionError if a share or its factor is out of range."""
    if p_target is not None:
        check_share(p_target, "p_target")
    if not is_number(factor) or not 1 < factor <= 1e6:
        raise OptionError(f"factor is {factor!r:.50}; give a number above 1, such as 2")
    if p_target is None and factor != 2:
        raise OptionError(
            Setting("factor"), " says how far off a share may be; give that: ", Setting("p_target")
        )


def check_share(share: float, setting: str) -> None:
    """Raise an OptionError unless a share is a number between 0 and 1."""
    if not is_number(share) or not 1e-9 <= share <= 1 - 1e-9:
        raise OptionError(
            Setting(setting),
            f" is {share!r:.50}; give the rough share of targets among the scores, a number "
            "strictly between 0 and 1",
        )


def _ends(cal: Calibration) -> tuple[float, float]:
    """Between which LLRs are kept: as far as bounds may let them go."""
    ends = cal.bounds.ends(*cal.supported_llrs) or (-100.0, 100.0)
    room = max(cal.bounds.soft_end, 0.0) * 5
    return ends[0] - room, ends[1] + room


def _choice(field: Field, llrs: Floats) -> str:
    if expected_cllr(field.mean, llrs) > _NO_EVIDENCE:
        return "no evidence"
    as_they_were = [one.unmoved for one in field.hypotheses]
    return "in between" if field.weights[as_they_were].sum() > 0.5 else "moved"


def _bounds(old: Bounds, field: Field, given: Given) -> Bounds:
    """Bounds with the range of the new scores, and with the old range, moved along."""
    low, high = given.range
    for end in (old.lowest_score, old.highest_score):
        if abs(end) < math.sqrt(np.finfo(float).max):
            at = _moved_along(field, end)
            low, high = min(low, at), max(high, at)
    eer_score = None
    if old.eer_score is not None:
        eer_score = min(max(float(field.scores[field.eer_node]), low), high)
    return replace(old, lowest_score=low, highest_score=high, eer_score=eer_score)


def _moved_along(field: Field, score: float) -> float:
    """Where a score of the nearer class goes."""
    source = field.source
    seen, moves = (score - source.origin) / source.unit, field.importance @ field.draws
    sides = zip((source.tar.theta, source.non.theta), source.moved(moves), strict=True)
    old, new = min(sides, key=lambda side: abs(seen - side[0][0]) / np.exp(side[0][1]))
    wider = np.exp(new.theta[1] - old[1])
    return source.origin + source.unit * float(new.theta[0] + (seen - old[0]) * wider)


def _portrait(cal: Calibration, field: Field) -> Portrait:
    """What the classes look like in the field, for the next time."""
    sides = zip(field.known, (cal.tar_count, cal.non_count), strict=True)
    return Portrait(*(_portrait_of_class(field.scores, mass, count) for mass, count in sides))


def _portrait_of_class(scores: Floats, masses: Floats, count: int) -> ClassPortrait:
    """Points at the means of cells, as the portrait of training scores has them."""
    shares = masses / masses.sum()
    below, sums = np.cumsum(shares), np.cumsum(shares * (scores - scores[0]))
    least = 0.5 / max(count, 10)
    edges = np.concatenate([[0.0], even_ranks(least, 1 - least, _CELLS), [1.0]])
    each = np.diff(edges)
    means = scores[0] + np.diff(np.interp(edges, below, sums, left=0.0)) / each
    at, first = np.unique(np.maximum.accumulate(means), return_index=True)
    return ClassPortrait(tuple(at.tolist()), tuple((np.add.reduceat(each, first) * count).tolist()))


def _report(field: Field) -> Report:
    ends = [one.solution for one in field.hypotheses]
    best = field.best.solution
    return Report(
        converged=all(end.converged for end in ends),
        reason="adapted: " + best.reason,
        iterations=sum(end.iterations for end in ends),
        objective=best.value,
        gradient_norm=best.gradient_norm,
        saddles_escaped=sum(end.saddles_escaped for end in ends),
        positive_definite=best.positive_definite,
    )
