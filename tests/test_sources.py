"""Whatever a page shows has a source: its numbers a study, and its pictures a program."""

from __future__ import annotations

from pathlib import Path

import pytest
from studies import pages, pictures
from studies.catalogue import STUDIES
from studies.records import ROOT


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: page.name)
def test_every_mark_is_of_a_study(page: Path) -> None:
    assert pages.used(page.read_text()) <= {*STUDIES}


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: page.name)
def test_every_picture_has_one_program(page: Path) -> None:
    for picture in pictures.shown(page.read_text()):
        assert (page.parent / picture).exists(), picture
        assert len(pictures.programs(page, picture)) == 1, picture


def test_every_picture_that_is_kept_is_shown() -> None:
    kept = {path for path in (ROOT / "docs" / "figures").iterdir() if path.suffix != ".py"}
    shown = {
        (page.parent / picture).resolve()
        for page in pages.PAGES
        for picture in pictures.shown(page.read_text())
    }
    assert {path for path in kept if path.is_file()} <= shown


def test_where_things_on_a_page_are_from() -> None:
    found = {(one.what, one.origin): one.command for one in pages.sources(ROOT / "README.md")}
    picture = ("`docs/figures/bayes-error-generative.png`", "studies/paper_figures.py")
    assert found[picture] == "python -m studies.paper_figures"
    (count,) = (what for what, origin in found if origin == "one_for_all.json")
    assert count.endswith("numbers")
    page = ROOT / "docs" / "pairs.md"
    assert {one.origin for one in pages.sources(page) if one.what == "outputs of code"} == {
        "the code, by docs/figures/notebook.py"
    }


def test_programs_that_write_pages_are_there() -> None:
    for page, (_, program, _) in pages._BY_CODE.items():
        assert (ROOT / page).exists(), page
        assert (ROOT / program).exists(), program


@pytest.mark.parametrize(
    "mark", ["<!-- evidence 1 | nig -->", "per cent<!-- evidence 1 | nig | all -->"]
)
def test_a_mark_that_is_not_understood_is_found(mark: str) -> None:
    (found,) = pages.differences(ROOT / "README.md", f"First.\nThen {mark}.\n")
    assert "README.md, line 2" in str(found)
    assert "neither above a table nor behind a number" in str(found)


@pytest.mark.parametrize(
    ("mark", "source", "why"),
    [
        ("2.9<!-- nobody 1 | a | b -->", "nobody.json, table 1, a, b", "there is no nobody.json"),
        ("<!-- evidence 99 -->\n| a |", "evidence.json, table 99", "there is no table '99'"),
    ],
)
def test_a_mark_without_a_record_is_found(mark: str, source: str, why: str) -> None:
    (found,) = pages.differences(ROOT / "README.md", f"First.\n\n{mark}\n")
    assert found.line in {3, 4}
    assert found.source.endswith(source)
    assert why in found.recorded
