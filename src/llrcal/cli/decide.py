"""``llrcal decide``: which scores to accept."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import click

from llrcal.cli.options import FILE, flag
from llrcal.cli.reading import (
    direction_options,
    reading_options,
    refuse_wrong_way,
)
from llrcal.cli.terminal import json_option, print_json, print_notes
from llrcal.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llrcal.calibrations.curve import Interval
    from llrcal.evaluation.score_threshold import ScoreThreshold
    from llrcal.notes import Note
    from llrcal.trials.request import ReadOptions


@click.command()
@click.argument("trials", metavar="[SCORES]", type=FILE, required=False)
@click.option("--model", metavar="MODEL", type=FILE, help="A model written by `llrcal fit`.")
@click.option("--p-target", type=float, help="Prior of a target.")
@click.option("--c-miss", type=float, default=1.0, help="Cost of a miss.")
@click.option("--c-fa", type=float, default=1.0, help="Cost of a false alarm.")
@click.option(
    "--score", "scores", type=float, multiple=True, help="Decide about this score. Repeatable."
)
@click.option("--fmr", type=float, help="Instead: the false-alarm rate (FMR) to allow on SCORES.")
@click.option("--fnmr", type=float, help="Instead: the miss rate (FNMR) to allow on SCORES.")
@flag("--eer", "Instead: equal error-rates on SCORES.")
@direction_options
@reading_options()
@json_option
def decide(
    trials: str | None,
    model: str | None,
    p_target: float | None,
    c_miss: float,
    c_fa: float,
    scores: Sequence[float],
    fmr: float | None,
    fnmr: float | None,
    eer: bool,
    distance: bool,
    inverted: bool,
    as_json: bool,
    key: str | None,
    reading: ReadOptions,
) -> None:
    """Print which scores to accept, at costs or at an error-rate.

    With a model, a prior and costs, the thresholds are those of least expected cost. There are
    several if the LLR does not always rise with the score. With SCORES, a file of labelled trials
    or of trials with a key, and an error-rate, the threshold is the one that keeps to this rate on
    these trials, with a 95 % interval that takes them to be independent. All thresholds apply to
    raw scores.

    \b
    llrcal decide --model nig.json --p-target 0.01 --c-miss 10 --c-fa 1
    llrcal decide --model nig.json --p-target 0.5 --score 3.7
    llrcal decide scores.txt --key key.txt --fmr 1e-4
    """
    given = {"fmr": fmr is not None, "fnmr": fnmr is not None, "eer": eer}
    asked = [name for name, is_given in given.items() if is_given]
    if asked or trials is not None:
        if len(asked) != 1:
            raise OptionError("give one of --fmr, --fnmr and --eer, for a threshold on SCORES")
        if trials is None or model is not None or p_target is not None or scores:
            raise OptionError(
                f"--{asked[0]} needs SCORES, and neither a model nor a prior: llrcal decide "
                f"scores.txt --key key.txt --{asked[0]}"
            )
        way = {"distance": distance, "inverted": inverted}
        _decide_by_rate(trials, fmr, fnmr, **way, as_json=as_json, key=key, reading=reading)
    elif model is None or p_target is None:
        raise OptionError("give --model and --p-target; or SCORES with --fmr, --fnmr or --eer")
    else:
        _decide_by_cost(model, p_target, c_miss, c_fa, scores, as_json=as_json)


def _decide_by_rate(
    source: str,
    fmr: float | None,
    fnmr: float | None,
    *,
    distance: bool,
    inverted: bool,
    as_json: bool,
    key: str | None,
    reading: ReadOptions,
) -> None:
    from llrcal.evaluation.evaluate import evaluate_quietly
    from llrcal.trials.reading import trials_from

    read = trials_from(source, key, reading)
    sides = read.tar, read.non
    tar, non = (-side for side in sides) if distance else sides
    evaluation = evaluate_quietly(tar, non)
    if not inverted:
        refuse_wrong_way(evaluation.direction_notes, source, distance=distance)
    found = evaluation.threshold(pfa=fmr, pmiss=fnmr)
    print_notes(read.notes, quiet=False)
    doubts = [] if all(map(math.isfinite, found.interval)) else [_too_few(found)]
    sign = -1 if distance else 1
    low, high = sorted(sign * end for end in found.interval)
    if as_json:
        numbers = found.to_dict() | {
            "value": sign * found.value,
            "interval": [low, high],
            "accept": "scores <= value" if distance else "scores >= value",
        }
        print_json({"source": source, **numbers}, [*read.notes, *doubts])
    else:
        click.echo(f"Accept scores {'<=' if distance else '>='} {sign * found.value!r}")
        click.echo(f"({_errors(found)}; 95 % interval of the threshold {low:.6g} to {high:.6g})")
    print_notes(doubts, quiet=False)


def _too_few(found: ScoreThreshold) -> Note:
    from llrcal.notes import Note

    text = (
        f"these trials are too few for this rate: with {found.false_alarms:,} false alarms and "
        f"{found.misses:,} misses, nothing is known about one end of the threshold. Give more "
        "trials, or allow more errors"
    )
    return Note.warning("few errors", text)


def _errors(found: ScoreThreshold) -> str:
    return (
        f"FMR {found.pfa:.3g} with {found.false_alarms:,} false alarms, "
        f"FNMR {found.pmiss:.3g} with {found.misses:,} misses"
    )


def _decide_by_cost(
    model: str,
    p_target: float,
    c_miss: float,
    c_fa: float,
    scores: Sequence[float],
    *,
    as_json: bool,
) -> None:
    from llrcal.calibrations import load
    from llrcal.evaluation import OperatingPoint

    calibration = load(model)
    point = OperatingPoint(p_target, c_miss, c_fa)
    threshold = -point.prior_log_odds + 0.0  # -0.0 becomes 0.0
    regions = calibration.regions(threshold)
    answers = [(score, float(calibration(score))) for score in scores]
    if as_json:
        answer = {
            "model": model,
            "llr_threshold": threshold,
            "accept": [{"low": _end(r.low), "high": _end(r.high)} for r in regions],
            "scores": [
                {"score": score, "llr": llr, "accept": llr >= threshold} for score, llr in answers
            ],
        }
        print_json(answer)
        return
    click.echo(f"Accept {_spoken(regions)}")
    click.echo(f"(where the LLR is at least {threshold:.6g}, at {_point(p_target, c_miss, c_fa)})")
    for score, llr in answers:
        verdict = "accept" if llr >= threshold else "reject"
        click.echo(f"score {score:g}: LLR {llr:.6g}, {verdict}")


def _point(p_target: float, c_miss: float, c_fa: float) -> str:
    return f"prior {p_target!r}, cost of a miss {c_miss:g}, of a false alarm {c_fa:g}"


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
