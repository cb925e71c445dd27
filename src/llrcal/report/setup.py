"""What was done with which data."""

from __future__ import annotations

from collections.abc import Sequence

from llrcal.comparison import Candidate, Comparison
from llrcal.comparison.checks import score_range
from llrcal.report.text import MINUS, escaped, sentence
from llrcal.trials import Trials

_UNSEEN = {
    "speaker": "seen neither the trial nor its speakers",
    "trial": "not seen the trial, though perhaps its speakers",
}


def what_was_done(comparison: Comparison) -> str:
    """One sentence."""
    count = len(comparison.candidates)
    calibrations = "One calibration was" if count == 1 else f"{count} calibrations were"
    folds = comparison.folds
    if folds is not None:
        return sentence(
            f"{calibrations} cross-validated in {folds.count} folds, dealt by {folds.by}: the LLRs "
            f"behind the numbers below come from calibrations that have {_UNSEEN[folds.by]}. The "
            "models that are saved, and the transforms and densities below, are those trained on "
            "all trials."
        )
    seen = ""
    if comparison.of_systems:
        seen = " What stands for scores, and for their minimum, are the LLRs of the fusion."
    if any(candidate.adapted for candidate in comparison.candidates.values()):
        seen = " Those called adapted have also seen the test scores, but not their labels."
    return (
        f"{calibrations} trained on the training trials and applied to the test trials.{seen} "
        "Every number below is that of the test trials."
    )


def data_table(comparison: Comparison) -> str:
    """Sources and counts of both sets of trials."""
    names = ("Training", "Test") if comparison.folds is None else ("All", "Tested in folds")
    sets = zip(names, (comparison.train, comparison.test), strict=True)
    headings = ("Trials", "Source", "Targets", "Non-targets", "Scores", "Speakers")
    sign = " (negated)" if comparison.lower_is_better else ""
    rows = [_set(name, trials, sign) for name, trials in sets]
    return _table("Training and test trials", headings, rows)


def calibrations_table(comparison: Comparison) -> str:
    """What each calibration is, and how its fit ended."""
    rows = [_calibration(candidate) for candidate in comparison.candidates.values()]
    return _table("Calibrations and their fits", ("Calibration", "What it is", "Fit"), rows)


def _table(caption: str, headings: Sequence[str], rows: Sequence[str]) -> str:
    head = "".join(f'<th scope="col">{heading}</th>' for heading in headings)
    return (
        f'<table class="words"><caption class="hidden">{caption}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _set(name: str, trials: Trials, sign: str) -> str:
    low, high = (f"{end:.4g}".replace("-", MINUS) for end in score_range(trials))
    tar, non = trials.counts
    speakers = "known" if trials.has_speakers else "not known"
    return (
        f'<tr><th scope="row">{name}</th>'
        f'<td class="name"><bdi>{escaped(trials.source)}</bdi>{sign}</td>'
        f"<td>{tar:,}</td><td>{non:,}</td>"
        f"<td>{low} to {high}</td><td>{speakers}</td></tr>"
    )


def _calibration(candidate: Candidate) -> str:
    calibration, alpha = candidate.calibration, candidate.alpha
    what = candidate.description
    if candidate.bayes:
        what += "; its parameters are integrated out"
    if candidate.adapted:
        what += "; adapted to the test scores, without their labels"
    if alpha is not None:
        what += f"; weight of the targets {alpha}"
    if candidate.rule is not None:
        what += f"; scoring rule {candidate.rule.name}"
    fit = calibration.report
    state = "" if fit.converged else "not converged: "
    steps = f", {fit.iterations} iterations" if fit.iterations else ""
    return (
        f'<tr><th scope="row">{escaped(candidate.label)}</th><td>{sentence(what)}</td>'
        f"<td>{sentence(state + fit.reason + steps)}</td></tr>"
    )
