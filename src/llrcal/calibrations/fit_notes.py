"""What a reader of a calibration should know of its training."""

from __future__ import annotations

import math
from collections.abc import Iterator

from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.methods.linear import Linear
from llrcal.calibrations.training import Training
from llrcal.messages import Setting
from llrcal.notes import Note
from llrcal.onepass.rank_scale import WRONG_WAY, runs_backwards, runs_forwards

# The tails of a good fit exceed what the counts support somewhat, which is not worth a note; a
# likelihood-ratio that is a billion times too large is.
_WORTH_A_NOTE = math.log(1e9)


def fit_notes(fitted: Calibration, data: Training, *, with_intervals: bool) -> Iterator[Note]:
    """Notes on a calibration, given its training scores."""
    if fitted.bounds.least_llr == fitted.bounds.greatest_llr == 0.0:
        yield Note.warning(
            "no use",
            "every LLR is zero, because with one more misleading trial on either side the LLRs of "
            "the training trials are no better than no evidence; train on more trials, or choose ",
            Setting("bounds", "counts"),
        )
    yield from _direction_notes(fitted, data)
    yield from _held_notes(fitted, data)
    for name, count in (("target", data.tar_count), ("non-target", data.non_count)):
        if count == 1:
            yield Note.of(
                "one score",
                f"there is only one {name} score, which may be due to chance: by Doddington's "
                "rule, it takes 30 errors of a kind to estimate their rate",
            )
    if with_intervals:
        yield from data.speakers.notes
    if fitted.bounds.policy != "counts":  # by which LLRs keep to what the counts support
        (low, high), (least, greatest) = fitted.llr_range, fitted.supported_llrs
        if max(least - low, high - greatest) > _WORTH_A_NOTE:
            yield Note.of(
                "beyond counts",
                f"LLRs range from {low:.3g} to {high:.3g} over the training scores, but "
                f"{data.tar_count:,} targets and {data.non_count:,} non-targets can support no "
                f"more than {least:.1f} to {greatest:.1f}; ",
                Setting("bounds", "counts"),
                " limits them to that",
            )


def _direction_notes(fitted: Calibration, data: Training) -> Iterator[Note]:
    """Notes on the direction of the scores, and on the slope of a linear calibration.

    A linear fit is based on sums, which a single extreme score can dominate.
    """
    backwards, forwards = runs_backwards(data.mann_whitney_z), runs_forwards(data.mann_whitney_z)
    if backwards:
        seen = (
            "targets have larger distances than non-targets. If these are similarities, leave out "
            if fitted.lower_is_better
            else "targets score lower than non-targets. If these are distances, give "
        )
        swapped = "; otherwise check whether the labels are swapped"
        yield Note.warning(WRONG_WAY, seen, Setting("lower_is_better", True), swapped)
    slope = fitted.slope if isinstance(fitted, Linear) else 0.0
    if (slope < 0 and forwards) or (slope > 0 and backwards):
        sign, order = ("negative", "better") if slope < 0 else ("positive", "worse")
        least, greatest = fitted.training_range
        yield Note.warning(
            "slope against ranks",
            f"the slope is {sign} although most targets score {order} than most non-targets: a few "
            f"extreme scores decide it (the scores range from {least:.3g} to {greatest:.3g}). Look "
            "at these, or use pav",
        )
    elif slope < 0 and not backwards:
        yield Note.warning(
            "falling",
            "the slope is negative: the LLR falls as the score rises"
            if fitted.bounds.eer_score is None
            else "the slope is negative: the LLR would fall as the score rises, so all scores get "
            "the same LLR",
        )


def _held_notes(fitted: Calibration, data: Training) -> Iterator[Note]:
    """Notes on where LLRs are held, unless far from all scores."""
    least, greatest = data.score_range
    for held in fitted.plateaus:
        share = data.share_between(held.low, held.high)
        if share > 0:
            ends = max(held.low, least), min(held.high, greatest)
            low, high = (-ends[1], -ends[0]) if fitted.lower_is_better else ends
            yield Note.of(
                "held",
                f"between the scores {low:.4g} and {high:.4g} the formula would turn back, so the "
                f"LLR is held there ({share:.2%} of the training scores); ",
                Setting("rising", False),
                " gives the plain formula",
            )
