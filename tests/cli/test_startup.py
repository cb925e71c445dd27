"""How the command starts, what its help says, and how it ends."""

from __future__ import annotations

import ast
import io
import os
import runpy
import signal
import subprocess
import sys
import sysconfig
import warnings
from pathlib import Path
from typing import Any

import click
import numpy as np
import polars as pl
import pytest

import llrcal.cli
from llrcal import fit
from llrcal.cli import GROUPS, VERBS, help_text, main
from llrcal.cli.endings import status_after
from llrcal.cli.terminal import print_warnings, progress_bar
from llrcal.cli.verbs import verb
from llrcal.errors import LlrcalWarning, OptionError, TrialFileError
from tests.cli.running import llrcal as invoke
from tests.cli.running import only_line, run
from tests.test_commands import EXAMPLES_OF

COMMAND = str(Path(sysconfig.get_path("scripts")) / "llrcal")
HEAVY = {"numpy", "scipy", "polars", "rich", "matplotlib"}
ROOT = Path(__file__).resolve().parents[2]


# ------------------------------------------------------------------------------- the table


@pytest.mark.parametrize("name", VERBS)
def test_the_table_says_what_the_command_says(name: str) -> None:
    assert verb(name).name == name
    assert verb(name).get_short_help_str(limit=1000) == VERBS[name]


def test_every_verb_is_in_the_table() -> None:
    verbs = set()
    for path in Path(llrcal.cli.__file__).parent.glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                looks = {ast.unparse(decorator).split("(")[0] for decorator in node.decorator_list}
                if "command" in looks:
                    assert node.name == path.stem
                    verbs.add(node.name)
    assert verbs == set(VERBS)


def test_verbs_are_in_the_order_of_the_work() -> None:
    assert [list(group) for group in GROUPS.values()] == [
        ["pairs", "fit", "apply", "watch", "adapt", "fuse"],
        ["evaluate", "compare", "validate"],
        ["decide", "weigh"],
        ["export", "convert", "sign"],
        ["demo", "simulate", "completion"],
    ]


# -------------------------------------------------------------------------------- the help


def test_help_is_one_text_that_fits_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    for word in ("--help", "-h"):
        sys.argv[1:], before = [word], sys.argv[1:]
        try:
            main()
        finally:
            sys.argv[1:] = before
        assert capsys.readouterr().out == invoke(word).stdout == f"{help_text()}\n"
    assert max(map(len, help_text().splitlines())) <= 80
    assert "--help" in invoke("fit -h").stdout


def test_every_verb_has_examples() -> None:
    assert set(EXAMPLES_OF) == set(VERBS) - {"demo", "completion"}


def test_the_manual_is_current() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "cli.py"))
    assert made["PAGE"].read_text("utf-8") == made["page"](), "run `make docs`"


def test_a_verb_that_does_not_exist_is_an_error_of_use() -> None:
    ran = invoke("comparr --help")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "No such command 'comparr'" in ran.stderr


# ------------------------------------------------------------------------- what is loaded


