"""The report: one HTML file with everything in it, and no request to anywhere."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from string import Template

from llrcal.comparison import Comparison
from llrcal.comparison.tables import as_csv, metrics
from llrcal.report.data import as_json, page_data
from llrcal.report.metrics_table import metrics_note, metrics_table
from llrcal.report.sections import (
    CONDITIONS_LINK,
    LEARNING_LINK,
    calibrations_table,
    conditions_section,
    data_table,
    learning_section,
    next_step,
    what_was_done,
)
from llrcal.report.text import escaped, sentence
from llrcal.report.warnings_list import warnings_list
from llrcal.version import __version__

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
    "transforms_plot.js",
    "tippett_plot.js",
    "ece_plot.js",
    "densities_plot.js",
    "learning_plot.js",
    "sorting.js",
    "report.js",
)


def build_report(comparison: Comparison) -> str:
    """One self-contained HTML page about a comparison, to be saved as UTF-8.

    Verdict, warnings, a table of metrics, and interactive plots: normalised Bayes errors with an
    operating point to move, score to LLR transforms, Tippett, ECE, densities over histograms; and
    a learning curve, where there is one. Logarithms are natural or common, as the reader likes.
    The page fetches nothing, and its content security policy lets it fetch nothing.
    """
    verdict = comparison.verdict
    by_condition, learning = conditions_section(comparison), learning_section(comparison)
    plotly, script = _inline(_asset(_PLOTLY)), _inline(_script())
    return Template(_asset("template.html")).substitute(
        policy=_policy(plotly, script),
        version=escaped(__version__),
        verdict=f'<p class="verdict">{sentence(verdict.headline)}</p>\n'
        f'<p class="basis">{sentence(verdict.basis)}</p>{next_step(comparison)}',
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
        transforms_hidden=" hidden" if comparison.of_systems else "",
        learning_link=LEARNING_LINK if learning else "",
        learning_section=learning,
        style=_asset("report.css"),
        data=as_json(page_data(comparison)),
        plotly=plotly,
        script=script,
    )


def _policy(*scripts: str) -> str:
    """Content security policy: these scripts and no others; nothing from anywhere else.

    Plotly writes style attributes, and makes pictures for download by way of data and blob
    addresses, neither of which leaves the page.
    """
    allowed = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _script() -> str:
    """All scripts as one, with no name left outside."""
    parts = "\n".join(_asset(name) for name in _SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


def _inline(script: str) -> str:
    """A script that can stand inside a script element.

    Lines end as a browser reads them, since the policy holds a hash of what it reads.
    """
    lines = script.replace("\r\n", "\n").replace("\r", "\n")
    return lines.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _asset(name: str) -> str:
    return files("llrcal.report").joinpath("page", name).read_text("utf-8")
