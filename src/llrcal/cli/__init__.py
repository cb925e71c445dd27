"""The command line: one file per verb, called through the table in ``verbs.py``.

``llrcal --help`` is what people type first. If click lays it out, it takes several times as long as
``python -c pass``; as a page that ``make docs`` generated, half as long again.
"""

import os
import sys

from llrcal.version import __version__


def main(prog_name: str = "llrcal") -> None:
    """Run the command line."""
    try:
        page = _ready_page(sys.argv[1:])
        if page is None:
            from llrcal.cli.interrupts import listen_for_interrupts, stop_listening

            listen_for_interrupts()
            from llrcal.cli.verbs import command_line

            if "_LLRCAL_COMPLETE" in os.environ:
                from llrcal.cli.completion import prepare_completion

                prepare_completion()
            try:
                command_line(prog_name=prog_name)
            finally:
                stop_listening()
        else:
            sys.stdout.write(page)
            sys.stdout.flush()
    except (KeyboardInterrupt, MemoryError, OSError) as problem:
        sys.exit(status_after(problem))
    except (ImportError, SystemError) as problem:
        if system_error_in_text(problem) is None:
            raise
        sys.exit(status_after(problem))


def _ready_page(arguments: list[str]) -> str | None:
    """What click would print, if that is known without it."""
    if sys.stdout is None:  # closed; click can handle that
        return None
    if arguments == ["--version"]:
        return f"llrcal {version_and_passes()}\n"
    if arguments in (["--help"], ["-h"]) and _columns() >= 80:  # click never uses more
        from llrcal.cli.help_page import HELP_PAGE

        return HELP_PAGE
    return None


def _columns() -> int:
    """The width of the terminal, as ``shutil`` finds it, which takes long to import."""
    try:
        columns = int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        columns = 0
    if columns > 0:
        return columns
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        return 80


def version_and_passes() -> str:
    """The version, and whether scores are passed over by compiled code or by NumPy."""
    from llrcal.kernels import in_use

    return f"{__version__} ({in_use()})"


def status_after(problem: BaseException) -> int:
    """The exit status for an error, after printing the error on standard error."""
    _let_go_of_output()
    problem = system_error_in_text(problem) or problem
    if isinstance(problem, BrokenPipeError):
        return 141  # `llrcal ... | head` has read enough, which is not an error
    if isinstance(problem, KeyboardInterrupt):
        status, text = 130, "interrupted"
    elif isinstance(problem, MemoryError):
        reason = f": {problem}" if str(problem) else ""
        status, text = 2, f"there is not enough memory{reason}; files can be read --in-pieces"
    elif isinstance(problem, OSError):
        where = f"{problem.filename}: " if problem.filename else ""
        status, text = 2, f"{where}{problem.strerror or problem}"
    else:
        from llrcal.errors import LlrcalError

        status = 2
        text = problem.on_command_line if isinstance(problem, LlrcalError) else str(problem)
    from llrcal.cli.terminal import tell

    tell(f"llrcal: {text}")
    return status


# If a library does not fit into memory, or half of polars, or its threads.
_NO_MEMORY = {
    "ImportError": ("failed to map segment",),
    "NameError": ("name 'PyLazyFrame'", "_TO_CONSTRUCTOR'"),
    "SystemError": ("error return without exception set",),
    "PanicException": (
        "could not spawn threads",
        "previously been poisoned",
        "Resource temporarily unavailable",
    ),
}


def system_error_in_text(problem: BaseException) -> OSError | MemoryError | None:
    """The system error that is only mentioned in the text of another one, or caused it."""
    cause: BaseException | None = problem
    while cause is not None:
        if isinstance(cause, MemoryError):
            return cause
        if _is_for_want_of_memory(cause):
            return MemoryError()
        cause = cause.__cause__
    number = _number_in_text(problem)
    return None if number is None else OSError(number, os.strerror(number))


def _is_for_want_of_memory(problem: BaseException) -> bool:
    import errno

    known = _NO_MEMORY.get(type(problem).__name__, ())
    if any(words in str(problem) for words in known):
        return True
    number = problem.errno if isinstance(problem, OSError) else None
    return errno.ENOMEM in (number, _number_in_text(problem))


def _number_in_text(problem: BaseException) -> int | None:
    """The number of a system error, as polars gives it."""
    import re

    number = re.search(r"\(os error (\d+)\)$", str(problem))
    is_candidate = isinstance(problem, OSError) or type(problem).__module__.startswith("polars.")
    return int(number[1]) if number and is_candidate else None


def _let_go_of_output() -> None:
    """Discard output that cannot be written, or Python would complain when it exits."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
