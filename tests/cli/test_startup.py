"""How the command starts and ends: little is loaded, the pages are click's, exits are tidy."""

from __future__ import annotations

import ast
import fcntl
import os
import pty
import resource
import signal
import struct
import subprocess
import sys
import sysconfig
import termios
from pathlib import Path

import pytest

import llrcal.cli
from llrcal.cli.verbs import EXAMPLES, GROUPS, VERBS, command_line, verb
from llrcal.kernels import compiled
from tests.cli.running import run

pytestmark = pytest.mark.slow

COMMAND = str(Path(sysconfig.get_path("scripts")) / "llrcal")
HEAVY = {"numpy", "scipy", "polars", "rich", "matplotlib"}
EVERY_VERB = pytest.mark.parametrize("name", VERBS)


# ------------------------------------------------------------------------------- the table


@EVERY_VERB
def test_the_table_says_what_the_command_says(name: str) -> None:
    assert verb(name).name == name
    assert verb(name).get_short_help_str(limit=1000) == VERBS[name]


def test_every_verb_is_in_the_table() -> None:
    verbs = set()
    for path in Path(llrcal.cli.__file__).parent.glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                looks = {ast.unparse(decorator).split("(")[0] for decorator in node.decorator_list}
                if looks & {"click.command", "command"}:
                    assert node.name == path.stem
                    verbs.add(node.name)
    assert verbs == set(VERBS)
    assert "compare" in verbs  # so the search finds what is there


def test_verbs_are_in_the_order_of_the_work() -> None:
    assert [list(group) for group in GROUPS.values()] == [
        ["fit", "apply", "adapt", "fuse"],
        ["evaluate", "compare"],
        ["decide", "weigh"],
        ["export", "convert"],
        ["demo", "simulate", "completion"],
    ]
    listed = command_line.list_commands(command_line.make_context("llrcal", ["demo"]))
    assert listed == list(VERBS)


def test_help_teaches_the_main_jobs_by_example(tmp_path: Path) -> None:
    said = run("--help", cwd=tmp_path).stdout
    assert [line.split()[1] for line in EXAMPLES] == [
        "fit", "apply", "evaluate", "decide", "weigh", "adapt", "fuse", "compare", "demo",
    ]  # fmt: skip
    for line in EXAMPLES:
        assert f"    {line}\n" in said


# ------------------------------------------------------------------------- what is loaded


def loaded(*arguments: str, columns: int = 80) -> set[str]:
    """The modules that a command has loaded when it ends, beyond those of Python's start."""
    code = (
        "import atexit, sys; start = set(sys.modules)\n"
        "tell = lambda: print(*sorted(set(sys.modules) - start), file=sys.stderr)\n"
        f"atexit.register(tell); sys.argv = ['llrcal', *{arguments!r}]\n"
        "from llrcal.cli import main; main()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": str(columns)},
    )
    assert ran.stdout
    return set(ran.stderr.split())


def verbs_in(modules: set[str]) -> list[str]:
    return [name for name in VERBS if f"llrcal.cli.{name}" in modules]


def test_help_loads_next_to_nothing() -> None:
    ours = {"llrcal", "llrcal.version", "llrcal.cli"}
    passes = {"llrcal.kernels"} | ({"llrcal.kernels._compiled"} if compiled else set())
    assert loaded("--version") == ours | passes
    modules = loaded("--help")
    assert {name for name in modules if name.startswith("llrcal")} == ours | {
        "llrcal.cli.help_page"
    }
    assert not modules & {*HEAVY, "click", "typing", "pathlib", "importlib.util", "shutil"}


def test_help_that_click_lays_out_loads_no_verb() -> None:
    modules = loaded("--help", columns=60)
    assert "click" in modules
    assert not modules & HEAVY
    assert verbs_in(modules) == []


@EVERY_VERB
def test_help_of_a_verb_loads_no_numbers(name: str) -> None:
    modules = loaded(name, "--help")
    assert not modules & HEAVY
    assert name in verbs_in(modules)
    if name != "demo":  # which is made of the others
        assert verbs_in(modules) == [name]


@pytest.mark.slow
def test_help_takes_at_most_three_times_the_start_of_python() -> None:
    """In processor time, the least of many runs in turns: other work on the machine counts less."""
    commands = ([sys.executable, "-c", "pass"], [COMMAND, "--help"])
    least = [float("inf")] * 2
    for _ in range(25):
        for i, command in enumerate(commands):
            before = processor_time()
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
            least[i] = min(least[i], processor_time() - before)
    assert least[1] <= 3 * least[0]


