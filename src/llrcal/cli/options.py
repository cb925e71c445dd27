"""Verbs and their options, each declared once: where its value arrives.

A verb is a function. Each argument of it is an option of the command line, as its annotation and
its default say; so is each field of a group, a frozen dataclass that several verbs take.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, is_dataclass
from inspect import signature
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

import click

from llrcal.environment import NUMBERS, number_of
from llrcal.errors import OptionError
from llrcal.files.compression import check_place
from llrcal.files.marks import MODEL
from llrcal.files.overwriting import one_run, refuse_to_overwrite, refuse_to_read_twice
from llrcal.messages import Setting
from llrcal.method_table import DEFAULT, TABLE

if TYPE_CHECKING:
    from llrcal.comparison.folds import FoldCount
    from llrcal.evaluation import OperatingPoint

WEIGHTED = " and ".join(name for name, entry in TABLE.items() if "alpha" in entry.options)
"""The methods that take a target weight, for help texts."""

FOLDS = 5
"""Of one set of trials, unless another number is given."""

RULES = "log or brier: see docs/scoring-rules.md"
"""The scoring rules, for help texts."""


class NewPath(click.Path):
    """What a verb writes: with a mark, a file that may replace files of ours that have it."""

    def __init__(self, mark: bytes | None = None) -> None:
        super().__init__(readable=False)
        self.mark = mark


class NewFolderPath(NewPath):
    """A folder that a verb writes."""


File = Annotated[str, click.Path(readable=False)]
"""A file or folder to read, which shells complete; what it is and whether it can be used is for
readers to say, and patterns are no paths that click could check."""

NewFile = Annotated[str, NewPath()]
"""A file to write, which must not be one of those to read, and must not be there yet."""

NewModel = Annotated[str, NewPath(MODEL)]
"""The same for a model file, which may replace one."""

NewFolder = Annotated[str, NewFolderPath()]
"""A folder to write, which must not hold any of them."""


def option(text: str, default: Any = None, *names: str, **settings: Any) -> Any:
    """An option and its help: the default of an argument of a verb, or of a field of a group.

    Its name is that of the argument, as in messages, unless others are given. ``bool`` is a flag,
    ``Literal`` a choice, ``Sequence`` an option to repeat; ``Annotated`` holds a type of click.
    """
    return field(default=default, metadata={"names": names, "help": text, **settings})


def output(text: str, metavar: str) -> Any:
    """The file to write, which must be named."""
    return option(text, None, "-o", "--out", metavar=metavar, required=True)


def argument(metavar: str, *, required: bool = True) -> Any:
    """What is given without the name of an option."""
    return field(metadata={"metavar": metavar, "required": required})


JSON = option("Print the answer as one JSON document.")
KEY = option("Labels, if they are not in the score file.", metavar="FILE", heading="Options")
FORCE = option("Replace what exists already, if llrcal wrote it.")
SPEAKERS = option(
    "Number of speakers among SCORES; or how to find them: a list of recordings and speakers "
    "(utt2spk), a pattern for ids such as '{speaker}_{rest}', or a regular expression.",
    metavar="N|HOW",
)
QUIET = option("Print only warnings and errors.")


class Verb(click.Command):
    """A command that refuses an option given more than once, if only the last would count."""

    headings: Mapping[str, str]
    """Headings in the help, by the names of options that have one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        _, _, given = self.make_parser(ctx).parse_args(args=[*args])
        for one in () if ctx.resilient_parsing else given:
            counts_once = isinstance(one, click.Option) and not (one.multiple or one.is_eager)
            if counts_once and (times := given.count(one)) > 1:
                name = "/".join([one.opts[-1], *one.secondary_opts])
                often = "twice" if times == 2 else f"{times} times"
                raise OptionError(f"{name} is given {often}, but only one can count: give it once")
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options of the verb itself; below them groups with a heading, such as how to read."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for one in self.get_params(ctx):
            if record := one.get_help_record(ctx):
                sections.setdefault(self.headings.get(one.name or "", "Options"), []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


def command(**settings: Any) -> Callable[[Callable[..., None]], click.Command]:
    """Make a click command of a verb."""

    def decorate(verb: Callable[..., None]) -> click.Command:
        groups: dict[str, Any] = {}
        params: list[click.Parameter] = []
        for name, one in signature(verb, eval_str=True).parameters.items():
            if is_dataclass(one.annotation):
                groups[name] = one.annotation
                kinds = get_type_hints(one.annotation, include_extras=True)
                parts = fields(one.annotation)
                params += [_parameter(part, kinds[part.name], part.name) for part in parts]
            else:
                params.append(_parameter(one.default, one.annotation, name))

        def call(**given: Any) -> None:
            values = [(one, given[str(one.name)]) for one in params]
            force = given.get("force", False)
            built = {
                name: group(**{part.name: given.pop(part.name) for part in fields(group)})
                for name, group in groups.items()
            }
            with one_run():
                for name in NUMBERS:
                    number_of(name)
                _check_paths(values, force=force)
                verb(**given, **built)

        made = Verb(verb.__name__, callback=call, params=params, help=verb.__doc__, **settings)
        made.headings = {
            part.name: part.metadata.get("heading", group.heading)
            for group in groups.values()
            if hasattr(group, "heading")
            for part in fields(group)
        }
        return made

    return decorate


def _check_paths(given: Sequence[tuple[Any, Any]], *, force: bool) -> None:
    """Refuse what a verb is to write if it is to read it or may not replace it, before any work."""
    inputs: list[str] = []
    outputs: list[tuple[NewPath, str]] = []
    for one, value in given:
        if value != one.default and "" in (value if isinstance(value, tuple) else [value]):
            raise OptionError(f"{one.opts[-1]} is ''; give a value, or leave it out")
        if value is None or not isinstance(one.type, click.Path):
            continue
        if isinstance(one.type, NewPath):
            outputs.append((one.type, value))
        else:
            inputs += [value] if isinstance(value, str) else value
    refuse_to_read_twice(*inputs)
    named = (name.partition("=")[2] for name in inputs)  # NAME=FILE
    inputs += filter(None, named)
    folders = [Path(name).absolute() for kind, name in outputs if isinstance(kind, NewFolderPath)]
    for kind, name in outputs:
        is_folder = isinstance(kind, NewFolderPath)
        # Without a mark, these may also be folders; and may be in one that the verb makes.
        is_file = not is_folder and not (Path(name).is_dir() or name.endswith("/"))
        if is_file or is_folder:
            refuse_to_overwrite(name, *inputs)
        if kind.mark or (is_file and Path(name).absolute().parent not in folders):
            check_place(name, by_name=bool(kind.mark), mark=kind.mark, force=force)


def _parameter(declared: Field[Any], kind: Any, name: str) -> click.Parameter:
    """What click should know of an argument or a field."""
    settings = {name: value for name, value in declared.metadata.items() if name != "heading"}
    is_optional = NoneType in get_args(kind)
    if is_optional:
        kind, _ = get_args(kind)
    is_repeated = get_origin(kind) is Sequence
    if is_repeated:
        (kind,) = get_args(kind)
    inner = get_args(kind)
    settings["type"] = click.Choice(inner) if get_origin(kind) is Literal else (kind, *inner)[-1]
    if "names" not in settings:
        return click.Argument([name], nargs=-1 if is_repeated else 1, **settings)
    names = settings.pop("names") or [Setting(name).option]
    if declared.default is not None or is_optional:
        settings["default"] = declared.default
    if kind is bool:
        settings["is_flag"] = True
        if "default" in settings:
            names = [f"{names[0]}/{Setting(name, False).option}"]
    return click.Option([*names, name], multiple=is_repeated, **settings)


def refuse(problems: Mapping[str, object]) -> None:
    """Raise an OptionError with the first of these texts that applies."""
    for text, applies in problems.items():
        if applies:
            raise OptionError(text)


@dataclass(frozen=True)
class MethodOptions:
    """A method to train, and its options."""

    method: Annotated[str, click.Choice(list(TABLE))] = option("The method to train.", DEFAULT)
    alpha: str | None = option(
        f"Weight of the targets for {WEIGHTED}: a number between 0 and 1, or 'empirical'.  "
        "[default: 0.5]",
        metavar="WEIGHT",
    )
    rule: str | None = option(
        f"Scoring rule that logistic minimises: {RULES}.  [default: log]", metavar="RULE"
    )
    bayes: bool = option(
        "Integrate the parameters out rather than estimate them, for few trials: see "
        "docs/few-trials.md. For gaussian, student-t and nig."
    )
    bounds: Literal["counts", "elub", "range", "none"] = option(
        "Outside the range of the training scores: use the LLR of the nearest one, and limit LLRs "
        "to what trials and their speakers support (counts), or to the empirical bounds of the "
        "training LLRs (elub); without such a limit (range); or extrapolate (none).",
        "counts",
    )

    @property
    def chosen(self) -> tuple[str, dict[str, Any]]:
        """The name of the method, and the options that were given."""
        options: dict[str, Any] = {} if self.alpha is None else {"alpha": weight(self.alpha)}
        if self.rule is not None:
            options["rule"] = self.rule
        if self.bayes:
            options["bayes"] = True
        return self.method, options


Preset = Literal[
    "sre08",
    "sre10",
    "sre12",
    "sre16",
    "sre18-cmn2",
    "sre18-vast",
    "sre19-cts",
    "sre19-av",
    "voxsrc",
]


@dataclass(frozen=True)
class Points:
    """Operating points."""

    p_target: Sequence[float] = option(
        "Prior of an operating point. Repeatable.  [default: 0.001, 0.01, 0.1, 0.5]"
    )
    c_miss: Sequence[float] = option("Cost of a miss, one per --p-target.  [default: 1]")
    c_fa: Sequence[float] = option("Cost of a false alarm, one per --p-target.  [default: 1]")
    preset: Sequence[Preset] = option("Operating points of an evaluation. Repeatable.")

    def given(self) -> list[OperatingPoint]:
        """The points; costs are given for each prior, or not at all."""
        from llrcal.evaluation.operating_points import PRESETS, OperatingPoint

        count = len(self.p_target)
        costs = {"--c-miss": self.c_miss, "--c-fa": self.c_fa}
        if any(costs.values()) and not count:
            raise OptionError("costs need a prior: give --p-target as well")
        for name, given in costs.items():
            times = "once" if len(given) == 1 else f"{len(given)} times"
            priors = "1 prior" if count == 1 else f"{count} priors"
            if len(given) not in {0, count}:
                raise OptionError(
                    f"{name} is given {times} for {priors}: give one for each --p-target"
                )
        both = (given or [1.0] * count for given in costs.values())
        points = [OperatingPoint(*point) for point in zip(self.p_target, *both, strict=True)]
        points += [point for name in self.preset for point in PRESETS[name]]
        return list(dict.fromkeys(points))

    def averages(self) -> dict[str, Sequence[OperatingPoint]]:
        """Points to average, by name: those of presets with several, or all that were given."""
        from llrcal.evaluation.operating_points import PRESETS

        sets: dict[str, Sequence[OperatingPoint]] = {name: PRESETS[name] for name in self.preset}
        sets = sets or {"points": self.given()}
        return {name: points for name, points in sets.items() if len(points) > 1}


def refuse_two_outputs(out: str, *, json: bool) -> None:
    """Refuse to write both a file and a document to standard output."""
    if json and out == "-":
        raise OptionError(
            "-o - and --json would both write to standard output: name a file, or leave out --json"
        )


def split_names(names: str | None, setting: str) -> list[str]:
    """The names in a list with commas, as given by a setting; none if it was not given."""
    from llrcal.trials.conventions import names_in

    found = [] if names is None else names_in(names)
    if "" in found or len({*found}) < len(found):
        raise OptionError(
            Setting(setting), f" is {names!r:.80}; give names, each once, with commas between them"
        )
    return found


def fold_count(folds: str | None) -> FoldCount:
    """The number of folds that was asked for."""
    if folds == "all":
        return "all"
    count = FOLDS if folds is None else int(folds) if folds.isdecimal() else 0
    if count < 2:
        raise OptionError(f"--folds is {folds!r:.50}; give a whole number from 2 on, or all")
    return count


def weight(alpha: str) -> float | str:
    """A weight as a number, or the given word if it is not a number."""
    try:
        return float(alpha)
    except ValueError:
        return alpha
