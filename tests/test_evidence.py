"""Pages state the numbers that studies measured, and no others."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from studies import __main__ as program
from studies import pages, records
from studies.catalogue import STUDIES, Study
from studies.records import Record, RecordError, digest_of, load, recorded, rooms, tables

PRINTED = """
Some words first.
| set | `smooth` | nig |
|---|---|---|
| **mean of all** | 2.98 | 5.56 (worst) |
| simulated, alike | 1,032.5 | \u22120.4 |

| T | asked | rms |
|---|---|---|
| 50 | trials | 0.4438 |
| 50 | even LLRs | 0.5186 |
"""
PAGE = """The mean is 2.98<!-- toy 1 | mean of all | smooth -->,
nearly 3.0<!-- toy 1 | mean of all | smooth | .1f -->.

<!-- toy 2 -->
| T | asked | rms |
|---|---|---|
| 50 | trials | 0.4438 |
| 50 | even LLRs | 0.5186 |

The end: \u22120.4<!-- toy 1 | simulated, alike | nig -->.
"""

BY_HAND = {
    "evidence.md",
    "hostile.md",  # filled by tests/hostile/page.py
    "index.md",
    "measured.md",  # filled from all records
}
"""Pages about studies, whose tables need not come from a record."""


@pytest.fixture(autouse=True)
def fresh_records() -> None:
    load.cache_clear()
    digest_of.cache_clear()


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A record of what is printed above."""
    record = Record("python -m toy", "abc", "2026-01-01", 1.0, {}, {}, tables(PRINTED))
    record.save("toy", tmp_path)
    monkeypatch.setattr(pages, "load", lambda name: load(name, tmp_path))
    return tmp_path


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: page.name)
def test_pages_state_what_was_measured(page: Path) -> None:
    """Else run ``python -m studies fill``, or mend the sentence."""
    assert [str(one) for one in pages.differences(page, page.read_text())] == []


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: page.name)
def test_pages_say_when_their_numbers_were_measured(page: Path) -> None:
    text = page.read_text()
    says = "measured.md) of studies" in text or "measured.md -->\n*Measured on 20" in text
    assert says or not pages.used(text)


def tables_by_hand(text: str) -> list[str]:
    """The first lines of tables below no mark."""
    lines = ["", *text.splitlines()]
    starts = (
        (before, line)
        for before, line in pairwise(lines)
        if line.startswith("|") and not before.startswith("|")
    )
    return [line for before, line in starts if not re.fullmatch(r"<!-- \w+ \d+ -->", before)]


@pytest.mark.parametrize("page", sorted(pages.MEASURED.parent.glob("*.md")), ids=lambda p: p.name)
def test_tables_about_studies_are_filled_from_records(page: Path) -> None:
    by_hand = tables_by_hand(page.read_text())
    if page.name in BY_HAND:
        assert by_hand, f"{page.name} has none: strike it off the list"
    else:
        assert by_hand == [], "print it in a study, and put the mark of its record above it"


def test_a_table_by_hand_is_found() -> None:
    assert tables_by_hand(PAGE) == []
    assert tables_by_hand(PAGE.replace("<!-- toy 2 -->", "")) == ["| T | asked | rms |"]


def test_the_page_of_records_is_up_to_date() -> None:
    assert pages.MEASURED.read_text() == pages.measured()


def test_every_record_is_of_a_study() -> None:
    assert {*recorded()} <= {*STUDIES}


def test_tables_as_they_were_printed() -> None:
    first, second = tables(PRINTED)
    assert first.columns == ("set", "`smooth`", "nig")
    assert first.cell("mean of all", "smooth") == "2.98"
    assert second.cell("50/even LLRs", "rms") == "0.5186"
    assert second.markdown == "\n".join(PRINTED.splitlines()[-4:])
    with pytest.raises(RecordError, match="2 rows '50' and 1 columns 'rms'"):
        second.cell("50", "rms")
    with pytest.raises(RecordError, match="1 rows 'mean of all' and 0 columns 'pav'"):
        first.cell("mean of all", "pav")


def test_a_record_is_what_was_saved(tmp_path: Path) -> None:
    saved = Record("c", "abc", "2026-01-01", 1.5, {"cores": 2}, {"a": "b"}, tables(PRINTED))
    saved.save("toy", tmp_path)
    assert load("toy", tmp_path) == saved
    assert saved.table("2") is saved.tables[1]
    for number in ("0", "3", "x"):
        with pytest.raises(RecordError, match=f"no table '{number}', but 1 to 2"):
            saved.table(number)
    with pytest.raises(RecordError, match=r"no other.json: run python -m studies run other"):
        load("other", tmp_path)


