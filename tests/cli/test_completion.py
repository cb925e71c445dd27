"""TAB in a real shell."""

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
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from llrcal.cli.verbs import VERBS
from tests.cli.running import run

SCRIPTS = sysconfig.get_path("scripts")
ENV = {**os.environ, "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"}
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


def script(shell: str, folder: Path) -> str:
    ran = run("completion", shell, cwd=folder)
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


def shell(*command: str, env: Mapping[str, str] = MappingProxyType({})) -> str:
    """What a program says that is called from a shell where llrcal is installed."""
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env={**ENV, **env})
    assert ran.stderr == ""
    return ran.stdout


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_the_script_is_that_of_click_and_says_how_to_install_it(name: str, tmp_path: Path) -> None:
    own = shell("llrcal", env={"_LLRCAL_COMPLETE": f"{name}_source"})
    said, _, last = script(name, tmp_path).rstrip().rpartition("\n")
    assert said.strip() == own.strip()
    assert last.startswith("# To install: ")
    assert f"llrcal completion {name}" in last


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_the_line_of_help_installs_it(name: str, tmp_path: Path) -> None:
    said = run("completion", "--help", cwd=tmp_path).stdout
    line = script(name, tmp_path).rstrip().rpartition("# To install: ")[2]
    assert line in said


def bash_completions(words: str) -> list[str]:
    """What bash is offered for the last of some words."""
    return shell(
        "bash", "--norc", "-c",
        f"""
        eval "$(llrcal completion bash)"
        complete -p llrcal | grep -q _llrcal_completion || echo not registered
        COMP_WORDS=({words}); COMP_CWORD=$(({len(words.split())} - 1))
        _llrcal_completion llrcal
        printf '%s\\n' "${{COMPREPLY[@]}}"
        """,
    ).split()  # fmt: skip


@pytest.mark.slow
@needs_bash
def test_bash_completes_verbs_and_options() -> None:
    assert bash_completions("llrcal ''") == list(VERBS)
    assert bash_completions("llrcal com") == [name for name in VERBS if name.startswith("com")]
    assert bash_completions("llrcal simulate --f") == ["--full", "--force"]
    assert bash_completions("llrcal --v") == ["--version"]
    assert bash_completions("llrcal completion ''") == ["bash", "zsh", "fish"]


@pytest.mark.slow
@needs_bash
@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ("llrcal simu\t--see\t", "llrcal simulate --seed "),
        ("llrcal fit dev\t--meth\tn\t", "llrcal fit dev-scores.txt --method nig "),
        ("llrcal fit x --key dev\t", "llrcal fit x --key dev-scores.txt "),
    ],
)
def test_tab_in_an_interactive_bash(keys: str, line: str, tmp_path: Path) -> None:
    """After the line that installs it, with a file in the folder."""
    install = script("bash", tmp_path).rstrip().rpartition("# To install: ")[2]
    home = {**ENV, "HOME": str(tmp_path), "TERM": "dumb", "INPUTRC": os.devnull}
    subprocess.run(["/bin/sh", "-c", install], check=True, env=home)
    (tmp_path / "dev-scores.txt").touch()
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
    command = ["bash", "--noprofile", "--rcfile", str(tmp_path / ".bashrc"), "-i"]
    child = subprocess.Popen(command, stdin=its, stdout=its, stderr=its, env=home, cwd=tmp_path)
    os.close(its)
    try:
        os.write(ours, keys.encode())
        assert line.encode() in shown_until(line.encode(), ours)
    finally:
        child.kill()
        child.wait()
        os.close(ours)


def shown_until(words: bytes, terminal: int, *, patience: float = 60.0) -> bytes:
    """What a terminal has shown by the time that some words appear on it."""
    shown, end = b"", time.monotonic() + patience
    while words not in shown and (left := end - time.monotonic()) > 0:
        if select.select([terminal], [], [], left)[0]:
            shown += os.read(terminal, 4096)
    return shown


@pytest.mark.parametrize(
    ("name", "verbs", "files"),
    [
        ("bash", "plain,compare\nplain,completion\n", "file,de\n"),
        (
            "zsh",
            f"plain\ncompare\n{VERBS['compare']}\nplain\ncompletion\n{VERBS['completion']}\n",
            "file\nde\n_\n",
        ),
        (
            "fish",
            f"plain,compare\t{VERBS['compare']}\nplain,completion\t{VERBS['completion']}\n",
            "file,de\n",
        ),
    ],
)
def test_answers_to_the_scripts(name: str, verbs: str, files: str) -> None:
    """What each script reads; that of fish says the word itself where others say its place."""
    for words, answer in (("llrcal com", verbs), ("llrcal fit de", files)):
        at = words.split()[-1] if name == "fish" else str(len(words.split()) - 1)
        env = {"_LLRCAL_COMPLETE": f"{name}_complete", "COMP_WORDS": words, "COMP_CWORD": at}
        assert shell("llrcal", env=env) == answer


def test_a_shell_without_a_script_is_refused(tmp_path: Path) -> None:
    ran = run("completion", "tcsh", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'" in ran.stderr
