"""The section on the number of trials, and what the page says of cross-validation."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from llrcal.comparison import Comparison, compare
from llrcal.report import build_report
from llrcal.report.data import page_data
from tests.comparison.test_folds import anonymous, crossed
from tests.report.comparisons import small, trials
from tests.report.pages import Opened, Page, written


@cache
def learned() -> Comparison:
    both = (trials(300, 3000, seed=i, source=f"set {i}") for i in (1, 2))
    methods = ["logistic", "pav", "gaussian", "student-t"]
    return compare(*both, methods=methods, replicates=0, learning_curve=True)


@pytest.mark.slow
def test_the_section_is_there_only_if_asked_for() -> None:
    page = Page(build_report(learned()))
    curve = learned().learning_curve
    assert curve is not None
    assert curve.verdict in page.text
    assert {"href": "#learning"} in page.all("a")
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    for label, points in curve.points.items():
        assert label in page.text
        assert f"{points[0].mean_error.median:.4f}" in page.text
    without = Page(build_report(small()))
    assert {"href": "#learning"} not in without.all("a")
    assert not any(attributes.get("id") == "learning" for _, attributes in without.elements)
    assert page_data(small())["learning"] is None


@pytest.mark.slow
def test_the_numbers_are_those_of_the_curve() -> None:
    curve = learned().learning_curve
    assert curve is not None
    found = page_data(learned())["learning"]
    assert found["targets"] == [size.targets for size in curve.sizes]
    for metric, drawn in found["metrics"].items():
        for line, points in zip(drawn["lines"], curve.points.values(), strict=True):
            assert line["median"] == [getattr(point, metric).median for point in points]
            assert line["high"] == [getattr(point, metric).high for point in points]
    assert sum(found["banded"]) <= 2


@pytest.mark.parametrize("by", ["speaker", "trial"])
def test_cross_validation_is_said_first(by: str) -> None:
    one = crossed() if by == "speaker" else anonymous(crossed())
    found = compare(one, folds=5, methods=["logistic"], replicates=0)
    page = Page(build_report(found))
    assert f"cross-validated in 5 folds, dealt by {by}" in page.text
    assert "trained on all trials" in page.text
    assert "Tested in folds" in page.text
    assert found.notes
    assert all(note.text in page.text for note in found.notes)


# ------------------------------------------------------------------------ in a browser


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(learned(), tmp_path_factory)


@pytest.mark.slow
def test_the_plot_follows_its_controls(browser: Any, report: Path) -> None:
    opened = Opened(browser, report, viewport={"width": 1280, "height": 900})
    page = opened.page
    traces = "document.getElementById('learning-plot').data.map(({y}) => [...y])"
    curve = learned().learning_curve
    assert curve is not None
    # Two bands of two edges each, four lines and the minimum.
    drawn = page.evaluate(traces)
    assert len(drawn) == 4 + 4 + 1
    lines = [[point.mean_error.median for point in points] for points in curve.points.values()]
    assert drawn[4:8] == lines
    page.select_option("#learning-metric", "cllr")
    lines = [[point.cllr.median for point in points] for points in curve.points.values()]
    assert page.evaluate(traces)[4:8] == lines
    # Three shown: each has its band.
    page.locator("#methods input[value='0']").uncheck()
    assert len(page.evaluate(traces)) == 6 + 4 + 1
    page.emulate_media(color_scheme="dark")
    page.emulate_media(media="print")
    assert opened.is_quiet()
