"""docs/cli.md and the page of ``llrcal --help`` are those of the commands as they are now."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from llrcal.cli import help_page as ready
from llrcal.cli import reference
from llrcal.cli.verbs import VERBS, verb

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "cli.md"


def section(name: str) -> str:
    """What the manual says of a verb."""
    return PAGE.read_text("utf-8").split(f"\n## llrcal {name}\n")[1].split("\n## ")[0]


def test_the_manual_is_current() -> None:
    assert PAGE.read_text("utf-8") == reference.reference(), "run `make docs`"


def test_the_page_of_help_is_current() -> None:
    assert Path(ready.__file__).read_text("utf-8") == reference.help_page(), "run `make docs`"


@pytest.mark.slow
def test_the_manual_does_not_depend_on_the_terminal() -> None:
    code = "from llrcal.cli.reference import *; print(reference(), help_page())"
    one, other = (
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={**os.environ, "COLUMNS": columns, "PYTHONHASHSEED": columns, "LC_ALL": "C.UTF-8"},
        ).stdout
        for columns in ("50", "200")
    )
    assert one == other


@pytest.mark.parametrize("name", VERBS)
def test_every_option_is_in_the_manual(name: str) -> None:
    told = " ".join(section(name).split())
    assert f"llrcal {name}" in told
    for param in verb(name).params:
        if isinstance(param, click.Option) and not param.hidden:
            for spelling in param.opts:
                assert spelling in told
            if param.metavar:
                assert f"{param.opts[-1]} {param.metavar}" in told
            if isinstance(param.default, int | float | str) and not param.is_flag:
                assert f"[default: {param.default}" in told
            if param.required:
                assert "[required]" in told


def examples() -> list[str]:
    """Every line that the manual tells people to type."""
    blocks = re.findall(r"^### Examples\n\n```\n(.*?)\n```", PAGE.read_text("utf-8"), re.M | re.S)
    return [line for block in blocks for line in block.replace("\\\n", " ").split("\n")]


def test_there_are_examples() -> None:
    assert {line.split()[1] for line in examples()} >= set(VERBS) - {"completion"}


@pytest.mark.parametrize("line", examples())
def test_examples_can_be_typed(line: str) -> None:
    """The verb and its options exist, and nothing is missing or left over."""
    program, name, *arguments = shlex.split(line)
    assert program == "llrcal"
    command = verb(name)
    with command.make_context(name, [], resilient_parsing=True) as ctx:
        given, left, _ = command.make_parser(ctx).parse_args(arguments)
    assert left == []
    for param in command.params:
        if param.required:
            value = given.get(param.name)
            assert value, param.name
            assert isinstance(value, str if param.nargs == 1 else tuple), param.name


def test_parts_of_a_section() -> None:
    """What is told, what is typed, and marks that Markdown would take for its own."""

    @click.command(epilog="\b\nas is:\n  kept    so")
    @click.argument("scores", metavar="SCORES")
    @click.option("-o", "--out", required=True, metavar="FILE", help="Any *.txt, <here> or there.")
    @click.option("--count", default=3, help="How many.")
    @click.option("--secret", hidden=True)
    def spell() -> None:
        """Do one thing.

        Then say
        why.

        \b
        llrcal spell -o x.txt SCORES
        """

    ctx = click.Context(spell, info_name="llrcal spell", show_default=True)
    assert list(reference._manual(spell, ctx)) == [
        "Do one thing.",
        "### Synopsis",
        "```\nllrcal spell --out FILE [OPTIONS] SCORES\n```",
        "### Description",
        "Then say why.",
        "```\nas is:\n  kept    so\n```",
        "### Options",
        "- `-o, --out FILE`: Any \\*.txt, \\<here> or there. [required]\n"
        "- `--count INTEGER`: How many. [default: 3]",
        "### Examples",
        "```\nllrcal spell -o x.txt SCORES\n```",
    ]


def test_every_part_of_a_manual_page_is_there() -> None:
    text = PAGE.read_text("utf-8")
    parts = ("### Synopsis", "### Options", "### Examples", "## Exit status", "## Files")
    for heading in (*parts, "## Environment"):
        assert f"\n{heading}\n" in text
    for word in ("LLRCAL_THREADS", "130", "141"):
        assert word in text
    for name in VERBS:
        assert f"(#llrcal-{name})" in text
