"""The command line in tests: run here or in a process of its own, and what is expected of it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from itertools import chain
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


def words_of(arguments: Iterable[object]) -> list[str]:
    """Arguments as a shell gives them: a text may be several of them, a path is one."""
    every = (one.split() if isinstance(one, str) else [str(one)] for one in arguments)
    return list(chain.from_iterable(every))


def llrcal(*arguments: object, stdin: bytes = b"") -> Result:
    """The command line in this process; only errors of ours end in an exit status."""
    words = words_of(arguments)
    return CliRunner().invoke(command_line, words, input=stdin, catch_exceptions=False)


def done(*arguments: object, stdin: bytes = b"") -> Result:
    """The same, where there is no error; the verdicts of watch are none."""
    result = llrcal(*arguments, stdin=stdin)
    verdicts = (0, 3, 4) if words_of(arguments)[0] == "watch" else (0,)
    assert result.exit_code in verdicts, result.stderr
    return result


def answer(*arguments: object) -> dict[str, Any]:
    """What a verb answers in JSON."""
    return document(done(*arguments, "--json").stdout)


def run(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own."""
    command = [sys.executable, "-m", "llrcal", *words_of(arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def refused(words: str, *arguments: object) -> None:
    """Wrong use ends as it should, and so does this."""
    only_line(llrcal(*arguments), words)


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
