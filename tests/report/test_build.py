from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from importlib.resources import files

import pytest

import llrcal
from llrcal.comparison.tables import as_csv, metrics
from llrcal.report import build_report
from tests.report.comparisons import HOSTILE, hostile, shifted, small
from tests.report.pages import Page


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(build_report(small(), title="Cosine scores"))


@pytest.mark.slow
def test_title_verdict_data_and_version(page: Page) -> None:
    assert page.text.count("Cosine scores") == 2  # in the head, and as the heading
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
def test_the_same_comparison_gives_the_same_page() -> None:
    assert build_report(small()) == build_report(small())


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


def test_hostile_names_are_text() -> None:
    html = build_report(hostile(), title=HOSTILE[0] + HOSTILE[1])
    page = Page(html)
    assert len(page.scripts) == 3
    assert not page.all("img")
    assert len(page.all("title")) == 1
    assert HOSTILE[0] + HOSTILE[1] in page.text
    for name in HOSTILE[:3]:
        assert name in page.text
    assert "abc[U+202E]gpj.exe" in page.text
    html.encode("utf-8")
    # 10,000 letters of a name are cut, its end is kept.
    assert "x" * 200 not in page.text
    assert "xend" in page.text


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


@pytest.mark.slow
def test_size() -> None:
    assert len(build_report(small()).encode()) < 2_000_000
