"""Which way a calibration runs, beside the way the scores do."""

from __future__ import annotations

from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.linear import Linear
from llrcal.calibrations.training import Training

INVERTED = (
    "targets score lower than non-targets: are these scores distances (then say lower_is_better), "
    "or the classes mixed up?"
)
INVERTED_DISTANCES = (
    "targets have greater distances than non-targets: are these similarities (then leave "
    "lower_is_better away), or the classes mixed up?"
)
_CLEARLY = 3.0  # standard errors: chance alone hardly ever brings ranks as far as that


def direction_notes(calibration: Calibration, data: Training) -> tuple[str, ...]:
    """A note where targets score worse than non-targets, or a line says the opposite of ranks.

    A line is drawn by sums, in which one score far from all others can outweigh them.
    """
    slope = calibration.slope if isinstance(calibration, Linear) else 0.0
    if abs(data.order) >= _CLEARLY and slope * data.order < 0:
        return (_contrary(calibration, slope),)
    if slope < 0 or data.order <= -_CLEARLY:
        return (INVERTED_DISTANCES if calibration.lower_is_better else INVERTED,)
    return ()


def _contrary(calibration: Calibration, slope: float) -> str:
    sign, order = ("negative", "better") if slope < 0 else ("positive", "worse")
    least, greatest = calibration.training_range
    return (
        f"the slope is {sign} although most targets score {order} than most non-targets: a few "
        f"scores far from the others decide it (they go from {least:.3g} to {greatest:.3g}). Look "
        "at these, or use pav"
    )
