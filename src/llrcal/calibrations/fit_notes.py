"""What a reader of a calibration should know of its training."""

from __future__ import annotations

from collections.abc import Iterator

from llrcal.calibrations.bounds import Bounds, unsupported
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.methods.linear import Linear
from llrcal.calibrations.training import Training
from llrcal.messages import Setting
from llrcal.notes import Note
from llrcal.onepass.direction import WRONG_WAY, runs_backwards, runs_forwards


def fit_notes(fitted: Calibration, data: Training, *, with_intervals: bool) -> tuple[Note, ...]:
    """Notes on a calibration, given its training scores."""
    return (
        *_of_no_use(fitted.bounds),
        *_direction_notes(fitted, data),
        *_held_notes(fitted, data),
        *_single_score_notes(data),
        *(data.unused_speakers if with_intervals else ()),
        *_unsupported(fitted),
    )


def _unsupported(fitted: Calibration) -> tuple[Note, ...]:
    if fitted.bounds.policy == "counts":  # LLRs keep to what they support
        return ()
    return unsupported(fitted.llr_range, fitted.tar_count, fitted.non_count)


def _of_no_use(bounds: Bounds) -> Iterator[Note]:
    if bounds.least_llr == bounds.greatest_llr == 0.0:
        yield Note.warning(
            "no use",
            "every LLR is zero, because with one more misleading trial on either side the LLRs of "
            "the training trials are no better than no evidence; train on more trials, or choose ",
            Setting("bounds", "counts"),
        )


def _held_notes(calibration: Calibration, data: Training) -> Iterator[Note]:
    """Notes on where LLRs are held, unless for rounding errors, or far from all scores."""
    least, greatest = data.score_range
    for held in calibration.plateaus:
        share = data.share_between(held.low, held.high)
        if share > 0:
            ends = max(held.low, least), min(held.high, greatest)
            low, high = (-ends[1], -ends[0]) if calibration.lower_is_better else ends
            yield Note.of(
                "held",
                f"between the scores {low:.4g} and {high:.4g} the formula would turn back, so the "
                f"LLR is held there ({share:.2%} of the training scores); ",
                Setting("rising", False),
                " gives the plain formula",
            )


def _single_score_notes(data: Training) -> Iterator[Note]:
    for name, count in (("target", data.tar_count), ("non-target", data.non_count)):
        if count == 1:
            yield Note.of(
                "one score",
                f"there is only one {name} score, which may be due to chance: by Doddington's "
                "rule, it takes 30 errors of a kind to estimate their rate",
            )


def _direction_notes(calibration: Calibration, data: Training) -> tuple[Note, ...]:
    """Notes on the direction of the scores, and on the slope of a linear calibration.

    A linear fit is based on sums, which a single extreme score can dominate.
    """
    notes = []
    if runs_backwards(data.order):
        notes.append(_wrong_way(lower_is_better=calibration.lower_is_better))
    if isinstance(calibration, Linear):
        slope = calibration.slope
        if slope < 0 and runs_forwards(data.order):
            notes.append(_against_ranks(calibration, "negative", "better"))
        elif slope > 0 and runs_backwards(data.order):
            notes.append(_against_ranks(calibration, "positive", "worse"))
        elif slope < 0 and not notes:
            notes.append(_falling(held=calibration.bounds.meeting is not None))
    return tuple(notes)


def _falling(*, held: bool) -> Note:
    if held:
        return Note.warning(
            "falling",
            "the slope is negative: the LLR would fall as the score rises, so all scores get the "
            "same LLR",
        )
    return Note.warning("falling", "the slope is negative: the LLR falls as the score rises")


def _wrong_way(*, lower_is_better: bool) -> Note:
    seen = (
        "targets have larger distances than non-targets. If these are similarities, leave out "
        if lower_is_better
        else "targets score lower than non-targets. If these are distances, give "
    )
    return Note.warning(
        WRONG_WAY,
        seen,
        Setting("lower_is_better", True),
        "; otherwise check whether the labels are swapped",
    )


def _against_ranks(calibration: Calibration, sign: str, order: str) -> Note:
    least, greatest = calibration.training_range
    return Note.warning(
        "slope against ranks",
        f"the slope is {sign} although most targets score {order} than most non-targets: a few "
        f"extreme scores decide it (the scores range from {least:.3g} to {greatest:.3g}). Look at "
        "these, or use pav",
    )
