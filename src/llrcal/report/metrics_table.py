"""The table of metrics, as HTML that can be read and printed without any script."""

from __future__ import annotations

from dataclasses import dataclass

from llrcal.comparison import Comparison
from llrcal.comparison.tables import Row, metrics
from llrcal.evaluation.costs import min_cost
from llrcal.report.text import MISSING, decimal, escaped, sentence

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
    digits: int = 4
    scale: float = 1.0
    group: str = ""
    """A heading that it shares with its neighbours."""

    def written(self, value: float | str) -> str:
        return decimal(self.scale * float(value), digits=self.digits)


def metrics_table(comparison: Comparison) -> str:
    """Metrics of all calibrations, the recommended first, and of the raw scores' best."""
    columns = _columns(comparison)
    rows = _rows(comparison)
    best = {column.key: _best(column, list(rows.values())) for column in columns}
    body = "\n".join(_line(label, row, columns, best) for label, row in rows.items())
    return (
        '<table id="metrics" aria-describedby="metrics-note">'
        '<caption class="hidden">Metrics of all calibrations</caption>\n'
        f"<thead>{_head(columns)}</thead>\n<tbody>{body}</tbody>\n"
        f"<tfoot>{_foot(comparison, columns)}</tfoot></table>"
    )


def _columns(comparison: Comparison) -> list[Column]:
    at_points = [Column("criterion", "Mean of the points")]
    columns = [
        *(at_points if comparison.criterion.name == "points" else []),
        Column("mean_error", "Mean Bayes error"),
        Column("cllr", "Cllr"),
        Column("min_cllr", "minCllr"),
        Column("calibration_loss", "Calibration loss"),
        Column("eer", "EER, %", digits=3, scale=100),
    ]
    for point in comparison.points:
        group = f"DCF at {point.name}"
        columns.append(Column(f"act_dcf_{point.name}", "actual", group=group))
        columns.append(Column(f"min_dcf_{point.name}", "min", group=group))
    for rule in comparison.rules:
        group = f"Cost by {rule.name}"
        columns.append(Column(f"cost_{rule.name}", "actual", group=group))
        columns.append(Column(f"min_cost_{rule.name}", "min", group=group))
    return columns


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


def _best(column: Column, rows: list[Row]) -> str | None:
    """What the best value looks like; None where most look so, and stars would be noise."""
    values = [float(row[column.key]) for row in rows]
    best = column.written(min(values))
    alike = sum(column.written(value) == best for value in values)
    return best if alike <= len(rows) / 2 else None


def metrics_note(comparison: Comparison) -> str:
    """Units, and what the small print is."""
    low, high = comparison.range
    text = (
        "Lower is better everywhere; a star marks the best of a column. Cllr, minCllr and "
        "calibration loss are in bits; detection costs (DCF) in units of the default's. The mean "
        f"Bayes error is that over prior log-odds {decimal(low, digits=2)} to "
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


def _line(label: str, row: Row, columns: list[Column], best: dict[str, str | None]) -> str:
    cells = "".join(_cell(row, column, best[column.key]) for column in columns)
    return f'<tr><th scope="row">{escaped(label)}</th>{cells}</tr>'


def _cell(row: Row, column: Column, best: str | None) -> str:
    value = row[column.key]
    text = column.written(value)
    if text == best:
        text = f"<strong>{text}</strong>{_BEST}"
    return f'<td data-value="{float(value)!r}">{text}{_interval(row, column)}</td>'


def _interval(row: Row, column: Column) -> str:
    if f"{column.key}_low" not in row:
        return ""
    low, high = (column.written(row[f"{column.key}_{end}"]) for end in ("low", "high"))
    return f"<small>{low}&nbsp;to {high}</small>"


def _foot(comparison: Comparison, columns: list[Column]) -> str:
    """What no calibration of these scores can do better than, where it can be said."""
    raw = comparison.raw
    bounds = {
        "criterion": comparison.criterion.least(raw),
        "mean_error": comparison.least_mean_error,
        "min_cllr": raw.min_cllr,
        "eer": raw.eer,
    }
    for point in comparison.points:
        bounds[f"min_dcf_{point.name}"] = raw.min_bayes_error(point.prior_log_odds)
    for rule in comparison.rules:
        bounds[f"min_cost_{rule.name}"] = min_cost(raw.hull, rule)
    cells = (
        column.written(bounds[column.key]) if column.key in bounds else MISSING
        for column in columns
    )
    row = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr><th scope="row">raw scores, best thresholds</th>{row}</tr>'
