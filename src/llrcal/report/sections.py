"""Parts of the page in words and tables: what was done, conditions, and the number of trials."""

from __future__ import annotations

import math
from collections.abc import Iterator

from llrcal.comparison import Comparison
from llrcal.comparison.checks import score_range
from llrcal.comparison.learning_curve import METRICS, LearningCurve
from llrcal.evaluation import ByCondition
from llrcal.inputs.beside_scores import numbered
from llrcal.report.data import LEARNING_NAMES
from llrcal.report.metrics_table import recommended_numbers
from llrcal.report.text import (
    MINUS,
    decimal,
    escaped,
    section,
    sentence,
    table,
    tiles,
)
from llrcal.trials import Trials

CONDITIONS_LINK = '<a href="#conditions">Conditions</a>\n'
LEARNING_LINK = '<a href="#learning">Number of trials</a>\n'

ZOO_LINK = '<a href="#zoo">Speakers</a>\n'

_WORST = 8  # speakers in the table
_HOW = (
    "Each point is a speaker: the mean LLR of {} in target trials, and in non-target trials, where "
    "less is better, so that the axis falls. Larger points have a larger share of Cllr."
)
_UNSEEN = {
    "speaker": "seen neither the trial nor its speakers",
    "trial": "not seen the trial, though perhaps its speakers",
}


def what_was_done(comparison: Comparison) -> str:
    """One sentence."""
    count = len(comparison.candidates)
    calibrations = "One calibration was" if count == 1 else f"{count} calibrations were"
    folds, seen = comparison.folds, ""
    if comparison.of_systems:
        seen = " Scores below are the LLRs of the fusion; minima are the least of any of these."
    if any(candidate.adapted for candidate in comparison.candidates.values()):
        seen = " Those called adapted have also seen the test scores, but not their labels."
    if folds is not None:
        shown = "" if comparison.of_systems else ", and the transforms and densities below,"
        return sentence(
            f"{calibrations} cross-validated {folds.how}: the LLRs behind the numbers below come "
            f"from calibrations that have {_UNSEEN[folds.by]}.{seen} The models that are saved"
            f"{shown} are those trained on all trials."
        )
    return (
        f"{calibrations} trained on the training trials and applied to the test trials.{seen} "
        "Every number below is that of the test trials."
    )


def verdict_box(comparison: Comparison, folder: str = "") -> str:
    """What to do, the numbers that matter most, what that rests on, and what to type next."""
    verdict, (tar, non) = comparison.verdict, comparison.test.counts
    tested = [f"{non:,} non-targets"]
    if count := speaker_count(comparison.test):
        tested.append(f"{count} speakers")
    numbers = [*recommended_numbers(comparison), ("Tested on", f"{tar:,} targets", tested)]
    parts = [
        f'<p class="verdict">{sentence(verdict.headline)}</p>',
        tiles(numbers),
        f'<p class="basis">{sentence(verdict.basis)}</p>',
    ]
    # Nothing to type, if none is fit.
    if command := comparison.next_command(folder):
        where = "" if folder else ", in the folder of this page"
        parts.append(
            f'<p class="next">Next{where}: <code>{sentence(command)}</code> '
            '<button type="button" class="copy screen" hidden>Copy</button></p>'
        )
    return "\n".join(parts)


def speaker_count(trials: Trials) -> str:
    """How many speakers there are, where they are known."""
    if trials.speakers is None:
        return ""
    # Of a sample, only those in it are known.
    least = "at least " if trials.totals else ""
    return f"{least}{numbered(*trials.speakers)[1]:,}"


def data_table(comparison: Comparison) -> str:
    """Sources and counts of both sets of trials."""
    sets = {"Training": comparison.train, "Test": comparison.test}
    if comparison.folds is not None:
        sets = {"Tested in folds": comparison.test}
    headings = ("Trials", "Source", "Targets", "Non-targets", "Scores", "Speakers")
    sign = " (negated)" if comparison.lower_is_better else ""
    rows = []
    for name, trials in sets.items():
        low, high = (f"{end:.4g}".replace("-", MINUS) for end in score_range(trials))
        source = f'<bdi class="name">{escaped(trials.source)}</bdi>{sign}'
        counts = (f"{count:,}" for count in trials.counts)
        speakers = speaker_count(trials) or "not known"
        rows.append([name, source, *counts, f"{low} to {high}", speakers])
    return table("Training and test trials", headings, rows, attributes='class="words counts"')


def calibrations_table(comparison: Comparison) -> str:
    """What each calibration is, and how its fit ended."""
    rows = []
    for label, one in comparison.candidates.items():
        fit = one.calibration.report
        state = "" if fit.converged else "not converged: "
        steps = f", {fit.iterations} iterations" if fit.iterations else ""
        rows.append([escaped(label), sentence(one.what), sentence(state + fit.reason + steps)])
    heads = ("Calibration", "What it is", "Fit")
    return table("Calibrations and their fits", heads, rows, attributes='class="words"')


