"""The table of metrics, as HTML that can be read and printed without any script."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from llrcal.comparison import Comparison
from llrcal.comparison.tables import Row, metrics
from llrcal.evaluation.measures import Number
from llrcal.evaluation.score_threshold import RATES
from llrcal.report.text import Tile, decimal, escaped, sentence, table

_BEST = '<span class="star" aria-hidden="true">★</span><span class="hidden"> (best)</span>'
_RECOMMENDED = '<span class="tag">recommended</span>'

_MOST_COLUMNS = 8  # in letters of the usual size
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
    is_share: bool = False
    pick: Callable[[Iterable[float]], float] = min
    """The best of several."""

    @classmethod
    def of(cls, number: Number, least: float) -> Column:
        heading = f"{number.capitalised}, %" if number.is_share else number.capitalised
        pick = min if number.measure.better == "lower" else max
        return cls(number.name, heading, least, number.is_share, pick)

    def written(self, value: float | str) -> str:
        if self.is_share:
            return decimal(100 * float(value), digits=3)
        return decimal(float(value), digits=4)

    def interval(self, row: Row) -> list[str]:
        """Its interval in one line, or nothing."""
        if f"{self.key}_low" not in row:
            return []
        return ["&nbsp;to ".join(self.written(row[f"{self.key}_{end}"]) for end in ("low", "high"))]

    def cells(self, rows: Collection[Row]) -> list[str]:
        """The cells of all rows; the best have a star, unless most look so, and it were noise."""
        texts = [self.written(row[self.key]) for row in rows]
        best = self.written(self.pick(float(row[self.key]) for row in rows))
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
    whose = "best system" if comparison.of_systems else "raw scores"
    wide = ' class="wide"' if len(columns) > _MOST_COLUMNS else ""
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
    criterion, numbers = comparison.criterion, comparison.raw.taken(comparison.asked)
    measures = [number.measure for number in numbers]
    minima = {measure.least for measure in measures if measure.least != measure.name}
    columns = [
        Column.of(number, comparison.best_possible(number))
        for number in numbers
        # Rising calibrations of the same scores share their minima, which stand in the last row.
        if number.measure.name not in minima
        or (comparison.of_systems and number.measure.at != "range")
    ]
    if criterion.name != "points":
        return columns
    return [Column("criterion", "Mean of the points", comparison.least(criterion.least)), *columns]


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
    higher = [one.heading for one in _columns(comparison) if one.pick is max]
    exceptions = f", except for {', '.join(higher)}" if higher else " everywhere"
    text = (
        f"Lower is better{exceptions}; a star marks the best of a column. Cllr and calibration "
        "loss are in bits; detection costs (DCF) are relative to deciding by the prior "
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
