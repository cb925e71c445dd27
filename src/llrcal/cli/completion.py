"""``llrcal completion``: the script that makes a shell complete verbs and options."""

from __future__ import annotations

from typing import Literal

import click
from click.shell_completion import get_completion_class

from llrcal.cli.options import argument, command

# The line to type once. Bash and zsh then generate the script whenever they start, so that it is
# always up to date; fish reads it from a folder of its own.
_INSTALL = {
    "bash": """echo 'eval "$(llrcal completion bash)"' >> ~/.bashrc""",
    "zsh": """echo 'eval "$(llrcal completion zsh)"' >> ~/.zshrc""",
    "fish": "llrcal completion fish > ~/.config/fish/completions/llrcal.fish",
}
_LINES = "\n".join(f"{shell:5} {line}" for shell, line in _INSTALL.items())


@command(epilog=f"\b\n{_LINES}")
def completion(*, shell: Literal["bash", "zsh", "fish"] = argument("{bash|zsh|fish}")) -> None:
    """Print the script that makes a shell complete verbs and options.

    Type the line for your shell once and open a new terminal. From then on, TAB completes.
    """
    completer = get_completion_class(shell)
    if completer is not None:  # click knows all three
        root = click.get_current_context().find_root().command
        script = completer(root, {}, "llrcal", "_LLRCAL_COMPLETE").source()
        click.echo(f"{script.rstrip()}\n\n# To install: {_INSTALL[shell]}")
