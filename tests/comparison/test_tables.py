"""Tables of a comparison: the numbers to the last bit, and names that are nothing but text."""

from __future__ import annotations

import csv
import io
import math
import re
import unicodedata
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from llrcal.comparison import Comparison, compare
from llrcal.comparison.tables import (
    NAME,
    SENTENCE,
    as_csv,
    as_latex,
    as_markdown,
    metrics,
    shown,
)
from llrcal.method_table import integrated_out
from llrcal.notes import Note
from llrcal.report.sections import calibrations_table
from llrcal.simulation import simulate
from tests.report.comparisons import HOSTILE, hostile, small

SIGNS = [*"\\`*_[]()<>|~$&^!#+-=:.'\"1 a\n\r\t", "<b>", "</td>", "&lt;", "![x](y)", "1. "]
NAMES = st.text(max_size=30) | st.lists(st.sampled_from(SIGNS), max_size=12).map("".join)
ELEMENTS = {"p", "strong", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"}


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


# ------------------------------------------------------------------------------------- names


@given(name=st.text(max_size=200))
def test_nothing_is_hidden_in_what_is_shown(name: str) -> None:
    text = shown(name)
    assert not {unicodedata.category(c) for c in text} & {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}
    text.encode("utf-8")
    if text.isascii() and "[U+" not in text and len(name) <= NAME:
        assert text == name


@pytest.mark.parametrize("blank", ["\u3164", "\u115f", "\u034f", "\ufffe", "\U000e0041"])
def test_what_shows_nothing_is_spelled_out(blank: str) -> None:
    assert shown(f"a{blank}b") == f"a[U+{ord(blank):04X}]b"


# --------------------------------------------------------------------------------------- CSV


def test_numbers_come_back_to_the_last_bit() -> None:
    rows = metrics(small())
    head, *lines = read(as_csv(rows))
    assert head == list(rows[0])
    for row, line in zip(rows, lines, strict=True):
        for value, cell in zip(row.values(), line, strict=True):
            assert cell == value if isinstance(value, str) else float(cell) == value


@pytest.mark.parametrize("number", [-0.5, -1e-300, math.inf, -math.inf, np.float64(-2.5), 1e22])
def test_numbers_are_never_prefixed(number: float) -> None:
    ((cell,),) = read(as_csv([{"x": number}]))[1:]
    assert cell == repr(float(number))


@pytest.mark.parametrize(
    "formula",
    [
        '=HYPERLINK("https://example.org?x="&A1,"click")',
        "=1+1",
        "+1",
        "-1+1",
        "@SUM(1)",
        "\t=1+1",
        "\r=1+1",
        "\n=1+1",
        "  =1+1",
        "\u00a0=1+1",
        "\uff1d1+1",
        "a;=1+1",
        "a; =1+1",
        "a\r=1+1",
        "a\n=1+1",
        '","=1+1',
        '";=1+1;"',
    ],
)
def test_no_cell_is_a_formula(formula: str) -> None:
    """Neither by commas nor by semicolons, whichever the spreadsheet parts cells by."""
    text = as_csv([{formula: formula, "x": -1.0}])
    for line in read(text):
        assert len(line) == 2
    for separator in ",;\t":
        for line in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            for cell in line:
                is_number = cell.strip('"').replace(".", "", 1).removeprefix("-").isdigit()
                assert is_number or cell.lstrip()[:1] not in {*"=+-@\t\r\uff1d"}, cell


# ---------------------------------------------------------------------------------- Markdown


class Rendered(HTMLParser):
    """What a reader of Markdown sees: elements, cells of the table, and items of the list."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.texts: dict[str, list[str]] = {"td": [], "li": [], "strong": []}
        self._open: list[str] = []
        reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
        self.feed(reader.render(markdown))
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.elements.append(tag)
        self._open.append(tag)
        if tag in self.texts:
            self.texts[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in {*self._open} & {*self.texts}:
            self.texts[tag][-1] += data


def named(*labels: str, notes: tuple[str, ...] = ()) -> Comparison:
    """The small comparison with other labels and notes."""
    candidates = [
        replace(candidate, label=label)
        for label, candidate in zip(labels, small().candidates.values(), strict=False)
    ]
    return replace(
        small(),
        candidates={candidate.label: candidate for candidate in candidates},
        notes=tuple(Note.of("edge", text) for text in notes),
    )


def words(text: str) -> list[str]:
    return text.split()


def assert_names_are_text(name: str) -> None:
    comparison = named(name, "nig", notes=(f"{name}: the LLR falls", name))
    page = Rendered(as_markdown(comparison))
    assert {*page.elements} <= {
        *["p", "strong", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"]
    }
    count = page.elements.count("th")
    assert page.elements.count("td") == 2 * count
    cells = page.texts["td"][::count]
    assert [words(cell) for cell in cells] == [words(shown(name)), ["nig"]]
    assert len(page.texts["li"]) == 2
    assert words(page.texts["li"][0]) == words(shown(f"{name}: the LLR falls"))
    assert words(page.texts["li"][1]) == words(shown(name))
    assert words(page.texts["strong"][0]) == words(shown(comparison.verdict.text, limit=SENTENCE))


@pytest.mark.parametrize(
    "name",
    [
        *HOSTILE,
        "a|b",
        "a\\|b",
        "\\",
        "*bold* _and_ __so__ ~~on~~ snake_case",
        "`code` ```fence",
        "[link](javascript:alert(1)) ![image](https://example.org/x.png)",
        "<script>alert(1)</script>",
        "&lt;b&gt; &#60;",
        "# heading",
        "- item",
        "+ item",
        "12) item",
        "1. item",
        "---",
        "===",
        "> quoted",
        "a\n\n| b | c |\n",
        "$x^2$",
        "| --- |",
        "[ref]: https://example.org",
        "<!-- comment",
    ],
)
def test_names_are_text_in_markdown(name: str) -> None:
    assert_names_are_text(name)


@given(name=NAMES)
def test_any_name_is_text_in_markdown(name: str) -> None:
    assert_names_are_text(name)


def test_ordinary_tables_have_no_backslashes() -> None:
    text = as_markdown(small())
    assert "\\" not in text.replace("\\[", "").replace("\\]", "")
    assert "| linear-gaussian-empirical | " in text
    for note in small().notes:
        assert words(note.text)[0] in text


# ------------------------------------------------------------------------------------- LaTeX

LETTERS = {
    "textbackslash": "\\",
    "textasciitilde": "~",
    "textasciicircum": "^",
    "textless": "<",
    "textgreater": ">",
    "textbar": "|",
}
TOKEN = re.compile(
    r"\\symbol\{34\}|\\([A-Za-z]+)\{\}|\\([&%$#_{}])|\{([\[*])\}|([^\\&%$#_{}~^\[*\"<>|])"
)


def typeset(cell: str) -> str:
    """What LaTeX sets for a cell of plain text; an error if anything in it is not plain."""
    text, place = "", 0
    while place < len(cell):
        token = TOKEN.match(cell, place)
        assert token, cell[place:]
        command, sign, grouped, letter = token.groups()
        text += LETTERS[command] if command else sign or grouped or letter or '"'
        place = token.end()
    return text


def assert_names_are_text_in_latex(name: str) -> None:
    comparison = named(name, "nig", notes=())
    comment, begin, top, heads, mid, *rows, bottom, end = as_latex(comparison).splitlines()
    assert comment.startswith("% ")
    assert (top, mid, bottom) == ("\\toprule", "\\midrule", "\\bottomrule")
    cells = [re.split(r" (?<!\\)& ", row.removesuffix(" \\\\")) for row in (heads, *rows)]
    count = len(cells[0])
    assert [len(row) for row in cells] == [count] * 3
    assert (begin, end) == (f"\\begin{{tabular}}{{l{'r' * (count - 1)}}}", "\\end{tabular}")
    assert {"Cllr", "EER %", "act p0.01", "min p0.01"} <= {*map(typeset, cells[0])}
    names = [row[0].removeprefix("\\textbf{").removesuffix("}") for row in cells[1:]]
    marked = ["textbf" in row[0] for row in cells[1:]]
    assert marked == [one == comparison.recommended for one in (name, "nig")]
    if marked[0]:
        assert typeset(names[0]) == shown(name)
    else:
        assert [typeset(cells[1][0]), typeset(names[1])] == [shown(name), "nig"]
    markdown = as_markdown(comparison).splitlines()[-1]
    assert cells[2][1:] == [cell.strip() for cell in markdown.split("|")[2:-1]]


@pytest.mark.parametrize(
    "name", [*HOSTILE, "*", "[1]", "\\", "\\input{x}", "^^41", "100% a_b & c", '"']
)
def test_names_are_text_in_latex(name: str) -> None:
    assert_names_are_text_in_latex(name)


@given(name=NAMES)
def test_any_name_is_text_in_latex(name: str) -> None:
    assert_names_are_text_in_latex(name)


def test_infinite_and_negative_numbers_are_set_as_such() -> None:
    assert "$\\infty$" in as_latex(hostile())
    assert "inf " not in as_latex(hostile())


def test_parameters_that_are_integrated_out_are_told_of_everywhere() -> None:
    out = integrated_out(["gaussian", "pav", ("logistic", {"rule": "brier"})])
    assert out == [("gaussian", {"bayes": True})]
    sets = (simulate(targets=30, nontargets=90, seed=seed) for seed in (0, 1))
    found = compare(*sets, methods=[*out, "gaussian"], replicates=0)
    assert [row["method"] for row in metrics(found)] == ["gaussian", "gaussian"]
    assert [row["bayes"] for row in metrics(found)] == ["yes", ""]
    assert calibrations_table(found).count("its parameters are integrated out") == 1
