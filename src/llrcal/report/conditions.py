"""The section of the page on conditions, where somebody asked for them."""

from __future__ import annotations

from llrcal.comparison import Candidate, Comparison
from llrcal.report.text import decimal, escaped, sentence

LINK = '<a href="#conditions">Conditions</a>\n'


def conditions_section(comparison: Comparison) -> str:
    """Cllr of every calibration in every condition, and what it loses there; or nothing."""
    first = next(iter(comparison.candidates.values())).by
    if first is None:
        return ""
    columns = ", ".join(first.columns)
    names = ["all trials", "average", *map(first.label, first.cells)]
    head = "".join(f'<th scope="col">{escaped(name)}</th>' for name in ("Calibration", *names))
    counts = "".join(f"<td>{ev.tar_count:,} / {ev.non_count:,}</td>" for ev in first.cells.values())
    # The best first, as in the table of metrics.
    body = "".join(_line(comparison.candidates[label]) for label in comparison.ranking.values)
    return f"""<section id="conditions" aria-labelledby="conditions-heading">
<h2 id="conditions-heading">By condition</h2>
<p>{sentence(_words(comparison, columns))}</p>
<div class="scroll" tabindex="0" role="region" aria-label="Cllr by condition">
<table id="by-condition"><caption class="hidden">Cllr by condition</caption>
<thead><tr>{head}</tr></thead><tbody>{body}</tbody>
<tfoot><tr><th scope="row">targets / non-targets</th><td></td><td></td>{counts}</tr></tfoot></table>
</div>
</section>
"""


def _words(comparison: Comparison, columns: str) -> str:
    text = (
        f"Cllr for each value of {columns}, and in small print what is lost by calibration there. "
        "The average gives every condition the same weight."
    )
    by = comparison.candidates[comparison.recommended].by
    if by is not None and by.bad:
        text += (
            f" {comparison.recommended} is badly calibrated for {'; '.join(by.bad)}, whatever the "
            "numbers of all trials together say: train it by condition, or on trials like these."
        )
    return text


def _line(candidate: Candidate) -> str:
    by = candidate.by
    if by is None:
        return ""
    mean = by.average
    cells = [_cell(by.pooled.cllr, by.pooled.calibration_loss, bad=False)]
    cells.append(_cell(mean["cllr"], mean["calibration_loss"], bad=False))
    cells += [
        _cell(ev.cllr, ev.calibration_loss, bad=by.label(cell) in by.bad)
        for cell, ev in by.cells.items()
    ]
    return f'<tr><th scope="row">{escaped(candidate.label)}</th>{"".join(cells)}</tr>'


def _cell(cllr: float, loss: float, *, bad: bool) -> str:
    mark = '<strong>{}</strong><span class="hidden"> (badly calibrated)</span> !' if bad else "{}"
    return f"<td>{mark.format(decimal(cllr))}<small>{decimal(loss)}</small></td>"
