"""Model files: what is loaded is saved and loaded again as the same, and answers every score."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fuzz.harness import answer, as_file, folder, require
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.methods.linear import Linear
from llrcal.calibrations.methods.pav import PAV
from llrcal.models import load

_SCORES = np.array([-np.inf, -1e308, -1e9, -7.5, -1.0, -0.0, 1e-300, 0.5, 2.0, 1e9, 1e308, np.inf])


def check(data: bytes) -> None:
    """Load a model, use it, save it, and load it again."""
    calibration = answer(load, as_file(data), edited=True)
    if not isinstance(calibration, Calibration):
        return
    once, twice = folder() / "once", folder() / "twice"
    calibration.save(once)
    again = load(once)
    again.save(twice)
    require(Path(once).read_bytes() == Path(twice).read_bytes(), "another model when saved again")
    require(again.to_model() == calibration.to_model(), "another model when loaded again")
    llrs = calibration.without_warnings(_SCORES)
    require(
        llrs.tobytes() == again.without_warnings(_SCORES).tobytes(),
        "another answer when loaded again",
    )
    require(bool(np.isfinite(llrs).all()), f"LLRs are {llrs}")
    if isinstance(calibration, Linear | PAV):
        falls = calibration.lower_is_better
        if isinstance(calibration, Linear) and calibration.slope < 0:
            falls = not falls
        require((np.diff(llrs[::-1] if falls else llrs) >= 0).all(), f"LLRs are {llrs}")
    answer(calibration.regions, 0.0)
