"""What is uncertain about the log-ratio of two densities whose shape is learned as well."""

from __future__ import annotations

import numpy as np

from llrcal.arrays import Floats
from llrcal.calibrations.training import Training
from llrcal.calibrations.uncertainty import Uncertainty, from_draws
from llrcal.densities.density import Shapes
from llrcal.fitting.posterior import near_draws


def near(
    shapes: type[Shapes], data: Training, rows: tuple[Floats, Floats], meeting: float | None
) -> Uncertainty:
    """The uncertainty found by a few draws around the best fit (row) of each class."""
    at = data.places
    with np.errstate(over="ignore", invalid="ignore"):
        tar, non = (
            near_draws(shapes, side, row, at)
            for side, row in zip((data.tar, data.non), rows, strict=True)
        )
    return from_draws(at, tar, non, meeting=meeting)