def processor_time() -> float:
    """Seconds that finished children have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# ------------------------------------------------------------------------ pages made ahead


@pytest.mark.parametrize(
    ("option", "columns"),
    [
        ("--version", None),
        ("-h", None),
        *(("--help", columns) for columns in ("", "0", "-5", "x", "79", "80", "200")),
    ],
)
def test_pages_are_those_of_click(option: str, columns: str | None) -> None:
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    if columns is not None:
        env["COLUMNS"] = columns
    code = "from llrcal.cli.verbs import command_line; command_line(prog_name='llrcal')"
    by_click, by_us, by_module = (
        subprocess.run([*command, option], capture_output=True, check=True, env=env)
        for command in (
            [sys.executable, "-c", code],
            [COMMAND],
            [sys.executable, "-m", "llrcal"],
        )
    )
    assert by_us.stdout == by_module.stdout == by_click.stdout != b""
    assert by_us.stderr == by_module.stderr == by_click.stderr == b""


@pytest.mark.parametrize("columns", [0, 60, 100])
def test_pages_fit_the_terminal(columns: int) -> None:
    """In a terminal of its own width, click and the page made ahead agree too."""
    code = "from llrcal.cli.verbs import command_line; command_line(prog_name='llrcal')"
    shown = [
        in_terminal([*command, "--help"], columns=columns)
        for command in ([COMMAND], [sys.executable, "-c", code])
    ]
    assert shown[0] == shown[1]
    assert b"Usage: llrcal" in shown[0]
    described, _, examples = shown[0].partition(b"Examples:")
    assert b"Train and apply:" in described
    assert max(map(len, described.splitlines())) <= (columns or 80)
    assert max(map(len, examples.splitlines())) <= 80


def in_terminal(command: list[str], *, columns: int) -> bytes:
    """What a command shows on a terminal that many columns wide."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    child = subprocess.Popen(command, stdin=its, stdout=its, stderr=its, env=env)
    os.close(its)
    shown = b""
    try:
        while piece := os.read(ours, 4096):
            shown += piece
    except OSError:  # how a terminal says that nobody holds its other end
        pass
    finally:
        os.close(ours)
    assert child.wait() == 0
    return shown


# -------------------------------------------------------------------------------- endings


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["compare", "--help"], ["completion", "bash"]]
)
def test_a_reader_who_left_is_no_error(arguments: list[str]) -> None:
    assert into_closed_pipe(arguments) == (141, b"")


@pytest.mark.parametrize(
    "arguments",
    [
        ["simulate", "--out", "out", "--force", "--quiet"],  # click writes
        ["evaluate", "trials.txt", "--quiet"],  # rich writes
        ["convert", "trials.txt", "-o", "-", "--to", "csv", "--quiet"],  # polars writes
    ],
)
def test_a_reader_who_left_is_no_error_for_a_verb(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [f"a b{i} {i / 7} {'target' if i > 40 or i == 9 else 'nontarget'}" for i in range(99)]
    Path("trials.txt").write_text("\n".join(lines), encoding="utf-8")
    assert run(*arguments, cwd=tmp_path).stdout
    code, said = into_closed_pipe(arguments)
    assert said == b""
    # Older versions of polars do not tell that nobody reads what they write.
    assert code == 141 or (arguments[0] == "convert" and code == 0)


@pytest.mark.parametrize("arguments", [["--help"], ["compare", "--help"], ["completion", "bash"]])
def test_a_full_disk_in_one_line(arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        assert into(full.fileno(), arguments) == (2, b"llrcal: No space left on device\n")


def test_a_reader_who_left_before_the_last_words() -> None:
    """A verb may leave its words to Python's buffer, as click's ``echo`` does not."""
    code = (
        "import sys; from llrcal.cli import completion, main\n"
        "completion.completion.callback = lambda shell: sys.stdout.write('words')\n"
        "main()"
    )
    assert into_closed_pipe(["-c", code, "completion", "bash"], sys.executable) == (141, b"")


def into_closed_pipe(arguments: list[str], program: str = COMMAND) -> tuple[int, bytes]:
    """Exit status and words of a command whose output nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return into(writer, arguments, program)
    finally:
        os.close(writer)


def into(output: int, arguments: list[str], program: str = COMMAND) -> tuple[int, bytes]:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    ran = subprocess.run(
        [program, *arguments], stdout=output, stderr=subprocess.PIPE, env=env, check=False
    )
    return ran.returncode, ran.stderr


@pytest.mark.parametrize("line", ["--help >&-", "--version >&-", "completion bash >&-"])
def test_output_may_be_closed(line: str) -> None:
    ran = shell(f"'{COMMAND}' {line}")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_errors_may_have_nowhere_to_go(tmp_path: Path) -> None:
    ran = shell(f"'{COMMAND}' simulate --out '{tmp_path}/none/out' 2>&-")
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", "")


def shell(line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=False)


def test_interrupted_in_one_line(tmp_path: Path) -> None:
    """While it waits for more of its input, having taken more than a pipe can hold."""
    # A parent that ignores interrupts would hand that down; a shell on a terminal does not.
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from llrcal.cli import main; main()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, "fit", "-", "-o", "model.json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert child.stdin
    child.stdin.write("one other 1.5 target\none another -1.5 nontarget\n" * 10_000)
    child.stdin.flush()
    child.send_signal(signal.SIGINT)
    said = child.communicate()
    assert (child.returncode, *said) == (130, "", "llrcal: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_trouble_with_files_in_one_line(tmp_path: Path) -> None:
    ran = run("simulate", "--out", "x" * 300, "--quiet", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("llrcal: ")
    assert ran.stderr.endswith("x: File name too long\n")
    assert ran.stderr.count("\n") == 1


def test_a_verb_that_does_not_exist_is_an_error_of_use(tmp_path: Path) -> None:
    ran = run("comparr", "--help", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "No such command 'comparr'" in ran.stderr
