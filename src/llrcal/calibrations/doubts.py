"""What a fit is warned of: answers that the reader should look at twice.

Every warning is also a note of the report. Most notes are not worth a warning: they say where on
the edge of its model an ordinary fit has ended, and ordinary fits are silent.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping

from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.direction import INVERTED, INVERTED_DISTANCES
from llrcal.calibrations.logistic import CONSTANT, SEPARABLE
from llrcal.errors import LlrcalWarning

_GRAVE = (
    SEPARABLE,
    CONSTANT,
    INVERTED,
    INVERTED_DISTANCES,
    "although most targets",  # score against the slope
    "dof is at its floor",
)


def doubts(calibration: Calibration) -> Iterator[str]:
    """Why a calibration should be looked at twice."""
    report = calibration.report
    if not report.converged:
        yield f"the fit did not converge: {report.reason}"
    for note in report.notes:
        if any(words in note for words in _GRAVE):
            yield note


def warn_of(calibrations: Mapping[str, Calibration], *, stacklevel: int) -> None:
    """Give a warning for each doubt, with the label of the calibration."""
    for label, calibration in calibrations.items():
        for doubt in doubts(calibration):
            warnings.warn(f"{label}: {doubt}", LlrcalWarning, stacklevel=stacklevel + 1)
