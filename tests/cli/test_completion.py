"""TAB in a shell."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import struct
import subprocess
import sysconfig
import termios
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from llrcal.cli import VERBS
from llrcal.cli.verbs import command_line
from tests.cli.running import llrcal

PATH = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_the_script_is_that_of_click_and_says_how_to_install_it(name: str) -> None:
    env = {"_LLRCAL_COMPLETE": f"{name}_source"}
    own = CliRunner().invoke(command_line, prog_name="llrcal", env=env)
    said, _, line = llrcal("completion", name).stdout.rstrip().rpartition("\n\n# To install: ")
    assert said.strip() == own.stdout.strip() != ""
    assert f"llrcal completion {name}" in line
    assert line in llrcal("completion", "--help").stdout


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


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_tab_in_an_interactive_bash(tmp_path: Path) -> None:
    """After the line that installs it, with a file in the folder."""
    keys, line = "llrcal fit dev\t--meth\tn\t", "llrcal fit dev-scores.txt --method nig "
    install = llrcal("completion", "bash").stdout.rstrip().rpartition("# To install: ")[2]
    home = {**os.environ, "PATH": PATH, "HOME": str(tmp_path), "TERM": "dumb"}
    home["INPUTRC"] = os.devnull
    subprocess.run(["/bin/sh", "-c", install], check=True, env=home)
    (tmp_path / "dev-scores.txt").touch()
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
    command = ["bash", "--noprofile", "--rcfile", str(tmp_path / ".bashrc"), "-i"]
    child = subprocess.Popen(command, stdin=its, stdout=its, stderr=its, env=home, cwd=tmp_path)
    os.close(its)
    try:
        os.write(ours, keys.encode())
        shown, end = b"", time.monotonic() + 60
        while line.encode() not in shown and (left := end - time.monotonic()) > 0:
            if select.select([ours], [], [], left)[0]:
                shown += os.read(ours, 4096)
    finally:
        child.kill()
        child.wait()
        os.close(ours)
    assert line.encode() in shown
