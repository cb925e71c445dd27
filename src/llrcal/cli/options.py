"""Options shared by several verbs, and their meaning."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from llrcal.cli.terminal import json_option
from llrcal.method_table import ALPHAS, TABLE, integrated_out, methods_to_compare

if TYPE_CHECKING:
    from llrcal.calibrations.methods import Method
    from llrcal.evaluation import OperatingPoint

UNITS = {"nats": 1.0, "log10": math.log(10), "bits": math.log(2)}
"""The number of nats in one unit of each logarithm."""

WEIGHTED = " and ".join(name for name, entry in TABLE.items() if "alpha" in entry.options)
"""The methods that take a target weight, for help texts."""

RULES = "log, brier, boosting, or two exponents of its weights as A,B: see docs/scoring-rules.md"
"""The scoring rules, for help texts."""

FILE = click.Path(readable=False)
"""A file or folder, which shells complete; what it is and whether it can be used is for readers to
say, and patterns and names of new files are no paths that click could check."""

Command = TypeVar("Command", bound=Callable[..., Any])


def flag(name: str, text: str) -> Callable[[Command], Command]:
    """An option without a value, and its help."""
    return click.option(name, is_flag=True, help=text)


def refuse(problems: Mapping[str, object]) -> None:
    """Raise an OptionError with the first of these texts that applies."""
    from llrcal.errors import OptionError

    for text, applies in problems.items():
        if applies:
            raise OptionError(text)


def together(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Several options as one decorator, in the given order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


point_options = together(
    click.option(
        "--p-target",
        multiple=True,
        type=float,
        help="Prior of an operating point. Repeatable.  [default: 0.001, 0.01, 0.1, 0.5]",
    ),
    click.option("--c-miss", multiple=True, type=float, help="Cost of a miss, one per --p-target."),
    click.option(
        "--c-fa",
        multiple=True,
        type=float,
        help="Cost of a false alarm, one per --p-target.",
    ),
    click.option(
        "--preset",
        multiple=True,
        metavar="NAME",
        help="Operating points of an evaluation: sre08, sre10, sre12, sre16, sre18-cmn2, "
        "sre18-vast, sre19-cts, sre19-av, voxsrc. Repeatable.",
    ),
)
"""Operating points."""

comparison_options = together(
    click.option(
        "--alpha",
        "alphas",
        multiple=True,
        metavar="WEIGHT",
        help=f"Weight of the targets for {WEIGHTED}: a number between 0 and 1, or "
        f"'empirical'. Repeatable.  [default: {', '.join(map(str, ALPHAS))}]",
    ),
    click.option(
        "--rule",
        "rules",
        multiple=True,
        metavar="RULE",
        help=f"Scoring rule for logistic: {RULES}. Repeatable.  [default: log]",
    ),
    flag(
        "--bayes",
        "Also every method with its parameters integrated out, for few trials: see "
        "docs/few-trials.md. Not for smooth and pav.",
    ),
    point_options,
    click.option(
        "--criterion",
        type=click.Choice(["points", "range", "cllr"]),
        help="What the verdict goes by: the mean Bayes error at the operating points that "
        "were given, or over the range of prior log-odds with 30 errors of each kind; or "
        "Cllr.  [default: points if any were given, else range]",
    ),
    click.option(
        "--replicates",
        default=200,
        show_default=True,
        type=click.IntRange(min=0),
        help="Bootstrap replicates for the intervals, and for telling calibrations apart; "
        "0 for none.",
    ),
    flag("--paper", "As in the paper: plain formulas, which may fall, and no bounds."),
    flag("--learning-curve", "Also train on smaller sets: how many trials do I need?"),
    click.option(
        "--adapt",
        type=float,
        metavar="SHARE",
        help="Also gaussian, student-t and nig as llrcal adapt moves them to the test "
        "scores, of which roughly this share is of targets. Labels are not used for it.",
    ),
    click.option(
        "--formats",
        default="png,pdf,svg",
        show_default=True,
        help="Formats of the figures, or 'none': drawing them takes most of the time.",
    ),
    flag("--force", "Replace the folder if it exists."),
    json_option,
    flag("--quiet", "Print no progress bars and no table."),
)
"""Which calibrations to compare, at which operating points, and how to write the results."""


def methods_with(
    alphas: Sequence[str], rules: Sequence[str] = (), *, bayes: bool = False
) -> Sequence[Method]:
    """Every method; those that take a weight at each of ``alphas``, or at the default ones.

    Those that take a scoring rule are trained with each of ``rules``, by default the logarithmic.
    If asked for, those that can be are also trained with their parameters integrated out.
    """
    weights = [weight(alpha) for alpha in alphas] or ALPHAS
    methods = methods_to_compare(weights, [scoring_rule(rule) for rule in rules] or ["log"])
    return [*methods, *integrated_out(methods)] if bayes else methods


def split_names(names: str | None) -> list[str]:
    """The names in a list with commas; none if there is no list."""
    return [name for one in (names or "").split(",") if (name := one.strip())]


def weight(alpha: str) -> float | str:
    """A weight as a number, or the given word if it is not a number."""
    try:
        return float(alpha)
    except ValueError:
        return alpha


def scoring_rule(rule: str) -> str | tuple[float, ...]:
    """A rule as numbers, or the given word if they are not numbers."""
    try:
        return tuple(float(exponent) for exponent in rule.split(","))
    except ValueError:
        return rule


def operating_points(
    p_target: Sequence[float],
    c_miss: Sequence[float],
    c_fa: Sequence[float],
    presets: Sequence[str] = (),
) -> Sequence[OperatingPoint]:
    """Operating points from options; costs are given per prior, once for all, or not at all."""
    from llrcal.errors import OptionError
    from llrcal.evaluation.operating_points import DEFAULT_POINTS, PRESETS, OperatingPoint

    if (c_miss or c_fa) and not p_target:
        raise OptionError("costs need a prior: give --p-target as well")
    count = len(p_target)
    costs = []
    for name, values in (("--c-miss", c_miss), ("--c-fa", c_fa)):
        if len(values) not in {0, 1, count}:
            raise OptionError(f"{name} was given {len(values)} times for {count} priors")
        costs.append([*values] * count if len(values) == 1 else [*values] or [1.0] * count)
    points = [OperatingPoint(*point) for point in zip(p_target, *costs, strict=True)]
    for name in presets:
        if name not in PRESETS:
            raise OptionError(
                f"there is no preset {name!r}; choose from {', '.join(PRESETS)}, or give its "
                "--p-target, --c-miss and --c-fa"
            )
        points += PRESETS[name]
    return list(dict.fromkeys(points)) or DEFAULT_POINTS


def averaged_points(
    points: Sequence[OperatingPoint], presets: Sequence[str], *, are_asked_for: bool
) -> dict[str, Sequence[OperatingPoint]]:
    """Points to average, by name: those of presets with several, or all that were asked for."""
    from llrcal.evaluation.operating_points import PRESETS

    if presets:
        return {name: PRESETS[name] for name in presets if len(PRESETS[name]) > 1}
    return {"points": points} if are_asked_for and len(points) > 1 else {}
