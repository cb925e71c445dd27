"""The commands of docs/forensics.md print what the page says; its Python is run with the others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import llrcal as package
from tests.cli.running import llrcal

PAGE = Path(__file__).resolve().parents[1] / "docs" / "forensics.md"
_COMMAND = re.compile(r"^\$ llrcal (?P<arguments>.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)


def console_blocks(page: str) -> list[str]:
    return re.findall(r"```console\n(.*?)```", page, re.DOTALL)


def ran(block: str) -> str:
    """A block with the outputs that its commands give."""

    def answered(match: re.Match[str]) -> str:
        result = llrcal(*match["arguments"].split())
        assert result.exit_code == 0, result.output
        lines = [line.rstrip() for line in result.stdout.splitlines()]
        return "".join(f"{line}\n" for line in [f"$ llrcal {match['arguments']}", *lines])

    return _COMMAND.sub(answered, block)


def as_r_writes(trials: package.Trials) -> str:
    """A table as ``write.csv`` writes it, as on the page."""
    rows = [(score, "SS") for score in trials.tar.tolist()]
    rows += [(score, "DS") for score in trials.non.tolist()]
    lines = (f'"{i}","a{i}","b{i}",{score!r},"{truth}"' for i, (score, truth) in enumerate(rows, 1))
    return "\n".join(['"","item1","item2","score","truth"', *lines, ""])


def test_commands_print_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, seed in (("training", 0), ("validation", 1)):
        trials = package.simulate(targets=300, nontargets=9_000, seed=seed)
        Path(f"{name}.csv").write_text(as_r_writes(trials))
    blocks = console_blocks(PAGE.read_text("utf-8"))
    assert len(blocks) == 2
    for block in blocks:
        assert ran(block) == block


def test_the_scale_on_the_page_is_that_of_the_package() -> None:
    from llrcal.calibrations.verbal_scale import BANDS

    rows = re.findall(r"^\| (?:from )?([\d,]+)(?: to [\d,]+)? \| (.*) \|$", PAGE.read_text(), re.M)
    assert [(float(least.replace(",", "")), word) for least, word in rows[1:]] == list(BANDS)
