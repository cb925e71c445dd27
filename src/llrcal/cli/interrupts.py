"""Ctrl-C, which ends the program wherever it comes.

Python raises ``KeyboardInterrupt`` at whatever the main thread is doing. Inside an import that can
abort the process, or come back as an import error; inside a callback it is printed and forgotten.
In both cases it is raised again a moment later.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import Any

_MOMENT = 0.05  # seconds
_IMPORTING = "<frozen importlib._bootstrap>"


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
