"""Which smooth calibrations of few trials are guided by expected labels."""

from __future__ import annotations

import numpy as np

from llrcal.calibrations.methods.smooth import _KNOTS, _averaged
from llrcal.calibrations.training import Training
from llrcal.fitting.stiffness import averaged_spline
from llrcal.onepass.rank_scale import Ordered
from tests.trial_sets import normal


def test_no_labels_are_expected_if_one_class_is_on_levels() -> None:
    """For it has no density; where neither is, they guide the spline."""
    tar, non = normal(30, 2.0, 1.0), normal(200, -1.0, 1.0)
    for classes, is_guided in (
        ((tar, non), True),
        ((np.round(2 * tar) / 2, non), False),
        ((tar, np.round(2 * non) / 2), False),
    ):
        data = Training.of(*classes)
        ordered = Ordered.of(data.tar.finely_in_order(), data.non.finely_in_order())
        alone = averaged_spline(ordered.cells(), *ordered.evenly_spaced(_KNOTS))
        same = np.array_equal(_averaged(data).slopes, alone.slopes)
        assert same is not is_guided
