"""The command line: one file per verb."""

from __future__ import annotations

import sys
from typing import Any

import click

from llrcal.cli.compare import compare
from llrcal.cli.demo import demo
from llrcal.cli.simulate import simulate
from llrcal.errors import LlrcalError
from llrcal.version import __version__


class _OneLineErrors(click.Group):
    """A group whose verbs end with one line on standard error where the user can help it."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except LlrcalError as problem:
            text = str(problem)
        except OSError as problem:
            where = f"{problem.filename}: " if problem.filename else ""
            text = f"{where}{problem.strerror or problem}"
        click.echo(f"llrcal: {text}", err=True)
        sys.exit(2)


@click.group(cls=_OneLineErrors, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="llrcal", message="%(prog)s %(version)s")
def main() -> None:
    """Turn recognizer scores into calibrated log-likelihood-ratios.

    \b
    llrcal demo                                     see everything on simulated scores
    llrcal compare --train dev.npz --test eval.npz --out results
    """


main.add_command(compare)
main.add_command(demo)
main.add_command(simulate)
