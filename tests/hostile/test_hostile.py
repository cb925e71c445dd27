"""Every hostile input has the outcome that the table states, twice, and its page says so."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import pytest

import llrcal
from llrcal.errors import LlrcalError
from tests.hostile.case import Case, Ended, Refused
from tests.hostile.fingerprint import fingerprint
from tests.hostile.page import PAGE, SECTIONS, page

pytestmark = pytest.mark.slow

EVERY = {number: case for section in SECTIONS for number, case in section.numbered()}


def outcome(case: Case, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, list[str]]:
    """What becomes of an input: an answer or an error of ours, and our warnings.

    Whatever else is raised or warned of leaves this function, and fails the test.
    """
    folder.mkdir()
    monkeypatch.chdir(folder)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("error")
        warnings.simplefilter("always", llrcal.LlrcalWarning)
        try:
            answer = case.run()
        except LlrcalError as problem:
            answer = problem
    return answer, [str(warning.message) for warning in caught]


def check(case: Case, answer: Any, warned: list[str]) -> None:
    expected = case.outcome
    if isinstance(expected, Refused):
        assert type(answer) is expected.error, f"{answer!r}"
        check_message(str(answer), expected)
        assert not warned
    elif isinstance(expected, Ended):
        assert answer.exit_code == expected.status, answer.output
        assert isinstance(answer.exception, SystemExit), repr(answer.exception)
        check_message(answer.stderr, expected)
    else:
        assert not isinstance(answer, LlrcalError), f"{answer!r}"
        assert bool(warned) == bool(expected.warns), warned
        assert any(expected.warns in text for text in warned) or not expected.warns, warned
        expected.check(answer)


def check_message(message: str, expected: Refused | Ended) -> None:
    assert "" not in (expected.what, expected.where), "which would be in any message"
    for words in (expected.what, expected.where, expected.do):
        assert words in message
    assert len(message) < 1000
    assert "Traceback" not in message
    assert " object at 0x" not in message  # addresses in memory are nobody's business


@pytest.mark.parametrize("number", EVERY)
def test_outcome(number: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = EVERY[number]
    first, warned = outcome(case, tmp_path / "first", monkeypatch)
    check(case, first, warned)
    second, warned_again = outcome(case, tmp_path / "other", monkeypatch)
    assert warned == warned_again
    names = [os.fspath(tmp_path / name) for name in ("first", "other")]
    assert fingerprint(first, names[0]) == fingerprint(second, names[1])


def test_the_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == page(), "run `make docs`"


def test_there_are_many_and_no_two_are_the_same() -> None:
    assert len(EVERY) >= 120
    assert len({case.what for case in EVERY.values()}) == len(EVERY)
    assert len({section.letter for section in SECTIONS}) == len(SECTIONS)
