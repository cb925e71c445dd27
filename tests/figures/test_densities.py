"""Density plots: the fitted densities over the scores themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.patches import StepPatch

import llrcal
from llrcal import OptionError
from llrcal.adaptation.adapt import adaptation as adapted
from llrcal.calibrations.methods.densities import Generative
from llrcal.figures import adaptation, column_style, densities
from llrcal.figures.style import NON_TARGET, TARGET
from llrcal.method_table import MethodName
from llrcal.onepass.summary import Summary
from tests.figures.drawing import NON, TAR, axes, calibrations, data, legend_names, lines

GENERATIVE = pytest.mark.parametrize("method", ["gaussian", "student-t", "nig"])


@GENERATIVE
@pytest.mark.parametrize("log", [False, True])
def test_curves_are_the_fitted_densities(method: MethodName, log: bool) -> None:
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


@pytest.mark.parametrize("log", [False, True])
def test_all_bars_are_inside(log: bool) -> None:
    ax = densities(calibrations()["nig"], ax=axes(), tar=TAR, non=NON, log=log)
    heights = np.concatenate([p.get_data()[0] for p in ax.patches if isinstance(p, StepPatch)])
    low, high = ax.get_ylim()
    assert low < heights[heights > 0].min()
    assert heights.max() < high <= 2 * heights.max()


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


# ------------------------------------------------------------------------------ adaptation

FIELD = np.concatenate([TAR, NON]) + 2.0


@pytest.mark.parametrize("method", ["smooth", "nig", "pav"])
@pytest.mark.parametrize("moved", [False, True])
def test_both_classes_in_the_field(method: MethodName, moved: bool) -> None:
    """Mixtures are densities; that of the field is where the scores are."""
    before = llrcal.fit(TAR, NON, method=method)
    scores = FIELD if moved else FIELD - 2.0
    after = adapted(before, scores)
    drawn = lines(adaptation(before, after, ax=axes(), scores=scores))
    assert list(drawn) == ["mixture before", "mixture after", "targets after", "non-targets after"]
    heights = {name: data(line)[1] for name, line in drawn.items()}
    x, _ = data(drawn["mixture after"])
    assert heights["mixture after"].sum() * (x[1] - x[0]) == pytest.approx(1, abs=0.05)
    parts = heights["targets after"] + heights["non-targets after"]
    np.testing.assert_allclose(parts, heights["mixture after"])
    peaks = {name: float(x[one.argmax()]) for name, one in heights.items()}
    shift = peaks["mixture after"] - peaks["mixture before"]
    assert shift == pytest.approx(2.0 * moved, abs=0.3)


def test_distances_and_summaries_are_drawn_the_same() -> None:
    before = llrcal.fit(-TAR, -NON, lower_is_better=True)
    after = adapted(before, -FIELD)
    one = lines(adaptation(before, after, ax=axes(), scores=-FIELD))
    summary = Summary.of(FIELD)  # of the negated distances
    other = lines(adaptation(before, after, ax=axes(), scores=summary))
    x, y = data(one["mixture after"])
    np.testing.assert_allclose(np.interp(x, *data(other["mixture after"])), y, atol=0.01)
    assert x[y.argmax()] == pytest.approx(-2.0 - np.median(NON), abs=0.5)


def test_densities_of_an_adapted_calibration_are_those_of_the_field() -> None:
    after = adapted(calibrations()["nig"], FIELD)
    ax = densities(after, ax=axes(), tar=TAR + 2, non=NON + 2)
    for name, scores in (("target", TAR), ("non-target", NON)):
        x, y = data(lines(ax)[f"{name} nig"])
        assert x @ y / y.sum() == pytest.approx(scores.mean() + 2, abs=0.3)


def test_a_calibration_without_a_portrait() -> None:
    before = replace(calibrations()["pav"], portrait=None)
    with pytest.raises(OptionError, match="has no portrait"):
        adaptation(before, before, ax=axes(), scores=FIELD)
