"""``llrcal weigh``: what scores are worth as evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.options import FILE
from llrcal.cli.terminal import json_option, print_json, print_notes, print_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from llrcal.calibrations.weighing import Weight
    from llrcal.notes import Note


class _Score(click.types.FloatParamType):
    """A number; a comma in it is explained rather than called invalid."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        if isinstance(value, str) and "," in value:
            said = f"{value!r} has a comma; write decimals with a point, and scores with spaces"
            self.fail(f"{said} between them", param, ctx)
        return super().convert(value, param, ctx)


# Negative scores are not options.
@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("model", metavar="MODEL", type=FILE)
@click.argument("scores", metavar="SCORE...", type=_Score(), nargs=-1, required=True)
@click.option("--level", type=float, default=0.95, help="Probability of the interval.")
@json_option
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
    notes = dict.fromkeys(_notes(weights))  # the same of several scores is said once
    if as_json:
        answers = [weight.to_dict() for weight in weights]
        print_json({"model": model, "method": calibration.method, "scores": answers}, notes)
        return
    _show(weights)
    print_notes(notes, quiet=False, lead="note: ")


def _notes(weights: Sequence[Weight]) -> Iterator[Note]:
    for weight in weights:
        for note in weight.notes:
            is_about_all = note.code == "no interval"
            yield note if is_about_all else note.about(f"score {weight.score:g}")


def _show(weights: Sequence[Weight]) -> None:
    from llrcal.calibrations.weighing import in_short, shown_ratio

    has_interval = any(weight.interval is not None for weight in weights)
    interval, words = f"{100 * weights[0].level:g} % interval of the LR", "in words (ENFSI 2015)"
    rows = []
    for weight in weights:
        row = [f"{weight.score:g}", f"{weight.llr:.3f}", f"{weight.log10_lr:.3f}"]
        row.append(shown_ratio(weight.lr))
        if has_interval:
            ends = weight.lr_interval
            row.append("held at a bound" if ends is None else " to ".join(map(shown_ratio, ends)))
        rows.append([*row, in_short(weight.llr)])
    print_table(
        ["score", "LLR", "log10 LR", "LR", *([interval] if has_interval else []), words],
        rows,
        words=(words,),
        caption="Hp: same source (target), Hd: different sources (non-target)",
    )