def test_a_page_says_when_and_where_it_was_measured(
    toy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = {"processor": "x86", "cores": 2, "python": "3.11", "numpy": "2"}
    other = Record("python -m other", "def", "2026-01-03", 1.0, where, {}, tables(PRINTED))
    other.save("other", toy)
    replace(load("toy", toy), machine=where).save("toy", toy)
    load.cache_clear()
    needs = {"toy": Study("?", "toy", 1), "other": Study("?", "other", 1, "scores")}
    monkeypatch.setattr(pages, "STUDIES", needs)
    mark = "\n<!-- x/measured.md -->\n"
    both = PAGE + "2.98<!-- other 1 | mean of all | smooth -->" + mark + "*Measured.*\n"
    machine = "x86, 2 cores, Python 3.11, NumPy 2. [Commands and times](x/measured.md).*\n"
    assert pages.filled(both).endswith(
        "*Measured on 2026-01-01 to 2026-01-03 at commits abc, def, on real and simulated scores; "
        + machine
    )
    assert pages.filled(PAGE + mark + "*Measured.*\n").endswith(
        "*Measured on 2026-01-01 at commit abc, on simulated scores; " + machine
    )
    (found,) = pages.differences(records.ROOT / "README.md", PAGE + mark + "*Measured.*\n")
    assert found.source == "the records of the page"
    assert found.shown == "*Measured.*"


def test_a_page_that_agrees_is_left_alone(toy: Path) -> None:
    assert pages.filled(PAGE) == PAGE
    assert list(pages.differences(records.ROOT / "README.md", PAGE)) == []
    assert pages.used(PAGE) == {"toy"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "is 2.98<",
            "is 2.89<",
            "line 1: '2.89' is '2.98' in docs/studies/data/toy.json, table 1, mean of all, smooth",
        ),
        ("nearly 3.0<", "nearly 2.9<", "line 2: '2.9' is '3.0'"),
        ("0.4438", "0.4483", "line 7: '| 50 | trials | 0.4483 |' is '| 50 | trials | 0.4438 |'"),
        ("| 50 | even LLRs | 0.5186 |\n", "", "line 5: '3 lines' is '4 lines'"),
        ("\u22120.4<", "0.4<", "line 10: '0.4' is '\u22120.4'"),
    ],
)
def test_another_number_is_found_and_mended(toy: Path, old: str, new: str, said: str) -> None:
    wrong = PAGE.replace(old, new)
    (found,) = pages.differences(records.ROOT / "README.md", wrong)
    assert f"README.md, {said}" in str(found)
    assert pages.filled(wrong) == PAGE


@pytest.mark.parametrize(
    ("mark", "why"),
    [
        ("2.98<!-- toy 1 | mean of all | pav -->", "1 rows 'mean of all' and 0 columns 'pav'"),
        ("2<!-- toy 2 | 50/trials | asked -->", "'trials' has no number"),
        ("2<!-- toy 1 | mean of all | smooth | .q -->", "ormat"),
        ("<!-- toy 9 -->\n| a |", "no table '9'"),
    ],
)
def test_what_a_record_lacks_is_found_and_left_alone(toy: Path, mark: str, why: str) -> None:
    page = f"{mark}\n\n{PAGE}"
    (found,) = pages.differences(records.ROOT / "README.md", page)
    assert found.line <= 2
    assert why in found.recorded
    assert pages.filled(page.replace("nearly 3.0", "nearly 2.9")) == page


def test_a_study_is_out_of_date_once_its_code_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    room = tmp_path / "densities"
    room.mkdir()
    (tmp_path / "arrays.py").write_text("A = 1\n")
    code = 'def f(x):\n    """One."""\n    return 2 * x\n'
    (room / "nig.py").write_text(code)
    monkeypatch.setattr(records, "_SOURCES", {"llrcal": tmp_path})
    used = rooms(["llrcal", "llrcal.densities.nig", "llrcal.densities", "llrcal.arrays", "numpy.x"])
    assert used == ["llrcal/arrays.py", "llrcal/densities"]
    digests = {one: digest_of(one) for one in used}
    record = Record("c", "abc", "2026-01-01", 1.0, {}, digests, [])
    record.save("evidence", tmp_path)
    monkeypatch.setattr(program, "recorded", lambda: recorded(tmp_path))
    monkeypatch.setattr(program, "STUDIES", {"evidence": STUDIES["evidence"]})
    monkeypatch.setattr(program, "load", lambda name: record)

    (room / "nig.py").write_text(f"# A comment.\n{code.replace('One', 'Two')}")
    digest_of.cache_clear()
    assert record.changed == []
    assert program.check()
    assert capsys.readouterr().out == ""

    (room / "nig.py").write_text(code.replace("2 * x", "3 * x"))
    digest_of.cache_clear()
    assert record.changed == ["llrcal/densities"]
    assert not program.check()
    out = capsys.readouterr().out
    assert "evidence is out of date: llrcal/densities changed since it was run" in out
    assert "python -m studies run evidence" in out
