"""The numbers of a comparison as tables: rows, CSV, Markdown, LaTeX.

Names come from files and from callers. In a table they are plain text: nothing in them is executed
by a spreadsheet, rendered as Markdown, expanded by LaTeX, or interpreted by a terminal.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Sequence

from llrcal.comparison.candidates import Candidate
from llrcal.comparison.comparison import Comparison
from llrcal.comparison.note_kinds import gravity
from llrcal.evaluation.measures import MEASURES
from llrcal.notes import Note, Severity

Row = dict[str, float | str]


NAME, SENTENCE = 120, 2000
"""The lengths above which names, and sentences that may quote names, are shortened."""

# Controls, invisible format characters (bidirectional overrides among them), lone surrogates, the
# two separators that end a line in JavaScript, and what XML cannot contain.
_STEERING = {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}
# Letters and marks that are invisible.
_BLANK = set("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")

# Where a formula would begin: full-width signs begin one as well, and in countries with a decimal
# comma, semicolons separate cells.
_FORMULA = re.compile("(^|;)(?=\\s*[=+@\uff1d\uff0b\uff0d\uff20-])")
_ORDINAL = re.compile(r"^\d+(?=[.)](\s|$))")
# Markup anywhere (except underscores within words), or at the beginning of a line.
_MARKUP = re.compile(r"[\\`*\[\]<>|~$&^]|(?<![^\W_])_|_(?![^\W_])|^[-+#]")

_LATEX = {one: f"\\{one}" for one in "&%$#_{}"} | {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    '"': "\\symbol{34}",
    # After the end of a row, these would be its arguments.
    "[": "{[}",
    "*": "{*}",
}


def shown(name: str, *, limit: int = NAME) -> str:
    r"""A name with invisible characters made visible, shortened to ``limit``.

    Examples
    --------
    >>> from llrcal.comparison.tables import shown
    >>> shown("a\u202eb\n")
    'a[U+202E]b[U+000A]'
    >>> shown("0123456789", limit=7)
    '01…6789'
    """
    # Shortened first, since one character may become eight, and names may be huge.
    if len(name) > limit:
        # The ends of file names distinguish them.
        head = (limit - 1) // 3
        name = f"{name[:head]}…{name[head + 1 - limit :]}"
    return "".join(
        f"[U+{ord(one):04X}]" if unicodedata.category(one) in _STEERING or one in _BLANK else one
        for one in name
    )


def metrics(comparison: Comparison) -> list[Row]:
    """One row per calibration: overall costs, DCF at each point, costs by scoring rules."""
    return [_row(candidate, comparison) for candidate in comparison.candidates.values()]


def _row(candidate: Candidate, comparison: Comparison) -> Row:
    ev = candidate.evaluation
    row = Row()
    for name, value in candidate.kind.items():
        # What not every comparison has: other rules than the logarithmic one, and so on.
        used = any(one.kind[name] for one in comparison.candidates.values())
        if used or name in ("method", "alpha"):
            row[name] = "yes" if value is True else value or ""
    numbers = ev.taken(comparison.asked, candidate.intervals)
    row |= {number.name: number.value for number in numbers}
    for number in numbers if candidate.intervals else ():
        row[f"{number.name}_low"], row[f"{number.name}_high"] = number.interval
    return row


def by_condition(comparison: Comparison) -> list[Row]:
    """One row per calibration and condition, if conditions were asked for."""
    rows = []
    for label, candidate in comparison.candidates.items():
        if candidate.by is None:
            continue
        for cell, ev in candidate.by.cells.items():
            row: Row = {"calibration": label, **dict(zip(candidate.by.columns, cell, strict=True))}
            row |= {"tar": ev.tar_count, "non": ev.non_count}
            numbers = ev.numbers(comparison.points)
            rows.append(row | {number.name: number.value for number in numbers})
    return rows


def gravest_first(comparison: Comparison) -> tuple[list[Note], int]:
    """Warnings that the verdict does not tell of, the gravest first; and how many other notes."""
    told = {reason.code for reason in comparison.verdict.reasons}
    warnings = [note for note in comparison.notes if note.severity is Severity.WARNING]
    rest = sorted((note for note in warnings if note.code not in told), key=gravity)
    return rest, len(comparison.notes) - len(warnings)


def as_csv(rows: Sequence[Row]) -> str:
    """Rows as CSV, with all digits of the numbers, so that equal runs give equal files.

    Text that a spreadsheet would interpret as a formula gets an apostrophe in front, as OWASP
    recommends (CSV Injection). These tables are to be read; trial ids, which programs read again,
    are written unchanged by :mod:`llrcal.trials.writing`.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(_cell, rows[0]))
    writer.writerows(map(_cell, row.values()) for row in rows)
    return out.getvalue()


def _cell(value: float | str) -> str:
    if isinstance(value, str):
        return _FORMULA.sub(r"\1'", shown(value, limit=SENTENCE))
    return repr(float(value))


def as_markdown(comparison: Comparison) -> str:
    """The verdict, the table and the warnings, as Markdown."""
    (first, *heads), rows = _for_people(comparison)
    table = [[first, *heads], ["---"] * (len(heads) + 1)]
    table += [[_plain(shown(label)), *cells] for label, cells in rows.items()]
    lines = [f"**{_sentence(comparison.verdict.text)}**", ""]
    lines += [f"| {' | '.join(cells)} |" for cells in table]
    if comparison.notes:
        lines += ["", *(f"- {_sentence(note.text)}" for note in comparison.notes)]
    return "\n".join(lines) + "\n"


def as_latex(comparison: Comparison) -> str:
    """The table for a paper, in the style of booktabs; the recommended calibration is bold."""
    heads, rows = _for_people(comparison)
    marked = comparison.recommended if comparison.verdict.fit else None
    lines = [f"{' & '.join(map(_latex, heads))} \\\\", "\\midrule"]
    for label, cells in rows.items():
        name = f"\\textbf{{{_latex(label)}}}" if label == marked else _latex(label)
        numbers = (one.replace("-", "$-$").replace("inf", "$\\infty$") for one in cells)
        lines.append(f"{' & '.join([name, *numbers])} \\\\")
    columns = "l" + "r" * (len(heads) - 1)
    return "\n".join(
        [
            "% \\usepackage{booktabs}; names beyond ASCII may need XeLaTeX or LuaLaTeX.",
            f"\\begin{{tabular}}{{{columns}}}",
            "\\toprule",
            *lines,
            "\\bottomrule",
            "\\end{tabular}\n",
        ]
    )


def _for_people(comparison: Comparison) -> tuple[list[str], dict[str, list[str]]]:
    """Headings, and by label the numbers under them, with as many digits as people read."""
    rows, heads = {}, list[str]()
    for label, candidate in comparison.candidates.items():
        numbers = candidate.evaluation.numbers(comparison.points)
        # Costs at all points before their minima.
        numbers.sort(key=lambda number: MEASURES.index(number.measure))
        heads = [number.heading for number in numbers]
        rows[label] = [
            f"{100 * number.value:.3f}" if number.is_share else f"{number.value:.4f}"
            for number in numbers
        ]
    return ["calibration", *heads], rows


def _latex(text: str) -> str:
    """Text, escaped so that LaTeX sets it unchanged."""
    return "".join(_LATEX.get(one, one) for one in shown(text))


def _sentence(text: str) -> str:
    return _plain(shown(text, limit=SENTENCE))


def _plain(text: str) -> str:
    """Text, escaped so that Markdown renders it unchanged."""
    return _ORDINAL.sub(r"\g<0>\\", _MARKUP.sub(r"\\\g<0>", text.strip()))