def det_words(comparison: Comparison) -> str:
    """What the curves and the points on them are."""
    if comparison.of_systems:
        curves = "Misses against false alarms at every threshold, one line a system."
    else:
        curves = (
            "Misses against false alarms at every threshold on these scores. Rising calibrations "
            "share the curve."
        )
    return (
        f"{curves} Points: the Bayes decisions of each at the operating point chosen above; hollow "
        "where a rate lies beyond the frame."
    )


def conditions_section(comparison: Comparison) -> str:
    """Cllr of every calibration in every condition, and what it loses there; or nothing."""
    # The best first, as in the table of metrics.
    ranked = {label: comparison.candidates[label].by for label in comparison.ranking.values}
    every = {label: by for label, by in ranked.items() if by is not None}
    if not every:
        return ""
    best = every[comparison.recommended]
    names = ["Calibration", "all trials", "average", *map(best.label, best.cells)]
    counts = [f"{ev.tar_count:,} / {ev.non_count:,}" for ev in best.cells.values()]
    cells = table(
        "Cllr by condition",
        list(map(escaped, names)),
        [[escaped(label), *_losses(by)] for label, by in every.items()],
        foot=["targets / non-targets", "", "", *counts],
        attributes='id="by-condition"',
    )
    text = (
        f"Cllr for each value of {', '.join(best.columns)}, and in small print what is lost by "
        "calibration there. The average gives every condition the same weight."
    )
    if best.bad:
        text += (
            f" {comparison.recommended} is badly calibrated for {'; '.join(best.bad)}, whatever "
            "the numbers of all trials together say: train it by condition, or on trials like "
            "these."
        )
    return section("conditions", "By condition", f"<p>{sentence(text)}</p>\n{cells}")


def _losses(by: ByCondition) -> Iterator[str]:
    """Cllr and what is lost of it, of all trials, on average and in each condition."""
    mark = '<strong>{}</strong><span class="hidden"> (badly calibrated)</span> !'
    found = [(ev.cllr, ev.calibration_loss, by.label(cell)) for cell, ev in by.cells.items()]
    pooled = by.pooled.cllr, by.pooled.calibration_loss, ""
    mean = by.average["cllr"], by.average["calibration_loss"], ""
    for cllr, loss, name in (pooled, mean, *found):
        cell = mark if name in by.bad else "{}"
        yield f"{cell.format(decimal(cllr))}<small>{decimal(loss)}</small>"


def learning_section(comparison: Comparison) -> str:
    """What the curve says, a plot of it, and its medians as a table; or nothing."""
    curve = comparison.learning_curve
    if curve is None:
        return ""
    options = "".join(f'<option value="{name}">{LEARNING_NAMES[name]}</option>' for name in METRICS)
    content = f"""<p>{sentence(curve.verdict)}</p>
<p class="note">{sentence(_how(curve, in_folds=comparison.folds is not None))}</p>
<div class="controls screen">
<label for="learning-metric">What is drawn
<select id="learning-metric">{options}</select></label>
</div>
<figure>
<div id="learning-plot" class="plot" role="group"></div>
<figcaption class="note" id="learning-note"></figcaption>
</figure>
<details>
<summary>Mean Bayes errors as a table</summary>
{_learning_table(curve)}
</details>"""
    return section("learning", "How many trials?", content)


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
    for label, points in curve.points.items():
        row = [escaped(label)]
        for band in (point.mean_error for point in points):
            ends = f"<small>{decimal(band.low)}&nbsp;to {decimal(band.high)}</small>"
            row.append(decimal(band.median) + ("" if band.low == band.high else ends))
        rows.append(row)
    heads = ["Training targets", *(f"{size.targets:,}" for size in curve.sizes)]
    return table("Mean Bayes errors by number of targets", heads, rows)


def zoo_section(comparison: Comparison) -> str:
    """The plot, and the speakers who cost most; nothing where speakers are not known."""
    evaluation = comparison.candidates[comparison.recommended].evaluation
    if not evaluation.knows_speakers:
        return ""
    heads = ("Speaker", "% of Cllr", "Target LLR", "Non-target LLR")
    rows = []
    for one in evaluation.speakers().head(_WORST).to_dicts():
        share, *means = (
            math.nan if one[name] is None else one[name] for name in ("share", "llr_tar", "llr_non")
        )
        numbers = decimal(100 * share, digits=1), *(decimal(mean, digits=2) for mean in means)
        rows.append([f'<bdi class="name">{escaped(str(one["speaker"]))}</bdi>', *numbers])
    worst = table("Speakers who cost most", heads, rows, attributes='id="worst"')
    content = f"""<p>{sentence(_HOW.format(comparison.recommended))}</p>
<div class="beside">
<div id="zoo-plot" class="plot" role="group"></div>
<div><h3>Speakers who cost most</h3>
{worst}
</div>
</div>"""
    return section("zoo", "Speakers (zoo plot)", content)
