from __future__ import annotations

from llrcal.notes import Note
from llrcal.report.warnings_list import warnings_list


def notes(code: str, count: int) -> list[Note]:
    return [Note.of(code, f"{code} number {i}") for i in range(count)]


def test_no_news_is_said() -> None:
    assert "nothing to warn of" in warnings_list([])


def test_groups_come_by_gravity_and_long_ones_are_folded() -> None:
    html = warnings_list([*notes("rule of 30", 2), *notes("shift", 9)])
    shift, few = html.index("Training and test differ"), html.index("Operating points with few")
    assert shift < few
    assert html.count("<details") == 2
    assert html.count('<details class="warning" open>') == 1
    assert html.index(" open>") > shift
    assert "shift number 8" in html


def test_endless_groups_are_cut() -> None:
    html = warnings_list(notes("not monotone", 1000))
    assert html.count("<li>") < 50
    assert '<span class="count">1,000</span>' in html
    assert "and 960 more" in html


def test_held_llrs_have_a_heading() -> None:
    html = warnings_list(notes("held", 2))
    assert "LLRs that are held" in html
    assert "held number 1" in html


def test_unknown_kinds_are_shown_as_they_are() -> None:
    html = warnings_list([Note.of("odd <b>", "a < b")])
    assert "Odd &lt;b&gt;" in html
    assert "a &lt; b" in html
