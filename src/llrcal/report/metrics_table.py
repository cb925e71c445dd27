"""The table of metrics, as HTML that can be read and printed without any script."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from llrcal.comparison import Comparison
from llrcal.comparison.tables import Row, metrics
from llrcal.evaluation.costs import min_cost
from llrcal.report.text import MISSING, decimal, escaped, row, sentence

_BEST = '<span class="star" aria-hidden="true">★</span><span class="hidden"> (best)</span>'

_CRITERIA = {
    "points": "mean of the actual costs at the operating points",
    "range": "mean Bayes error",
    "cllr": "Cllr",
}


@dataclass(frozen=True)
class Column:
    """A metric: its key in the rows of a comparison, its heading, and how it is written."""

    key: str
    heading: str
    least: float | None = None
    """What no calibration of these scores can do better than, where it can be said."""
    digits: int = 4
    scale: float = 1.0
    group: str = ""
    """A heading that it shares with its neighbours."""

    def written(self, value: float | str) -> str:
        return decimal(self.scale * float(value), digits=self.digits)

    def cells(self, rows: Collection[Row]) -> list[str]:
        """The cells of all rows; the best have a star, unless most look so, and it were noise."""
        values = [float(found[self.key]) for found in rows]
        texts, best, cells = list(map(self.written, values)), self.written(min(values)), []
        starred = texts.count(best) <= len(texts) / 2
        for found, value, text in zip(rows, values, texts, strict=True):
            cell = f"<strong>{text}</strong>{_BEST}" if starred and text == best else text
            if f"{self.key}_low" in found:
                low, high = (self.written(found[f"{self.key}_{end}"]) for end in ("low", "high"))
                cell += f"<small>{low}&nbsp;to {high}</small>"
            cells.append(f'<td data-value="{value!r}">{cell}</td>')
        return cells


def metrics_table(comparison: Comparison) -> str:
    """Metrics of all calibrations, the recommended first, and of the raw scores' best."""
    columns, rows = _columns(comparison), _rows(comparison)
    lines = zip(*(column.cells(rows.values()) for column in columns), strict=True)
    body = "\n".join(
        f'<tr><th scope="row">{escaped(label)}</th>{"".join(cells)}</tr>'
        for label, cells in zip(rows, lines, strict=True)
    )
    whose = "best system" if comparison.of_systems else "raw scores"
    foot = (MISSING if one.least is None else one.written(one.least) for one in columns)
    return (
        '<table id="metrics" aria-describedby="metrics-note">'
        '<caption class="hidden">Metrics of all calibrations</caption>\n'
        f"<thead>{_head(columns)}</thead>\n<tbody>{body}</tbody>\n"
        f"<tfoot>{row([f'{whose}, best thresholds', *foot])}</tfoot></table>"
    )


def _columns(comparison: Comparison) -> list[Column]:
    least, criterion, rules = comparison.least, comparison.criterion, comparison.rules
    columns = [
        Column("criterion", "Mean of the points", least(criterion.least)),
        Column("mean_error", "Mean Bayes error", comparison.least_mean_error),
        Column("cllr", "Cllr"),
        Column("min_cllr", "minCllr", least(lambda ev: ev.min_cllr)),
        Column("calibration_loss", "Calibration loss"),
        Column("eer", "EER, %", least(lambda ev: ev.eer), digits=3, scale=100),
    ]
    x = np.array([one.prior_log_odds for one in comparison.points])
    at_points = least(lambda ev: ev.min_bayes_error(x))
    by_rules = least(lambda ev: [min_cost(ev.hull, rule) for rule in rules])
    pairs = [
        (f"DCF at {one.name}", "act_dcf", "min_dcf", one.name) for one in comparison.points
    ] + [(f"Cost by {rule.name}", "cost", "min_cost", rule.name) for rule in rules]
    for (group, actual, minimum, name), value in zip(pairs, [*at_points, *by_rules], strict=True):
        columns.append(Column(f"{actual}_{name}", "actual", group=group))
        columns.append(Column(f"{minimum}_{name}", "min", value, group=group))
    return columns if criterion.name == "points" else columns[1:]


def _rows(comparison: Comparison) -> dict[str, Row]:
    """Rows by label, the best first: the order of the verdict."""
    found = dict(zip(comparison.candidates, metrics(comparison), strict=True))
    ranking = comparison.ranking
    rows = {}
    for label, value in ranking.values.items():
        rows[label] = {"criterion": value, **found[label]}
        if label in ranking.intervals:
            low, high = ranking.intervals[label]
            rows[label] |= {"criterion_low": low, "criterion_high": high}
    return rows


def metrics_note(comparison: Comparison) -> str:
    """Units, and what the small print is."""
    low, high = comparison.range
    text = (
        "Lower is better everywhere; a star marks the best of a column. Cllr, minCllr and "
        "calibration loss are in bits; detection costs (DCF) are relative to deciding by the prior "
        f"alone. The mean Bayes error is that over prior log-odds {decimal(low, digits=2)} to "
        f"{decimal(high, digits=2)}. The verdict goes by the "
        f"{_CRITERIA[comparison.criterion.name]}."
    )
    if comparison.rules:
        text += " Costs by scoring rules are those of even priors; LLRs of zero cost one."
    drawn = [c.intervals for c in comparison.candidates.values() if c.intervals is not None]
    if drawn:
        text += (
            f" Small print: 95 % bootstrap intervals by {drawn[0].by} "
            f"({drawn[0].replicates:,} replicates)."
        )
    return sentence(text)


def _head(columns: list[Column]) -> str:
    """Two rows of headings: metrics and groups, and what the groups hold."""
    first = ['<th scope="col" rowspan="2" data-column="0">Calibration</th>']
    second = []
    for number, column in enumerate(columns, 1):
        if not column.group:
            first.append(
                f'<th scope="col" rowspan="2" data-column="{number}">{column.heading}</th>'
            )
            continue
        if column.heading == "actual":
            first.append(f'<th scope="colgroup" colspan="2">{escaped(column.group)}</th>')
        second.append(
            f'<th scope="col" data-column="{number}">'
            f'<span class="hidden">{escaped(column.group)}: </span>{column.heading}</th>'
        )
    return f"<tr>{''.join(first)}</tr><tr>{''.join(second)}</tr>"
