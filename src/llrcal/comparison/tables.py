"""The numbers of a comparison as tables: rows, CSV, Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from llrcal.comparison.comparison import Candidate, Comparison

Row = dict[str, float | str]


def metrics(comparison: Comparison) -> list[Row]:
    """One row a calibration: costs over all operating points, then act and min DCF at each."""
    return [_row(candidate, comparison) for candidate in comparison.candidates.values()]


def _row(candidate: Candidate, comparison: Comparison) -> Row:
    ev, intervals = candidate.evaluation, candidate.intervals
    row: Row = {
        "method": candidate.calibration.method,
        "alpha": "" if candidate.alpha is None else candidate.alpha,
        "cllr": ev.cllr,
        "min_cllr": ev.min_cllr,
        "calibration_loss": ev.calibration_loss,
        "eer": ev.eer,
    }
    for point in comparison.points:
        row[f"act_dcf_{point.name}"] = ev.bayes_error(point.prior_log_odds)
        row[f"min_dcf_{point.name}"] = ev.min_bayes_error(point.prior_log_odds)
    if intervals is None:
        return row
    bounds = {name: getattr(intervals, name) for name in ("cllr", "min_cllr", "eer")}
    bounds["calibration_loss"] = intervals.calibration_loss
    for i, point in enumerate(comparison.points):
        bounds[f"act_dcf_{point.name}"] = intervals.act_dcf[i]
        bounds[f"min_dcf_{point.name}"] = intervals.min_dcf[i]
    for name, (low, high) in bounds.items():
        row[f"{name}_low"], row[f"{name}_high"] = low, high
    return row


def as_csv(rows: Sequence[Row]) -> str:
    """Rows as CSV; numbers to the last digit, so that equal runs give equal bytes."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {name: repr(v) if isinstance(v, float) else v for name, v in row.items()} for row in rows
    )
    return out.getvalue()


def as_markdown(comparison: Comparison) -> str:
    """The verdict, the table and the warnings for people."""
    points = comparison.points
    heads = ["calibration", "Cllr", "minCllr", "loss", "EER %"]
    heads += [f"act {p.name}" for p in points] + [f"min {p.name}" for p in points]
    lines = [f"**{comparison.verdict}**", "", _line(heads), _line(["---"] * len(heads))]
    for candidate in comparison.candidates.values():
        ev = candidate.evaluation
        cells = [candidate.label, f"{ev.cllr:.4f}", f"{ev.min_cllr:.4f}"]
        cells += [f"{ev.calibration_loss:.4f}", f"{100 * ev.eer:.3f}"]
        cells += [f"{ev.bayes_error(p.prior_log_odds):.4f}" for p in points]
        cells += [f"{ev.min_bayes_error(p.prior_log_odds):.4f}" for p in points]
        lines.append(_line(cells))
    if comparison.findings:
        lines += ["", *(f"- {finding.text}" for finding in comparison.findings)]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
