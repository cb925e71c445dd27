"""TAB in a shell: click's script, and the answers that it gets."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from llrcal.cli import VERBS
from llrcal.cli.verbs import command_line
from tests.cli.running import llrcal


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_the_script_is_that_of_click_and_says_how_to_install_it(name: str) -> None:
    env = {"_LLRCAL_COMPLETE": f"{name}_source"}
    own = CliRunner().invoke(command_line, prog_name="llrcal", env=env)
    said, _, line = llrcal("completion", name).stdout.rstrip().rpartition("\n\n# To install: ")
    assert said.strip() == own.stdout.strip() != ""
    assert f"llrcal completion {name}" in line
    assert line in llrcal("completion --help").stdout


@pytest.mark.parametrize(
    ("words", "answers"),
    [
        ("llrcal com", ["plain,compare", "plain,completion"]),
        ("llrcal simulate --f", ["plain,--full", "plain,--force"]),
        ("llrcal --v", ["plain,--version"]),
        ("llrcal completion ''", ["plain,bash", "plain,zsh", "plain,fish"]),
        ("llrcal fit --method n", ["plain,nig"]),
        ("llrcal fit de", ["file,de"]),
        ("llrcal fit x --key de", ["file,de"]),
        ("llrcal evaluate x --figures de", ["file,de"]),
    ],
)
def test_answers_to_the_script(words: str, answers: list[str]) -> None:
    env = {"_LLRCAL_COMPLETE": "bash_complete", "COMP_WORDS": words}
    env["COMP_CWORD"] = str(len(words.split()) - 1)
    ran = CliRunner().invoke(command_line, prog_name="llrcal", env=env)
    assert ran.stdout.splitlines() == answers


def test_every_verb_is_offered() -> None:
    env = {"_LLRCAL_COMPLETE": "fish_complete", "COMP_WORDS": "llrcal ", "COMP_CWORD": ""}
    ran = CliRunner().invoke(command_line, prog_name="llrcal", env=env)
    assert [line.partition("\t")[0] for line in ran.stdout.splitlines()] == [
        f"plain,{name}" for name in VERBS
    ]
