"""The command line in tests: run here or in a process of its own, and what is expected of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
from click.testing import CliRunner, Result

from llrcal.arrays import Array
from llrcal.cli.verbs import command_line


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
