"""The page: its words, what it may fetch, and names that are text whatever is in them."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections import Counter
from importlib.resources import files

import pytest

import llrcal
from llrcal.comparison.tables import as_csv, metrics
from llrcal.notes import Note
from llrcal.report import build_report
from llrcal.report.text import decimal
from llrcal.report.warnings_list import warnings_list
from tests.report.comparisons import shifted, small
from tests.report.pages import Page


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(build_report(small()))


@pytest.mark.slow
def test_verdict_data_and_version(page: Page) -> None:
    for text in (small().verdict.headline, small().verdict.basis):
        assert text in page.text
    assert f"llrcal {llrcal.__version__}" in page.text
    for words in ("dev.npz", "eval.npz", "5,000", "300", "11 calibrations were trained"):
        assert words in page.text
    for note in small().notes:
        assert note.text in page.text


def test_a_verdict_that_nothing_is_fit_has_another_class_and_other_words(page: Page) -> None:
    other = Page(build_report(shifted()))
    classes = [
        next(a["class"] for a in found.all("section") if a.get("id") == "verdict")
        for found in (page, other)
    ]
    assert classes == ["fit", "unfit"]
    assert "Verdict: not fit for use" in other.text
    assert "not fit for use" not in page.text
    for note in shifted().verdict.reasons:
        assert note.text[1:] in other.text


@pytest.mark.slow
def test_the_same_comparison_gives_the_same_page_which_is_not_large() -> None:
    page = build_report(small())
    assert build_report(small()) == page
    assert len(page.encode()) < 2_000_000


def test_nothing_is_to_be_fetched(page: Page) -> None:
    for tag, attributes in page.elements:
        for name in ("src", "href", "action", "data", "poster"):
            address = attributes.get(name) or ""
            assert address == "" or address.startswith(("#", "data:")), (tag, address)
        assert not any(name.startswith("on") for name in attributes), (tag, attributes)


def test_the_policy_lets_in_these_scripts_only(page: Page) -> None:
    policy = next(m["content"] for m in page.all("meta") if m.get("http-equiv"))
    assert policy
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    allowed = set(re.findall(r"'sha256-([^']+)'", policy))
    _, *scripts = page.scripts
    hashes = {base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts}
    assert hashes == allowed
    assert "unsafe-eval" not in policy
    assert "http" not in policy


def test_one_of_each(page: Page) -> None:
    assert Counter(tag for tag, _ in page.elements)["h1"] == 1
    ids = Counter(a["id"] for _, a in page.elements if "id" in a)
    assert set(ids.values()) == {1}
    for _, attributes in page.elements:
        for name in ("for", "aria-labelledby", "aria-describedby"):
            if name in attributes:
                assert attributes[name] in ids
    for link in page.all("a"):
        assert "download" in link or str(link["href"]).removeprefix("#") in ids


def test_controls_have_labels_and_headings_a_scope(page: Page) -> None:
    labelled = {label["for"] for label in page.all("label")}
    for control in [*page.all("input"), *page.all("select")]:
        assert control["id"] in labelled or control.get("aria-label")
    assert all("scope" in heading for heading in page.all("th"))
    assert page.elements[0] == ("html", {"lang": "en"})


def test_plotly_is_as_published() -> None:
    bundle = files("llrcal.report").joinpath("page", "plotly-basic.min.js").read_bytes()
    assert b"plotly.js (basic - minified) v4.1.1" in bundle[:100]
    assert hashlib.sha256(bundle).hexdigest() == (
        "99784e3abfb07b142a15e521a439e6d9addceadb3f79553fd24c72774f0649ba"
    )


def test_the_table_can_be_downloaded(page: Page) -> None:
    """It is the one in the folder of results, and no script is needed for it."""
    (link,) = (a for a in page.all("a") if a.get("download"))
    assert link["download"] == "metrics.csv"
    kind, _, table = str(link["href"]).partition(",")
    assert kind == "data:text/csv;charset=utf-8;base64"
    assert base64.b64decode(table).decode() == as_csv(metrics(small()))


def notes(code: str, count: int) -> list[Note]:
    return [Note.of(code, f"{code} number {i}") for i in range(count)]


def test_no_news_is_said() -> None:
    assert "No warnings" in warnings_list([])


@pytest.mark.parametrize("code", ["unknown", "share", "few scores"])
def test_doubts_about_an_adaptation_are_listed_together(code: str) -> None:
    assert "Doubts about an adaptation" in warnings_list(notes(code, 1))


def test_groups_come_by_gravity_and_many_notes_are_folded() -> None:
    html = warnings_list([*notes("rule of 30", 2), *notes("shift", 9)])
    shift, few = html.index("Training and test differ"), html.index("Operating points with few")
    assert shift < few
    assert html.count("<details") == 2
    assert " open>" not in html
    assert "shift number 8" in html
    assert " open>" in warnings_list(notes("shift", 3))


def test_endless_groups_are_cut() -> None:
    html = warnings_list(notes("not monotone", 1000))
    assert html.count("<li>") < 50
    assert '<span class="count">1,000</span>' in html
    assert "and 960 more" in html


def test_unknown_kinds_are_shown_as_they_are() -> None:
    html = warnings_list([Note.of("odd <b>", "a < b")])
    assert "Odd &lt;b&gt;" in html
    assert "a &lt; b" in html


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.12345, "0.1235"),
        (0.99996, "1.0000"),
        (-1.5, "\u22121.5000"),
        (-1e-9, "0.0000"),
        (-0.0, "0.0000"),
        (99999.0, "99999.0000"),
        (1e5, "1.000e+5"),
        (-2.5e12, "\u22122.500e+12"),
        (math.inf, "\u221e"),
        (-math.inf, "\u2212\u221e"),
        (math.nan, "\u2013"),
    ],
)
def test_numbers(value: float, text: str) -> None:
    assert decimal(value) == text
