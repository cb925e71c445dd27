"""Labels from training, scores from the field: the calibration of least expected cost there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from llrcal.adaptation.classes import TrainedClasses
from llrcal.adaptation.field import Field, expected_cllr
from llrcal.adaptation.findings import findings, notes_on
from llrcal.adaptation.given import Given, Unlabelled, number_of_speakers
from llrcal.arrays import ArrayLike, Bools, Floats, is_number
from llrcal.calibrations.bounds import Bounds
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.portrait import ClassPortrait, Portrait
from llrcal.errors import OptionError
from llrcal.fitting.report import Report
from llrcal.messages import Setting
from llrcal.notes import warn

# Bits of Cllr: a calibration is not changed for an expected gain that is less. LLRs that are
# expected to cost more than the second say next to nothing, and are called so. Not tuned.
_WORTHWHILE, _NO_EVIDENCE = 0.002, 0.97
_NEGLIGIBLE = 1e-12  # the mass of a node at which LLRs are not kept


def adapt(
    cal: Calibration,
    scores: Unlabelled | None = None,
    *,
    p_target: float | None = None,
    factor: float = 2.0,
    tar: ArrayLike | None = None,
    non: ArrayLike | None = None,
    speakers: ArrayLike | None = None,
) -> Calibration:
    """Adapt a calibration to the field by unlabelled scores, a few labelled ones, or both.

    The calibration that is returned has the least expected cost (Cllr) over what may have happened
    since training: nothing; a move of both classes, together or against each other; or something
    that no move explains, where LLRs shrink to what the order of the scores still says.

    Parameters
    ----------
    cal
        A calibration by any method.
    scores
        Scores from the field, whose labels nobody knows: an array; a summary, of the negated
        scores if they are distances; or trials in memory, in pieces or on a cluster
        (:func:`llrcal.open_scores`), whose labels are not used.
    p_target
        Roughly the share of targets among ``scores``. Omit it if unknown.
    factor
        How far off ``p_target`` may be: a factor that is one standard deviation.
    tar, non
        Labelled scores from the field, if there are any; both or neither.
    speakers
        How many speakers ``scores`` are of: a number, or a label (or two) for each score. Few
        people say little about others. Without this, many are assumed, and a note says so.

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
    adapted = adaptation(
        cal, scores, p_target=p_target, factor=factor, tar=tar, non=non, speakers=speakers
    )
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
    speakers: ArrayLike | None = None,
) -> Calibration:
    """The same as :func:`adapt`, for callers that handle the notes themselves."""
    portrait = portrait_of(cal)
    check_options(p_target, factor)
    given = Given.of(cal, scores, tar, non)
    people = number_of_speakers(scores, speakers)
    field = Field.of(cal, TrainedClasses.of(portrait), given, p_target, factor, people)
    llrs = np.clip(field.llrs, *_ends(cal))
    gain = expected_cllr(field.mean, field.old_llrs) - expected_cllr(field.mean, llrs)
    applied = gain >= _WORTHWHILE
    choice = _choice(field, llrs) if applied else "as it was"
    kept_llrs = llrs if applied else field.old_llrs
    what = findings(field, kept_llrs, p_target, factor, applied=applied, choice=choice)
    notes = tuple(notes_on(what))
    if not applied:
        if cal.adapted is not None:  # its LLRs still hold
            what = replace(what, scores=cal.adapted.scores, llrs=cal.adapted.llrs)
        return replace(cal, adapted=what, report=cal.report.with_notes(notes))
    kept = np.minimum(np.sum(field.mean, axis=0), np.min(field.known, axis=0)) > _NEGLIGIBLE
    kept &= np.append(True, np.diff(field.scores) > 0)  # or they are rounded to the same
    what = replace(what, scores=tuple(field.scores[kept].tolist()), llrs=tuple(llrs[kept].tolist()))
    return replace(
        cal,
        adapted=what,
        bounds=_bounds(cal.bounds, field, given),
        report=replace(_report(field), notes=notes),
        margins=None,
        portrait=_portrait(cal, field, kept),
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
    """Between which LLRs are kept."""
    return cal.bounds.ends(*cal.supported_llrs) or (-100.0, 100.0)


def _choice(field: Field, llrs: Floats) -> str:
    if expected_cllr(field.mean, llrs) > _NO_EVIDENCE:
        return "no evidence"
    if field.probability(kind="unknown") > 0.5:
        return "order"
    return "in between" if field.probability(kind="unmoved") > 0.5 else "moved"


def _bounds(old: Bounds, field: Field, given: Given) -> Bounds:
    """Bounds with the range of the new scores, and of what the classes are expected to reach."""
    below, least = np.cumsum(np.sum(field.mean, axis=0)) / 2, 1 / field.classes.tar.count
    reached = field.scores[np.searchsorted(below[:-1], [least / 2, 1 - least / 2])]
    low, high = float(min(*given.range, *reached)), float(max(*given.range, *reached))
    eer_score = old.eer_score and float(np.clip(field.scores[field.eer_node], low, high))
    return replace(old, lowest_score=low, highest_score=high, eer_score=eer_score)


def _portrait(cal: Calibration, field: Field, kept: Bools) -> Portrait:
    """What the classes look like in the field, for the next time."""
    at = tuple(field.scores[kept].tolist())
    tar, non = (
        ClassPortrait(at, tuple((count * masses[kept] / masses[kept].sum()).tolist()))
        for masses, count in zip(field.known, (cal.tar_count, cal.non_count), strict=True)
    )
    return Portrait(tar, non)


def _report(field: Field) -> Report:
    best = field.hypotheses[int(field.weights.argmax())]
    return Report(
        converged=best.converged,
        reason=f"adapted: {best.kind}",
        iterations=0,
        objective=best.value,
        gradient_norm=0.0,
        saddles_escaped=0,
        positive_definite=True,
    )
