"""The report in a real browser: what it fetches, what it shows, and what answers to whom."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from llrcal.report.data import page_data
from tests.report.comparisons import small, systems_compared
from tests.report.pages import Opened, written

pytestmark = pytest.mark.slow

NAMES = ("bayes", "det", "transforms", "tippett", "ece", "densities")
PLOTS = [f"{name}-plot" for name in NAMES]
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 375, "height": 812}
LABELS = list(small().candidates)

# Another named point first, so that the second is a change.
RESET = """() => {
  const press = (inside, text) =>
    [...document.querySelectorAll(`${inside} button`)].find((b) => b.textContent === text).click();
  press("#methods", "All");
  press("#named-points", "p0.1");
  press("#named-points", "p0.01");
  const logarithms = document.getElementById("logarithms");
  logarithms.value = "nats";
  logarithms.dispatchEvent(new Event("change"));
}"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(small(), tmp_path_factory)


@pytest.fixture(scope="module")
def opened(browser: Any, report: Path) -> Opened:
    return Opened(browser, report, viewport=DESKTOP)


@pytest.fixture
def page(opened: Opened) -> Any:
    """The page as it was when opened; opening it anew for each test would take long."""
    page = opened.page
    page.emulate_media(color_scheme="light")
    page.mouse.move(1, 1)
    page.evaluate(RESET)
    return page


# ------------------------------------------------------------------------------ helpers


def number(text: str) -> float:
    return float(text.replace("\u2212", "-"))


def words(page: Any) -> str:
    return str(page.locator("#readout-words").text_content())


def place(page: Any) -> float:
    """Prior log-odds that the read-out says it shows."""
    found = re.search(r"prior log-odds (\u2212?[\d.]+\d)", words(page))
    assert found
    return number(found[1])


def readout(page: Any) -> dict[str, list[str]]:
    rows = page.locator("#readout tbody tr").all_inner_texts()
    cells = [row.replace("★", "").replace("(best)", "").split("\t") for row in rows]
    return {label.strip(): [cell.strip() for cell in rest] for label, *rest in cells}


def assert_reads_as_evaluate(page: Any, x: float) -> None:
    found = readout(page)
    assert list(found) == LABELS
    for label, candidate in small().candidates.items():
        ev = candidate.evaluation
        actual, minimum, misses, false_alarms = found[label]
        assert actual == f"{ev.bayes_error(x):.4f}"
        assert minimum == f"{ev.min_bayes_error(x):.4f}"
        assert number(misses.removesuffix(" %")) == pytest.approx(100 * ev.pmiss(-x), abs=0.005)
        assert number(false_alarms.removesuffix(" %")) == pytest.approx(100 * ev.pfa(-x), abs=0.005)
    assert f"minimum for these scores {small().raw.min_bayes_error(x):.4f}" in words(page)


def line_at(page: Any) -> float:
    """Where the vertical line of the operating point is drawn."""
    return float(page.evaluate("document.getElementById('bayes-plot').layout.shapes[0].x0"))


def wait_for_line(page: Any, x: float) -> None:
    """Wait until it is drawn at x, give or take a sample: plotly answers to a mouse in its time."""
    page.wait_for_function(
        "(x) => Math.abs(document.getElementById('bayes-plot').layout.shapes[0].x0 - x) < 0.051",
        arg=x,
    )


def hover(page: Any, share: float) -> None:
    """Point at the plot, at a share of its width."""
    plot = page.locator("#bayes-plot .nsewdrag")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    low, high = page.locator("#bayes-plot").evaluate("({layout}) => layout.xaxis.range")
    page.mouse.move(box["x"] + share * box["width"], box["y"] + 0.5 * box["height"], steps=2)
    wait_for_line(page, low + share * (high - low))


def lines_drawn(page: Any, plot: str) -> int:
    return int(page.locator(f"#{plot} .scatterlayer .trace:has(.js-line)").count())


def background(page: Any) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


# From the right end of what is seen of a cell, its star included, to the left end of the next.
LEAST_GAP = """() => {
  const ends = (cell) => {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    const boxes = [];
    while (texts.nextNode()) {
      if (texts.currentNode.parentNode.className === "hidden") continue;
      const range = document.createRange();
      range.selectNodeContents(texts.currentNode);
      boxes.push(...range.getClientRects());
    }
    return [Math.min(...boxes.map((b) => b.left)), Math.max(...boxes.map((b) => b.right))];
  };
  const gaps = [...document.querySelectorAll("#metrics tbody tr")].flatMap((row) => {
    const cells = [...row.querySelectorAll("td")].map(ends);
    return cells.slice(1).map(([left], i) => left - cells[i][1]);
  });
  return Math.min(...gaps);
}"""


