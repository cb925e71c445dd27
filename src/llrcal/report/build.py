"""The report on a comparison: verdict, tables and plots as one page."""

from __future__ import annotations

import base64

from llrcal.comparison import Comparison
from llrcal.comparison.tables import as_csv, metrics
from llrcal.report.data import as_json, page_data
from llrcal.report.metrics_table import metrics_note, metrics_table, rates_table
from llrcal.report.pictures import pictures
from llrcal.report.sections import (
    CONDITIONS_LINK,
    LEARNING_LINK,
    ZOO_LINK,
    calibrations_table,
    conditions_section,
    data_table,
    det_words,
    learning_section,
    verdict_box,
    what_was_done,
    zoo_section,
)
from llrcal.report.skeleton import asset, filled, whole_page
from llrcal.report.warnings_list import warnings_list

# Scatters and bars, as published: CONTRIBUTING.md says how to get a newer one.
_PLOTLY = "plotly-basic.min.js"

# What runs at once uses only what stands before it; functions may call what comes later.
_SCRIPTS = (
    "basics.js",
    "theme.js",
    "methods.js",
    "logarithms.js",
    "operating_point.js",
    "readout.js",
    "bayes_plot.js",
    "bayes_pointer.js",
    "det_plot.js",
    "transforms_plot.js",
    "tippett_plot.js",
    "ece_plot.js",
    "densities_plot.js",
    "learning_plot.js",
    "zoo_plot.js",
    "sorting.js",
    "copying.js",
    "report.js",
)


def build_report(comparison: Comparison, *, folder: str = "") -> str:
    """One self-contained HTML page about a comparison, to be saved as UTF-8.

    Verdict and next command, warnings, a table of metrics, and interactive plots: normalised Bayes
    errors with an operating point to move, DET, score to LLR transforms, Tippett, ECE, densities
    over histograms; a zoo plot, where speakers are known, and a learning curve, where there is one.
    The recommended calibration, the default and the minimum are drawn first; one selector, which
    stays in sight, brings in others. Logarithms are natural or common, as the reader likes. The
    page fetches nothing, and its content security policy lets it fetch nothing.

    Parameters
    ----------
    comparison
        What to report on.
    folder
        Where its models are, for the next command; by default, the folder of the page.
    """
    title = "Systems compared" if comparison.of_systems else "Calibrations compared"
    verdict = comparison.verdict
    by_condition, learning = conditions_section(comparison), learning_section(comparison)
    zoo = zoo_section(comparison)
    best = {comparison.recommended: comparison.candidates[comparison.recommended].evaluation}
    body = filled(
        "report.html",
        title=title,
        verdict=verdict_box(comparison, folder),
        verdict_class="fit" if verdict.fit else "unfit",
        # Says the same as the colour of the box to those who do not see it.
        verdict_heading="Verdict" if verdict.fit else "Verdict: not fit for use",
        setup=what_was_done(comparison),
        data_table=data_table(comparison),
        calibrations_table=calibrations_table(comparison),
        warnings=warnings_list(comparison.notes),
        metrics_note=metrics_note(comparison),
        metrics_table=metrics_table(comparison),
        metrics_csv=base64.b64encode(as_csv(metrics(comparison)).encode()).decode(),
        conditions_link=CONDITIONS_LINK if by_condition else "",
        conditions_section=by_condition,
        det_words=det_words(comparison),
        transforms_hidden=" hidden" if comparison.of_systems else "",
        rates=rates_table(comparison),
        zoo_link=ZOO_LINK if zoo else "",
        zoo_section=zoo,
        learning_link=LEARNING_LINK if learning else "",
        learning_section=learning,
        pictures=pictures(best, lambda figure: not figure.interactive, **comparison.band_options),
    )
    return whole_page(
        title,
        body,
        styles=("page.css", "plots.css"),
        data=as_json(page_data(comparison)),
        scripts=(asset(_PLOTLY), _script()),
    )


def _script() -> str:
    """All scripts as one, with no name left outside."""
    parts = "\n".join(asset(name) for name in _SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'
