"""The command line: one file per verb, called by way of the table in ``verbs.py``.

``llrcal --help`` is what people type first, and importing click takes nearly three times as long as
starting Python. So that page is laid out beforehand, by ``make docs``, and click is left asleep.
"""

import os
import sys

from llrcal.version import __version__


def main(prog_name: str = "llrcal") -> None:
    """Do what the command line asks for."""
    try:
        page = _ready_page(sys.argv[1:])
        if page is None:
            from llrcal.cli.verbs import command_line

            if "_LLRCAL_COMPLETE" in os.environ:
                from llrcal.cli.completion import prepare_completion

                prepare_completion()
            command_line(prog_name=prog_name)
        else:
            sys.stdout.write(page)
            sys.stdout.flush()
    except (KeyboardInterrupt, OSError) as problem:
        sys.exit(status_after(problem))


def _ready_page(arguments: list[str]) -> str | None:
    """What click would print, where that is known without it."""
    if sys.stdout is None:  # closed, which click knows how to live with
        return None
    if arguments == ["--version"]:
        return f"llrcal {__version__}\n"
    if arguments in (["--help"], ["-h"]):
        from shutil import get_terminal_size

        if get_terminal_size().columns >= 80:  # click makes no use of more
            from llrcal.cli.help_page import HELP_PAGE

            return HELP_PAGE
    return None


def status_after(problem: BaseException) -> int:
    """The exit status for what ended the work, after a line about it on standard error."""
    _let_go_of_output()
    problem = told_in_words(problem) or problem
    if isinstance(problem, BrokenPipeError):
        return 141  # `llrcal ... | head` has read enough, which is nothing to speak of
    if isinstance(problem, KeyboardInterrupt):
        status, text = 130, "interrupted"
    elif isinstance(problem, OSError):
        where = f"{problem.filename}: " if problem.filename else ""
        status, text = 2, f"{where}{problem.strerror or problem}"
    else:
        status, text = 2, str(problem)
    import click

    click.echo(f"llrcal: {text}", err=True)
    return status


def told_in_words(problem: BaseException) -> OSError | None:
    """The error of the system that polars tells of in words alone, as others would raise it."""
    import re

    number = re.search(r"\(os error (\d+)\)$", str(problem))
    is_told = isinstance(problem, OSError) or type(problem).__module__.startswith("polars.")
    if number is None or not is_told:
        return None
    return OSError(int(number[1]), os.strerror(int(number[1])))


def _let_go_of_output() -> None:
    """Lose what cannot be written: Python flushes at its end, and would complain then."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