# ---------------------------------------------------------------------------- as opened


def test_it_fetches_nothing_and_complains_of_nothing(opened: Opened, page: Any) -> None:
    for plot in PLOTS:
        assert page.locator(f"#{plot} .main-svg").first.is_visible()
    assert lines_drawn(page, "bayes-plot") == len(LABELS) + 1
    assert lines_drawn(page, "transforms-plot") == len(LABELS)
    assert opened.is_quiet()


def test_nothing_is_hidden_at_the_side_of_a_desktop(page: Any) -> None:
    boxes = page.evaluate(
        "[...document.querySelectorAll('.scroll, html')]"
        ".filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.ariaLabel)"
    )
    assert boxes == []
    assert page.locator("#metrics .star").count() > 5
    assert page.evaluate(LEAST_GAP) >= 3


def test_a_band_goes_with_the_recommended_calibration(page: Any) -> None:
    def areas(plot: str) -> int:
        return int(page.locator(f"#{plot} .scatterlayer .js-fill:visible").count())

    assert [areas(f"{plot}-plot") for plot in ("bayes", "tippett", "ece")] == [1, 2, 1]
    x, y = drawn(page, "bayes-plot", len(LABELS))
    evaluation = small().candidates[small().recommended].evaluation
    half = len(x) // 2
    low, high = evaluation.bands(replicates=39).bayes_error(x[:half])
    np.testing.assert_allclose(y, [*high, *low[::-1]], rtol=1e-5, atol=1e-12)
    page.get_by_role("checkbox", name=small().recommended, exact=True).uncheck()
    assert [areas(f"{plot}-plot") for plot in ("bayes", "tippett", "ece")] == [0, 0, 0]
    assert "drawn from this one" in page.locator("#ece p").first.inner_text()


def test_it_opens_at_a_named_operating_point(page: Any) -> None:
    x = small().points[1].prior_log_odds
    assert "p0.01" in words(page)
    assert line_at(page) == x
    assert_reads_as_evaluate(page, x)


# -------------------------------------------------------------------------- the methods


def test_the_recommended_one_the_default_and_the_minimum_come_first(page: Any) -> None:
    page.get_by_role("button", name="Main").click()
    main = dict.fromkeys([small().recommended, "smooth"])
    assert page.locator("#methods label:has(:checked)").all_text_contents() == [*main]
    assert page.locator("#methods label").first.text_content() == small().recommended
    assert lines_drawn(page, "bayes-plot") == len(main) + 1
    assert lines_drawn(page, "transforms-plot") == len(main)
    assert page.locator("#readout tbody tr:visible").count() == len(main)


def test_one_selector_of_calibrations_stays_in_sight(page: Any) -> None:
    for plot in PLOTS:
        page.locator(f"#{plot}").evaluate(
            "(plot) => plot.scrollIntoView({ behavior: 'instant', block: 'end' })"
        )
        assert page.locator("#methods").evaluate(
            "(box) => { const { top, bottom } = box.getBoundingClientRect();"
            " return 0 <= top && bottom < innerHeight / 2; }"
        )
    box = page.get_by_role("checkbox", name="student-t")
    box.uncheck()
    assert lines_drawn(page, "bayes-plot") == len(LABELS)
    assert lines_drawn(page, "transforms-plot") == len(LABELS) - 1
    assert not page.locator("#readout tbody tr", has_text="student-t").is_visible()
    page.get_by_role("button", name="All").click()
    assert box.is_checked()
    assert lines_drawn(page, "bayes-plot") == len(LABELS) + 1


