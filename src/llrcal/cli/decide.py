"""``llrcal decide``: which scores to accept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, Any

import click

from llrcal.cli.options import JSON, File, argument, command, option
from llrcal.cli.reading import Direction, Reading
from llrcal.cli.terminal import print_json, print_notes
from llrcal.errors import OptionError

if TYPE_CHECKING:
    from llrcal.evaluation import OperatingPoint


_STEP = 1e-6  # of the range of training scores: what thresholds are rounded by, at most


@command()
def decide(
    *,
    trials: File | None = argument("[SCORES]", required=False),
    model: File | None = option("A model written by `llrcal fit`.", metavar="MODEL"),
    p_target: float | None = option("Prior of a target."),
    c_miss: float | None = option("Cost of a miss.  [default: 1]"),
    c_fa: float | None = option("Cost of a false alarm.  [default: 1]"),
    score: Sequence[float] = option("Decide about this score. Repeatable."),
    pfa: float | None = option("Maximum false-alarm rate on SCORES, instead of costs."),
    pmiss: float | None = option("Maximum miss rate on SCORES, instead of costs."),
    eer: bool = option("Equal error-rates on SCORES, instead of costs."),
    direction: Direction,
    reading: Reading,
    json: bool = JSON,
) -> None:
    """Print which scores to accept, at costs or at an error-rate.

    With a model, a prior and costs, the thresholds are those of least expected cost. There are
    several if the LLR does not always rise with the score. With SCORES, a file of labelled trials
    or of trials with a key, and an error-rate, the threshold is the one that keeps to this rate on
    these trials. It has a 95 % interval, and so have both error-rates: by speaker where the file
    names speakers, or else as if trials were independent. All thresholds apply to raw scores; they
    are rounded to digits that matter, and --json has all digits.

    \b
    llrcal decide --model nig.json --p-target 0.01 --c-miss 10 --c-fa 1
    llrcal decide --model nig.json --p-target 0.5 --score 3.7
    llrcal decide scores.txt --key key.txt --fmr 1e-4
    """
    from llrcal.evaluation import OperatingPoint

    rates = {"--fmr": pfa is not None, "--fnmr": pmiss is not None, "--eer": eer}
    rate, *others = [name for name, is_given in rates.items() if is_given] or [""]
    costs = c_miss is not None or c_fa is not None
    by_cost = model is not None or p_target is not None or costs or len(score) > 0
    of_files = vars(reading) != vars(Reading()) or any(vars(direction).values())
    if others or (trials is not None and not rate):
        raise OptionError(
            "give one of --fmr, --fnmr and --eer, for a threshold on SCORES; or a model instead of "
            "SCORES: --model MODEL"
        )
    if rate and (trials is None or by_cost):
        raise OptionError(
            f"{rate} needs SCORES, and neither a model nor a prior nor costs: llrcal decide "
            f"scores.txt --key key.txt {rate}"
        )
    if trials is None and of_files:
        raise OptionError("options about files are for SCORES, and none are given: leave them out")
    if trials is not None:
        _decide_by_rate(trials, reading, direction, pfa, pmiss, json=json)
    elif model is not None and p_target is not None:
        point = OperatingPoint(
            p_target, 1.0 if c_miss is None else c_miss, 1.0 if c_fa is None else c_fa
        )
        _decide_by_cost(model, point, score, json=json)
    else:
        raise OptionError("give --model and --p-target; or SCORES with --fmr, --fnmr or --eer")


def _decide_by_rate(
    source: str,
    reading: Reading,
    direction: Direction,
    pfa: float | None,
    pmiss: float | None,
    *,
    json: bool,
) -> None:
    from llrcal.evaluation.evaluate import evaluate_quietly
    from llrcal.notes import Note
    from llrcal.trials.reading import trials_from

    read = trials_from(source, reading.key, reading.options())
    sign, accepted = (-1, "<=") if direction.lower_is_better else (1, ">=")
    evaluation = evaluate_quietly(read.negated() if direction.lower_is_better else read)
    direction.check(evaluation.direction_notes, source)
    found = evaluation.threshold(pfa=pfa, pmiss=pmiss)
    print_notes(read.notes, quiet=False)
    value, (low, high) = sign * found.value, sorted(sign * end for end in found.interval)
    too_few = Note.warning(
        "few errors",
        f"these trials are too few for this rate: with {found.false_alarms:,} false alarms and "
        f"{found.misses:,} misses, nothing is known about one end of the threshold. Give more "
        "trials, or allow more errors",
    )
    doubts = [] if math.isfinite(high - low) else [too_few]
    if json:
        numbers = found.to_dict() | {"value": value, "interval": [low, high]}
        accept = {"accept": f"scores {accepted} value"}
        print_json({"source": source, **numbers, **accept}, doubts)
    else:
        every = sign * read.scores
        below = float(every[every < found.value].max(initial=-math.inf))
        of = "if trials are independent" if found.by == "trial" else f"by {found.by}"
        click.echo(
            f"Accept scores {accepted} {sign * shortest(below, found.value) + 0.0!r}\n"
            f"(FMR {found.pfa:.3g} with {found.false_alarms:,} false alarms, "
            f"FNMR {found.pmiss:.3g} with {found.misses:,} misses)\n"
            f"95 % intervals {of}: threshold {low:.6g} to {high:.6g}, "
            f"FMR {_range(found.pfa_interval)}, FNMR {_range(found.pmiss_interval)}"
        )
    print_notes(doubts, quiet=False)


def _range(ends: tuple[float, float]) -> str:
    return " to ".join(f"{end:.3g}" for end in ends)


def _decide_by_cost(
    model: str, point: OperatingPoint, scores: Sequence[float], *, json: bool
) -> None:
    from llrcal.calibrations import load

    calibration = load(model)
    threshold = -point.prior_log_odds + 0.0  # -0.0 becomes 0.0
    accept = [
        {name: None if math.isinf(end) else end for name, end in vars(region).items()}
        for region in calibration.regions(threshold)
    ]
    llrs = ((score, float(calibration(score))) for score in scores)
    answers = [{"score": one, "llr": llr, "accept": llr >= threshold} for one, llr in llrs]
    if json:
        answer = {"model": model, "llr_threshold": threshold}
        print_json({**answer, "accept": accept, "scores": answers})
        return
    least, greatest = calibration.training_range
    step = _STEP * (greatest - least)
    words = ", and ".join(_words(**region, step=step) for region in accept)
    click.echo(
        f"Accept {words or 'nothing: no score is strong enough evidence'}\n"
        f"(where the LLR is at least {threshold:.6g}, at prior {point.p_target!r}, "
        f"cost of a miss {point.c_miss:g}, of a false alarm {point.c_fa:g})"
    )
    for one in answers:
        verdict = "accept" if one["accept"] else "reject"
        click.echo(f"score {one['score']:g}: LLR {one['llr']:.6g}, {verdict}")


def _words(low: Any, high: Any, step: float) -> str:
    """An interval in words; its ends are rounded inwards, by less than a step."""
    if low is None and high is None:
        return "everything: no score is strong enough evidence to reject"
    if low is not None:
        low = 0.0 - shortest(-low - step, -low)  # which is never -0.0
    if high is not None:
        high = shortest(high - step, high)
    if high is None:
        return f"scores >= {low!r}"
    return f"scores <= {high!r}" if low is None else f"scores from {low!r} to {high!r}"


def shortest(low: float, high: float) -> float:
    """The number of the fewest digits above one number and up to another; at least four digits."""
    exact = Decimal(repr(high))
    for digits in range(4, 18):
        place = Decimal(1).scaleb(exact.adjusted() + 1 - digits)
        rounded = float(exact.quantize(place, ROUND_FLOOR))
        if low < rounded <= high:
            return rounded
    return high
