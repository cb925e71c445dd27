"""Parts of the page in words and tables: what was done, conditions, and the number of trials."""

from __future__ import annotations

from collections.abc import Sequence

from llrcal.comparison import Candidate, Comparison
from llrcal.comparison.checks import score_range
from llrcal.comparison.learning_curve import METRICS, LearningCurve
from llrcal.report.data import LEARNING_NAMES
from llrcal.report.text import MINUS, decimal, escaped, sentence, table
from llrcal.trials import Trials

CONDITIONS_LINK = '<a href="#conditions">Conditions</a>\n'
LEARNING_LINK = '<a href="#learning">Number of trials</a>\n'

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
    return table("Training and test trials", headings, rows, attributes='class="words"')


def _set(name: str, trials: Trials, sign: str) -> list[str]:
    low, high = (f"{end:.4g}".replace("-", MINUS) for end in score_range(trials))
    tar, non = trials.counts
    source = f'<bdi class="name">{escaped(trials.source)}</bdi>{sign}'
    speakers = "known" if trials.has_speakers else "not known"
    return [name, source, f"{tar:,}", f"{non:,}", f"{low} to {high}", speakers]


def calibrations_table(comparison: Comparison) -> str:
    """What each calibration is, and how its fit ended."""
    rows = [_calibration(candidate) for candidate in comparison.candidates.values()]
    heads = ("Calibration", "What it is", "Fit")
    return table("Calibrations and their fits", heads, rows, attributes='class="words"')


def _calibration(candidate: Candidate) -> list[str]:
    what = candidate.description
    if candidate.bayes:
        what += "; its parameters are integrated out"
    if candidate.adapted:
        what += "; adapted to the test scores, without their labels"
    if candidate.alpha is not None:
        what += f"; weight of the targets {candidate.alpha}"
    if candidate.rule is not None:
        what += f"; scoring rule {candidate.rule.name}"
    fit = candidate.calibration.report
    state = "" if fit.converged else "not converged: "
    steps = f", {fit.iterations} iterations" if fit.iterations else ""
    return [escaped(candidate.label), sentence(what), sentence(state + fit.reason + steps)]


def conditions_section(comparison: Comparison) -> str:
    """Cllr of every calibration in every condition, and what it loses there; or nothing."""
    first = next(iter(comparison.candidates.values())).by
    if first is None:
        return ""
    names = ["Calibration", "all trials", "average", *map(first.label, first.cells)]
    counts = [f"{ev.tar_count:,} / {ev.non_count:,}" for ev in first.cells.values()]
    # The best first, as in the table of metrics.
    rows = [_conditions(comparison.candidates[label]) for label in comparison.ranking.values]
    cells = table(
        "Cllr by condition",
        list(map(escaped, names)),
        rows,
        foot=["targets / non-targets", "", "", *counts],
        attributes='id="by-condition"',
    )
    text = (
        f"Cllr for each value of {', '.join(first.columns)}, and in small print what is lost by "
        "calibration there. The average gives every condition the same weight."
    )
    by = comparison.candidates[comparison.recommended].by
    if by is not None and by.bad:
        text += (
            f" {comparison.recommended} is badly calibrated for {'; '.join(by.bad)}, whatever the "
            "numbers of all trials together say: train it by condition, or on trials like these."
        )
    return f"""<section id="conditions" aria-labelledby="conditions-heading">
<h2 id="conditions-heading">By condition</h2>
<p>{sentence(text)}</p>
<div class="scroll" tabindex="0" role="region" aria-label="Cllr by condition">
{cells}
</div>
</section>
"""


def _conditions(candidate: Candidate) -> Sequence[str]:
    by = candidate.by
    if by is None:
        return []
    mean = by.average
    row = [escaped(candidate.label), _loss(by.pooled.cllr, by.pooled.calibration_loss)]
    row.append(_loss(mean["cllr"], mean["calibration_loss"]))
    for cell, ev in by.cells.items():
        row.append(_loss(ev.cllr, ev.calibration_loss, bad=by.label(cell) in by.bad))
    return row


def _loss(cllr: float, loss: float, *, bad: bool = False) -> str:
    mark = '<strong>{}</strong><span class="hidden"> (badly calibrated)</span> !' if bad else "{}"
    return f"{mark.format(decimal(cllr))}<small>{decimal(loss)}</small>"


def learning_section(comparison: Comparison) -> str:
    """What the curve says, a plot of it, and its medians as a table; or nothing."""
    curve = comparison.learning_curve
    if curve is None:
        return ""
    options = "".join(f'<option value="{name}">{LEARNING_NAMES[name]}</option>' for name in METRICS)
    return f"""<section id="learning" aria-labelledby="learning-heading">
<h2 id="learning-heading">How many trials?</h2>
<p>{sentence(curve.verdict)}</p>
<p class="note">{sentence(_how(curve, in_folds=comparison.folds is not None))}</p>
<fieldset class="methods" data-legend="Calibrations shown here and above"
data-minimum="minimum for these scores"></fieldset>
<div class="controls">
<label for="learning-metric">What is drawn
<select id="learning-metric">{options}</select></label>
</div>
<figure>
<div id="learning-plot" class="plot" role="group"></div>
<figcaption class="note" id="learning-note"></figcaption>
</figure>
<details>
<summary>Mean Bayes errors as a table</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Mean Bayes errors by number of targets">\
{_learning_table(curve)}</div>
</details>
</section>
"""


def _how(curve: LearningCurve, *, in_folds: bool) -> str:
    """What was drawn, and what is shown."""
    drawn = (
        "speakers, with all trials among them,"
        if curve.by == "speaker"
        else "trials of both classes, in proportion,"
    )
    whose = "the training trials of each fold" if in_folds else "the training trials"
    tar, non = curve.tested
    return (
        f"Of {whose}, {drawn} were drawn {curve.sizes[0].draws:,} times for each size below "
        f"all. Every calibration was trained on each draw and tested on {tar:,} targets and "
        f"{non:,} non-targets. Lines are medians over the draws; bands hold 80 % of them."
    )


def _learning_table(curve: LearningCurve) -> str:
    rows = []
    for label, bands in curve.bands["mean_error"].items():
        row = [escaped(label)]
        for band in bands:
            ends = f"<small>{decimal(band.low)}&nbsp;to {decimal(band.high)}</small>"
            row.append(decimal(band.median) + ("" if band.low == band.high else ends))
        rows.append(row)
    heads = ["Training targets", *(f"{size.targets:,}" for size in curve.sizes)]
    return table("Mean Bayes errors by number of targets", heads, rows)
