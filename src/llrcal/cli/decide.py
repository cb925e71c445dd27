"""``llrcal decide``: which scores to accept."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llrcal.calibrations.thresholds import Interval


@click.command()
@click.option("--model", required=True, metavar="MODEL", help="A model written by `llrcal fit`.")
@click.option("--p-target", required=True, type=float, help="Prior of a target.")
@click.option("--c-miss", type=float, default=1.0, help="Cost of a miss.")
@click.option("--c-fa", type=float, default=1.0, help="Cost of a false alarm.")
@click.option(
    "--score", "scores", type=float, multiple=True, help="Decide about this score. Repeatable."
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
def decide(
    model: str,
    p_target: float,
    c_miss: float,
    c_fa: float,
    scores: Sequence[float],
    as_json: bool,
) -> None:
    """Print the scores to accept at a prior and costs.

    The thresholds apply to raw scores. There are several if the LLR does not always rise with the
    score.

    \b
    llrcal decide --model nig.json --p-target 0.01 --c-miss 10 --c-fa 1
    llrcal decide --model nig.json --p-target 0.5 --score 3.7
    """
    from llrcal.calibrations import load
    from llrcal.evaluation import OperatingPoint

    calibration = load(model)
    point = OperatingPoint(p_target, c_miss, c_fa)
    threshold = -point.prior_log_odds + 0.0  # -0.0 becomes 0.0
    regions = calibration.regions(threshold)
    answers = [(score, float(calibration(score))) for score in scores]
    if as_json:
        document = {
            "llr_threshold": threshold,
            "accept": [{"low": _end(r.low), "high": _end(r.high)} for r in regions],
            "scores": [
                {"score": _number(score), "llr": _number(llr), "accept": llr >= threshold}
                for score, llr in answers
            ],
        }
        click.echo(json.dumps(document, indent=1, allow_nan=False))
        return
    click.echo(f"Accept {_spoken(regions)}")
    click.echo(f"(where the LLR is at least {threshold:.6g}, at {_point(p_target, c_miss, c_fa)})")
    for score, llr in answers:
        verdict = "accept" if llr >= threshold else "reject"
        click.echo(f"score {score:g}: LLR {llr:.6g}, {verdict}")


def _point(p_target: float, c_miss: float, c_fa: float) -> str:
    return f"prior {p_target!r}, cost of a miss {c_miss:g}, of a false alarm {c_fa:g}"


def _number(value: float) -> float | str:
    """A number, or text if JSON cannot represent it."""
    return value if math.isfinite(value) else str(value)


def _end(value: float) -> float | None:
    """An end of an interval; None if it has no end."""
    return None if math.isinf(value) else value


def _spoken(regions: Sequence[Interval]) -> str:
    """Intervals in words, with all digits, so that they can be used as thresholds."""
    if not regions:
        return "nothing: no score is strong enough evidence"
    words = []
    for region in regions:
        low, high = _end(region.low), _end(region.high)
        if low is None and high is None:
            return "everything: no score is strong enough evidence to reject"
        if high is None:
            words.append(f"scores >= {low!r}")
        elif low is None:
            words.append(f"scores <= {high!r}")
        else:
            words.append(f"scores from {low!r} to {high!r}")
    return ", and ".join(words)
