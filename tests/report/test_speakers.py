"""Where speakers are known: how many, who makes the errors, and intervals of error rates."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.comparison import Comparison, compare
from llrcal.report import build_report
from llrcal.report.data import page_data
from llrcal.report.metrics_table import rates_table
from tests.report.comparisons import HOSTILE, small, systems_compared
from tests.report.pages import Opened, Page, written


@cache
def known() -> Comparison:
    train, test = (llrcal.simulate(targets=200, nontargets=4_000, seed=seed) for seed in (1, 2))
    assert test.speakers is not None
    count = 1 + max(int(side.max()) for side in test.speakers)
    names = np.array([f"{HOSTILE[i % len(HOSTILE)]} {i}" for i in range(count)], dtype=object)
    named = replace(test, speaker_names=names)
    return compare(train, named, methods=["smooth", "logistic"], replicates=0)


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(build_report(known()))


def test_speakers_are_counted(page: Page) -> None:
    speakers = known().test.speakers
    assert speakers is not None
    count = len({*np.concatenate(speakers).ravel().tolist()})
    assert f"{count} speakers" in page.text
    assert "not known" not in page.text
    assert "not known" in Page(build_report(small())).text


def test_points_are_the_speakers_of_the_recommended_calibration() -> None:
    data = page_data(known())["zoo"]
    table = known().candidates[known().recommended].evaluation.speakers().drop_nulls("llr_tar")
    assert len(data["names"]) == table.height
    assert data["tar"].tolist() == table["llr_tar"].to_list()
    assert data["shares"].tolist() == table["share"].to_list()
    assert page_data(small())["zoo"] is None
    ids = [attributes.get("id") for _, attributes in Page(build_report(small())).elements]
    assert "zoo" not in ids


def test_speakers_who_cost_most_are_listed_with_two_decimals() -> None:
    html = build_report(known())
    worst = html[html.index('id="worst"') :]
    table = worst[: worst.index("</table>")]
    speakers = known().candidates[known().recommended].evaluation.speakers()
    first = speakers.row(0, named=True)
    for value in (first["llr_tar"], first["llr_non"]):
        assert f">{value:.2f}<".replace("-", "\u2212") in table
    assert f">{100 * first['share']:.1f}<" in table


def test_miss_rates_are_those_of_evaluate() -> None:
    html = rates_table(known())
    found = known().candidates[known().recommended].evaluation.error_rates
    assert len(found) == 2
    for one in found:
        assert one.by == "speaker"
        low, high = one.pmiss_interval
        assert f">{100 * one.pmiss:.2f} %<small>{100 * low:.2f} to {100 * high:.2f} %<" in html
        assert f"{one.misses:,} misses, {one.false_alarms:,} false alarms" in html
    assert "95 % intervals by speaker" in html
    assert "intervals by trial" in rates_table(small())
    every = rates_table(systems_compared())
    assert [every.count(f'row">{name}<') for name in ("cos", "plda", "fusion")] == [1, 1, 1]
    pieces = replace(known(), test=replace(known().test, totals=(10**9, 10**9)))
    assert rates_table(pieces) == ""


@pytest.mark.slow
def test_the_plot_in_a_browser(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    opened = Opened(
        browser, written(known(), tmp_path_factory), viewport={"width": 375, "height": 800}
    )
    plot = opened.page.locator("#zoo-plot")
    assert plot.locator(".point").count() == len(page_data(known())["zoo"]["names"])
    before = plot.evaluate("({ data }) => data[0].x[0]")
    opened.page.select_option("#logarithms", "log10")
    assert plot.evaluate("({ data }) => data[0].x[0]") == pytest.approx(before / np.log(10))
    opened.page.evaluate("Plotly.Fx.hover('zoo-plot', [{ curveNumber: 0, pointNumber: 0 }])")
    assert opened.page.evaluate("window.broken") is None
    assert opened.page.locator("img:not(#pictures img), .main-svg a").count() == 0
    assert opened.page.evaluate("document.documentElement.scrollWidth") == 375
    assert opened.is_quiet()