def loaded(*arguments: str) -> set[str]:
    """The modules that a command has loaded when it ends, beyond those of Python's start."""
    code = (
        "import atexit, sys; start = set(sys.modules)\n"
        "tell = lambda: print(*sorted(set(sys.modules) - start), file=sys.stderr)\n"
        f"atexit.register(tell); sys.argv = ['llrcal', *{arguments!r}]\n"
        "from llrcal.cli import main; main()"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout
    return set(ran.stderr.split())


def test_help_loads_next_to_nothing() -> None:
    assert loaded("--help") == {"llrcal", "llrcal.cli", "llrcal.version"}


@pytest.mark.parametrize("name", ["fit", "compare"])
def test_help_of_a_verb_loads_no_numbers_and_no_other_verb(name: str) -> None:
    modules = loaded(name, "--help")
    assert not modules & HEAVY
    assert [other for other in VERBS if f"llrcal.cli.{other}" in modules] == [name]


def test_no_verb_loads_numbers() -> None:
    code = (
        "import sys; from llrcal.cli import VERBS; from llrcal.cli.verbs import verb\n"
        "[verb(name) for name in VERBS]; print(*sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(ran.stdout.split()) & HEAVY


# -------------------------------------------------------------------------------- endings


@pytest.mark.parametrize(
    ("problem", "status", "line"),
    [
        (BrokenPipeError(32, "Broken pipe"), 141, ""),
        (KeyboardInterrupt(), 130, "llrcal: interrupted\n"),
        (OSError(28, "No space", "a"), 2, "llrcal: a: No space\n"),
        (TrialFileError("a\x1b[0m: no"), 2, "llrcal: a\\x1b[0m: no\n"),
        (MemoryError("3 GiB"), 2, "llrcal: there is not enough memory: 3 GiB; files can be read "
         "--in-pieces\n"),
        (pl.exceptions.ComputeError("of 3 rows"), 2, "llrcal: of 3 rows\n"),
        (ValueError("(os error 32)"), None, ""),
        (click.UsageError("so"), None, ""),
    ],
)  # fmt: skip
def test_exit_status_and_line(
    problem: BaseException, status: int | None, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_after(problem) == status
    assert capsys.readouterr() == ("", line)


def test_files_are_not_blamed_for_want_of_memory(capsys: pytest.CaptureFixture[str]) -> None:
    for cause in (MemoryError("Unable to allocate 3 GiB"), OSError(12, "Cannot allocate memory")):
        problem = TrialFileError("a.parquet: cannot be read")
        problem.__cause__ = cause
        assert status_after(problem) == 2
        assert "there is not enough memory" in capsys.readouterr().err


def test_other_words_for_verbs() -> None:
    for word, meant in (("eval", "evaluate"), ("train", "fit"), ("compair", "compare")):
        ran = run(word, cwd=ROOT)
        assert ran.returncode == 2
        assert f"No such command '{word}'. Did you mean '{meant}'?" in ran.stderr
    assert "Did you mean" not in run("zzz", cwd=ROOT).stderr


def test_a_bug_is_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def bug(**_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(verb("completion"), "callback", bug)
    with pytest.raises(ZeroDivisionError):
        invoke("completion bash")


def test_the_reader_of_rich_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rich then exits by itself, with a status of its own."""

    def left(**_: Any) -> None:
        end = SystemExit(1)
        end.__context__ = BrokenPipeError()
        raise end

    monkeypatch.setattr(verb("completion"), "callback", left)
    assert invoke("completion bash").exit_code == 141


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["evaluate", "trials.txt", "--quiet"],  # rich writes
        ["convert", "trials.txt", "-o", "-", "--to", "csv", "--quiet"],  # polars writes
    ],
)
def test_a_reader_who_left_is_no_error(arguments: list[str], tmp_path: Path) -> None:
    lines = [f"a b{i} {i / 7} {'target' if i > 40 or i == 9 else 'nontarget'}" for i in range(99)]
    (tmp_path / "trials.txt").write_text("\n".join(lines), encoding="utf-8")
    assert run(*arguments, cwd=tmp_path).stdout
    reader, writer = os.pipe()
    os.close(reader)
    code, said = into(writer, arguments, tmp_path)
    os.close(writer)
    assert said == b""
    # Older versions of polars do not tell that nobody reads what they write.
    assert code == 141 or (arguments[0] == "convert" and code == 0)


@pytest.mark.parametrize("arguments", [["--help"], ["completion", "bash"]])
def test_a_full_disk_in_one_line(arguments: list[str], tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = into(full.fileno(), arguments, tmp_path)
    assert ended == (2, b"llrcal: No space left on device\n")


def into(output: int, arguments: list[str], folder: Path) -> tuple[int, bytes]:
    """Exit status and words of a command with another standard output."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    ran = subprocess.run(
        [COMMAND, *arguments],
        stdout=output,
        stderr=subprocess.PIPE,
        env=env,
        check=False,
        cwd=folder,
    )
    return ran.returncode, ran.stderr


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ("--help >&-", 2, "llrcal: standard output is closed\n"),
        ("--version >&-", 2, "llrcal: standard output is closed\n"),
        ("evaluate trials.txt --units nats --quiet >&-", 2, "llrcal: standard output is closed\n"),
        ("fit trials.txt --inverted -o m.json --quiet >&-", 0, ""),  # which says nothing there
        ("fit none -o m.json 2>&-", 2, ""),
    ],
)
def test_an_answer_that_cannot_be_given_is_an_error(
    line: str, status: int, said: str, tmp_path: Path
) -> None:
    lines = (f"m t{i} {i % 7} {'non' * (i % 3 > 0)}target\n" for i in range(60))
    (tmp_path / "trials.txt").write_text("".join(lines))
    ran = subprocess.run(
        ["/bin/sh", "-c", f"'{COMMAND}' {line}"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (status, "", said)


@pytest.mark.parametrize("name", ["LLRCAL_THREADS", "POLARS_MAX_THREADS", "SOURCE_DATE_EPOCH"])
@pytest.mark.parametrize("value", ["abc", "-1", "1e5", "10000000000000", "0"])
def test_numbers_in_the_environment(
    name: str, value: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if (name, value) == ("SOURCE_DATE_EPOCH", "0"):
        return
    monkeypatch.setenv(name, value)
    words = f"the environment variable {name} is {value!r}; give a whole number from"
    only_line(invoke("fit none.txt -o m.json"), words)
    if name == "LLRCAL_THREADS":
        with pytest.raises(OptionError, match=words):
            fit(np.arange(9.0), -np.arange(9.0)[::-1])


def test_warnings_come_before_the_error(capsys: pytest.CaptureFixture[str]) -> None:
    def fail_after_a_warning() -> None:
        with print_warnings():
            warnings.warn("mind", LlrcalWarning, stacklevel=1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_after_a_warning()
    assert capsys.readouterr().err == "warning: mind\n"


def test_progress_is_shown_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    for terminal, quiet, is_shown in (
        (Terminal(), False, True),
        (Terminal(), True, False),
        (io.StringIO(), False, False),
    ):
        monkeypatch.setattr(sys, "stderr", terminal)
        with progress_bar(quiet=quiet) as show:
            show("counting", completed=1_000_000, total=2_000_000)
            show("counting", completed=2_000_000)
        assert ("counting" in terminal.getvalue()) == is_shown


# ------------------------------------------------------------------------------- interrupts


def interrupted(code: str, folder: Path, *arguments: str, words: str = "") -> tuple[int, str, str]:
    """What a program comes to that is interrupted, having taken more than a pipe can hold."""
    # A parent that ignores interrupts would hand that down; a shell on a terminal does not.
    start = (
        "import os, signal, sys, time\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", start + code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    assert child.stdin
    if words:
        child.stdin.write(words)
        child.stdin.flush()
        child.send_signal(signal.SIGINT)
    said = child.communicate(timeout=60)
    return child.returncode, *said


@pytest.mark.slow
def test_interrupted_in_one_line(tmp_path: Path) -> None:
    """While it waits for more of its input."""
    words = "one other 1.5 target\none another -1.5 nontarget\n" * 10_000
    code = "from llrcal.cli import main; main()"
    ended = interrupted(code, tmp_path, "fit", "-", "-o", "model.json", words=words)
    assert ended == (130, "", "llrcal: interrupted\n")
    assert list(tmp_path.iterdir()) == []


LISTENING = """
from llrcal.cli.endings import listen_for_interrupts
listen_for_interrupts()

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000): pass  # where Python raises it

try:
    {code}
    print("went on", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    print("interrupted")
"""
CALLBACK = "Fallen = type('Fallen', (), {'__del__': lambda self: interrupt()}); Fallen()"
IMPORT = "sys.path.insert(0, ''); sys.modules['main'] = sys.modules['__main__']; import interrupted"


@pytest.mark.parametrize("code", [CALLBACK, IMPORT])
def test_it_comes_again_where_it_does_no_harm(code: str, tmp_path: Path) -> None:
    """Where Python would lose it, or break: inside a callback, and inside an import."""
    (tmp_path / "interrupted.py").write_text("import main; main.interrupt()")
    ended = interrupted(LISTENING.format(code=code), tmp_path)
    assert (ended[1].split("\n")[:2], ended[2]) == (["went on", "interrupted"], "")
