"""The table of metrics, as HTML that can be read and printed without any script."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from llrcal.comparison import Comparison
from llrcal.comparison.tables import Row, metrics
from llrcal.evaluation.costs import min_cost
from llrcal.evaluation.score_threshold import RATES
from llrcal.report.text import Tile, decimal, escaped, sentence, table

_BEST = '<span class="star" aria-hidden="true">★</span><span class="hidden"> (best)</span>'
_RECOMMENDED = '<span class="tag">recommended</span>'

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
    least: float = math.nan
    """What no calibration of these scores can do better than, where it can be said."""
    digits: int = 4
    scale: float = 1.0
    of_scores: bool = False
    """Whether it is the same for all rising calibrations of the same scores."""

    def written(self, value: float | str) -> str:
        return decimal(self.scale * float(value), digits=self.digits)

    def interval(self, row: Row) -> list[str]:
        """Its interval in one line, or nothing."""
        if f"{self.key}_low" not in row:
            return []
        return ["&nbsp;to ".join(self.written(row[f"{self.key}_{end}"]) for end in ("low", "high"))]

    def cells(self, rows: Collection[Row]) -> list[str]:
        """The cells of all rows; the best have a star, unless most look so, and it were noise."""
        texts = [self.written(row[self.key]) for row in rows]
        best = self.written(min(float(row[self.key]) for row in rows))
        starred = texts.count(best) <= len(texts) / 2
        return [
            (f"<strong>{text}</strong>{_BEST}" if starred and text == best else text)
            + "".join(f"<small>{ends}</small>" for ends in self.interval(row))
            for row, text in zip(rows, texts, strict=True)
        ]


def metrics_table(comparison: Comparison) -> str:
    """Metrics of all calibrations, the best first, and of the raw scores' best."""
    columns, rows = _columns(comparison), _rows(comparison)
    names = {label: escaped(label) for label in rows}
    if comparison.verdict.fit:
        names[comparison.recommended] += f" {_RECOMMENDED}"
    cells = zip(names.values(), *(column.cells(rows.values()) for column in columns), strict=True)
    whose, wide = ("best system", ' class="wide"') if comparison.of_systems else ("raw scores", "")
    return table(
        "Metrics of all calibrations",
        ["Calibration", *(escaped(column.heading) for column in columns)],
        cells,
        foot=[f"{whose}, best thresholds", *(column.written(column.least) for column in columns)],
        attributes=f'id="metrics"{wide} aria-describedby="metrics-note"',
    )


def recommended_numbers(comparison: Comparison) -> list[Tile]:
    """The criterion, Cllr and EER of the recommended calibration."""
    label, columns = comparison.recommended, _columns(comparison)
    found, shown = _rows(comparison)[label], list[Tile]()
    for column in columns:
        if column.key not in (columns[0].key, "cllr", "eer"):
            continue
        small = column.interval(found)
        if not math.isnan(column.least) and column.key != "eer":
            small.append(f"minimum {column.written(column.least)}")
        whose = "" if shown else f" of {escaped(label)}"
        shown.append((column.heading + whose, column.written(found[column.key]), small))
    return shown


def rates_table(comparison: Comparison) -> str:
    """Miss rates at false-alarm rates, with their intervals; nothing of trials in pieces."""
    # Rising calibrations of the same scores share them.
    labels = list(comparison.candidates) if comparison.of_systems else [comparison.recommended]
    found = {label: comparison.candidates[label].evaluation for label in labels}
    if comparison.test.totals or not all(ev.non_count >= 1 / RATES[0] for ev in found.values()):
        return ""
    rows, by = [], ""
    for label, ev in found.items():
        cells = [escaped(label)]
        for one in ev.error_rates:
            by = one.by
            low, high = (decimal(100 * end, digits=2) for end in one.pmiss_interval)
            cells.append(
                f"{decimal(100 * one.pmiss, digits=2)} %<small>{low} to {high} %</small>"
                f"<small>{one.misses:,} misses, {one.false_alarms:,} false alarms</small>"
            )
        rows.append(cells)
    heads = ["Miss rate (FNMR)", *(f"at FMR {100 * rate:g} %" for rate in RATES[: len(cells) - 1])]
    text = (
        "Miss rates at the lowest threshold with no more false alarms than the FMR allows. Small "
        f"print: 95 % intervals by {by}, and the errors behind them."
    )
    rates = table("Miss rates at false-alarm rates", heads, rows, attributes='id="rates"')
    return f'{rates}\n<p class="note">{sentence(text)}</p>\n'


def _columns(comparison: Comparison) -> list[Column]:
    least, criterion, rules = comparison.least, comparison.criterion, comparison.rules
    least_cllr = least(lambda ev: ev.min_cllr)
    columns = [
        Column("criterion", "Mean of the points", least(criterion.least)),
        Column("mean_error", "Mean Bayes error", comparison.least_mean_error),
        Column("cllr", "Cllr", least_cllr),
        Column("min_cllr", "minCllr", least_cllr, of_scores=True),
        Column("calibration_loss", "Calibration loss"),
        Column("eer", "EER, %", least(lambda ev: ev.eer), digits=3, scale=100),
    ]
    x = np.array([one.prior_log_odds for one in comparison.points])
    at_points = least(lambda ev: ev.min_bayes_error(x))
    by_rules = least(lambda ev: [min_cost(ev.hull, rule) for rule in rules])
    costs = [(f"DCF at {one.name}", "act_dcf", "min_dcf", one.name) for one in comparison.points]
    costs += [(f"Cost by {rule}", "cost", "min_cost", rule) for rule in rules]
    for (heading, actual, minimum, name), value in zip(costs, [*at_points, *by_rules], strict=True):
        columns.append(Column(f"{actual}_{name}", heading, value))
        columns.append(Column(f"{minimum}_{name}", f"min {heading}", value, of_scores=True))
    # Rising calibrations of the same scores share their minima, which stand in the last row.
    columns = [one for one in columns if comparison.of_systems or not one.of_scores]
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
        "Lower is better everywhere; a star marks the best of a column. Cllr and calibration loss "
        "are in bits; detection costs (DCF) are relative to deciding by the prior "
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
