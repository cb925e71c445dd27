"""Writes what ``llrcal --help`` and the help of every verb print to the end of docs/cli.md."""

from __future__ import annotations

from pathlib import Path

from llrcal.cli import VERBS, help_text
from llrcal.cli.verbs import command_line, verb

PAGE = Path(__file__).with_name("cli.md")
_WIDTH = 98  # columns: as wide as the page, less the indentation of a block


def commands() -> str:
    """A section for each verb, in the words of its help, whatever the terminal."""
    sections = [f"## llrcal\n\n```text\n{help_text()}\n```\n"]
    root = command_line.make_context("llrcal", [], resilient_parsing=True, terminal_width=_WIDTH)
    for name in VERBS:
        with verb(name).make_context(name, [], parent=root, resilient_parsing=True) as ctx:
            sections.append(f"## llrcal {name}\n\n```text\n{ctx.get_help()}\n```\n")
    return "\n".join(sections)


def page() -> str:
    """What is written by hand, down to the mark, and the commands as they are now."""
    head, mark, _ = PAGE.read_text("utf-8").partition("do not edit it. -->\n")
    return f"{head}{mark}\n{commands()}"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
