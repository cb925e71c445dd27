"""The page: complete, harmless, the same numbers as in Python, and fit for paper and phones."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import llrcal
from llrcal import Validation
from llrcal.notes import Note
from llrcal.validation.build import _lrs
from llrcal.validation.guidelines import items
from llrcal.validation.validation import STATED
from tests.report.pages import Opened, Page
from tests.validation.tables import write_table

EVIL = "<script>alert(1)</script>\u202e\"'&"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Validation:
    folder = tmp_path_factory.mktemp("page") / "<img src=x onerror=alert(1)>"
    folder.mkdir()
    trials = llrcal.read_trials(write_table(folder / "a&b'\"<b>.csv"))
    return llrcal.validate(
        trials,
        method="logistic",
        require=["cllr<0.9", "eer<0.01%"],
        title=EVIL,
        author=EVIL,
        date=EVIL,
        stated=dict.fromkeys(STATED, EVIL),
        replicates=99,
    )


@pytest.fixture(scope="module")
def page(found: Validation) -> str:
    return found.page()


def test_names_are_text_and_nothing_else(page: str) -> None:
    read = Page(page)
    assert read.all("script") == []
    sources = [str(each["src"]) for each in read.all("img")]
    assert all(one.startswith("data:image/svg+xml;base64,") for one in sources)
    assert "\u202e" not in page
    # Title twice, author, date, and what is stated.
    assert read.text.count("<script>alert(1)</script>[U+202E]\"'&") == 4 + len(STATED)
    assert "<img src=x onerror=alert(1)>/a&b'\"<b>.csv" in read.text


def test_every_number_and_checksum_is_on_it(found: Validation, page: str) -> None:
    text = Page(page).text.replace("\u2212", "-")
    for one in found.measures.values():
        number, low, high = map(one.written, (one.value, *one.interval))
        assert f"{number}{low} to {high}" in text
    for words in ("Cllr", "Calibration loss", "EER", "devPAV", "Mean log10 LR"):
        assert words in text
    assert found.model_sha256 in text
    assert found.data[0].files[0].sha256 in text
    assert f"llrcal {llrcal.__version__}" in text
    for name in ("Tippett plot", "ECE plot", "PAV plot", "DET plot", "Zoo plot"):
        assert name in text


def test_criteria_are_told_beside_the_numbers(page: str) -> None:
    text = html.unescape(page)
    assert '<span class="met">< 0.9: met</span>' in text
    assert '<span class="unmet">< 0.01 %: not met</span>' in text
    assert 'id="verdict" class="unfit"' in page


def test_links_lead_somewhere(page: str) -> None:
    read = Page(page)
    ids = {attributes.get("id") for _, attributes in read.elements}
    links = {str(each["href"]) for each in read.all("a")}
    assert links == {"#scope", "#data", "#system", "#results", "#method", "#verdict"}
    assert {link.removeprefix("#") for link in links} <= ids


def test_intervals_are_beside_the_numbers(found: Validation) -> None:
    page = found.page()
    for name in ("cllr", "eer"):
        one = found.measures[name]
        low, high = map(one.written, one.interval)
        assert f"<td>{one.written(one.value)}</td><td>{low} to {high}</td>" in page


def test_guidelines_say_what_is_missing(found: Validation) -> None:
    """What is not on the page is not said to be there."""
    nowhere = {item.asked for item in items(found) if not item.place}
    assert nowhere == {"Robustness, coherence"}
    bare = replace(found, stated={}, requirements=())
    nowhere = {item.asked for item in items(bare) if not item.place}
    assert nowhere == {
        *STATED.values(), "Criteria, set in advance", "Decision", "Robustness, coherence"
    }  # fmt: skip
    for one, said in ((found, "stated by the author"), (bare, "not stated: ")):
        answers = {item.asked: item.answer for item in items(one)}
        assert all(answers[words].startswith(said) for words in STATED.values())
        criteria = "set by the author" if one is found else "none were given"
        assert answers["Criteria, set in advance"] == criteria
    assert 'class="fit"' in bare.page()


def test_speakers_of_two_sets(found: Validation) -> None:
    apart = replace(found, comparison=replace(found.comparison, folds=None))
    for shared, words in ((0, "no name occurs in both"), (3, "3 names occur in both")):
        one = replace(apart, shared_speakers=shared)
        answers = {item.asked: item.answer for item in items(one)}
        assert answers["No speaker in both training and test"] == words


def test_how_trials_were_divided_is_told(found: Validation) -> None:
    text = Page(found.page()).text
    assert "by cross-validation, in 5 folds of speakers (seed 0)" in text
    folds = found.comparison.folds
    assert folds is not None
    pairs = replace(found.comparison, folds=replace(folds, seed=None))
    text = Page(replace(found, comparison=pairs).page()).text
    assert "leaving out two of 5 speakers at a time" in text


def test_no_ratio_is_too_large_to_be_printed() -> None:
    assert _lrs(-2.0, 8.0) == "0.1353 to 2,981"
    assert _lrs(5000.0) == _lrs(700.0)


def test_speakers_that_are_not_known(tmp_path: Path) -> None:
    trials = llrcal.read_trials(write_table(tmp_path / "a.csv", named=False))
    one = llrcal.validate(trials, method="gaussian", replicates=99)
    apart = replace(one, comparison=replace(one.comparison, folds=None))  # as of two sets
    for either in (one, apart):
        answers = {item.asked: item.answer for item in items(either)}
        asked = "No speaker in both training and test"
        assert answers[asked] == "not known: the data do not name speakers"
    text = Page(one.page()).text
    assert "Zoo plot" not in text
    assert "intervals by trial" in text
    assert "a speaker may be in training and test of a fold" in text


def test_no_note_is_folded_since_nothing_would_unfold_it_on_paper(found: Validation) -> None:
    notes = tuple(Note.warning(f"code {i}", f"mind this {i}") for i in range(9))
    many = replace(found, comparison=replace(found.comparison, notes=notes))
    folds = Page(many.page()).all("details")
    assert len(folds) >= 9
    assert all("open" in attributes for attributes in folds)


def test_arrays_have_no_files(found: Validation) -> None:
    trials = llrcal.simulate(targets=60, nontargets=500)
    one = llrcal.validate(trials, method="gaussian", date="today", replicates=99)
    assert "none: the trials were in memory" in one.page()
    again = llrcal.validate(trials, method="gaussian", date="today", replicates=99)
    assert one.page() == again.page()


def test_saved_whole_as_utf8(found: Validation, page: str, tmp_path: Path) -> None:
    found.save(tmp_path / "case.html")
    assert (tmp_path / "case.html").read_bytes() == page.encode()
    with pytest.raises(llrcal.OptionError, match="is a folder"):
        found.save(tmp_path)
    for place in ("-", str(tmp_path / "page.html.gz")):
        with pytest.raises(llrcal.OptionError, match="can only be written to a plain file"):
            found.save(place)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1280])
def test_in_a_browser(browser: Any, page: str, tmp_path: Path, width: int, scheme: str) -> None:
    """Nothing is fetched or run, nothing is wider than the screen, and pictures are drawn."""
    path = tmp_path / "case.html"
    path.write_text(page, "utf-8")
    opened = Opened(browser, path, viewport={"width": width, "height": 800}, color_scheme=scheme)
    fetched = [one for one in opened.requests if not one.startswith("data:")]
    assert (fetched, opened.complaints) == ([opened.address], [])
    assert opened.page.evaluate("document.documentElement.scrollWidth") == width
    drawn = "[...document.images].every(one => one.complete && one.naturalWidth > 100)"
    assert opened.page.evaluate(drawn)
    opened.page.close()


def test_on_paper(browser: Any, page: str, tmp_path: Path) -> None:
    """A4, a handful of pages, of which none is cut off at the side."""
    path = tmp_path / "case.html"
    path.write_text(page, "utf-8")
    opened = Opened(browser, path)
    printed = opened.page.pdf(prefer_css_page_size=True)
    boxes = {tuple(map(float, box.split())) for box in _boxes(printed)}
    assert len(boxes) == 1
    assert max(abs(one - other) for one, other in zip(*boxes, (0, 0, 595, 842), strict=True)) < 1
    assert 3 <= printed.count(b"/Type /Page\n") <= 6
    opened.page.close()


def _boxes(pdf: bytes) -> list[str]:
    return [box.decode() for box in re.findall(rb"/MediaBox \[([^]]*)\]", pdf)]
