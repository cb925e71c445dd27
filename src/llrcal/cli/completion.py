"""``llrcal completion``: the script that makes a shell complete verbs and options."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
)

# The line to type once. Bash and zsh then generate the script whenever they start, so that it is
# always up to date; fish reads it from a folder of its own.
_INSTALL = {
    "bash": """echo 'eval "$(llrcal completion bash)"' >> ~/.bashrc""",
    "zsh": """echo 'eval "$(llrcal completion zsh)"' >> ~/.zshrc""",
    "fish": "llrcal completion fish > ~/.config/fish/completions/llrcal.fish",
}
_LINES = "\n".join(f"{shell:5} {line}" for shell, line in _INSTALL.items())


class _FilesToo(ShellComplete):
    """If click has nothing to offer, let the shell complete file names, as it does by itself."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[Any]]:
        found = super().get_completions(args, incomplete)
        return found or [CompletionItem(incomplete, type="file")]


class _Bash(_FilesToo, BashComplete):
    pass


class _Zsh(_FilesToo, ZshComplete):
    pass


class _Fish(_FilesToo, FishComplete):
    pass


_SHELLS: dict[str, type[ShellComplete]] = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}


@click.command(epilog=f"\b\n{_LINES}")
@click.argument("shell", type=click.Choice(tuple(_SHELLS)))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that makes a shell complete verbs and options.

    Type the line for your shell once and open a new terminal. From then on, TAB completes.
    """
    llrcal = ctx.find_root().command
    script = _SHELLS[shell](llrcal, {}, "llrcal", "_LLRCAL_COMPLETE").source()
    click.echo(f"{script.rstrip()}\n\n# To install: {_INSTALL[shell]}")


def prepare_completion() -> None:
    """Make click use these classes to answer the scripts."""
    for shell in _SHELLS.values():
        add_completion_class(shell)
