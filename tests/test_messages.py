"""Messages in parts: settings for Python and for the command line, positions that move."""

from __future__ import annotations

import ast
import copy
import re
import warnings
from pathlib import Path

import pytest

import llrcal
from llrcal.errors import LlrcalWarning, TrialFileError
from llrcal.messages import Position, Setting, printable
from llrcal.notes import Note, Severity, warn

PACKAGE = Path(str(llrcal.__file__)).resolve().parent
ERROR = TrialFileError("a.txt, ", Position("line", 7), ": byte at ", Position("offset", 100))


@pytest.mark.parametrize(
    ("setting", "argument", "option"),
    [
        (Setting("on_nan", "drop"), "on_nan='drop'", "--on-nan drop"),
        (Setting("key_convention", "kaldi"), "key_convention='kaldi'", "--key-format kaldi"),
        (Setting("lower_is_better", True), "lower_is_better=True", "--distance"),
        (Setting("header", False), "header=False", "--no-header"),
        (Setting("labels"), "labels", "--labels"),
        (Setting("folds", 5), "folds=5", "--folds 5"),
    ],
)
def test_settings_are_spelled_for_those_who_read_them(
    setting: Setting, argument: str, option: str
) -> None:
    error = TrialFileError("choose ", setting)
    assert (str(error), error.on_command_line) == (f"choose {argument}", f"choose {option}")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("naïve 名前", "naïve 名前"),
        ("a\x1b[2J\x07\x9bb", r"a\x1b[2J\x07\x9bb"),
        ("a\nwarning: b\t", r"a\nwarning: b\t"),
        ("a\u202eb\u2066\u2028\u200b", r"a\u202eb\u2066\u2028\u200b"),
        ("caf\udce9 \ud800", r"caf\xe9 \ud800"),
    ],
)
def test_what_a_terminal_would_not_show_is_spelled_out(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_positions_move_by_their_unit() -> None:
    assert str(ERROR) == "a.txt, line 7: byte at offset 100"
    assert str(ERROR.moved(line=10, offset=1000)) == "a.txt, line 17: byte at offset 1100"
    assert str(ERROR.moved(row=5)) == str(ERROR)
    assert str(ERROR) == "a.txt, line 7: byte at offset 100"


def test_an_error_within_a_place_can_still_be_moved() -> None:
    within = ERROR.within("partition 3")
    assert type(within) is TrialFileError
    assert str(within.moved(line=1)) == "partition 3: a.txt, line 8: byte at offset 100"


def test_errors_can_be_sent_to_another_process() -> None:
    error = TrialFileError("a: ", Setting("labels", "Y,N"), Position("row", 1))
    assert copy.copy(error).args == error.args  # by the same protocol


def test_notes_have_a_place() -> None:
    note = Note.of("spoof", "add ", Setting("key_out")).about("b.txt").about("test")
    assert str(note) == note.text == "test: b.txt: add key_out"
    assert note.on_command_line == "test: b.txt: add --key-out"


def test_only_warnings_are_given() -> None:
    doubt = Note.of("missing", "two trials", severity=Severity.WARNING)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn([Note.of("read", "all is well"), doubt])
    (given,) = caught
    assert (given.category, str(given.message)) == (LlrcalWarning, "two trials")
    assert given.filename == __file__


def test_no_message_outside_the_command_line_names_an_option() -> None:
    """Options are made of settings, for most users of these modules call them from Python."""
    found = [
        (path.name, node.value)
        for path in PACKAGE.rglob("*.py")
        if "cli" not in path.parts and path != PACKAGE / "messages.py"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if re.search(r"(?<![\w-])--[a-z]", node.value)
    ]
    assert found == []
