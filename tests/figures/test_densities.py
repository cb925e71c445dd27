"""Density plots: the fitted densities over the scores themselves."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.patches import StepPatch

from llrcal import OptionError
from llrcal.calibrations.methods.densities import Generative
from llrcal.figures import column_style, densities
from llrcal.figures.style import NON_TARGET, TARGET
from tests.figures.drawing import NON, TAR, axes, calibrations, data, legend_names, lines

GENERATIVE = pytest.mark.parametrize("method", ["gaussian", "student-t", "nig"])


@GENERATIVE
@pytest.mark.parametrize("log", [False, True])
def test_curves_are_the_fitted_densities(method: str, log: bool) -> None:
    calibration = calibrations()[method]
    assert isinstance(calibration, Generative)
    ax = densities(calibration, ax=axes(), tar=TAR, non=NON, log=log)
    for name, fit, colour in (
        ("target", calibration.tar, TARGET),
        ("non-target", calibration.non, NON_TARGET),
    ):
        line = lines(ax)[f"{name} {method}"]
        x, y = data(line)
        np.testing.assert_allclose(y, np.exp(fit.logpdf(x)), rtol=1e-14)
        assert line.get_color() == colour
    assert ax.get_yscale() == ("log" if log else "linear")


def test_histograms_are_normalised_by_class() -> None:
    ax = densities(calibrations()["nig"], ax=axes(), tar=TAR, non=NON)
    for patch, scores in zip(ax.patches, (TAR, NON), strict=True):
        assert isinstance(patch, StepPatch)
        heights, edges, _ = patch.get_data()
        inside = np.mean((scores >= edges[0]) & (scores <= edges[-1]))
        assert heights @ np.diff(edges) == pytest.approx(inside, rel=1e-12)
        counts, _ = np.histogram(scores, edges)
        np.testing.assert_allclose(heights, counts / len(scores) / np.diff(edges), rtol=1e-12)
    assert len(legend_names(ax)) == 4


def test_the_log_axis_reaches_down_to_a_single_score() -> None:
    ax = axes()
    with column_style():
        densities(calibrations()["nig"], ax=ax, tar=TAR, non=NON, log=True)
        low, high = ax.get_ylim()
        names = [label.get_text() for label in ax.get_yticklabels()]
    for patch in ax.patches:
        assert isinstance(patch, StepPatch)
        heights = patch.get_data()[0]
        assert low < heights[heights > 0].min()
        assert heights.max() < high
    assert "10⁻²" in names
    assert not any("$" in name for name in names)


def test_a_calibration_without_densities() -> None:
    with pytest.raises(OptionError, match=r"pav has no densities; .* gaussian, student-t, nig"):
        densities(calibrations()["pav"], ax=axes(), tar=TAR, non=NON)
