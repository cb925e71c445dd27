from __future__ import annotations

import re
from dataclasses import replace

from llrcal.report.metrics_table import metrics_note, metrics_table
from tests.report.comparisons import hostile, shifted, small, systems_compared


def cells(html: str, label: str) -> dict[str, str]:
    """The cells of a row, by the headings of their columns."""
    mark = r"(?: <span[^>]*>recommended</span>)?"
    row = re.search(rf'<th scope="row">{label}{mark}</th>(.*?)</tr>', html)
    assert row
    return dict(zip(headings(html), re.findall(r"<td[^>]*>(.*?)</td>", row[1]), strict=True))


def headings(html: str) -> list[str]:
    return re.findall(r'<th scope="col"[^>]*>([^<]*)</th>', html)[1:]


def test_numbers_are_those_of_evaluate() -> None:
    comparison = small()
    html = metrics_table(comparison)
    for label, candidate in comparison.candidates.items():
        ev = candidate.evaluation
        expected = {
            "Mean Bayes error": f"{comparison.mean_errors[label]:.4f}",
            "Cllr": f"{ev.cllr:.4f}",
            "Calibration loss": f"{ev.calibration_loss:.4f}",
            "EER, %": f"{100 * ev.eer:.3f}",
        }
        for point in comparison.points:
            expected[f"DCF at {point.name}"] = f"{ev.bayes_error(point.prior_log_odds):.4f}"
        found = cells(html, label)
        plain = {
            name: re.sub("<.*", "", re.sub("</?strong>", "", found[name])) for name in expected
        }
        assert plain == expected


def test_minima_stand_in_the_last_row_and_beside_systems() -> None:
    comparison = small()
    html = metrics_table(comparison)
    foot = re.findall("<td>(.*?)</td>", html.split("<tfoot>")[1])[-len(headings(html)) :]
    found = dict(zip(headings(html), foot, strict=True))
    assert found["Cllr"] == f"{comparison.raw.min_cllr:.4f}"
    for point in comparison.points:
        least = comparison.raw.min_bayes_error(point.prior_log_odds)
        assert found[f"DCF at {point.name}"] == f"{least:.4f}"
    for name in ("minCllr", "minDCF at p0.01"):
        assert name in headings(metrics_table(systems_compared()))
        assert name not in headings(html)


def test_the_recommended_row_is_marked_if_there_is_one() -> None:
    html = metrics_table(small())
    (row,) = re.findall(r'<th scope="row">(\S+) <span class="tag">recommended', html)
    assert row == small().recommended
    assert "recommended" not in metrics_table(shifted())


def test_intervals_stand_in_small_print() -> None:
    comparison = small()
    intervals = comparison.candidates["nig"].intervals
    assert intervals
    found = cells(metrics_table(comparison), "nig")
    for name, heading, scale in (
        ("mean_error", "Mean Bayes error", 1),
        ("cllr", "Cllr", 1),
        ("eer", "EER, %", 100),
        ("act_dcf_p0.01", "DCF at p0.01", 1),
    ):
        low, high = intervals[name]
        digits = 3 if scale == 100 else 4
        ends = f"{scale * low:.{digits}f}&nbsp;to {scale * high:.{digits}f}"
        assert f"<small>{ends}</small>" in found[heading]


def test_the_note_says_what_was_drawn() -> None:
    comparison = small()
    assert "95 % bootstrap intervals by trial (10 replicates)" in metrics_note(comparison)
    drawn = comparison.candidates["nig"].intervals
    assert drawn
    by_speaker = {
        label: replace(candidate, intervals=replace(drawn, by="speaker"))
        for label, candidate in comparison.candidates.items()
    }
    assert "intervals by speaker" in metrics_note(replace(comparison, candidates=by_speaker))
    assert "bootstrap" not in metrics_note(hostile())


def test_the_best_of_a_column_has_a_star() -> None:
    comparison = small()
    html = metrics_table(comparison)
    best = cells(html, comparison.verdict.best)["Mean Bayes error"]
    assert "★" in best
    assert "(best)" in best
    worst = list(comparison.mean_errors)[-1]
    assert "★" not in cells(html, worst)["Mean Bayes error"]
    # The linear ones all share their EER: no star for most of a column.
    assert all(
        "★" not in cells(html, label)["EER, %"] for label in ("logistic-0.5", "logistic-0.92")
    )


def test_rows_are_in_the_order_of_the_verdict() -> None:
    body = metrics_table(small()).split("<tbody>")[1].split("</tbody>")[0]
    assert re.findall(r'<th scope="row">(\S*?)[ <]', body) == list(small().mean_errors)


def test_every_number_has_headings() -> None:
    html = metrics_table(small())
    assert html.count('<th scope="col">') == len(cells(html, "nig")) + 1


def test_infinite_numbers() -> None:
    html = metrics_table(hostile())
    assert "<td>∞</td>" in html