def test_det_has_the_scores_and_the_decisions(page: Any) -> None:
    """Misses against false alarms, as probits, and a point for each calibration."""
    x, y = drawn(page, "det-plot", 0)
    ends = ndtr([x.min(), x.max()])
    known = np.stack(small().raw.roc(), axis=1).clip(*ends)
    for i in range(0, len(x), 20):
        nearest = np.abs(ndtri(known) - [x[i], y[i]]).max(axis=1).min()
        assert nearest < 0.01
    for number, candidate in enumerate(small().candidates.values(), 1):
        at = small().points[1].prior_log_odds
        ev = candidate.evaluation
        view = page_data(small())["det"]["view"]  # at whose edges are rates beyond
        expected = ndtri([ev.pfa(-at), ev.pmiss(-at)]).clip(*view)
        found = np.ravel(drawn(page, "det-plot", number))
        np.testing.assert_allclose(found, expected, atol=1e-3)
        symbol = page.locator("#det-plot").evaluate("({data}, i) => data[i].marker.symbol", number)
        is_beyond = (expected == view[0]).any() or (expected == view[1]).any()
        assert symbol.endswith("-open") == is_beyond
    before = drawn(page, "det-plot", 1)
    page.locator("#slider").fill("60")
    assert drawn(page, "det-plot", 1) != before


def test_the_next_command_is_copied(opened: Opened, page: Any) -> None:
    page.locator("#verdict .copy").click()
    assert page.locator("#verdict .copy").text_content() == "Copied"
    assert page.evaluate("getSelection().toString()") == small().next_command()
    assert opened.complaints == []


# ------------------------------------------------------------------ the operating point


def test_the_slider_reads_off_all_calibrations(page: Any) -> None:
    slider = page.locator("#slider")
    for position in ("10", "77", "0", str(slider.get_attribute("max"))):
        slider.fill(position)
        x = place(page)
        assert x == round(20 * x) / 20
        assert line_at(page) == x
        assert_reads_as_evaluate(page, x)


def test_the_slider_works_by_keyboard(page: Any) -> None:
    page.locator("#slider").fill("50")
    before = place(page)
    page.locator("#slider").focus()
    page.keyboard.press("ArrowRight")
    assert place(page) == pytest.approx(before + 0.05)
    assert_reads_as_evaluate(page, place(page))
    assert page.locator("#slider").get_attribute("aria-valuetext") == (
        f"prior log-odds \u2212{-place(page):.2f}"
    )


def test_hovering_reads_off_and_leaving_returns(page: Any) -> None:
    for share in (0.3, 0.5, 0.7):
        hover(page, share)
        assert_reads_as_evaluate(page, place(page))
        assert line_at(page) == place(page)
        assert page.locator("#slider").get_attribute("aria-valuetext") in words(page)
        prior = float(page.locator("#p-target").input_value())
        assert np.log(prior / (1 - prior)) == pytest.approx(place(page), abs=1e-3)
        assert page.locator("#named-points [aria-pressed=true]").count() == 0
    page.mouse.move(1, 1)
    wait_for_line(page, small().points[1].prior_log_odds)
    assert "p0.01" in words(page)
    assert page.locator("#p-target").input_value() == "0.01"
    assert page.locator("#named-points [aria-pressed=true]").text_content() == "p0.01"


def test_a_click_keeps_the_place(page: Any) -> None:
    hover(page, 0.6)
    x = place(page)
    page.mouse.down()
    page.wait_for_timeout(70)  # as long as a finger takes
    page.mouse.up()
    page.wait_for_function("() => document.getElementById('p-target').value !== '0.01'")
    page.mouse.move(1, 1)
    wait_for_line(page, x)
    assert place(page) == x
    assert_reads_as_evaluate(page, x)


def test_typed_priors_and_costs(page: Any) -> None:
    page.locator("#p-target").fill("0.2")
    page.locator("#c-miss").fill("3")
    page.locator("#c-fa").fill("1")
    assert "the sample nearest to \u22120.2877" in words(page)  # log(0.2 / 0.8 * 3)
    assert place(page) == -0.3
    assert_reads_as_evaluate(page, -0.3)
    # Other numbers for a named point: its exact place.
    page.locator("#c-miss").fill("1")
    page.locator("#p-target").fill("0.1")
    assert "p0.1, prior log-odds \u22122.1972" in words(page)
    assert_reads_as_evaluate(page, small().points[2].prior_log_odds)


def test_numbers_beyond_the_plot_and_beyond_reason(page: Any) -> None:
    page.locator("#p-target").fill("1e-30")
    assert "the end of the plot nearest to \u221269.0776" in words(page)
    assert_reads_as_evaluate(page, place(page))
    before = words(page)
    for bad in ("0", "1", "-3", ""):
        page.locator("#p-target").fill(bad)
        assert "between 0 and 1" in page.locator("#point-problem").text_content()
        assert page.locator("#p-target").get_attribute("aria-invalid") == "true"
        assert words(page) == before
    page.locator("#p-target").fill("0.5")
    page.locator("#c-fa").fill("0")
    assert "positive" in page.locator("#point-problem").text_content()
    page.locator("#c-fa").fill("1")
    assert page.locator("#point-problem").text_content() == ""


