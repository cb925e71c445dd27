"""``llrcal weigh``: what scores are worth as evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from llrcal.cli.options import JSON, File, argument, command, option
from llrcal.cli.terminal import print_json, print_notes, print_rows

if TYPE_CHECKING:
    from llrcal.calibrations.weighing import Weight


# Negative scores are not options.
@command(context_settings={"ignore_unknown_options": True})
def weigh(
    *,
    model: File = argument("MODEL"),
    scores: Sequence[float] = argument("SCORE..."),
    level: float = option("Probability of the interval.", 0.95),
    json: bool = JSON,
) -> None:
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
    notes = dict.fromkeys(  # the same of several scores is said once
        note.about(f"score {weight.score:g}") if note.code == "range" else note
        for weight in weights
        for note in weight.notes
    )
    if json:
        answers = [weight.to_dict() for weight in weights]
        print_json({"model": model, "method": calibration.method, "scores": answers}, notes)
    else:
        _show(weights)
        print_notes(notes, quiet=False, lead="note: ")


def _show(weights: Sequence[Weight]) -> None:
    from llrcal.calibrations.weighing import shown_ratio

    interval, words = f"{100 * weights[0].level:g} % interval of the LR", "in words (ENFSI 2015)"
    columns = {"score": "{score:g}", "LLR": "{llr:.3f}", "log10 LR": "{log10:.3f}", "LR": "{lr}"}
    columns |= {interval: "{ends}", words: "{words}"}
    if all(one.interval is None for one in weights):
        del columns[interval]
    rows = (
        {
            "score": one.score,
            "llr": one.llr,
            "log10": one.log10_lr,
            "lr": shown_ratio(one.lr),
            "ends": " to ".join(map(shown_ratio, one.lr_interval or ())) or "held at a bound",
            "words": one.in_short + (", held at the bound" if one.held else ""),
        }
        for one in weights
    )
    caption = "Hp: same source (target), Hd: different sources (non-target)"
    print_rows(columns, rows, words=(words,), caption=caption)
