"""Options that several verbs share, and what they mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from llrcal.calibrations.methods import Method
    from llrcal.evaluation import OperatingPoint

UNITS = {"nats": 1.0, "log10": math.log(10), "bits": math.log(2)}
"""Logarithms, by how many nats one of their units has."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


def comparison_options(command: _Command) -> _Command:
    """What is compared, where, and how it is written."""
    for option in reversed(
        (
            click.option(
                "--alpha",
                "alphas",
                multiple=True,
                metavar="WEIGHT",
                help="Weight of the targets for the linear methods: a number between 0 and 1, or "
                "'empirical'. Repeatable.  [default: empirical, 0.5, 0.92]",
            ),
            point_options,
            click.option(
                "--replicates",
                default=200,
                show_default=True,
                type=click.IntRange(min=0),
                help="Bootstrap replicates behind the intervals; 0 for none.",
            ),
            click.option("--force", is_flag=True, help="Replace the folder if it exists."),
            click.option("--quiet", is_flag=True, help="No progress bars, no table."),
        )
    ):
        command = option(command)
    return command


def point_options(command: _Command) -> _Command:
    """Where decisions are made."""
    for option in reversed(
        (
            click.option(
                "--p-target",
                multiple=True,
                type=float,
                help="Prior of an operating point. Repeatable.  [default: 0.001, 0.01, 0.1, 0.5]",
            ),
            click.option(
                "--c-miss", multiple=True, type=float, help="Cost of a miss, one per --p-target."
            ),
            click.option(
                "--c-fa", multiple=True, type=float, help="Cost of a false alarm, likewise."
            ),
            click.option(
                "--preset",
                multiple=True,
                metavar="NAME",
                help="Operating points of an evaluation: sre08, sre10, sre12, sre16, sre18-cmn2, "
                "sre18-vast, sre19-cts, sre19-av, voxsrc. Repeatable.",
            ),
        )
    ):
        command = option(command)
    return command


def methods_with(alphas: Sequence[str]) -> Sequence[Method]:
    """The paper's methods, with other weights for the linear ones."""
    from llrcal.calibrations import PAPER

    if not alphas:
        return PAPER
    weights = [weight(alpha) for alpha in alphas]
    linear = [(m, {"alpha": w}) for m in ("linear-gaussian", "logistic") for w in weights]
    return [*linear, *(method for method in PAPER if isinstance(method, str))]


def weight(alpha: str) -> float | str:
    """A weight as a number, or the word that was given."""
    try:
        return float(alpha)
    except ValueError:
        return alpha


def operating_points(
    p_target: Sequence[float],
    c_miss: Sequence[float],
    c_fa: Sequence[float],
    presets: Sequence[str] = (),
) -> Sequence[OperatingPoint]:
    """Operating points from options that were given as often as one another, or once, or never."""
    from llrcal.errors import OptionError
    from llrcal.evaluation.operating_point import DEFAULT_POINTS, OperatingPoint
    from llrcal.evaluation.presets import PRESETS

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
            raise OptionError(f"there is no preset {name!r}; choose from {', '.join(PRESETS)}")
        points += PRESETS[name]
    return list(dict.fromkeys(points)) or DEFAULT_POINTS