# ---------------------------------------------------------------------- the other parts


def test_the_table_is_sorted_by_click_and_by_key(page: Any) -> None:
    def column(number: int) -> list[float]:
        cells = page.locator(f"#metrics tbody td:nth-child({number + 1})")
        return [float(re.findall(r"\d\.\d{4}", text)[0]) for text in cells.all_text_contents()]

    heading = page.get_by_role("button", name="Cllr", exact=True)
    heading.click()
    assert column(2) == sorted(column(2))
    heading.focus()
    page.keyboard.press("Enter")
    assert column(2) == sorted(column(2), reverse=True)
    assert page.locator("#metrics [aria-sort]").count() == 1
    assert page.locator("#metrics thead th:nth-child(3)").get_attribute("aria-sort") == "descending"
    page.get_by_role("button", name="Calibration", exact=True).click()
    names = page.locator("#metrics tbody th").all_text_contents()
    assert [name.removesuffix(" recommended") for name in names] == sorted(LABELS)


def drawn(page: Any, plot: str, trace: int) -> tuple[Any, Any]:
    """The numbers of one line of a plot."""
    found = page.evaluate(
        "([plot, i]) => { const { x, y } = document.getElementById(plot).data[i]; "
        "return [Array.from(x), Array.from(y)]; }",
        [plot, trace],
    )
    x, y = (np.array(side, np.float64) for side in found)
    return x, y


def axis_titles(page: Any) -> list[str]:
    axes = {"bayes-plot": "x", "transforms-plot": "y", "tippett-plot": "x", "ece-plot": "x"}
    return [
        str(page.evaluate(f"document.getElementById('{plot}').layout.{axis}axis.title.text"))
        for plot, axis in axes.items()
    ]


def test_the_switch_of_logarithms(page: Any) -> None:
    plots = [("transforms-plot", 1), ("tippett-plot", 0), ("ece-plot", 0)]
    before = {plot: drawn(page, plot, 0)[axis] for plot, axis in plots}
    assert axis_titles(page) == ["prior log-odds", "LLR, nats", "LLR, nats", "prior log-odds"]
    page.select_option("#logarithms", "log10")
    odds, llr = "log\u2081\u2080 prior odds", "log\u2081\u2080 LR"
    assert axis_titles(page) == [odds, llr, llr, odds]
    for plot, axis in plots:
        np.testing.assert_allclose(drawn(page, plot, 0)[axis], before[plot] / np.log(10), rtol=1e-9)
    assert f"At p0.01, {odds} \u22121.9956" in words(page)
    # The line of the operating point stays where it is, at a tick of -2 but for the odds.
    ticks = page.evaluate("document.getElementById('bayes-plot').layout.xaxis.tickvals")
    texts = page.evaluate("document.getElementById('bayes-plot').layout.xaxis.ticktext")
    np.testing.assert_allclose(ticks, [number(text) * np.log(10) for text in texts], atol=1e-9)
    assert line_at(page) == pytest.approx(-1.9956 * np.log(10), abs=1e-3)
    page.select_option("#logarithms", "nats")
    assert "prior log-odds \u22124.5951" in words(page)


def test_densities_follow_their_controls(page: Any) -> None:
    def state() -> list[Any]:
        """Number of traces, scale, height of one bar, and height of one curve."""
        return list(
            page.locator("#densities-plot").evaluate(
                "({data, layout}) =>"
                " [data.length, layout.yaxis.type, data[0].y[60], data.at(-1).y[240]]"
            )
        )

    count, scale, bar, height = state()
    assert (count, scale) == (4, "log")
    page.get_by_label("Log scale").uncheck()
    assert state() == [4, "linear", bar, height]
    page.locator("#density-trials").select_option("test scores")
    assert state()[2] != bar
    page.locator("#density-method").select_option("gaussian")
    assert state()[3] != height
    page.locator("#density-method").select_option("no calibration")
    assert state()[0] == 2


