"""``llrcal weigh``: what scores are worth as evidence."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.terminal import tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llrcal.calibrations.weighing import Weight


# Negative scores are no options.
@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("model", metavar="MODEL")
@click.argument("scores", metavar="SCORE...", type=float, nargs=-1, required=True)
@click.option("--level", type=float, default=0.95, help="Probability of the interval.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
def weigh(model: str, scores: Sequence[float], level: float, as_json: bool) -> None:
    """Print what scores are worth: LR, interval, and the LR in words.

    MODEL was written by `llrcal fit`. No prior is needed: the answer is about the evidence alone.
    Words are those of the ENFSI guideline for evaluative reporting (2015). Hp is the proposition
    of the same source (target), Hd that of different sources (non-target).

    \b
    llrcal weigh model.json 3.7
    llrcal weigh model.json -1.25 0.4 3.7 --level 0.99 --json
    """
    from llrcal.calibrations import load

    calibration = load(model)
    weights = [calibration.weigh(score, level=level) for score in scores]
    if as_json:
        document = {"model": model, "method": calibration.method, "scores": _answers(weights)}
        click.echo(json.dumps(document, indent=1, allow_nan=False))
        return
    _show(weights)
    for line in dict.fromkeys(_remarks(weights)):  # the same of several scores is said once
        tell(line)


def _answers(weights: Sequence[Weight]) -> list[dict[str, Any]]:
    return [
        {
            **{name: _number(value) for name, value in weight.to_dict().items()},
            "notes": [note.on_command_line for note in weight.notes],
        }
        for weight in weights
    ]


def _number(value: Any) -> Any:
    """Numbers as values that JSON can represent."""
    if isinstance(value, list):
        return [_number(one) for one in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _remarks(weights: Sequence[Weight]) -> list[str]:
    lines = []
    for weight in weights:
        for note in weight.notes:
            is_about_all = note.code == "no interval"
            placed = note if is_about_all else note.about(f"score {weight.score:g}")
            lead = "warning" if note.severity == "warning" else "note"
            lines.append(f"{lead}: {placed.on_command_line}")
    return lines


def _show(weights: Sequence[Weight]) -> None:
    from rich import box
    from rich.table import Table

    from llrcal.calibrations.verbal_scale import in_short
    from llrcal.calibrations.weighing import shown_ratio
    from llrcal.cli.terminal import print_whole

    caption = "Hp: same source (target), Hd: different sources (non-target)"
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), caption=caption)
    names = ["score", "LLR", "log10 LR", "LR"]
    has_interval = any(weight.interval is not None for weight in weights)
    if has_interval:
        names.append(f"{100 * weights[0].level:g} % interval of the LR")
    for name in names:
        table.add_column(name, justify="right")
    table.add_column("in words (ENFSI 2015)")
    for weight in weights:
        cells = [
            f"{weight.score:g}",
            f"{weight.llr:.3f}",
            f"{weight.log10_lr:.3f}",
            shown_ratio(weight.lr),
        ]
        if has_interval:
            ends = weight.lr_interval
            cells.append("held at a bound" if ends is None else " to ".join(map(shown_ratio, ends)))
        table.add_row(*cells, in_short(weight.llr))
    print_whole(table)
