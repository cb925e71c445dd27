"""Commands on the pages are run, and those that show what they print print that."""

from __future__ import annotations

import inspect
import re
import shlex
import shutil
import tomllib
from contextlib import chdir
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import click
import pytest

from llrcal.cli import EXAMPLES, VERBS
from llrcal.cli.verbs import verb
from llrcal.cli.watch import STATUS
from llrcal.comparison import compare
from tests.cli.running import llrcal
from tests.command_files import make_files

ROOT = Path(__file__).resolve().parents[1]
PAGES = {path.name: path.read_text("utf-8") for path in ROOT.glob("docs/**/*.md")}
PAGES["README.md"] = (ROOT / "README.md").read_text("utf-8")
del PAGES["hostile.md"]  # its commands are run where the page is made
EXAMPLES_OF = {
    name: block.removeprefix("\b\n")
    for name in VERBS
    for block in inspect.cleandoc(verb(name).help or "").split("\n\n")
    if block.startswith("\b")
}
"""The examples in the help of each verb, of which docs/cli.md is made."""
PAGES["cli.md"] += "".join(f"```\n{lines}\n```\n" for lines in EXAMPLES_OF.values())
PAGES["cli.md"] += "\n".join(["```", *EXAMPLES, "```\n"])

_FENCED = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SPOKEN = re.compile(r"`(llrcal [^`]*\.\w[^`]*)`")  # of a file
_PLACEHOLDER = re.compile(r"[A-Z]{4}|\.\.\.")
_LONG = re.compile("llrcal (demo|adapt)|--intervals|--bayes|--trials")
_TOO_LONG = re.compile("llrcal demo|--trials 500000000")  # run elsewhere, the latter with fewer
_NOT_HERE = re.compile(r" --(?:scheduler|workers|device) \S+")  # a cluster, and more processes


def commands(page: str) -> list[str]:
    """Commands in blocks, and those in sentences that name a file."""
    shell = [body for language, body in _FENCED.findall(page) if language in {"", "console"}]
    lines = [line for block in shell for line in re.sub(r"\\\n *", "", block).splitlines()]
    found = [line.removeprefix("$ ") for line in lines]
    found += [" ".join(each.split()) for each in _SPOKEN.findall(_FENCED.sub("", page))]
    return [each for each in found if each.startswith("llrcal ") and not _PLACEHOLDER.search(each)]


def begun(*sets: object, **options: object) -> None:
    """A comparison whose trials have been read and whose options are known: that is enough."""
    inspect.signature(compare).bind(*sets, **options)
    raise click.exceptions.Exit(0)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that pages speak of."""
    path = tmp_path_factory.mktemp("files")
    with chdir(path):
        make_files()
    return path


@pytest.fixture
def _here(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """These files in a folder to work in; no time for pictures, nor for more than to begin
    a comparison: tests of these are elsewhere.
    """
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr("llrcal.figures.folder.save", lambda *_, **__: None)
    import_module("llrcal.validation.validate")  # which compares, and is to do so afterwards
    monkeypatch.setattr("llrcal.comparison.compare", begun)


def printed(command: str) -> str:
    """What a command prints; what it writes may be there already, from another command."""
    ours = _NOT_HERE.sub("", command).split(" | ")[0]  # whatever other program reads it
    words = shlex.split(ours, comments=True)[1:]
    for option, name in pairwise(words):
        if option not in {"-o", "--out", "--figures", "--llrs", "--key-out", "--model"}:
            continue
        if Path(name).is_dir():
            shutil.rmtree(name)
        elif (option, words[0]) != ("--model", "decide"):
            Path(name).unlink(missing_ok=True)
    result = llrcal(*words)
    answers = STATUS.values() if words[0] == "watch" else [0]  # its verdicts have a status each
    assert result.exit_code in answers, (command, result.output)
    return "".join(f"{line.rstrip()}\n" for line in result.stdout.splitlines())


@pytest.mark.usefixtures("_here")
@pytest.mark.parametrize("name", sorted(name for name in PAGES if commands(PAGES[name])))
def test_commands_run(name: str) -> None:
    for command in commands(PAGES[name]):
        if not _LONG.search(command):
            printed(command)


@pytest.mark.slow
@pytest.mark.usefixtures("_here")
def test_long_commands_run() -> None:
    long = {command for page in PAGES.values() for command in commands(page)}
    for command in sorted(filter(_LONG.search, long)):
        if not _TOO_LONG.search(command):
            printed(command)


@pytest.mark.usefixtures("_here")
def test_commands_print_what_the_page_says() -> None:
    blocks = [
        body
        for page in PAGES.values()
        for language, body in _FENCED.findall(page)
        if language == "console"
    ]
    for block in blocks:
        asked = re.findall(r"^\$ (.*)$", block, re.MULTILINE)
        assert "".join(f"$ {command}\n{printed(command)}" for command in asked) == block


def test_what_is_made_and_installed_is_there() -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for name, page in PAGES.items():
        made = re.findall(r"(?:^|`)make ([\w-]+)", page, re.MULTILINE)
        assert set(made) <= set(targets), name
        for extras in re.findall(r"pip install \S*\[([\w,]+)\]", page):
            assert set(extras.split(",")) <= set(project["optional-dependencies"]), name


def test_options_exist() -> None:
    """Those of llrcal, on lines that are not about another program."""
    known = {"--help", "--version"}
    for each in map(verb, VERBS):
        known |= {name for option in each.params for name in (*option.opts, *option.secondary_opts)}
    for name, page in PAGES.items():
        ours = re.sub(r"`python -m studies[^`]*`", "", page)
        assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", ours)) <= known, name


def test_the_scale_on_the_page_is_that_of_the_package() -> None:
    from llrcal.calibrations.weighing import BANDS

    text = PAGES["forensics.md"]
    rows = re.findall(r"^\| (?:from )?([\d,]+)(?: to [\d,]+)? \| (.*) \|$", text, re.MULTILINE)
    assert [(float(least.replace(",", "")), word) for least, word in rows[1:]] == list(BANDS)
