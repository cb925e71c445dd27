"""How the program ends: its exit status, errors in one line, and Ctrl-C.

Python raises ``KeyboardInterrupt`` at whatever the main thread is doing. Inside an import that can
abort the process, or come back as an import error; inside a callback it is printed and forgotten.
In both cases it is raised again a moment later.
"""

from __future__ import annotations

import errno
import io
import os
import re
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TextIO, cast

_MOMENT = 0.05  # seconds
_IMPORTING = "<frozen importlib._bootstrap>"


class _Closed(io.TextIOBase):
    """Standard output that is closed: what is to be printed is an error, rather than lost."""

    def write(self, _: str) -> int:
        raise OSError(errno.EBADF, "standard output is closed")


def run_tidily(run: Callable[[], Any]) -> Any:
    """Run something; what the user can mend ends in one line on standard error, not a traceback."""
    if sys.stdout is None:  # as Python finds it if it is closed
        sys.stdout = cast("TextIO", _Closed())
    try:
        result = run()
        sys.stdout.flush()  # finds out quietly if its reader has left
    except SystemExit as end:
        if not isinstance(end.__context__, BrokenPipeError):  # rich then exits by itself
            raise
        status = status_after(end.__context__)
    except BaseException as problem:  # panics of polars are not Exceptions
        status = status_after(problem)
        if status is None:
            raise
    else:
        return result
    sys.exit(status)


def status_after(problem: BaseException) -> int | None:
    """The exit status for an error, after printing it on standard error; None for a bug."""
    from llrcal.errors import LlrcalError

    status = 2
    # Where output cannot be written, polars tells the number of the system's error in words alone.
    said = re.search(r"\(os error (\d+)\)$", str(problem))
    of_polars = type(problem).__module__.startswith("polars.")
    if said and (of_polars or isinstance(problem, OSError)):
        problem = OSError(int(said[1]), os.strerror(int(said[1])))
    if isinstance(problem, KeyboardInterrupt):
        status, text = 130, "interrupted"
    elif memory := _lack_of_memory(problem):
        reason = f": {memory}" if isinstance(memory, MemoryError) and str(memory) else ""
        text = f"there is not enough memory{reason}; files can be read --in-pieces"
    elif isinstance(problem, LlrcalError):
        text = problem.on_command_line
    elif isinstance(problem, OSError):
        where = f"{problem.filename}: " if problem.filename else ""
        text = f"{where}{problem.strerror or problem}"
    elif type(problem).__module__.startswith("polars."):
        text = str(problem)
    else:
        return None
    _let_go_of_output()
    if isinstance(problem, BrokenPipeError):
        return 141  # `llrcal ... | head` has read enough, which is not an error
    from llrcal.cli.terminal import echo_err

    echo_err(f"llrcal: {text}")
    return status


def _lack_of_memory(problem: BaseException | None) -> BaseException | None:
    """The lack of memory that this is, or that is behind it."""
    while problem is not None:
        if isinstance(problem, MemoryError) or getattr(problem, "errno", None) == errno.ENOMEM:
            return problem
        problem = problem.__cause__
    return None


def _let_go_of_output() -> None:
    """Discard output that cannot be written, or Python would complain when it exits."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def listen_for_interrupts() -> None:
    """Take care of interrupts, unless they are ignored or someone else does."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)
        sys.unraisablehook = _unraisable


def stop_listening() -> None:
    """Let an interrupt end the process at once: from here on there is nothing to clean up."""
    if signal.getsignal(signal.SIGINT) is _interrupted:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _interrupted(_: int, frame: FrameType | None) -> None:
    while frame is not None:
        if frame.f_code.co_filename == _IMPORTING:
            _interrupt_soon()
            return
        frame = frame.f_back
    raise KeyboardInterrupt


def _unraisable(problem: Any) -> None:
    if issubclass(problem.exc_type, KeyboardInterrupt):
        _interrupt_soon()
    else:
        sys.__unraisablehook__(problem)


def _interrupt_soon() -> None:
    from threading import Timer

    again = Timer(_MOMENT, _interrupt_main_thread)
    again.daemon = True
    again.start()


def _interrupt_main_thread() -> None:
    if hasattr(signal, "pthread_kill"):  # this also wakes it up
        from threading import main_thread

        signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)
