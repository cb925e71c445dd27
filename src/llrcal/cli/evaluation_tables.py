"""An evaluation on the terminal: the numbers that ``--json`` gives, in lines and tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import reduce
from operator import getitem
from typing import Any

from llrcal.cli.terminal import cells, print_lines, print_table

_Numbers = Mapping[str, Any]


def show_evaluation(answer: _Numbers, *, plain: bool) -> None:
    """Print the numbers of an evaluation, and tables of what else was asked for."""
    low, high = answer["rule_of_30"]
    words = "{} cost {actual:.7f}  minimum {minimum:.7f}  calibration loss {loss:.7f}"
    print_lines(
        "{tar_count:,} targets, {non_count:,} non-targets\n"
        "Cllr {cllr:.7f}  minCllr {min_cllr:.7f}  "
        "calibration loss {calibration_loss:.7f} (bits)".format(**answer),
        *(words.format(rule, **cost) for rule, cost in answer.get("rules", {}).items()),
        f"EER {100 * answer['eer']:.4f} % (ROC convex hull)",
        f"rule of 30: prior log-odds from {low:.2f} to {high:.2f}"
        if low <= high
        else "rule of 30: too few errors at any prior",
    )
    _show_points(answer, plain=plain)
    if "forensic" in answer:
        _show_forensic(answer["forensic"])
    if "error_rates" in answer:
        _show_error_rates(answer)
    if "by" in answer:
        show_conditions(answer["by"])
    if "intervals" in answer:
        _show_intervals(answer)


def _show_points(answer: _Numbers, *, plain: bool) -> None:
    """Detection costs at operating points, and averages of some."""
    end = "_unnormalised" if plain else ""
    costs = {"actDCF": f"{{act_dcf{end}:.7g}}", "minDCF": f"{{min_dcf{end}:.7g}}"}
    columns = {"p_target": "{p_target:g}", "c_miss": "{c_miss:g}", "c_fa": "{c_fa:g}", **costs}
    names = ("p_target", "c_miss", "c_fa", f"act_dcf{end}", f"min_dcf{end}")
    points = zip(*(answer[name] for name in names), strict=True)
    rows = [cells(columns, **dict(zip(names, point, strict=True))) for point in points]
    if answer["averages"]:
        rows.append([])
    for name, means in answer["averages"].items():
        what = "average" if name == "points" else f"average of {name}"
        rows.append([what, "", "", *cells(costs, **means)])
    caption = "expected costs" if plain else "1 is the cost of deciding by the prior alone"
    print_table(columns, rows, caption=caption)


def _show_forensic(found: _Numbers) -> None:
    """Print forensic figures of merit, in log10 and in the words of the field."""
    (low, high), ends = found["elub"]["lr"], found["elub"]["log10_lr"]
    print_lines(
        "Forensic figures of merit (Hp: same source, Hd: different sources)",
        "devPAV: none, because the classes do not overlap"
        if math.isnan(found["dev_pav"])
        else f"devPAV {found['dev_pav']:.4f} (log10; 0 if calibrated)",
        f"ELUB: LR from {low:.4g} to {high:.4g}, log10 LR from {ends[0]:.3f} to {ends[1]:.3f}"
        if low < high
        else "ELUB: LR 1; the LRs are no better than no evidence",
        "mean log10 LR {log10_lr_tar:.3f} under Hp, {log10_lr_non:.3f} under Hd\n"
        "mean 1/LR {inverse_lr_tar:.4g} under Hp, mean LR {lr_non:.4g} under Hd "
        "(about 1 if calibrated)".format(**found["expected"]),
    )
    columns = {
        "strength": "{strength:,.0f}",
        "same source": "{below}",
        "rate under Hp": "{tar:.4g} %",
        "different sources": "{above}",
        "rate under Hd": "{non:.4g} %",
    }
    rows = [
        cells(columns, strength=strength, below=below, tar=100 * tar, above=above, non=100 * non)
        for strength, below, tar, above, non in _misleading(found["misleading"])
    ]
    print_table(columns, rows, caption="rates of misleading evidence")


def _misleading(rates: _Numbers) -> Iterator[tuple[float, str, float, str, float]]:
    """Strengths, and the LRs that mislead as much: words and rate of each class."""
    for strength, tar, non in zip(*rates.values(), strict=True):
        inverse = "1" if strength == 1 else f"1/{strength:,.0f}"
        yield strength, f"LR < {inverse}", tar, f"LR > {strength:,.0f}", non


def _show_error_rates(answer: _Numbers) -> None:
    """Print miss rates at false-alarm rates, as in reports on biometric systems."""
    from llrcal.evaluation.score_threshold import RATES

    found = answer["error_rates"]
    columns = {"FMR": "{pfa:.3g}", "false alarms": "{false_alarms:,}"}
    columns |= {"FNMR": "{percent:.4g} %", "misses": "{misses:,}"}
    print_table(columns, [cells(columns, **one, percent=100 * one["pmiss"]) for one in found])
    print_lines(
        "Miss rate (FNMR) at the lowest threshold with no more false alarms than the FMR allows.",
        "By the rule of 30, a rate rests on at least 30 errors.",
    )
    if len(found) < len(RATES):
        print_lines(f"{answer['non_count']:,} non-targets are too few for lower FMRs.")


def show_conditions(by: _Numbers) -> None:
    """Print a row for each condition, for all trials, and for the average.

    Costs are those at the operating point at which they rest on the most errors.
    """
    names, pooled = by["columns"], by["pooled"]
    misses, alarms = (
        [rate * pooled[count] for rate in pooled[name]]
        for name, count in (("pmiss", "tar_count"), ("pfa", "non_count"))
    )
    fewer = list(map(min, misses, alarms))
    at = fewer.index(max(fewer))
    counts = {"targets": "{tar_count:,}", "non-targets": "{non_count:,}"}
    costs = {"Cllr": "{cllr:.4f}", "minCllr": "{min_cllr:.4f}", "EER": "{percent:.2f} %"}
    costs |= {"actDCF": f"{{act_dcf[{at}]:.4f}}", "minDCF": f"{{min_dcf[{at}]:.4f}}"}
    columns, blank = counts | costs, [""] * (len(names) - 1)

    def row(columns: Mapping[str, str], one: _Numbers) -> list[str]:
        return cells(columns, **one, percent=100 * one["eer"])

    rows = [[*one["values"], *row(columns, one)] for one in by["cells"]]
    rows += [[], ["(pooled)", *blank, *row(columns, pooled)]]
    rows.append(["(average)", *blank, "", "", *row(costs, by["average"])])
    prior, c_miss, c_fa = (pooled[name][at] for name in ("p_target", "c_miss", "c_fa"))
    caption = (
        f"DCF at prior {prior:g}, costs {c_miss:g} and {c_fa:g}"
        f"{', where there are most errors' if len(fewer) > 1 else ''}, normalised; "
        "the average gives every condition the same weight"
    )
    print_table((*names, *columns), rows, words=names, caption=caption)


def _show_intervals(answer: _Numbers) -> None:
    """Print a table of numbers with their intervals, and notes on the intervals."""
    found = answer["intervals"]
    if "forensic" in found:
        found = found | {"forensic": {**found["forensic"], "misleading": found["misleading"]}}
    rows = []
    number: Any
    for name, *path in _with_intervals(answer):
        number, ends = (reduce(getitem, path, numbers) for numbers in (answer, found))
        if not math.isnan(number):  # the table above says why
            scale, unit = (100, " %") if name.startswith(("EER", "LR")) else (1, "")
            rows.append([name, *(f"{scale * value:.4f}{unit}" for value in (number, *ends))])
    words = "{percent:g} % intervals by {by}, {replicates:,} drawn test sets"
    print_lines(words.format(percent=100 * found["level"], **found))
    print_table(("", "number", "from", "to"), rows, words=("",))
    print_lines(*(f"note: {note['text']}" for note in found["notes"]))


def _with_intervals(answer: _Numbers) -> Iterator[tuple[Any, ...]]:
    """The numbers that have intervals: what they are called, and where they are in the answer."""
    from llrcal.evaluation import OperatingPoint

    yield "Cllr", "cllr"
    yield "minCllr", "min_cllr"
    yield "calibration loss", "calibration_loss"
    for rule in answer.get("rules", ()):
        yield f"{rule} cost", "rules", rule, "actual"
        yield f"{rule} minimum", "rules", rule, "minimum"
        yield f"{rule} calibration loss", "rules", rule, "loss"
    yield "EER", "eer"
    points = zip(answer["p_target"], answer["c_miss"], answer["c_fa"], strict=True)
    for i, point in enumerate(points):
        name = OperatingPoint(*point).name
        yield f"DCF {name}", "act_dcf", i
        yield f"minDCF {name}", "min_dcf", i
    if "forensic" in answer:
        rates = answer["forensic"]["misleading"]
        for i, (_, below, _, above, _) in enumerate(_misleading(rates)):
            yield f"{below}, same source", "forensic", "misleading", "tar", i
            yield f"{above}, different sources", "forensic", "misleading", "non", i
        yield "devPAV (log10)", "forensic", "dev_pav"
        yield "mean log10 LR, same source", "forensic", "expected", "log10_lr_tar"
        yield "mean log10 LR, different sources", "forensic", "expected", "log10_lr_non"
