"""What ``make docs`` writes from the commands: docs/cli.md, and the page of ``llrcal --help``."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from inspect import cleandoc
from pathlib import Path

import click

from llrcal.cli.verbs import VERBS, command_line, verb
from llrcal.files.atomic import write_atomically

_HEAD = """\
<!-- Made from the commands by `make docs`; what is changed here by hand is lost. -->

# llrcal on the command line"""

_TAIL = """\
## Exit status

- 0: done.
- 1: a fault of llrcal itself, with a traceback. Please report it.
- 2: wrong use, or a file that cannot be read or written. Standard error says what is wrong, where,
  and what to do. No file is left half written.
- 130: interrupted from the keyboard. No file is left half written.
- 141: whoever read the output has stopped reading, as in `llrcal compare ... | head -n 3`.

## Environment

- `LLRCAL_THREADS`: the number of threads to compute with; by default as many as the process has
  cores. The answers are the same bits for any number.
- `COLUMNS`: the width that help and tables are laid out for, if not that of the terminal.
- `NO_COLOR`: if it is set, tables and progress bars have no colours.

## Files

- Score files and keys are read in the formats of many toolkits: see [formats.md](formats.md).
- Models, such as `nig.json`, are JSON: format, version, method, parameters, training counts. They
  are checked field by field when they are loaded, and hold no code.
- Everything that is written takes its name only once it is whole. Until then it is called
  `.llrcal-...`, in the same folder. A run that is killed leaves it behind, and nothing reads it; on
  Linux, the next run on that machine that writes under the same name deletes it.
- Nothing is written over what is read: no file over itself, under whatever name, and no folder over
  one that holds an input."""


def reference() -> str:
    """The manual of the command line, in Markdown."""
    paragraphs = [_HEAD, *_overview()]
    for name in VERBS:
        command = verb(name)
        ctx = click.Context(command, info_name=name, parent=_llrcal())
        paragraphs += [f"## llrcal {name}", *_manual(command, ctx)]
    return "\n\n".join([*paragraphs, _TAIL]) + "\n"


def help_page() -> str:
    """A module with what click prints for ``llrcal --help`` where there are 80 columns."""
    return (
        '"""The page of ``llrcal --help`` for 80 columns or more, made by ``make docs``."""\n\n'
        f'HELP_PAGE = """\\\n{command_line.get_help(_llrcal())}\n"""\n'
    )


def _overview() -> Iterator[str]:
    """Llrcal as a whole."""
    verbs = (f"- [`{name}`](#llrcal-{name}): {_escaped(line)}" for name, line in VERBS.items())
    yield from _manual(command_line, _llrcal())
    yield from _titled("Commands", ["\n".join(verbs)])
    yield "`llrcal COMMAND --help` shows on the terminal what is said of each below."


def _manual(command: click.Command, ctx: click.Context) -> Iterator[str]:
    """One command, in the order of a manual page."""
    (name, *description), examples = _told(command)
    params = command.get_params(ctx) if command is command_line else command.params
    options = [param for param in params if isinstance(param, click.Option)]
    arguments = [param for param in params if getattr(param, "help", None) and param not in options]
    yield name
    yield from _titled("Synopsis", [_code(_synopsis(command, ctx))])
    yield from _titled("Description", description)
    yield from _titled("Arguments", _list(arguments, ctx))
    yield from _titled("Options", _list(options, ctx))
    yield from _titled("Examples", examples)


def _synopsis(command: click.Command, ctx: click.Context) -> str:
    """Usage with the required options spelt out."""
    required = [
        record[0].rpartition(", ")[2]
        for param in command.params
        if isinstance(param, click.Option) and param.required
        if (record := param.get_help_record(ctx))
    ]
    return " ".join([ctx.command_path, *required, *command.collect_usage_pieces(ctx)])


def _list(params: Sequence[click.Parameter], ctx: click.Context) -> list[str]:
    """One paragraph with what ``--help`` says of parameters, or none where there are none."""
    records = [record for param in params if (record := param.get_help_record(ctx))]
    items = [f"- `{names}`" + (meaning and f": {_escaped(meaning)}") for names, meaning in records]
    return ["\n".join(_wrapped(item, indent="  ") for item in items)] if items else []


def _told(command: click.Command) -> tuple[list[str], list[str]]:
    """The paragraphs of a command's help: those that tell, and those with lines to type.

    A paragraph after ``\\b`` is kept as it is, line by line, as click keeps it.
    """
    prose: list[str] = []
    examples: list[str] = []
    for text in (command.help, command.epilog):
        for paragraph in cleandoc(text or "").split("\n\n"):
            if not paragraph.startswith("\b"):
                prose += [_wrapped(_escaped(paragraph))] if paragraph else []
                continue
            lines = textwrap.dedent(paragraph.removeprefix("\b\n").removeprefix("Examples:\n"))
            typed = any(line.lstrip().startswith("llrcal ") for line in lines.splitlines())
            (examples if typed else prose).append(_code(lines))
    return prose, examples


def _titled(title: str, paragraphs: list[str]) -> list[str]:
    return [f"### {title}", *paragraphs] if paragraphs else []


def _code(lines: str) -> str:
    return f"```\n{lines}\n```"


def _wrapped(text: str, *, indent: str = "") -> str:
    return textwrap.fill(
        " ".join(text.split()),
        width=100,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _escaped(text: str) -> str:
    """Prose in which Markdown finds no emphasis and no HTML."""
    return text.replace("*", r"\*").replace("<", r"\<")


def _llrcal() -> click.Context:
    """A context that takes nothing from the terminal or the command line."""
    return command_line.make_context("llrcal", [], resilient_parsing=True, terminal_width=78)


def _write() -> None:
    root = Path(__file__).resolve().parents[3]
    write_atomically(root / "docs" / "cli.md", reference().encode())
    write_atomically(Path(__file__).with_name("help_page.py"), help_page().encode())


if __name__ == "__main__":
    _write()
