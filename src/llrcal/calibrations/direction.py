"""Notes on scores that run the wrong way, and on slopes of the wrong sign."""

from __future__ import annotations

from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.linear import Linear
from llrcal.calibrations.training import Training
from llrcal.messages import Setting
from llrcal.notes import Note
from llrcal.onepass.direction import WRONG_WAY, runs_backwards, runs_forwards


def direction_notes(calibration: Calibration, data: Training) -> tuple[Note, ...]:
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
