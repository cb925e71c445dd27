"""What a reader of a calibration should know of its training."""

from __future__ import annotations

from collections.abc import Iterator

from llrcal.calibrations.bounds import Bounds, unsupported
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.direction import direction_notes
from llrcal.calibrations.training import Training
from llrcal.messages import Setting
from llrcal.notes import Note

_ROUNDING = 1e-9  # of LLRs, in nats


def fit_notes(fitted: Calibration, data: Training, *, with_intervals: bool) -> tuple[Note, ...]:
    """Notes on a calibration, given its training scores."""
    return (
        *_of_no_use(fitted.bounds),
        *direction_notes(fitted, data),
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
    for held in calibration.held:
        share = data.share_between(held.low, held.high)
        if share > 0 and held.fall > _ROUNDING:
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
