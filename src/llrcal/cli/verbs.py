"""The verbs of the command line: a table, and a click group that loads a verb when it is used."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import click

from llrcal.cli import status_after, system_error_in_text, version_and_passes
from llrcal.errors import LlrcalError

# Each verb is the command of that name in the module of that name. Its line here repeats the first
# sentence of the command's help, so that verbs can be listed without importing their modules.
GROUPS = {
    "Train and apply": {
        "fit": "Train a calibration on scores and labels.",
        "apply": "Replace the scores in a file by calibrated LLRs.",
        "adapt": "Adapt a calibration to scores of another place, labelled or not.",
        "fuse": "Fuse the scores of several systems into one LLR.",
    },
    "Evaluate and compare": {
        "evaluate": "Evaluate LLRs: Cllr, EER and detection costs.",
        "compare": "Compare every calibration of the paper, in numbers and pictures.",
    },
    "Decide and report": {
        "decide": "Print which scores to accept, at costs or at an error-rate.",
        "weigh": "Print what scores are worth: LR, interval, and the LR in words.",
    },
    "Take elsewhere": {
        "export": "Write a calibration as a function in C, JavaScript or ONNX.",
        "convert": "Write trials in another format.",
    },
    "Try out and set up": {
        "demo": "Simulate a recognizer and compare every calibration on it.",
        "simulate": "Simulate a recognizer and write its trials.",
        "completion": "Print the script that makes a shell complete verbs and options.",
    },
}
VERBS = {name: line for group in GROUPS.values() for name, line in group.items()}

# The main tasks, in the order in which they come up.
EXAMPLES = (
    "llrcal fit dev-scores.txt --key dev-key.txt --method nig -o nig.json",
    "llrcal apply nig.json eval-scores.txt -o eval-llrs.txt",
    "llrcal evaluate eval-llrs.txt --key eval-key.txt",
    "llrcal decide --model nig.json --p-target 0.01 --c-miss 10 --c-fa 1",
    "llrcal weigh nig.json 3.7",
    "llrcal adapt nig.json field-scores.txt --p-target 0.01 -o field.json",
    "llrcal fuse cos-dev.txt plda-dev.txt --key dev-key.txt -o fused.json",
    "llrcal compare --train dev.npz --test eval.npz --out results",
    "llrcal demo",
)


def verb(name: str) -> click.Command:
    """The command of a verb, imported from its module."""
    command: click.Command = getattr(import_module(f"llrcal.cli.{name}"), name)
    return command


class Verbs(click.Group):
    """Verbs in the order of the table, each imported when it is called.

    Errors that the user can fix end in one line on standard error, without a traceback.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, VERBS))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), line) for name, line in group.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, found, rest = super().resolve_command(ctx, args)
        return name, verb(name) if found and name else None, rest

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            if sys.stdout:  # may be closed; flushing here finds out quietly if its reader has left
                sys.stdout.flush()
        except (LlrcalError, MemoryError, OSError, KeyboardInterrupt) as problem:
            sys.exit(status_after(problem))
        except SystemExit as end:
            if isinstance(end.__context__, BrokenPipeError):  # rich then exits by itself
                sys.exit(status_after(end.__context__))
            raise
        except BaseException as problem:  # panics of polars are not Exceptions
            if system_error_in_text(problem) is None:
                raise
            sys.exit(status_after(problem))
        return result


@click.group(
    cls=Verbs,
    # For the list of commands: only names and lines.
    commands={name: click.Command(name, short_help=line) for name, line in VERBS.items()},
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    epilog="\n".join(["\b", "Examples:", *(f"  {line}" for line in EXAMPLES)]),
)
@click.version_option(version_and_passes(), prog_name="llrcal", message="%(prog)s %(version)s")
def command_line() -> None:
    """Turn recognizer scores into calibrated log-likelihood-ratios (LLRs)."""
