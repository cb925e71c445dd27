"""docs/studies/hostile.md, from the cases: ``python -m tests.hostile.page``, or ``make docs``."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

from tests.hostile import (
    adaptation,
    binary_files,
    command_line,
    counts,
    densities,
    embeddings,
    fusion,
    keys,
    machines,
    models,
    options,
    smooth,
    text_files,
    types,
    validating,
    values,
    watching,
)
from tests.hostile.case import Section

PAGE = Path(__file__).resolve().parents[2] / "docs" / "studies" / "hostile.md"

_MODULES = (
    values,
    types,
    densities,
    smooth,
    adaptation,
    watching,
    validating,
    fusion,
    options,
    keys,
    text_files,
    binary_files,
    counts,
    embeddings,
    models,
    command_line,
    machines,
)
SECTIONS: tuple[Section, ...] = tuple(module.SECTION for module in _MODULES)

_HEAD = """\
<!-- Made from tests/hostile by `make docs`; what is changed here by hand is lost. -->

# Hostile inputs

{count} inputs that break programs, and what llrcal does with each of them. Every line is a test, in
`tests/hostile`: the outcome is the one stated, no other exception and no other warning leaves
llrcal, an error says what is wrong, where, and what to do, an answer is checked against something
independent (closed forms, fractions, fifty-digit arithmetic, other programs), and a second run
gives the same bits.

All errors are children of `llrcal.LlrcalError`: `ScoreError` for scores that cannot be used, and
`DegenerateError` among them where no optimum exists; `OptionError`, `TrialFileError`,
`ModelFileError`, `ClusterError`. All warnings are `llrcal.LlrcalWarning`, and what they say is also
in the notes of the fit's report. On the command line an error is one line on standard error, with
exit status 2.

What is said of other programs was measured with numpy 2.4.6, scipy 1.17.1, scikit-learn 1.9.1,
statsmodels 0.15.0, pandas 3.1.1, pyarrow 26.0.1, h5py 3.16.0, lir 1.3.1, PYLLR @442b10b, PyBOSARIS
1.0, and R 4.2.2 with ghyp 1.6.5, GeneralizedHyperbolic 0.8-7 and fBasics 4021.93."""


def page() -> str:
    """The page, in Markdown."""
    count = sum(len(section.cases) for section in SECTIONS)
    parts = [_HEAD.format(count=count), *(_section(section) for section in SECTIONS)]
    return "\n\n".join(parts) + "\n"


def _section(section: Section) -> str:
    preface = textwrap.fill(section.preface, 100)
    head = ["| | input | outcome | what llrcal does | elsewhere |", "|---|---|---|---|---|"]
    return "\n".join(
        [f"## {section.letter}. {section.title}", "", preface, "", *head, *_rows(section)]
    )


def _rows(section: Section) -> Iterator[str]:
    for number, case in section.numbered():
        cells = (number, case.what, str(case.outcome), case.sentence, case.elsewhere)
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
