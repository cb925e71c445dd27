"""The click group of all verbs."""

from __future__ import annotations

from difflib import get_close_matches
from functools import partial
from importlib import import_module
from typing import Any

import click

from llrcal.cli import VERBS, help_text
from llrcal.cli.endings import run_tidily
from llrcal.kernels import in_use
from llrcal.version import __version__

_SETTINGS = {"help_option_names": ["-h", "--help"], "show_default": True}


def verb(name: str) -> click.Command:
    """The command of a verb, imported from its module."""
    command: click.Command = getattr(import_module(f"llrcal.cli.{name}"), name)
    # Its own as well as the group's: click keeps the help option of whoever asks first.
    command.context_settings = {**_SETTINGS, **command.context_settings}
    return command


_OTHER_WORDS = {"train": "fit", "calibrate": "apply", "predict": "apply"}


class Verbs(click.Group):
    """The verbs in the order of the table, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return verb(cmd_name) if cmd_name in VERBS else None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0]
        if name not in VERBS and not name.startswith("-"):
            near = _OTHER_WORDS.get(name) or next(iter(get_close_matches(name, VERBS, 1)), None)
            ctx.fail(f"No such command {name!r}.{f' Did you mean {near!r}?' if near else ''}")
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        return help_text()

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:  # where it prints --version
        context: click.Context = run_tidily(partial(super().make_context, *args, **kwargs))
        return context

    def invoke(self, ctx: click.Context) -> Any:
        return run_tidily(partial(super().invoke, ctx))


@click.group(cls=Verbs, context_settings=_SETTINGS)
# The version, and whether scores are passed over by compiled code or by NumPy.
@click.version_option(f"{__version__} ({in_use()})", message="llrcal %(version)s")
def command_line() -> None:
    """Turn recognizer scores into calibrated log-likelihood-ratios (LLRs)."""
