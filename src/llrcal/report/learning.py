"""The section of the page on the number of training trials, where somebody asked for it."""

from __future__ import annotations

from typing import Any

from llrcal.comparison import Comparison
from llrcal.comparison.learning_curve import METRICS, LearningCurve, banded, error_view
from llrcal.report.numbers import numbers
from llrcal.report.text import decimal, escaped, sentence

_NAMES = {
    "mean_error": "mean Bayes error",
    "cllr": "Cllr, bits",
    "calibration_loss": "calibration loss, bits",
}

LINK = '<a href="#learning">Number of trials</a>\n'


def learning_section(comparison: Comparison) -> str:
    """What the curve says, a plot of it, and its medians as a table; or nothing."""
    curve = comparison.learning_curve
    if curve is None:
        return ""
    options = "".join(f'<option value="{name}">{_NAMES[name]}</option>' for name in METRICS)
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
{_table(curve)}</div>
</details>
</section>
"""


def learning_data(comparison: Comparison) -> dict[str, Any] | None:
    """Lines and bands, in the order of the calibrations; null for one that has none."""
    curve = comparison.learning_curve
    if curve is None:
        return None
    return {
        "targets": [size.targets for size in curve.sizes],
        "banded": [label in banded(curve) for label in comparison.candidates],
        "metrics": {
            metric: {
                "name": _NAMES[metric],
                "minimum": curve.minimum[metric],
                "view": numbers(error_view(curve, metric)),
                "lines": [_line(curve, metric, label) for label in comparison.candidates],
            }
            for metric in METRICS
        },
    }


def _line(curve: LearningCurve, metric: str, label: str) -> dict[str, Any] | None:
    bands = curve.bands[metric].get(label)
    if bands is None:
        return None
    return {end: numbers(getattr(band, end) for band in bands) for end in ("low", "median", "high")}


def _how(curve: LearningCurve, *, in_folds: bool) -> str:
    """What was drawn, and what is shown."""
    first = curve.sizes[0]
    drawn = (
        "speakers, with all trials among them,"
        if curve.by == "speaker"
        else "trials of both classes, in proportion,"
    )
    whose = "the training trials of each fold" if in_folds else "the training trials"
    tar, non = curve.tested
    return (
        f"Of {whose}, {drawn} were drawn {first.draws:,} times for each size below "
        f"all. Every calibration was trained on each draw and tested on {tar:,} targets and "
        f"{non:,} non-targets. Lines are medians over the draws; bands hold 80 % of them."
    )


def _table(curve: LearningCurve) -> str:
    heads = "".join(f'<th scope="col">{size.targets:,}</th>' for size in curve.sizes)
    rows = "".join(
        f'<tr><th scope="row">{escaped(label)}</th>'
        + "".join(f"<td>{decimal(band.median)}{_ends(band.low, band.high)}</td>" for band in bands)
        + "</tr>"
        for label, bands in curve.bands["mean_error"].items()
    )
    return (
        '<table><caption class="hidden">Mean Bayes errors by number of targets</caption>'
        f'<thead><tr><th scope="col">Training targets</th>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _ends(low: float, high: float) -> str:
    return "" if low == high else f"<small>{decimal(low)}&nbsp;to {decimal(high)}</small>"
