"""The command line in tests: run here or in a process of its own, and what is expected of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
from click.testing import CliRunner, Result

from llrcal.arrays import Array
from llrcal.cli.verbs import command_line

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "answers.schema.json").read_bytes())


def document(text: str) -> dict[str, Any]:
    """The one document of standard output, which is as its schema says, and strict JSON."""

    def refused(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    found: dict[str, Any] = json.loads(text, parse_constant=refused)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    return found


def llrcal(*arguments: object, stdin: bytes = b"") -> Result:
    """The command line in this process; only errors of ours end in an exit status."""
    words = [str(argument) for argument in arguments]
    return CliRunner().invoke(command_line, words, input=stdin, catch_exceptions=False)


def run(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own."""
    command = [sys.executable, "-m", "llrcal", *(str(argument) for argument in arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def only_line(result: Result, words: str) -> None:
    """Wrong use ended as it should: in one line on standard error, and nothing else."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1, result.stderr
    assert result.stderr.startswith("llrcal: ")
    assert words in result.stderr


def text_of(tar: Array, non: Array) -> str:
    """Trials as wespeaker writes them, the classes mixed, every score to its last digit."""
    rows = [(score, "target") for score in tar.tolist()]
    rows += [(score, "nontarget") for score in non.tolist()]
    order = np.random.default_rng(3).permutation(len(rows)).tolist()
    lines = [f"m{i % 10} t{i} {rows[i][0]!r} {rows[i][1]}\n" for i in order]
    return "".join(lines)
