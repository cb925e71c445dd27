"""``llrcal completion``: the script with which a shell completes verbs and options."""

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

# What to type once. Bash and zsh then ask for the script whenever they start, so that it never
# falls behind; fish looks for it in a folder of its own.
_INSTALL = {
    "bash": """echo 'eval "$(llrcal completion bash)"' >> ~/.bashrc""",
    "zsh": """echo 'eval "$(llrcal completion zsh)"' >> ~/.zshrc""",
    "fish": "llrcal completion fish > ~/.config/fish/completions/llrcal.fish",
}
_LINES = "\n".join(f"{shell:5} {line}" for shell, line in _INSTALL.items())


class _FilesToo(ShellComplete):
    """Where click has nothing to offer, let the shell offer files, as it does by itself."""

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
    """Print the script with which a shell completes verbs and options.

    Type the line for your shell once and open a new terminal: from then on, TAB completes.
    """
    llrcal = ctx.find_root().command
    script = _SHELLS[shell](llrcal, {}, "llrcal", "_LLRCAL_COMPLETE").source()
    click.echo(f"{script.rstrip()}\n\n# To install: {_INSTALL[shell]}")


def prepare_completion() -> None:
    """Have click answer the scripts in our way."""
    for shell in _SHELLS.values():
        add_completion_class(shell)