def test_dark_mode_follows_the_system(page: Any) -> None:
    def colours() -> list[Any]:
        """Of a calibration, of the minimum, and of the ground."""
        return list(
            page.locator("#bayes-plot").evaluate(
                "({data, layout}) =>"
                " [data[0].line.color, data.at(-1).line.color, layout.paper_bgcolor]"
            )
        )

    light, light_page = colours(), background(page)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        "() => document.getElementById('bayes-plot').layout.paper_bgcolor !== '#ffffff'"
    )
    dark = colours()
    assert background(page) != light_page
    assert all(one != other for one, other in zip(light, dark, strict=True))
    # On paper everything is light, and nothing is folded.
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert colours() == light
    assert page.locator("details:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert colours() == dark
    assert page.locator("details:not([open])").count() > 0


def test_paper_has_no_controls_and_one_legend_for_all_plots(page: Any) -> None:
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("button:visible, input:visible, select:visible").count() == len(
        page.locator("#metrics thead button").all()
    )
    names = page.locator("#methods label:visible").all_text_contents()
    assert sorted(names) == sorted(LABELS)
    assert page.locator("#methods .reference").is_visible()
    ends = page.locator("#methods").evaluate("(box) => [box.scrollHeight, box.clientHeight]")
    assert ends[0] == ends[1]
    drawings = page.evaluate(
        "[...document.querySelectorAll('.plot')]"
        ".map(({_fullLayout: {width, height, _size}}) => [width, _size.h / height])"
    )
    assert max(width for width, _ in drawings) <= 660
    assert min(share for _, share in drawings) > 0.5  # legends took up to three quarters of them
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")


def test_a_picture_can_be_saved(opened: Opened, page: Any) -> None:
    page.locator("#bayes-plot").hover()
    with page.expect_download() as download:
        page.locator("#bayes-plot").get_by_role("button", name="Download plot as a PNG").click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")
    assert opened.complaints == []


def test_after_all_this_nothing_was_fetched(opened: Opened, page: Any) -> None:
    fetched = [address for address in opened.requests if not address.startswith(("data:", "blob:"))]
    assert fetched == [opened.address]
    assert opened.complaints == []


# ------------------------------------------------------------------------------- phones


def test_a_phone_shows_it_without_scrolling_sideways(browser: Any, report: Path) -> None:
    phone = Opened(browser, report, viewport=PHONE, has_touch=True, is_mobile=True)
    page = phone.page
    wide = page.evaluate("[document.documentElement.scrollWidth, document.body.scrollWidth]")
    assert wide == [PHONE["width"]] * 2
    for plot in PLOTS:
        box = page.locator(f"#{plot} .main-svg").first.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]
    # The table scrolls inside its own box, whose ends are shaded.
    scrolled, ends = page.locator("#metrics").evaluate(
        "({parentNode: box}) =>"
        " [box.scrollWidth > box.clientWidth, getComputedStyle(box).backgroundAttachment]"
    )
    assert scrolled
    assert ends == "local, local, scroll, scroll"
    assert page.evaluate(LEAST_GAP) >= 3
    hidden = page.locator("#methods label").evaluate_all(
        "(labels) => labels.filter((label) => {"
        " const { top, bottom, left, right } = label.getBoundingClientRect();"
        " const box = label.parentNode.getBoundingClientRect();"
        " return left < box.left || right > box.right || top < box.top || bottom > box.bottom; })"
        ".length"
    )
    assert hidden == 0
    page.get_by_role("button", name="All").tap()
    page.locator("#slider").fill("30")
    assert_reads_as_evaluate(page, place(page))
    assert phone.is_quiet()
    page.close()


def test_systems_have_a_det_curve_each(
    browser: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    opened = Opened(browser, written(systems_compared(), tmp_path_factory), viewport=DESKTOP)
    systems = list(systems_compared().candidates)
    assert lines_drawn(opened.page, "det-plot") == len(systems)
    names = "document.getElementById('det-plot').data.map(({ name }) => name)"
    assert opened.page.evaluate(names) == [*systems, *systems]
    assert not opened.page.locator("#transforms").is_visible()
    assert opened.page.evaluate(LEAST_GAP) >= 3
    box = opened.page.locator("#metrics").locator("..")
    assert box.evaluate("(box) => box.scrollWidth <= box.clientWidth")
    opened.page.emulate_media(media="print")
    assert opened.is_quiet()


# ------------------------------------------------------------------------------- the verdict
