"""Runs the pages with code, such as docs/notebook.md, as a notebook would, and draws pictures.

    python docs/figures/notebook.py           # draws the pictures again
    python docs/figures/notebook.py --write   # also writes the outputs into the pages again

A block of Python is run in the names of those before it. What it prints, and the value of its last
line, is the text that follows it; a picture that follows it is the current figure of pyplot.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

import matplotlib as mpl

DOCS = Path(__file__).resolve().parents[1]
_NAMES = (
    "index",
    "speaker",
    "face",
    "adaptation",
    "operations",
    "questions",
    "theory",
    "notebook",
    "comparing",
    "evaluating",
    "scoring-rules",
    "smooth",
    "forensics",
    "pairs",
)
PAGES = tuple(DOCS / f"{name}.md" for name in _NAMES)
_CELL = re.compile(
    r"```python\n(?P<code>.*?)```\n"
    r"(?:\n```text\n(?P<output>.*?)```\n)?"
    r"(?P<image>\n!\[[^]]*\]\((?P<picture>[^)]*)\)\n)?",
    re.DOTALL,
)


def run(page: str, pictures: Path | None = None) -> str:
    """The page with the outputs that its code gives; its pictures go to a folder, if any."""
    mpl.use("agg")
    import matplotlib.pyplot as plt

    names: dict[str, Any] = {"__name__": "__main__"}

    def cell(match: re.Match[str]) -> str:
        plt.close("all")
        output = _printed(match["code"], names)
        text = f"```python\n{match['code']}```\n"
        if match["output"] is not None:
            text += f"\n```text\n{output}```\n"
        if match["picture"] is not None and pictures is not None:
            place = pictures / Path(match["picture"]).name
            plt.gcf().savefig(place, dpi=120, metadata={"Software": None})
        return text + (match["image"] or "")

    with tempfile.TemporaryDirectory() as folder, chdir(folder):  # for files that pages write
        written = _CELL.sub(cell, page)
    plt.close("all")
    return written


def _printed(code: str, names: dict[str, Any]) -> str:
    """What a cell prints, and the value of its last line unless that is a picture."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with redirect_stdout(io.StringIO()) as out:
        exec(compile(tree, "<cell>", "exec"), names)  # noqa: S102
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307
    is_shown = value is not None and not isinstance(value, mpl.axes.Axes)
    return out.getvalue() + (f"{value!r}\n" if is_shown else "")


if __name__ == "__main__":
    for page in PAGES:
        written = run(page.read_text("utf-8"), DOCS / "figures")
        if "--write" in sys.argv:
            page.write_text(written, "utf-8")
